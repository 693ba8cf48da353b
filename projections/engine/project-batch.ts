/**
 * One batch, one transaction: lock the checkpoints, fold what each read model has not seen, move the
 * checkpoints, say so. Rows and checkpoint are kept or lost together.
 *
 * These transactions run with `synchronous_commit = off`: commit does not wait for the disk. After a crash of
 * Postgres the last ones may be gone, rows, checkpoint and all, and are projected again from the log, which
 * is the truth and did wait. An answer that was held until they committed has then told of rows that are
 * missing for as long as the replay takes.
 */
import pg from 'pg';
import { JOURNAL } from '#contracts/events/journal';
import { isOutage } from '#contracts/outage';
import type { StoredEvent } from '#log/stored-event';
import { z } from 'zod';
import { comparePositions, positionText, type Position, type RecordedEvent } from '#contracts/log';
import { CHECKPOINT_COLUMNS, checkpointOf, type Checkpoint, type CheckpointRow } from './checkpoints.js';
import { connectionTo, connectPatiently, plainMessage, PROJECTED_CHANNEL, schemaName } from './database.js';
import { lastEventOf } from './last-event.js';
import { Sieve, type ParkedStream } from './parking.js';
import { BrokenBooks, type ReadModel } from './read-model.js';

/** The rows were made for other versions of the read models than this build has. */
export class OtherVersion extends Error {
  override readonly name = 'OtherVersion';
}

/**
 * Folds name their rows by key, a batch of them at a time. Postgres keeps the plan of each statement, and one
 * made while a table was empty walks through the whole of it: these leave it no way but the index.
 */
const BY_INDEX = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'].map((way) => `-c ${way}=off`);

/** Opens the one connection that a projector writes on. */
export function connectProjector(databaseUrl: string, schema: string): Promise<pg.Client> {
  const settings = connectionTo(databaseUrl, schema);
  const options = [settings.options, '-c synchronous_commit=off', ...BY_INDEX].join(' ');
  return connectPatiently({ ...settings, options });
}

/**
 * Begins a transaction that holds the schema's projectors off, and reads its checkpoints. An advisory lock
 * comes first: a rebuild may take the schema's name while we wait, and only what is parsed after the lock
 * sees the new tables.
 */
export const beginLocked = (client: pg.ClientBase, schema: string): Promise<Checkpoint[]> =>
  beginHeld(client, schema, 'for update');

/** The same for who may read only: the advisory lock alone holds the projectors off. */
export const beginHeldOff = (client: pg.ClientBase, schema: string): Promise<Checkpoint[]> =>
  beginHeld(client, schema, '');

async function beginHeld(
  client: pg.ClientBase,
  schema: string,
  locked: 'for update' | '',
): Promise<Checkpoint[]> {
  // Statements of one message are parsed one after the other, so this is one round trip and still in that
  // order.
  const results = (await client.query(
    `begin; select pg_advisory_xact_lock(hashtext('encore.project.${schemaName(schema)}'));
     select ${CHECKPOINT_COLUMNS} from checkpoints order by model ${locked}`,
  )) as unknown as [pg.QueryResult, pg.QueryResult, pg.QueryResult<CheckpointRow>];
  return results[2].rows.map(checkpointOf);
}

interface BatchOptions {
  readonly schema: string;
  readonly models: readonly ReadModel[];
  /** Whether to NOTIFY whoever waits for the read models; not while rebuilding. */
  readonly announce: boolean;
}

/** The end of a batch: where all read models stand after it. */
export interface BatchEnd {
  readonly position: Position;
  readonly journalRevision: number;
  /** How many of its events were new to at least one read model. */
  readonly projected: number;
  /** The streams that it parked. */
  readonly parked: readonly ParkedStream[];
}

/** An event that the rows cannot take, and that nothing may pass over. */
export class NotProjected extends Error {
  override readonly name = 'NotProjected';
}

/**
 * Projects events in as few batches as they allow. One that the rows cannot take parks its stream; in the
 * journal it stops whoever projects, with everything before it projected. `onBatch` is told after each
 * commit. Throws {@link NotProjected}, and outages and OtherVersion as they are.
 */
export async function projectEvents(
  client: pg.ClientBase,
  events: readonly StoredEvent[],
  options: BatchOptions,
  onBatch: (events: readonly StoredEvent[], end: BatchEnd) => void,
): Promise<void> {
  const projected = async (refused?: string): Promise<void> =>
    onBatch(events, await projectBatch(client, events, options, refused));
  try {
    await projected();
  } catch (error) {
    // Of what another build made, no event is to blame.
    if (isOutage(error) || error instanceof OtherVersion) throw error;
    const [only] = events;
    if (events.length === 1 && only) {
      const { stream, revision, type } = only.raw;
      if (stream !== JOURNAL && isOfEvent(error)) return projected(plainMessage(error));
      throw new NotProjected(
        `${type} at revision ${revision} of ${stream} cannot be projected: ${plainMessage(error)}`,
        { cause: error },
      );
    }
    // All that is before the bad event is good: halve until it stands alone, so that the rows are whole up
    // to it.
    const half = Math.ceil(events.length / 2);
    await projectEvents(client, events.slice(0, half), options, onBatch);
    await projectEvents(client, events.slice(half), options, onBatch);
  }
}

