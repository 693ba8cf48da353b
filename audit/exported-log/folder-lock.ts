/**
 * One writer to a folder, also where several machines or containers see it. The lock is a file that names its
 * holder and that the holder touches each second. A holder that was killed is known by its process id on the
 * same machine, and elsewhere by a lock that nobody touches.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const NAME = 'writer.lock';
const TOUCH_EVERY_MS = 1_000;
/** A lock that was not touched for so long is nobody's. */
const STALE_AFTER_MS = 6_000;
/** A holder that stood still itself looks whether the lock is still its own before it writes on. */
const DOUBTED_AFTER_MS = 3_000;
const LOOK_EVERY_MS = 250;

/** Another process writes to the folder; the message says which. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

/** The locks of this process: its own process id, in another's lock, is that of a predecessor. */
const held = new Set<string>();

export class FolderLock {
  #isLost = false;
  #seenAt = performance.now();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly token: string,
  ) {
    held.add(token);
    this.#timer = setInterval(() => void this.#touch().catch(() => undefined), TOUCH_EVERY_MS).unref();
  }

  /** Locks a folder. Waits some seconds for a holder that may be gone. Throws {@link FolderInUse}. */
  static async take(folder: string): Promise<FolderLock> {
    const file = join(folder, NAME);
    const holder: Holder = { token: randomUUID(), pid: process.pid, host: hostname() };
    const own = `${file}.${holder.token}`;
    await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
    try {
      while (!(await linked(own, file))) await removeStale(folder, file);
    } finally {
      await rm(own, { force: true });
    }
    return new FolderLock(file, holder.token);
  }

  /** Throws {@link FolderInUse} where another has taken the lock, because this process stood still. */
  async assertHeld(): Promise<void> {
    if (!this.#isLost && performance.now() - this.#seenAt > DOUBTED_AFTER_MS) await this.#touch();
    if (this.#isLost)
      throw new FolderInUse(`${this.file} is another process’ now: this one stood still for too long.`);
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    held.delete(this.token);
    if ((await holderIn(this.file))?.token === this.token) await rm(this.file, { force: true });
  }

  async #touch(): Promise<void> {
    if ((await holderIn(this.file))?.token !== this.token) {
      this.#isLost = true;
      clearInterval(this.#timer);
      return;
    }
    const now = new Date();
    await utimes(this.file, now, now);
    this.#seenAt = performance.now();
  }
}

/**
 * Whether the lock is made by this; false where there is one. It has its whole content from the first moment.
 */
async function linked(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function holderIn(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

const touchedAt = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

/** Removes a lock whose holder is gone. Throws {@link FolderInUse} for one whose holder is there. */
async function removeStale(folder: string, file: string): Promise<void> {
  const holder = await holderIn(file);
  if (!isGone(holder)) {
    const before = await touchedAt(file);
    const until = performance.now() + STALE_AFTER_MS;
    while (performance.now() < until) {
      await pause(LOOK_EVERY_MS);
      const now = await touchedAt(file);
      if (now === undefined) return;
      if (now !== before)
        throw new FolderInUse(
          `${folder} is being written to by process ${holder?.pid ?? '?'} on ${holder?.host ?? 'another machine'}. ` +
            'One folder has one writer: end that one first, or choose another folder.',
        );
    }
  }
  // Another may have done the same in this moment, and hold the lock by now: then it is given back.
  const stale = `${file}.stale-${randomUUID()}`;
  try {
    await rename(file, stale);
  } catch {
    return;
  }
  if ((await holderIn(stale))?.token !== holder?.token) await linked(stale, file);
  await rm(stale, { force: true });
}

function isGone(holder: Holder | undefined): boolean {
  if (holder?.host !== hostname()) return false;
  if (holder.pid === process.pid) return !held.has(holder.token);
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
