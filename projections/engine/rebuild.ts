/**
 * Builds the read models anew beside the live ones, compares them row by row and lets them take the live
 * ones' name. The live ones go on meanwhile: their projectors are held off twice, for as long as the last few
 * events take.
 */
import pg from 'pg';
import { isOurStream, OUR_PREFIXES } from '#contracts/events/our-streams';
import { comparePositions, positionText, START, type Position } from '#contracts/log';
import type { EventLog, RawEvent } from '#log/event-log';
import { NOTHING_QUARANTINED, readQuarantine, type Quarantined } from '#log/quarantine';
import { storedEvent, type StoredEvent } from '#log/stored-event';
import { makeTables, makeTemporaryTables } from './make-tables.js';
import { batched } from './batched.js';
import { greatest, passOnVersions, readCheckpoints, type Checkpoint } from './checkpoints.js';
import {
  connectionTo,
  connectPatiently,
  formerOf,
  PROJECTED_CHANNEL,
  READ_SCHEMA,
  schemaName,
  scratchOf,
} from './database.js';
import { knowsParking, leaveOut, quarantinedOfRows, PARKING_TABLES } from './parking.js';
import { beginHeldOff, beginLocked, connectProjector, projectEvents } from './project-batch.js';
import { BrokenBooks, type ReadModel } from './read-model.js';

/**
 * Large enough that a round trip per statement is nothing, small enough that a batch fits easily in memory.
 */
const REPLAY_BATCH = 2000;

/** How many differing rows are shown per table and side. */
const SHOWN_ROWS = 3;

export interface RebuildOptions {
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly models: readonly ReadModel[];
  readonly schema?: string;
  /** Where the new rows are made; dropped first, and at the end unless it became the live one. */
  readonly scratch?: string;
  /** Whether to compare the new rows with the live ones. */
  readonly compare: boolean;
  /** Whether the new rows take the live ones' place. */
  readonly swap: boolean;
  /** Told now and then how many events have been replayed. */
  readonly onProgress?: (events: number) => void;
}

/** How one table's live rows and replayed rows compare. */
export interface TableComparison {
  readonly table: string;
  readonly liveRows: number;
  readonly rebuiltRows: number;
  /** Live rows that the log does not yield. */
  readonly onlyLive: number;
  /** Rows that the log yields and that are not live. */
  readonly onlyRebuilt: number;
  /** The first few of both, each as one line. */
  readonly samples: readonly string[];
}

export interface RebuildReport {
  readonly events: number;
  readonly position: Position;
  /** Absent where nothing was compared. */
  readonly tables: readonly TableComparison[];
  readonly swapped: boolean;
}

/** Whether a comparison found every table the same. */
export const isSame = (tables: readonly TableComparison[]): boolean =>
  tables.every(({ onlyLive, onlyRebuilt }) => onlyLive === 0 && onlyRebuilt === 0);

/** Held by whoever decides whether the tables are to be made, and while they are. */
export const prepareLock = (schema: string): string => `hashtext('encore.prepare.${schema}')`;

/** Held by the connection that makes the rows of a scratch schema: two would drop each other's. */
export const rebuildLock = (schema: string, scratch: string): string =>
  `hashtext('encore.rebuild.${schema}.${scratch}')`;

