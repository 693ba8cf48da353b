/**
 * Redis for the queues: the machine's own `redis-server`, or the one unpacked from its Debian package without
 * installing it. It listens on 127.0.0.1 only, appends every write to its log, and refuses writes rather than
 * forget when full.
 */
import { accessSync, constants, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ProgramFailed, type Program } from '../launch/program.js';
import { cacheFolder, hasDebianPackages, libraryFolders, unpackDebianPackages } from '../debian/package.js';

const NAMES = ['redis-server', 'valkey-server'];
const USUAL_FOLDERS = ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/opt/local/bin'];

interface RedisSettings {
  /** The data folder; made when it does not exist. */
  readonly folder: string;
  readonly port: number;
  readonly logFile: string;
}

/** Where Redis is, for `ioredis` and `bullmq`. */
export function redisUrl(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

/** A server that can be started, and where its libraries are. */
interface Server {
  readonly command: string;
  readonly libraries: readonly string[];
}

/**
 * The program to start; fetches Redis first where the machine has none. Throws {@link ProgramFailed} with one
 * sentence.
 */
export async function redis(settings: RedisSettings): Promise<Program> {
  const { command, libraries } = await redisServer();
  const flags: Record<string, string> = {
    port: String(settings.port),
    bind: '127.0.0.1',
    dir: settings.folder,
    daemonize: 'no',
    appendonly: 'yes',
    'maxmemory-policy': 'noeviction',
    save: '',
    loglevel: 'notice',
  };
  return {
    name: 'redis',
    command,
    args: Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
    env: {
      PATH: process.env.PATH,
      LANG: 'C',
      LD_LIBRARY_PATH: libraries.length > 0 ? libraries.join(':') : undefined,
    },
    cwd: '/',
    ready: /Ready to accept connections/,
    readyWithinMs: 30_000,
    stopSignal: 'SIGTERM',
    logFile: settings.logFile,
    // The listening socket of one that was killed a moment ago.
    leftovers: /Address already in use/,
    prepare: () => {
      mkdirSync(settings.folder, { recursive: true, mode: 0o700 });
      return Promise.resolve();
    },
  };
}

/** Finds Redis on this machine, or fetches it. */
export async function redisServer(): Promise<Server> {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter((entry) => entry !== ''),
    ...USUAL_FOLDERS,
  ];
  for (const folder of folders)
    for (const name of NAMES)
      if (isProgram(join(folder, name))) return { command: join(folder, name), libraries: [] };

  const unpacked = cacheFolder('redis');
  const command = join(unpacked, 'usr/bin/redis-server');
  const sentence =
    'Redis is needed: install it (apt-get install redis-server, brew install redis) or set REDIS_URL to one that runs.';
  if (!isProgram(command)) {
    if (!hasDebianPackages()) throw new ProgramFailed(sentence);
    try {
      await unpackDebianPackages(['redis-tools'], unpacked);
      // In this package the server goes by the name of the checker that shares its file.
      if (!existsSync(command)) symlinkSync('redis-check-rdb', command);
      if (!isProgram(command)) throw new Error(`There is no server in the package unpacked to ${unpacked}.`);
    } catch (failure) {
      const words = failure instanceof Error ? failure.message.trim().split('\n').at(-1) : String(failure);
      throw new ProgramFailed(`${sentence} (Fetching its package failed: ${words})`);
    }
  }
  return { command, libraries: libraryFolders(unpacked) };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
