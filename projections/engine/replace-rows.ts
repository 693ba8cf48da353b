/**
 * Read models that have seen what the log has lost: built anew from the log beside the live ones, compared
 * with them, and put in their place although those stand further on. What the live rows alone knew is told
 * first.
 */
import type pg from 'pg';
import { JOURNAL } from '#contracts/events/journal';
import { readQuarantine } from '#log/quarantine';
import { makeTables } from './make-tables.js';
import { readCheckpoints } from './checkpoints.js';
import { formerOf, READ_SCHEMA, schemaName, scratchOf } from './database.js';
import { leaveOut } from './parking.js';
import { connectProjector } from './project-batch.js';
import { fill, rebuildLock, Replay, type RebuildOptions } from './rebuild.js';

/** A row that the log does not yield: ids, and nothing that a person wrote. */
export interface LostRow {
  readonly table: string;
  /** `missing`: the log knows nothing of it. `changed`: it yields another row in its place. */
  readonly what: 'missing' | 'changed';
  readonly ids: Readonly<Record<string, string | number | null>>;
}

/** Columns that are told, beside those whose name ends with _id. */
const TOLD = ['id', 'key', 'kind', 'revision', 'subject', 'status', 'occurrence'];
/** What the store itself numbers: another place of the same event makes no other row. */
const PLACES = ['place', 'position', 'payer_place', 'recipient_place'];
/**
 * Tables whose rows are known by where or when an entry stands. An entry that was booked again stands
 * elsewhere, and makes other rows: nobody has lost anything by that. What is lost indeed is missing in the
 * table of payments, payouts, wallets or whatever else the entry is about.
 */
const KNOWN_BY_PLACE: ReadonlySet<string> = new Set(['account_lines', 'account_months']);

interface Replacing extends Omit<RebuildOptions, 'compare' | 'swap'> {
  /**
   * Told of the lost rows, and given the rows of the log to read, before anything is replaced. What it
   * appends to the log is in the new rows.
   */
  readonly compared: (lost: readonly LostRow[], rebuilt: pg.Client) => Promise<void>;
}

/**
 * Replaces the live rows. Throws what the log or a projection throws; the live rows are then as they were.
 */
export async function replaceRows(options: Replacing): Promise<{ events: number }> {
  const { databaseUrl, log, models, schema = READ_SCHEMA, scratch = scratchOf(schema) } = options;
  schemaName(schema);
  schemaName(scratch);
  const live = await connectProjector(databaseUrl, schema);
  const next = await connectProjector(databaseUrl, scratch);
  try {
    const lock = rebuildLock(schema, scratch);
    await live.query(`select pg_advisory_lock(${lock})`);
    if ((await readCheckpoints(live)).length === 0) {
      // What fills them holds it itself.
      await live.query(`select pg_advisory_unlock(${lock})`);
      const filled = await fill(options);
      await options.compared([], live);
      return filled;
    }
    await live.query(`drop schema if exists ${scratch} cascade`);
    await makeTables(databaseUrl, models, scratch);
    await leaveOut((await readQuarantine(log)).quarantined, next);
    const replay = new Replay(log, next, models, scratch, options.onProgress);
    await replay.through();
    const lost: LostRow[] = [];
    for (const { tables, prefixes } of models)
      for (const table of tables.filter((each) => !KNOWN_BY_PLACE.has(each)))
        lost.push(...(await lostRows(live, table, schema, scratch, prefixes.includes(JOURNAL))));
    await options.compared(lost, next);
    await replay.through();
    await swap(live, schema, scratch);
    return { events: replay.events };
  } finally {
    await live.query(`drop schema if exists ${scratch} cascade`).catch(() => undefined);
    await Promise.allSettled([live.end(), next.end()]);
  }
}

/**
 * The live rows of one table that are not in the other. Rows of the journal are compared by their keys: times
 * and places of an entry that was booked again differ, and the money is the provider's word.
 */
async function lostRows(
  live: pg.Client,
  table: string,
  schema: string,
  scratch: string,
  isOfJournal: boolean,
): Promise<LostRow[]> {
  const { rows: found } = await live.query<{ name: string; is_key: boolean }>(
    `select a.attname as name, coalesce(a.attnum = any (i.indkey), false) as is_key
       from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
        and exists (select 1 from pg_attribute b where b.attrelid = to_regclass($2) and b.attname = a.attname)
      order by a.attnum`,
    [`${schema}.${table}`, `${scratch}.${table}`],
  );
  const keys = found.filter(({ is_key: isKey }) => isKey).map(({ name }) => name);
  if (keys.length === 0) return [];
  const told = found
    .map(({ name }) => name)
    .filter((name) => keys.includes(name) || name.endsWith('_id') || TOLD.includes(name));
  const ids = `json_build_object(${told.map((name) => `'${name}', l.${name}`).join(', ')}) as ids`;
  const same = keys.map((name) => `s.${name} = l.${name}`).join(' and ');
  const { rows: missing } = await live.query<{ ids: LostRow['ids'] }>(
    `select ${ids} from ${schema}.${table} l
      where not exists (select 1 from ${scratch}.${table} s where ${same}) order by ${keys.join(', ')}`,
  );
  const lost = missing.map((row) => ({ table, what: 'missing' as const, ...row }));
  if (isOfJournal && table !== 'schedules') return lost;
  const places = `array[${PLACES.map((name) => `'${name}'`).join(', ')}]`;
  const { rows: changed } = await live.query<{ ids: LostRow['ids'] }>(
    `select ${ids} from ${schema}.${table} l join ${scratch}.${table} s on ${same}
      where to_jsonb(l) - ${places} is distinct from to_jsonb(s) - ${places} order by ${keys.map((name) => `l.${name}`).join(', ')}`,
  );
  return [...lost, ...changed.map((row) => ({ table, what: 'changed' as const, ...row }))];
}

async function swap(live: pg.Client, schema: string, scratch: string): Promise<void> {
  const former = formerOf(schema);
  await live.query(`drop schema if exists ${former} cascade`);
  // One message, one transaction: a projector waits at the lock, and finds the new rows and their
  // checkpoints.
  await live.query(
    `begin; select pg_advisory_xact_lock(hashtext('encore.project.${schema}'));
     alter schema ${schema} rename to ${former}; alter schema ${scratch} rename to ${schema}; commit`,
  );
  await live.query(`drop schema ${former} cascade`);
}
