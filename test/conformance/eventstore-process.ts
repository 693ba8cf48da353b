/**
 * The event store that conformance suites speak to, and its stand-in as a process: what suites and its bench
 * start, stop and kill.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '#local/launch/free-port';
import { ContainedStore, runsInContainer } from '#test/support/containers';

const MAIN = resolve('dist/local/stand-ins/eventstore/main.js');

/**
 * To the server a variable with its prefix is an option; those of a suite, such as EVENTSTORE_URL, would end
 * it.
 */
export const ownEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('EVENTSTORE_')),
);

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

interface ReadyLine {
  readonly port: number;
  /** Of three nodes: all their ports, and the one on which faults are made. */
  readonly ports?: readonly number[];
  readonly faultPort?: number;
}

export interface RunningEventStore {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** The line with which it said that it serves. */
  readonly says: ReadyLine;
  readonly process: ChildProcess;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the process with a signal and waits for its end; the folder stays. */
  kill(signal: NodeJS.Signals): Promise<ProcessEnd>;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Runs the stand-in. Without a folder it gets a new one. `wrap` is a command to run it under. Rejects if it
 * ends before it serves.
 */
export async function startEventStore({
  folder,
  port = 0,
  wrap = [],
  flags = [],
  env = {},
}: {
  folder?: string;
  port?: number;
  wrap?: readonly string[];
  flags?: readonly string[];
  env?: Readonly<Record<string, string>>;
} = {}): Promise<RunningEventStore> {
  const data = folder ?? (await mkdtemp(join(tmpdir(), 'eventstore-')));
  const [command = process.execPath, ...args] = [
    ...wrap,
    process.execPath,
    ...(process.env['EVENTSTORE_NODE_FLAGS']?.split(' ') ?? []),
    MAIN,
    '--port',
    String(port),
    '--data',
    data,
    ...flags,
  ];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ownEnvironment, ...env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<ProcessEnd>((done) =>
    child.once('close', (code, signal) => done({ code, signal, stderr })),
  );
  const ready = new Promise<ReadyLine>((serve) => {
    createInterface(child.stdout).once('line', (line) => serve(JSON.parse(line) as ReadyLine));
  });
  const says = await Promise.race([ready, ended]);
  if (!('port' in says)) {
    throw new Error(`The event store ended before it served (${says.code}): ${says.stderr}`);
  }
  const kill = (signal: NodeJS.Signals): Promise<ProcessEnd> => {
    child.kill(signal);
    return ended;
  };
  return {
    url: `esdb://${(says.ports ?? [says.port]).map((node) => `127.0.0.1:${node}`).join(',')}?tls=false`,
    port: says.port,
    folder: data,
    says,
    process: child,
    ended,
    kill,
    stop: async () => {
      await kill('SIGTERM');
      await rm(data, { recursive: true, force: true });
    },
  };
}

const given = process.env['EVENTSTORE_URL'];
const isContained = runsInContainer('eventstore', {});
/**
 * Whether suites that compare speak to the stand-in as a process of theirs, which they may kill and know more
 * of.
 */
export const MEETS_STAND_IN = !given && !isContained;

export interface ComparedStore extends Pick<RunningEventStore, 'url' | 'stop'> {
  readonly standIn?: RunningEventStore;
}

/**
 * A store to compare: the one that EVENTSTORE_URL names, one in a container where containers.ts says so, or
 * else the stand-in.
 */
export async function storeToCompare(): Promise<ComparedStore> {
  if (given) return { url: given, stop: () => Promise.resolve() };
  if (!isContained) {
    const standIn = await startEventStore();
    return { ...standIn, standIn };
  }
  const port = await freePort();
  const store = new ContainedStore('eventstore', port);
  await store.start();
  return { url: `esdb://127.0.0.1:${port}?tls=false`, stop: () => store.remove() };
}
