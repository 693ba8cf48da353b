import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { placesFile } from '#test/support/places-file';
import { Places } from './places.js';

const folder = mkdtempSync(join(tmpdir(), 'encore-places-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (name: string, content: Buffer | string): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};

describe('a place', () => {
  it('is the city of an address that the file knows, and of no other', async () => {
    const places = await Places.open(
      written('places.mmdb', placesFile('203.0.113.0', 24, 'Porto', 'Portugal')),
    );
    expect(places.of('203.0.113.77')).toBe('Porto');
    for (const address of ['203.0.112.77', '198.51.100.1', '2001:db8::1', 'unknown'])
      expect([address, places.of(address)]).toEqual([address, undefined]);
  });

  it('is not known without a file', async () =>
    expect((await Places.open(undefined)).of('203.0.113.77')).toBeUndefined());

  it('is not made up from a file that is none', async () => {
    await expect(Places.open(written('other.mmdb', 'not a file of places'))).rejects.toThrow();
    await expect(Places.open(join(folder, 'nowhere.mmdb'))).rejects.toThrow();
  });
});

describe('a place that cannot be read', () => {
  it('is none, and refuses nobody their request', async () => {
    const whole = placesFile('203.0.113.0', 24, 'Porto', 'Portugal');
    const at = whole.indexOf('city');
    // As of a file that something else wrote over while it was read.
    const damaged = await Places.open(written('damaged.mmdb', Buffer.from(whole).fill(0, at - 2, at + 40)));
    expect(damaged.of('203.0.113.77')).toBeUndefined();
    // As files that are not MaxMind's own have it: a text under another name, or no name at all.
    const other = Buffer.from(whole.toString('latin1').replaceAll('names', 'named'), 'latin1');
    expect((await Places.open(written('nameless.mmdb', other))).of('203.0.113.77')).toBeUndefined();
  });
});

describe('a file of places that is replaced', () => {
  const PORTO = placesFile('203.0.113.0', 24, 'Porto', 'Portugal');
  const LISBOA = placesFile('203.0.113.0', 24, 'Lisboa', 'Portugal');
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('counts once all of it is there; until then the one of before does', async () => {
    const file = written('replaced.mmdb', PORTO);
    const told: string[] = [];
    const places = await Places.open(file, { lookEveryMs: 20, onUnreadable: (why) => told.push(why) });
    // As a download writes it, bit by bit.
    for (let bytes = 100; told.length === 0; bytes += 1) {
      writeFileSync(file, LISBOA.subarray(0, bytes % 100));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(places.of('203.0.113.77')).toBe('Porto');
    writeFileSync(file, LISBOA);
    await until(() => places.of('203.0.113.77') === 'Lisboa');
    const before = told.length;
    rmSync(file);
    await until(() => told.length > before);
    expect(places.of('203.0.113.77')).toBe('Lisboa');
  });
});
