/**
 * One stack to a data folder. The lock names the starter and all that it started, each with its stamp, so
 * that a second start can tell a stack that runs from one that died and left children behind.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BadLocalSetting } from '../settings.js';
import { processStamp, stillRuns } from './process-stamp.js';
import { endProcess, type ProcessRecord } from './warden.js';

/**
 * A renamed folder keeps its inode. Where a file system does not, the path must do. A copy differs in both.
 */
interface LockedFolder {
  readonly path: string;
  readonly inode: string;
}

/** What the lock file holds. */
export interface Lock {
  readonly up: { readonly pid: number; readonly stamp: string };
  /** The folder that it locks; a lock of an earlier build does not say which. */
  readonly folder?: LockedFolder;
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

/** What a data folder of ours holds at least, from its first moment on. */
const OURS = /^(?:stack\.json.*|secrets\.json|ports\.json)$/;
/** What a folder holds that nobody has put anything into: a new volume's own, and what a desktop leaves. */
const NOBODYS = /^(?:lost\+found|\..*)$/;

/** Whether a folder that is there was made by us: only such a one is ours to delete. */
export function isOurs(dataFolder: string): boolean {
  refuseFile(dataFolder);
  return readdirSync(dataFolder).some((name) => OURS.test(name));
}

/** Throws BadLocalSetting if the data folder is a file. */
function refuseFile(dataFolder: string): void {
  if (existsSync(dataFolder) && !statSync(dataFolder).isDirectory())
    throw new BadLocalSetting(`${dataFolder} is a file: name a folder with ENCORE_DATA.`);
}

function folderAt(path: string): LockedFolder {
  const { dev, ino } = statSync(path);
  return { path: realpathSync(path), inode: `${dev}:${ino}` };
}

/** Whether a lock that lies in a folder was made there, and did not come with a copy of another one. */
function isMadeIn(dataFolder: string, { folder }: Lock): boolean {
  if (folder === undefined) return true;
  const { path, inode } = folderAt(dataFolder);
  return folder.path === path || folder.inode === inode;
}

/**
 * The folder's lock, even a stale one. Undefined without one, and for a lock that came with a copy of another
 * folder.
 */
export function readLock(dataFolder: string): Lock | undefined {
  const lock = lockIn(fileOf(dataFolder));
  return lock && isMadeIn(dataFolder, lock) ? lock : undefined;
}

/** Throws BadLocalSetting for a folder that was copied from one on which a stack still runs. */
function refuseCopy(dataFolder: string): void {
  const lock = lockIn(fileOf(dataFolder));
  if (lock && !isMadeIn(dataFolder, lock) && stillRuns(lock.up))
    throw new BadLocalSetting(
      `${dataFolder} was copied while Encore ran on the folder that it was copied from, as process ${lock.up.pid}, at ${lock.publicUrl}. ` +
        'Such a copy need not be whole: use "make backup" and "make restore", or copy the folder again once that has been stopped.',
    );
}

function lockIn(file: string): Lock | undefined {
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

/**
 * Locks the folder for this process; of several that begin at once one gets it. What an earlier stack left
 * behind has been ended. Throws {@link AlreadyRuns}, and BadLocalSetting for a folder that cannot be written
 * or that holds something else: `make reset` would delete that too.
 */
export function claimFolder(dataFolder: string, publicUrl: string): void {
  const file = fileOf(dataFolder);
  const ours = `${file}.${process.pid}`;
  refuseFile(dataFolder);
  try {
    mkdirSync(dataFolder, { recursive: true });
    const isFree = isOurs(dataFolder) || readdirSync(dataFolder).every((name) => NOBODYS.test(name));
    if (!isFree)
      throw new BadLocalSetting(
        `${dataFolder} holds something that is not Encore’s: name a new or an empty folder with ENCORE_DATA.`,
      );
    refuseCopy(dataFolder);
    write(ours, dataFolder, publicUrl, []);
  } catch (failure) {
    if (failure instanceof BadLocalSetting) throw failure;
    const { code } = failure as NodeJS.ErrnoException;
    throw new BadLocalSetting(
      `${dataFolder} cannot be written (${code}): name another folder with ENCORE_DATA, or make this one writable.`,
    );
  }
  try {
    while (!isLinked(ours, file)) {
      refuseIfRunning(dataFolder);
      setStaleAside(dataFolder, `${ours}.stale`);
    }
  } finally {
    rmSync(ours, { force: true });
  }
}

/** False where a lock is there already. */
function isLinked(ours: string, file: string): boolean {
  try {
    linkSync(ours, file);
    return true;
  } catch {
    if (existsSync(file)) return false;
    // A file system without hard links.
    renameSync(ours, file);
    return true;
  }
}

/** Takes a lock away whose process has ended. One that somebody was just faster to make is given back. */
function setStaleAside(dataFolder: string, aside: string): void {
  const file = fileOf(dataFolder);
  try {
    renameSync(file, aside);
  } catch {
    // Another start was faster.
    return;
  }
  const lock = lockIn(aside);
  if (lock && isMadeIn(dataFolder, lock) && stillRuns(lock.up)) isLinked(aside, file);
  rmSync(aside, { force: true });
}

/**
 * Notes this process and its children on the folder that it has claimed. Called whenever a child was started.
 */
export function writeLock(dataFolder: string, publicUrl: string, children: readonly ProcessRecord[]): void {
  mkdirSync(dataFolder, { recursive: true });
  const file = fileOf(dataFolder);
  write(`${file}.unfinished`, dataFolder, publicUrl, children);
  renameSync(`${file}.unfinished`, file);
}

function write(
  file: string,
  dataFolder: string,
  publicUrl: string,
  children: readonly ProcessRecord[],
): void {
  const up = { pid: process.pid, stamp: processStamp(process.pid) ?? '' };
  const lock: Lock = { up, folder: folderAt(dataFolder), publicUrl, children };
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`, { mode: 0o600 });
}

/** Takes the lock away again, once everything has ended. */
export function removeLock(dataFolder: string): void {
  rmSync(fileOf(dataFolder), { force: true });
}
