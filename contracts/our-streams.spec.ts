import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isOurStream, isSystemStream } from './events/our-streams.js';

describe('the list of our streams', () => {
  it('has every stream that the contracts name', () => {
    const folder = join(import.meta.dirname, 'events');
    const prefixes = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/export const \w+_PREFIX = '(.+)'/g)].map(
        ([, prefix]) => prefix!,
      ),
    );
    expect(prefixes.length).toBeGreaterThan(7);
    for (const prefix of prefixes) expect([prefix, isOurStream(`${prefix}x`)]).toEqual([prefix, true]);
    expect(['journal', 'encore-quarantine'].filter(isOurStream)).toHaveLength(2);
  });

  it('has no other: neither the store’s, nor one whose name only begins like the journal', () => {
    const others = ['orders-1', 'journals', 'journal-2', '$$journal', '$ce-user', '', 'Users-1'];
    expect(others.filter(isOurStream)).toEqual([]);
    expect(others.filter(isSystemStream)).toEqual(['$$journal', '$ce-user']);
  });
});