/**
 * Rebuilds. Throws what the log or a projection throws; the live rows are then as they were. Read models
 * whose version differs from the live tables' cannot be compared and are left out of the comparison.
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildReport> {
  const { databaseUrl, models, schema = READ_SCHEMA, scratch = scratchOf(schema) } = options;
  schemaName(schema);
  schemaName(scratch);
  const clear = `drop schema if exists ${scratch} cascade`;
  const live = await connectProjector(databaseUrl, schema);
  let next: pg.Client | undefined;
  try {
    await live.query(`select pg_advisory_lock(${rebuildLock(schema, scratch)})`);
    await live.query(clear);
    await makeTables(databaseUrl, models, scratch);
    next = await connectProjector(databaseUrl, scratch);
    await leaveOut(await quarantinedFor(options, live), next);
    const replay = new Replay(options.log, next, models, scratch, options.onProgress);
    await catchUp(replay, live);
    let tables: readonly TableComparison[] = [];
    if (options.compare) {
      const reader = await connectPatiently(connectionTo(databaseUrl, schema));
      try {
        tables = await compare(reader, live, replay, models, schema, scratch);
      } finally {
        await reader.end();
      }
    }
    if (options.swap) await swap(live, replay, schema, scratch);
    return { events: replay.events, position: replay.reached, tables, swapped: options.swap };
  } finally {
    await next?.end().catch(() => undefined);
    // After a swap this finds nothing; otherwise the scratch rows go, also after an error.
    await live.query(clear).catch(() => undefined);
    await live.end().catch(() => undefined);
  }
}

/** At full speed to where the live rows are; what comes meanwhile is caught up again until little is left. */
async function catchUp(replay: Replay, live: pg.Client): Promise<void> {
  for (;;) {
    const target = greatest(await readCheckpoints(live));
    const before = replay.events;
    await replay.through(target);
    if (replay.events - before <= REPLAY_BATCH) return;
  }
}

/** Where Postgres keeps the temporary tables of a connection. */
const TEMPORARY = 'pg_temp';

/**
 * Compares the live rows with a replay into temporary tables, for whoever may read the live ones and nothing
 * else: no schema is made, and nothing is left. `scratch` names a schema whose tables are there already, and
 * empty: the replay goes there instead. `shows` says how the rows that differ are told. Throws what the log
 * or a projection throws, and Postgres for a role without the right to make temporary tables.
 */
export async function compareWithReplay(
  options: Pick<RebuildOptions, 'databaseUrl' | 'log' | 'models' | 'schema' | 'scratch' | 'onProgress'> & {
    readonly shows?: ShownRows;
  },
): Promise<Omit<RebuildReport, 'swapped'>> {
  const { databaseUrl, log, models, schema = READ_SCHEMA, scratch = TEMPORARY, shows = 'ids' } = options;
  const live = await connectProjector(databaseUrl, schemaName(schema));
  // Replays, and compares: nobody else sees its tables.
  const replayer = await connectProjector(databaseUrl, schemaName(scratch));
  try {
    if (scratch === TEMPORARY) await makeTemporaryTables(replayer, models);
    await leaveOut(
      (await knowsParking(live)) ? await quarantinedOfRows(live) : NOTHING_QUARANTINED,
      replayer,
    );
    const replay = new Replay(log, replayer, models, scratch, options.onProgress);
    await catchUp(replay, live);
    const tables = await compare(replayer, live, replay, models, schema, scratch, shows);
    return { events: replay.events, position: replay.reached, tables };
  } finally {
    await replayer.end().catch(() => undefined);
    await live.end().catch(() => undefined);
  }
}

/**
 * Fills a schema that has no read models yet, beside its name: until all of the log is in them there are none
 * to read, so nobody takes a part of the past for all of it. Throws what the log or a projection throws;
 * there are none then, either.
 */
export async function fill(options: Omit<RebuildOptions, 'compare' | 'swap'>): Promise<{ events: number }> {
  const { databaseUrl, log, models, schema = READ_SCHEMA, scratch = scratchOf(schema) } = options;
  schemaName(schema);
  schemaName(scratch);
  const client = await connectProjector(databaseUrl, scratch);
  try {
    await client.query(`select pg_advisory_lock(${rebuildLock(schema, scratch)})`);
    const { rows } = await client.query(`select to_regclass('${schema}.checkpoints') is not null as filled`);
    // Somebody else was at it, and has done it.
    if (rows[0]?.filled === true) return { events: 0 };
    await client.query(`drop schema if exists ${scratch} cascade`);
    await makeTables(databaseUrl, models, scratch);
    await leaveOut((await readQuarantine(log)).quarantined, client);
    const replay = new Replay(log, client, models, scratch, options.onProgress);
    // What came meanwhile is caught up again until little is left; the rest is the projector's.
    let before: number;
    do {
      before = replay.events;
      await replay.through();
    } while (replay.events - before > REPLAY_BATCH);
    // An empty schema of this name may be there, made by whoever granted rights on it, with a note in it of
    // why an earlier try has failed.
    await client.query('begin');
    await client.query(`drop table if exists ${schema}.projector_stop;
      drop schema if exists ${schema}; alter schema ${scratch} rename to ${schema}`);
    await client.query('select pg_notify($1, $2)', [PROJECTED_CHANNEL, positionText(replay.reached)]);
    await client.query('commit');
    return { events: replay.events };
  } finally {
    await client.query(`drop schema if exists ${scratch} cascade`).catch(() => undefined);
    await client.end().catch(() => undefined);
  }
}

