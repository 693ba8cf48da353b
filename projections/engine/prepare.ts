/**
 * Brings the tables to what this build's read models need: filled when there are none, rebuilt when they are
 * of another shape.
 */
import type pg from 'pg';
import { ReadRefused, type EventLog } from '#log/event-log';
import { readQuarantine } from '#log/quarantine';
import { storedEvent } from '#log/stored-event';
import { readCheckpoints, supersededVersions, type Checkpoint } from './checkpoints.js';
import { connectionTo, connectPatiently, READ_SCHEMA } from './database.js';
import { dropLeftovers } from './leftovers.js';
import { chainBefore, isReadableNow, knowsParking, quarantinedOfRows, listParked } from './parking.js';
import { OtherVersion } from './project-batch.js';
import type { Queryable, ReadModel } from './read-model.js';
import { fill, prepareLock, rebuild, type RebuildReport } from './rebuild.js';

interface PrepareOptions {
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly models: readonly ReadModel[];
  readonly schema?: string;
  readonly onRebuild?: (why: string) => void;
  readonly onProgress?: (events: number) => void;
  /** Told of schemas that an interrupted rebuild had left, and that were dropped. */
  readonly onLeftovers?: (schemas: readonly string[]) => void;
}

export type Preparation =
  | { readonly kind: 'present' }
  | { readonly kind: 'created'; readonly events: number }
  | ({ readonly kind: 'rebuilt' } & RebuildReport);

/**
 * Makes the tables fit this build. Any number of processes may call it at once: one works, the others find it
 * done. Throws {@link OtherVersion} when the tables are newer than this build: they are left to the newer
 * one.
 */
export async function prepareReadModels(options: PrepareOptions): Promise<Preparation> {
  const { databaseUrl, schema = READ_SCHEMA } = options;
  const guard = await connectPatiently(connectionTo(databaseUrl, schema));
  try {
    // A failure here does not matter: the next start or forgetting tries again.
    const leftovers = await dropLeftovers(guard, schema).catch(() => []);
    if (leftovers.length > 0) options.onLeftovers?.(leftovers);
    const before = await readCheckpoints(guard);
    if (before.length > 0 && (await whyRebuild(guard, before, options)) === undefined)
      return { kind: 'present' };
    await guard.query(`select pg_advisory_lock(${prepareLock(schema)})`);
    const checkpoints = await readCheckpoints(guard);
    if (checkpoints.length === 0) {
      const { events } = await fill({ ...options, schema });
      return { kind: 'created', events };
    }
    const why = await whyRebuild(guard, checkpoints, options);
    if (why === undefined) return { kind: 'present' };
    options.onRebuild?.(why);
    const report = await rebuild({ ...options, schema, compare: true, swap: true });
    return { kind: 'rebuilt', ...report };
  } finally {
    await guard.end();
  }
}

/** Why the rows must be made anew, if they must. */
async function whyRebuild(
  db: pg.Client,
  checkpoints: readonly Checkpoint[],
  { log, models }: PrepareOptions,
): Promise<string | undefined> {
  const why = await misfit(db, checkpoints, models);
  if (why !== undefined) return why;
  if (!(await knowsParking(db))) return 'The tables are those of a build that parked no stream.';
  const { quarantined } = await readQuarantine(log);
  const left = await quarantinedOfRows(db);
  const taken = quarantined.events.find((event) => !left.has({ ...event, id: event.eventId }));
  if (taken) return `Revision ${taken.revision} of ${taken.stream} was quarantined: ${taken.because}`;
  return readableNow(db, log);
}

/** A parked event that this build can read, as after an older one had parked its stream. */
export async function readableNow(
  db: Queryable,
  log: Pick<EventLog, 'readStream'>,
): Promise<string | undefined> {
  for (const { stream, revision, parkedBy } of await listParked(db)) {
    if (parkedBy === 'rows') continue;
    const chain = await chainBefore(db, stream);
    try {
      for await (const raw of log.readStream(stream, revision, 1))
        if (isReadableNow(storedEvent(raw), chain))
          return `Revision ${revision} of ${stream} could not be read and can be read now.`;
    } catch (error) {
      // One that the store does not show any more stays parked, and keeps nobody from the others.
      if (!(error instanceof ReadRefused)) throw error;
    }
  }
  return undefined;
}

/** Why the tables do not fit this build's read models, if they do not. */
async function misfit(
  db: pg.Client,
  checkpoints: readonly Checkpoint[],
  models: readonly ReadModel[],
): Promise<string | undefined> {
  const superseded = await supersededVersions(db);
  let why: string | undefined;
  for (const { name, version } of models) {
    const found = checkpoints.find(({ model }) => model === name)?.version;
    if (found === version) continue;
    if (superseded.get(name)?.includes(version))
      throw new OtherVersion(
        `The read model "${name}" has tables of version ${found}, made by a newer build than this one, which has version ${version}. Start the newer build.`,
      );
    why ??=
      found === undefined
        ? `The read model "${name}" is new.`
        : `The read model "${name}" has tables of version ${found}; this build has version ${version}.`;
  }
  const gone = checkpoints.find(({ model }) => !models.some(({ name }) => name === model));
  return why ?? (gone && `The read model "${gone.model}" is no longer there.`);
}