/** SQLSTATE classes that say something of the values: data exceptions, and constraints that they break. */
const OF_VALUES = /^2[23]...$/;

/** Whether an error says something of the event in hand, and nothing of this build or of the database. */
function isOfEvent(error: unknown): boolean {
  if (error instanceof BrokenBooks || error instanceof z.ZodError || error instanceof SyntaxError)
    return true;
  return error instanceof pg.DatabaseError && OF_VALUES.test(error.code ?? '');
}

/**
 * Projects a batch. Events that a read model has seen are skipped for it, so a repeat, or a second projector,
 * changes nothing. What is parked or taken out is left out. `refused` says why the rows cannot take the one
 * event of the batch. Throws what a projection throws, after rolling back.
 */
export async function projectBatch(
  client: pg.ClientBase,
  events: readonly StoredEvent[],
  options: BatchOptions,
  refused?: string,
): Promise<BatchEnd> {
  const last = events.at(-1)?.raw;
  if (!last) throw new RangeError('A batch must hold an event');
  try {
    const checkpoints = await beginLocked(client, options.schema);
    assertVersions(checkpoints, options.models);
    const behind = checkpoints.filter(({ position }) => comparePositions(position, last.position) < 0);
    let journalRevision = Math.max(...checkpoints.map((checkpoint) => checkpoint.journalRevision));
    if (behind.length === 0) {
      await client.query('rollback');
      return { position: last.position, journalRevision, projected: 0, parked: [] };
    }
    const sieve = await Sieve.over(events, client);
    const admitted = events.flatMap((stored) => sieve.admit(stored, refused) ?? []);
    let projected = 0;
    // All checkpoints stand at one place but for a read model that was repaired by hand; each place is
    // filtered once.
    const freshAfter = new Map<string, { events: readonly RecordedEvent[]; journalRevision: number }>();
    for (const checkpoint of behind) {
      const place = positionText(checkpoint.position);
      let fresh = freshAfter.get(place);
      if (!fresh) {
        const isFresh = ({ position }: { readonly position: Position }): boolean =>
          comparePositions(position, checkpoint.position) > 0;
        const after = admitted.filter(isFresh);
        fresh = { events: after, journalRevision: journalRevisionAfter(after, checkpoint.journalRevision) };
        freshAfter.set(place, fresh);
        projected = Math.max(projected, events.filter(({ raw }) => isFresh(raw)).length);
        journalRevision = Math.max(journalRevision, fresh.journalRevision);
      }
      const model = options.models.find(({ name }) => name === checkpoint.model);
      if (!model) throw new OtherVersion(`This build has no read model "${checkpoint.model}".`);
      const concerned = fresh.events.filter(({ stream }) =>
        model.prefixes.some((prefix) => stream.startsWith(prefix)),
      );
      if (concerned.length > 0) await model.project(concerned, client);
    }
    await sieve.save(client);
    const names = behind.map(({ model }) => pg.escapeLiteral(model)).join(', ');
    const position = pg.escapeLiteral(positionText(last.position));
    const lastEvent = pg.escapeLiteral(JSON.stringify(lastEventOf(last)));
    await client.query(
      `update checkpoints set position = ${position}, journal_revision = ${journalRevision}, last_event = ${lastEvent}
        where model in (${names});
       ${options.announce ? `notify ${PROJECTED_CHANNEL}, ${position};` : ''} commit`,
    );
    return { position: last.position, journalRevision, projected, parked: sieve.parked };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * The journal has no gaps: an entry that does not follow the one before it means that something was not read.
 */
function journalRevisionAfter(events: readonly RecordedEvent[], before: number): number {
  let revision = before;
  for (const event of events) {
    if (event.stream !== JOURNAL) continue;
    if (event.revision !== revision + 1)
      throw new BrokenBooks(
        `After journal revision ${revision} the log gave revision ${event.revision}: entries are missing.`,
      );
    revision = event.revision;
  }
  return revision;
}

function assertVersions(checkpoints: readonly Checkpoint[], models: readonly ReadModel[]): void {
  const differs = models.find(
    ({ name, version }) => checkpoints.find(({ model }) => model === name)?.version !== version,
  );
  if (!differs) return;
  const found = checkpoints.find(({ model }) => model === differs.name)?.version;
  throw new OtherVersion(
    found === undefined
      ? `The read model "${differs.name}" is not among the tables: they were made by another build.`
      : `The read model "${differs.name}" is of version ${found}; this build has version ${differs.version}.`,
  );
}
