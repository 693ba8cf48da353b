/**
 * Brings the tables to what this build's read models need: filled when there are none, rebuilt when they are
 * of another shape.
 */
import pg from 'pg';
import type { EventLog } from '#log/event-log';
import { readCheckpoints, supersededVersions, type Checkpoint } from './checkpoints.js';
import { connectionTo, READ_SCHEMA } from './database.js';
import { OtherVersion } from './project-batch.js';
import type { ReadModel } from './read-model.js';
import { fill, rebuild, type RebuildReport } from './rebuild.js';

export interface PrepareOptions {
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly models: readonly ReadModel[];
  readonly schema?: string;
  readonly onRebuild?: (why: string) => void;
  readonly onProgress?: (events: number) => void;
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
  const { databaseUrl, models, schema = READ_SCHEMA } = options;
  const guard = new pg.Client(connectionTo(databaseUrl, schema));
  guard.on('error', () => undefined);
  await guard.connect();
  try {
    const before = await readCheckpoints(guard);
    if (before.length > 0 && (await misfit(guard, before, models)) === undefined) return { kind: 'present' };
    await guard.query(`select pg_advisory_lock(hashtext('encore.prepare.${schema}'))`);
    const checkpoints = await readCheckpoints(guard);
    if (checkpoints.length === 0) {
      const { events } = await fill({ ...options, schema });
      return { kind: 'created', events };
    }
    const why = await misfit(guard, checkpoints, models);
    if (why === undefined) return { kind: 'present' };
    options.onRebuild?.(why);
    const report = await rebuild({ ...options, schema, compare: true, swap: true });
    return { kind: 'rebuilt', ...report };
  } finally {
    await guard.end();
  }
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
