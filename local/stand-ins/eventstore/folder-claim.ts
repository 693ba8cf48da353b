/**
 * One process to a data folder. The claim is a record in the store itself, taken in a transaction: LMDB's
 * write lock makes the taking atomic and is released by the system when its holder is killed, so a claim left
 * behind blocks nobody.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import type { RootDatabase } from 'lmdb';

/** Another process has the data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  constructor(folder: string, pid: number) {
    super(
      `The data folder ${folder} is in use by another event store, process ${pid}. Stop it, or give another folder with --data.`,
    );
  }
}

const CLAIM = Buffer.from('claim');

/** Takes the folder for this process. Throws {@link FolderInUse}. */
export function claimFolder(environment: RootDatabase<Buffer, Buffer>, folder: string): void {
  const claims = environment.openDB<Buffer, Buffer>({
    name: 'claim',
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  const holder = claims.transactionSync(() => {
    const [pid, startedAt] = (claims.getBinary(CLAIM)?.toString() ?? '').split('\n');
    if (pid && Number(pid) !== process.pid && startTimeOf(Number(pid)) === startedAt) return Number(pid);
    claims.putSync(CLAIM, Buffer.from(`${process.pid}\n${startTimeOf(process.pid)}`));
    return undefined;
  });
  if (holder !== undefined) throw new FolderInUse(folder, holder);
}

/** Gives the folder up. */
export function releaseFolder(environment: RootDatabase<Buffer, Buffer>): void {
  environment
    .openDB<Buffer, Buffer>({ name: 'claim', encoding: 'binary', keyEncoding: 'binary' })
    .removeSync(CLAIM);
}

/**
 * When a process began, in words of its system's own; undefined if there is none. With the pid it names one
 * process for good.
 */
function startTimeOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      // The second field is the program's name in brackets and may hold anything; the 22nd is the start, in
      // clock ticks.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      // A zombie holds nothing any more.
      if (fields[0] === 'Z' || !fields[19]) return undefined;
      // The ticks are counted from the start of the machine.
      return `${fields[19]} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
    } catch {
      return undefined;
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
