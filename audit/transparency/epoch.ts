/**
 * A tree's epochs. A log that has lost something and goes on differently does not extend the tree that was
 * signed: its operator begins a new tree, under another name, and the former one stays published as it was.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CHECKPOINT_FILE,
  JOURNAL_LEAVES_FILE,
  JOURNAL_NOTE_FILE,
  VERIFIER_KEY_FILE,
} from '#log/transparency/tree-folder';

const EPOCH_FILE = 'epoch';

/** Which tree of this folder is the present one, from 1. */
async function epochOf(folder: string): Promise<number> {
  try {
    return Number(await readFile(join(folder, EPOCH_FILE), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 1;
    throw error;
  }
}

const nameOf = (name: string, epoch: number): string => (epoch === 1 ? name : `${name}/epoch-${epoch}`);

/** The name of the tree in a folder, as its heads begin with it. */
export const originOf = async (folder: string, name: string): Promise<string> =>
  nameOf(name, await epochOf(folder));

/**
 * Begins a new tree: all that was published moves to `epoch-N`, also the key, so that
 * the new one may have another. Whoever calls this holds the folder's lock. Answers the
 * number of the new epoch.
 */
export async function beginEpoch(folder: string): Promise<number> {
  const epoch = await epochOf(folder);
  const former = join(folder, `epoch-${epoch}`);
  await mkdir(former, { recursive: true });
  // The number first: a crash after it leaves files that the next call moves as well.
  await writeFile(join(folder, EPOCH_FILE), String(epoch + 1));
  const there = new Set(await readdir(folder));
  for (const name of [CHECKPOINT_FILE, JOURNAL_NOTE_FILE, JOURNAL_LEAVES_FILE, VERIFIER_KEY_FILE, 'tile'])
    if (there.has(name)) await rename(join(folder, name), join(former, name));
  return epoch + 1;
}
