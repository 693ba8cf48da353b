/**
 * How far each read model has come. A checkpoint moves in the transaction that writes the rows, so the two
 * are kept or lost together, and it is locked first, so that two projectors take turns and the second finds
 * the work done.
 */
import { comparePositions, positionFrom, START, type Position } from '#contracts/log';
import type { Queryable } from './read-model.js';

export interface Checkpoint {
  readonly model: string;
  /** The version of the tables that the rows were written for; of builds of before a number. */
  readonly version: string;
  /** The last event folded, or passed over as no concern of this model. */
  readonly position: Position;
  /** The last journal revision seen; -1 before the first. */
  readonly journalRevision: number;
  /** The event at that position. A build of before leaves it out, or leaves one of another position. */
  readonly lastEvent?: LastEvent;
}

/** What tells the event that a checkpoint stands at from any other, in this log and in another one. */
export interface LastEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  /** Absent where the event is not chained. */
  readonly hash?: string;
}

/**
 * The checkpoints' own table; made in each schema before any read model's. `superseded` are the versions that
 * the model had before, oldest first: a build that has one of them is an older one.
 */
export const CREATE_CHECKPOINTS = `
  create table checkpoints (
    model text primary key,
    version text not null,
    superseded jsonb not null default '[]',
    position text not null,
    journal_revision bigint not null,
    last_event jsonb
  )`;

/** Tables of builds before have no place for the last event: it is made once, and filled from the log. */
export async function makeRoomForLastEvent(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ present: boolean }>({
    text: `select exists (select 1 from pg_attribute where attrelid = to_regclass('checkpoints')
             and attname = 'last_event' and not attisdropped) as present`,
  });
  // Asked first: altering a table holds off its readers.
  if (!rows[0]?.present)
    await db.query({ text: 'alter table checkpoints add column if not exists last_event jsonb' });
}

/** Fills in the last events of the checkpoints that stand where these stand. */
export async function fillLastEvents(db: Queryable, lastEvents: readonly LastEvent[]): Promise<void> {
  for (const lastEvent of lastEvents)
    await db.query({
      text: 'update checkpoints set last_event = $1 where position = $2',
      values: [JSON.stringify(lastEvent), lastEvent.position],
    });
}

export interface CheckpointRow {
  model: string;
  version: string;
  position: string;
  journal_revision: number;
  last_event: LastEvent | null;
}

export const CHECKPOINT_COLUMNS = `model, version::text, position, journal_revision,
  to_jsonb(checkpoints) -> 'last_event' as last_event`;

export const checkpointOf = (row: CheckpointRow): Checkpoint => ({
  model: row.model,
  version: row.version,
  position: positionFrom(row.position),
  journalRevision: row.journal_revision,
  ...(row.last_event?.position === row.position && { lastEvent: row.last_event }),
});

/** Every read model's checkpoint. Empty before the projections have run for the first time. */
export async function readCheckpoints(db: Queryable): Promise<Checkpoint[]> {
  const { rows: tables } = await db.query<{ present: boolean }>({
    text: `select to_regclass('checkpoints') is not null as present`,
  });
  if (!tables[0]?.present) return [];
  const { rows } = await db.query<CheckpointRow>({
    text: `select ${CHECKPOINT_COLUMNS} from checkpoints order by model`,
  });
  return rows.map(checkpointOf);
}

/**
 * The versions that each read model had before. Tables of builds whose versions were numbers know of none.
 */
export async function supersededVersions(db: Queryable): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await db.query<{ model: string; superseded: string[] | null }>({
    text: `select model, to_jsonb(c) -> 'superseded' as superseded from checkpoints c`,
  });
  return new Map(rows.map(({ model, superseded }) => [model, superseded ?? []]));
}

/** Writes into the checkpoints of one schema which versions those of another had. */
export const passOnVersions = (from: string, to: string): string => `
  update ${to}.checkpoints n
     set superseded = coalesce(to_jsonb(o) -> 'superseded', '[]')
                      || case when o.version::text = n.version then '[]' else to_jsonb(o.version::text) end
    from ${from}.checkpoints o where o.model = n.model`;

/**
 * The position that every read model has passed; undefined before the projections have run for the first
 * time.
 */
export async function leastPosition(db: Queryable): Promise<Position | undefined> {
  const checkpoints = await readCheckpoints(db);
  return checkpoints.length === 0 ? undefined : least(checkpoints);
}

/** The least position of some checkpoints; START for none. */
export const least = (checkpoints: readonly Pick<Checkpoint, 'position'>[]): Position =>
  checkpoints
    .map(({ position }) => position)
    .reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b), checkpoints[0]?.position ?? START);

/**
 * The greatest position of some checkpoints; START for none. They differ only where somebody has moved one by
 * hand.
 */
export const greatest = (checkpoints: readonly Pick<Checkpoint, 'position'>[]): Position =>
  checkpoints.map(({ position }) => position).reduce((a, b) => (comparePositions(a, b) >= 0 ? a : b), START);
