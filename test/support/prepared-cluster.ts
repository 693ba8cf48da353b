/**
 * A Postgres data folder for the suites that start the application: with the roles, the tables and the read
 * models of this build, so that a stack begins with a copy of it instead of making them. Kept for one build;
 * whoever has not made it (`prepare.ts` does) does without.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#local/launch/free-port';
import { repositoryRoot } from '#local/launch/program';
import { makeTemplate, templateFolder } from '#local/postgres/cluster';
import { secretsOf } from '#local/settings';
import { databaseRoles, portNames, type StackPlan } from '#local/stack/parts';
import { Stack } from '#local/stack/stack';
import { prepareReadModels } from '#projections/engine/prepare';
import { readModels } from '#projections/read-models';
import { MemoryLog } from './memory-log.js';
import { PlainVault } from './plain-vault.js';

const SECRETS = 'secrets.json';
const PREFIX = 'prepared-';

/** Where the cluster of this build is kept; undefined where nothing was built. */
function folderOfThisBuild(root: string): string | undefined {
  const stamp = join(root, 'dist/programs/stamp');
  if (!existsSync(stamp)) return undefined;
  const build = createHash('sha256').update(readFileSync(stamp)).digest('hex').slice(0, 16);
  const bare = templateFolder(root);
  return join(dirname(bare), `${PREFIX}${build}-${basename(bare)}`);
}

/**
 * The data folder to copy, undefined where it was not made. The roles' passwords are its own: they become
 * those of `dataFolder`, which must have no secrets yet.
 */
export function preparedCluster(root: string, dataFolder: string): string | undefined {
  const folder = folderOfThisBuild(root);
  if (folder === undefined || !existsSync(folder)) return undefined;
  copyFileSync(join(folder, SECRETS), join(dataFolder, SECRETS));
  return join(folder, 'data');
}

/**
 * Makes it, and the bare cluster that it begins with, if they are not there yet; those of other builds go.
 */
export async function makePreparedCluster(): Promise<void> {
  const root = repositoryRoot();
  await makeTemplate(templateFolder(root));
  const folder = folderOfThisBuild(root);
  if (folder === undefined || existsSync(folder)) return;
  const home = dirname(folder);
  for (const name of readdirSync(home))
    if (name.startsWith(PREFIX)) rmSync(join(home, name), { recursive: true, force: true });
  const dataFolder = mkdtempSync(join(tmpdir(), 'encore-prepare-'));
  chmodSync(dataFolder, 0o711);
  const secrets = secretsOf(dataFolder);
  const plan: StackPlan = {
    root,
    dataFolder,
    publicPort: 0,
    publicUrl: 'http://localhost',
    ledgers: 1,
    // Of the services' URLs only the database's is used.
    ports: {
      ...Object.fromEntries(portNames(1).map((name) => [name, 0])),
      postgres: await freePort(new Set()),
    },
    secrets,
    given: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test' },
    postgresTemplate: templateFolder(root),
    isThrownAway: true,
  };
  const stack = new Stack(plan);
  stack.warden.note({ lent: dataFolder });
  try {
    await stack.start('postgres');
    await stack.prepareDatabase();
    const { PROJECTIONS_DATABASE_URL: databaseUrl = '' } = databaseRoles(plan);
    await prepareReadModels({ databaseUrl, log: new MemoryLog(), models: readModels(new PlainVault()) });
    // Stopped, and not ended: a copy has nothing to recover.
    await stack.part('postgres').stop();
    const unfinished = `${folder}.unfinished-${process.pid}`;
    mkdirSync(unfinished);
    await promisify(execFile)('cp', ['-Rp', join(dataFolder, 'postgres'), join(unfinished, 'data')]);
    const passwords = Object.entries(secrets).filter(([name]) => name.startsWith('POSTGRES_'));
    writeFileSync(join(unfinished, SECRETS), JSON.stringify(Object.fromEntries(passwords)), { mode: 0o600 });
    renameSync(unfinished, folder);
  } finally {
    await stack.quit();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}
