/** One stack to a data folder, also where several begin at once, or one begins while another looks. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BadLocalSetting, localSettings } from '../settings.js';
import { operateOnStopped } from '../stores.js';
import {
  AlreadyRuns,
  claimFolder,
  endOrphans,
  isOurs,
  readLock,
  refuseIfRunning,
  removeLock,
  writeLock,
} from './lock.js';
import { processStamp } from './process-stamp.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const URL = 'http://localhost:3000';
/** As a start writes it whose process is this one's parent, which runs; or, without its stamp, has ended. */
function lockedBy(up: { pid: number; stamp: string }): void {
  const child = { name: 'redis', pid: process.ppid, stamp: processStamp(process.ppid), signal: 'SIGWINCH' };
  writeFileSync(join(folder, 'stack.json'), JSON.stringify({ up, publicUrl: URL, children: [child] }));
}
const RUNS = { pid: process.ppid, stamp: processStamp(process.ppid) ?? '' };
const RUNNING_STAMP = processStamp(process.pid) ?? '';
const HAS_ENDED = { pid: process.ppid, stamp: 'of another time' };

describe('a data folder', () => {
  it('is claimed once: whoever comes second is refused, and the lock stays as it was', () => {
    lockedBy(RUNS);
    expect(() => claimFolder(folder, URL)).toThrow(AlreadyRuns);
    expect(readLock(folder)?.up).toEqual(RUNS);
    expect(readdirSync(folder)).toEqual(['stack.json']);
  });

  it('is claimed where the lock is of a process that has ended', () => {
    lockedBy(HAS_ENDED);
    claimFolder(folder, URL);
    expect(readLock(folder)?.up.pid).toBe(process.pid);
    expect(readdirSync(folder)).toEqual(['stack.json']);
  });

  it('is left alone by a command for stopped stores, where one was started while its backup was looked at', async () => {
    lockedBy(RUNS);
    const settings = localSettings({ ENCORE_DATA: folder }, folder);
    let isPrepared = false;
    const done = operateOnStopped(settings, ['restore', folder], {
      parts: [],
      prepare: () => void (isPrepared = true),
    });
    await expect(done).rejects.toThrow(AlreadyRuns);
    expect([isPrepared, readLock(folder)?.up]).toEqual([false, RUNS]);
  });

  it('that holds what somebody else keeps there is refused, for a reset would delete it', () => {
    writeFileSync(join(folder, '.DS_Store'), '');
    claimFolder(folder, URL);
    removeLock(folder);
    writeFileSync(join(folder, 'thesis.doc'), '');
    expect(() => claimFolder(folder, URL)).toThrow(/holds something that is not Encore’s/);
    expect(readdirSync(folder).sort()).toEqual(['.DS_Store', 'thesis.doc']);
    writeFileSync(join(folder, 'secrets.json'), '{}');
    claimFolder(folder, URL);
  });

  it('that was copied while a stack ran on the original is refused, and nothing of the original is ended', async () => {
    claimFolder(folder, URL);
    const child = { name: 'redis', pid: process.ppid, stamp: RUNS.stamp, signal: 'SIGWINCH' as const };
    writeLock(folder, URL, [child]);
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    copyFileSync(join(folder, 'stack.json'), join(copy, 'stack.json'));
    expect(readLock(copy)).toBeUndefined();
    expect(() => refuseIfRunning(copy)).not.toThrow();
    // Nothing of the first one's is ended for it.
    const told: string[] = [];
    await endOrphans(copy, (sentence) => told.push(sentence));
    expect(told).toEqual([]);
    expect(() => claimFolder(copy, URL)).toThrow(
      `${copy} was copied while Encore ran on the folder that it was copied from, as process ${process.pid}, at ${URL}.`,
    );
    expect(readdirSync(copy)).toEqual(['stack.json']);

    const renamed = `${folder}-renamed`;
    renameSync(folder, renamed);
    expect(() => refuseIfRunning(renamed)).toThrow(AlreadyRuns);
    renameSync(renamed, folder);

    // A copy, or a folder that was moved, whose stack has ended is a data folder like any other.
    const ended = readFileSync(join(copy, 'stack.json'), 'utf8').replace(RUNNING_STAMP, 'of another time');
    writeFileSync(join(copy, 'stack.json'), ended);
    claimFolder(copy, URL);
    expect(readLock(copy)?.up.pid).toBe(process.pid);
  });

  it('that is a file is refused', () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(() => isOurs(file)).toThrow(`${file} is a file: name a folder with ENCORE_DATA.`);
    expect(() => claimFolder(file, URL)).toThrow(`${file} is a file: name a folder with ENCORE_DATA.`);
  });

  it('that cannot be made is told in one sentence', () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(() => claimFolder(join(file, 'data'), URL)).toThrow(BadLocalSetting);
    expect(() => claimFolder(join(file, 'data'), URL)).toThrow(/cannot be written \(E[A-Z]+\)/);
    expect(existsSync(file)).toBe(true);
  });
});
