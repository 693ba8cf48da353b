/** The table of the security standard is whole, and what it names is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SETTINGS } from '#contracts/configuration';
import { repositoryRoot } from '#local/launch/program';
import { ASVS, DECISIONS } from './asvs.js';
import { testsOf } from './sightings.js';

/** How many requirements the chapters have at levels 1 and 2: 70 and 183 in all. */
const AT_LEVEL = { 1: 70, 2: 183 };
const MOST_DECISIONS = 15;

const files = new Set(
  ASVS.flatMap(({ shownBy }) => shownBy.flatMap((evidence) => ('file' in evidence ? [evidence.file] : []))),
);
const sourceOf = (file: string): string => {
  const path = join(repositoryRoot(), file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
const titles = new Set(
  [...files].flatMap((file) => testsOf(file, sourceOf(file)).map(({ title }) => `${file}: ${title}`)),
);

describe('the table of the security standard', () => {
  it('has each number of the first two levels once, in order', () => {
    const numbers = ASVS.map(({ number }) => number.split('.').map(Number));
    const sorted = numbers.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!);
    expect(numbers).toEqual(sorted);
    expect(new Set(ASVS.map(({ number }) => number)).size).toBe(ASVS.length);
    for (const level of [1, 2] as const)
      expect(ASVS.filter((requirement) => requirement.level === level)).toHaveLength(AT_LEVEL[level]);
  });

  it('names for each a test, a setting or a decision, and each of them is there', () => {
    const unshown = ASVS.filter(({ shownBy }) => shownBy.length === 0).map(({ number }) => number);
    expect(unshown).toEqual([]);
    const missing = ASVS.flatMap(({ number, shownBy }) =>
      shownBy.flatMap((evidence) => {
        const isThere =
          evidence.kind === 'test'
            ? titles.has(`${evidence.file}: ${evidence.title}`)
            : evidence.kind === 'setting'
              ? Object.hasOwn(SETTINGS, evidence.setting)
              : Object.hasOwn(DECISIONS, evidence.decision);
        return isThere ? [] : [`${number}: ${JSON.stringify(evidence)}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('leaves fifteen decisions at most to others, and each of them stands for a requirement', () => {
    const used = new Set(
      ASVS.flatMap(({ shownBy }) =>
        shownBy.flatMap((evidence) => (evidence.kind === 'decision' ? [evidence.decision] : [])),
      ),
    );
    expect([...used].sort()).toEqual(Object.keys(DECISIONS).sort());
    expect(used.size).toBeLessThanOrEqual(MOST_DECISIONS);
  });
});
