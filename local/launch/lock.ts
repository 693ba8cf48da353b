/**
 * One stack to a data folder. The lock names the starter and all that it started, each with its stamp, so
 * that a second start can tell a stack that runs from one that died and left children behind.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStamp, stillRuns } from './process-stamp.js';
import { endProcess, type ProcessRecord } from './warden.js';

/** What the lock file holds. */
export interface Lock {
  readonly up: { readonly pid: number; readonly stamp: string };
  readonly publicUrl: string;
  readonly children: readonly ProcessRecord[];
}

/** A stack runs on this data already; the message says which process it is. */
export class AlreadyRuns extends Error {
  override readonly name = 'AlreadyRuns';
}

// A warden that was left alone ends what it watches within this time, unless something hangs.
const LEFT_ALONE_MS = 6_000;
const LOOK_EVERY_MS = 50;

const fileOf = (dataFolder: string): string => join(dataFolder, 'stack.json');

/** The lock on a data folder, also a stale one; undefined when there is none. */
export function readLock(dataFolder: string): Lock | undefined {
  const file = fileOf(dataFolder);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Lock;
  } catch {
    // Written whole or not at all, so this was never ours; it locks nothing.
    return undefined;
  }
}

/** Throws {@link AlreadyRuns} when a stack runs on the folder. */
export function refuseIfRunning(dataFolder: string): void {
  const lock = readLock(dataFolder);
  if (lock && stillRuns(lock.up))
    throw new AlreadyRuns(
      `Encore already runs on ${dataFolder}, as process ${lock.up.pid}, at ${lock.publicUrl}. Stop it first: Ctrl-C where it runs, or kill ${lock.up.pid}.`,
    );
}

/**
 * Ends what an earlier stack left behind when it was killed. Its warden usually does; this waits for it, and
 * ends the rest. `say` is told of each one by name and pid.
 */
export async function endOrphans(dataFolder: string, say: (sentence: string) => void): Promise<void> {
  const orphans = (readLock(dataFolder)?.children ?? []).filter(stillRuns);
  const until = Date.now() + LEFT_ALONE_MS;
  for (const { name, pid } of orphans)
    say(`${name} (process ${pid}) was left behind by a run that was killed; ending it.`);
  while (orphans.some(stillRuns) && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  for (const orphan of orphans.filter(stillRuns).reverse()) await endProcess(orphan);
}

/** Notes this process and its children on the folder. Called again whenever a child was started. */
export function writeLock(dataFolder: string, publicUrl: string, children: readonly ProcessRecord[]): void {
  mkdirSync(dataFolder, { recursive: true });
  const stamp = processStamp(process.pid) ?? '';
  const lock: Lock = { up: { pid: process.pid, stamp }, publicUrl, children };
  const file = fileOf(dataFolder);
  writeFileSync(`${file}.unfinished`, `${JSON.stringify(lock, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.unfinished`, file);
}

/** Takes the lock away again, once everything has ended. */
export function removeLock(dataFolder: string): void {
  rmSync(fileOf(dataFolder), { force: true });
}