/**
 * Which events the new rows leave out: rows that are to become the live ones all that were taken out, rows
 * that are compared those that the live ones leave out.
 */
async function quarantinedFor({ log, swap }: RebuildOptions, live: pg.Client): Promise<Quarantined> {
  if (swap) return (await readQuarantine(log)).quarantined;
  return (await knowsParking(live)) ? quarantinedOfRows(live) : NOTHING_QUARANTINED;
}

/** The new rows: how far they are, and how to take them further. */
export class Replay {
  reached: Position = START;
  events = 0;

  constructor(
    private readonly log: EventLog,
    private readonly client: pg.Client,
    private readonly models: readonly ReadModel[],
    private readonly schema: string,
    private readonly onProgress: ((events: number) => void) | undefined,
  ) {}

  /** Projects everything up to and including a position that the log has reached, or to its present end. */
  async through(target?: Position): Promise<void> {
    if (target && comparePositions(this.reached, target) >= 0) return;
    const upTo = storedUpTo(this.log.readAll(this.reached, OUR_PREFIXES), target);
    const options = { schema: this.schema, models: this.models, announce: false };
    for await (const batch of batched(upTo, REPLAY_BATCH))
      await projectEvents(this.client, batch, options, (events, end) => {
        this.reached = end.position;
        this.events += events.length;
        this.onProgress?.(this.events);
      });
  }
}

async function* storedUpTo(
  source: AsyncIterable<RawEvent>,
  target?: Position,
): AsyncGenerator<StoredEvent, void> {
  for await (const raw of source) {
    if (target && comparePositions(raw.position, target) > 0) return;
    if (isOurStream(raw.stream)) yield storedEvent(raw);
  }
}

/**
 * Holds the live projectors off, brings the new rows to exactly where the live ones stand, and does one thing
 * there.
 */
