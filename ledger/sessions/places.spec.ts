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
