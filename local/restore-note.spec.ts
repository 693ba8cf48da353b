/** A restore that was interrupted: what it has set aside is never lost, and there is always a way on. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  goBack,
  noteRestore,
  putBack,
  refuseHalfRestored,
  restoreUnderWay,
  setAside,
} from './restore-note.js';

const home = mkdtempSync(join(tmpdir(), 'encore-restore-note-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let data: string;
let made = 0;
beforeEach(() => {
  data = join(home, String((made += 1)));
  mkdirSync(data);
});
/** Puts an event store there that says what it is. */
const storeOf = (what: string, folder = join(data, 'eventstore')): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'log'), what);
};
const store = (folder = join(data, 'eventstore')): string | undefined =>
  existsSync(folder) ? readFileSync(join(folder, 'log'), 'utf8') : undefined;
const aside = (): string => restoreUnderWay(data)!.setAside!;

describe('the data of before', () => {
  it('are set aside once, however often the same restore is run', () => {
    storeOf('before');
    setAside(data, '/kept');
    expect([store(), store(aside())]).toEqual([undefined, 'before']);
    storeOf('half of kept');
    setAside(data, '/kept');
    expect([store(), store(aside())]).toEqual(['half of kept', 'before']);
  });

  it('are set aside by the next run, where the first got no further than its note', () => {
    storeOf('before');
    noteRestore(data, { from: '/kept', setAside: join(data, 'eventstore.before-x') });
    setAside(data, '/kept');
    expect([store(), store(aside())]).toEqual([undefined, 'before']);
  });

  it('stay set aside for another backup, which begins on nothing', () => {
    storeOf('before');
    setAside(data, '/gone');
    const first = aside();
    storeOf('half of what is gone');
    setAside(data, '/kept');
    expect(restoreUnderWay(data)).toMatchObject({ from: '/kept', setAside: first });
    expect([store(), store(first)]).toEqual([undefined, 'before']);
  });

  it('are set aside for another backup where the first restore got no further than its note', () => {
    storeOf('before');
    const first = join(data, 'eventstore.before-x');
    noteRestore(data, { from: '/gone', setAside: first });
    setAside(data, '/kept');
    expect(restoreUnderWay(data)).toMatchObject({ from: '/kept', setAside: first });
    expect([store(), store(first)]).toEqual([undefined, 'before']);
  });

  it('are none where there were none: another backup begins on nothing', () => {
    setAside(data, '/gone');
    storeOf('half of what is gone');
    setAside(data, '/kept');
    expect(restoreUnderWay(data)).toEqual({ from: '/kept' });
    expect(readdirSync(data)).toEqual(['restore.json']);
  });
});

describe('the way back', () => {
  it('puts the data of before in the place of the half that was restored, and lets everything start', () => {
    storeOf('before');
    setAside(data, '/gone');
    storeOf('half of what is gone');
    expect(() => refuseHalfRestored(data)).toThrow(/make restore BACK=1/);
    goBack(data);
    expect(store()).toBe('before');
    expect(readdirSync(data)).toEqual(['eventstore']);
    expect(() => refuseHalfRestored(data)).not.toThrow();
  });

  it('leaves them where they are, where the restore got no further than its note', () => {
    storeOf('before');
    noteRestore(data, { from: '/gone', setAside: join(data, 'eventstore.before-x') });
    goBack(data);
    expect(store()).toBe('before');
    expect(restoreUnderWay(data)).toBeUndefined();
  });

  it.each([
    ['it is run again', () => goBack(data)],
    ['another backup is restored', () => setAside(data, '/kept')],
  ])('loses nothing where it was interrupted at its end, and %s', (_, next) => {
    storeOf('before');
    setAside(data, '/gone');
    const first = aside();
    storeOf('half of what is gone');
    putBack(data);
    next();
    expect([store(), store(first)]).toContain('before');
  });

  it('leads to nothing where there was nothing', () => {
    setAside(data, '/gone');
    storeOf('half of what is gone');
    goBack(data);
    expect(readdirSync(data)).toEqual([]);
  });

  it('is refused where no restore was interrupted, and where the data of before are gone', () => {
    storeOf('whole');
    expect(() => goBack(data)).toThrow(/^No restore .* was interrupted/);
    setAside(data, '/gone');
    rmSync(aside(), { recursive: true });
    storeOf('half of what is gone');
    expect(() => goBack(data)).toThrow(/are not there any more: restore a backup/);
    expect(restoreUnderWay(data)).toBeDefined();
  });
});