async function aligned<T>(
  live: pg.Client,
  replay: Replay,
  schema: string,
  act: (checkpoints: readonly Checkpoint[]) => Promise<T>,
  begin = beginLocked,
): Promise<T> {
  try {
    const checkpoints = await begin(live, schema);
    await replay.through(greatest(checkpoints));
    const result = await act(checkpoints);
    await live.query('commit');
    return result;
  } catch (error) {
    await live.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * How rows that differ are told: whole, or with their ids, numbers and times alone, and no word of a person.
 */
export type ShownRows = 'everything' | 'ids';

async function compare(
  reader: pg.Client,
  live: pg.Client,
  replay: Replay,
  models: readonly ReadModel[],
  schema: string,
  scratch: string,
  shows: ShownRows = 'everything',
): Promise<TableComparison[]> {
  // The snapshot is taken while both stand at the same place; comparing takes long and holds nobody off.
  const { checkpoints, ofEngine } = await aligned(
    live,
    replay,
    schema,
    async (found) => {
      await reader.query('begin isolation level repeatable read');
      await reader.query(`select 1 from ${schema}.checkpoints limit 1`);
      return { checkpoints: found, ofEngine: (await knowsParking(live)) ? PARKING_TABLES : [] };
    },
    beginHeldOff,
  );
  // Whole tables are read here: a projector's connection would go by the index.
  await reader.query(
    'set local enable_seqscan = on; set local enable_hashjoin = on; set transaction read only',
  );
  const comparable = models.filter(({ name, version }) =>
    checkpoints.some((checkpoint) => checkpoint.model === name && checkpoint.version === version),
  );
  const compared: TableComparison[] = [];
  for (const table of [...comparable.flatMap(({ tables }) => tables), ...ofEngine])
    compared.push(await compareTable(reader, table, schema, scratch, shows));
  await reader.query('commit');
  return compared;
}

async function compareTable(
  reader: pg.Client,
  table: string,
  schema: string,
  scratch: string,
  shows: ShownRows,
): Promise<TableComparison> {
  const difference = async (one: string, other: string): Promise<{ count: number; rows: string[] }> => {
    const { rows } = await reader.query<{ row: string; count: number }>(
      `with difference as (select * from ${one}.${table} except all select * from ${other}.${table})
       select row_to_json(difference)::text as row, (count(*) over ())::int as count from difference order by 1 limit ${SHOWN_ROWS}`,
    );
    return { count: rows[0]?.count ?? 0, rows: rows.map(({ row }) => row) };
  };
  const { rows: counts } = await reader.query<{ live: number; rebuilt: number }>(
    `select (select count(*) from ${schema}.${table})::int as live, (select count(*) from ${scratch}.${table})::int as rebuilt`,
  );
  const onlyLive = await difference(schema, scratch);
  const onlyRebuilt = await difference(scratch, schema);
  const told = shows === 'everything' ? (row: string): string => row : withoutWords;
  return {
    table,
    liveRows: counts[0]!.live,
    rebuiltRows: counts[0]!.rebuilt,
    onlyLive: onlyLive.count,
    onlyRebuilt: onlyRebuilt.count,
    samples: [
      ...onlyLive.rows.map((row) => `live:   ${told(row)}`),
      ...onlyRebuilt.rows.map((row) => `replay: ${told(row)}`),
    ],
  };
}

/** Ids of ours and of the provider's, accounts, hashes and times: what names nobody. */
const NAMES_NOBODY =
  /^((usr|pay|trf|out|ba|sub|sch|occ|wal|wtx|pi|ch|py|re|tr|trr|po|txn|acct|cus|pm|dp|evt)_[\w-]+|(user|wallet|platform)\/[\w/-]+|usd|[\d :.TZ+-]+|[0-9a-f-]{36}|)$/;

/** A row, as JSON, in which each text that may name a person is a mark. */
function withoutWords(row: string): string {
  const said: unknown = JSON.parse(row, (_, value: unknown) =>
    typeof value === 'string' && !NAMES_NOBODY.test(value) ? '…' : value,
  );
  return JSON.stringify(said);
}

async function swap(live: pg.Client, replay: Replay, schema: string, scratch: string): Promise<void> {
  const former = formerOf(schema);
  // Left by a rebuild that was killed after its swap.
  await live.query(`drop schema if exists ${former} cascade`);
  await aligned(live, replay, schema, async (checkpoints) => {
    if (comparePositions(replay.reached, greatest(checkpoints)) < 0)
      throw new BrokenBooks(
        `The live read models stand at ${placeText(greatest(checkpoints))} and the log ends at ${placeText(replay.reached)}: it lacks what they have seen. They were left as they are.`,
      );
    await live.query(
      `${passOnVersions(schema, scratch)};
       alter schema ${schema} rename to ${former}; alter schema ${scratch} rename to ${schema}`,
    );
  });
  await live.query(`drop schema ${former} cascade`);
}

/** A position as text for reports. */
export const placeText = (position: Position): string =>
  position.commit === START.commit ? 'the start' : positionText(position);

/** A comparison as lines for people: one per table, and the first rows that differ. */
export function comparisonLines(tables: readonly TableComparison[]): string[] {
  const width = Math.max(0, ...tables.map(({ table }) => table.length));
  return tables.flatMap((compared) => [
    `${compared.table.padEnd(width)}  ${comparisonText(compared)}`,
    ...compared.samples.map((sample) => `    ${sample}`),
  ]);
}

/** How one table compared, in one sentence. */
export const comparisonText = ({ liveRows, rebuiltRows, onlyLive, onlyRebuilt }: TableComparison): string =>
  onlyLive === 0 && onlyRebuilt === 0
    ? `the same, ${liveRows} rows`
    : `DIFFERS: ${onlyLive} of ${liveRows} live rows are not what the log says, ${onlyRebuilt} of ${rebuiltRows} replayed rows are not live`;
