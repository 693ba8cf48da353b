/**
 * Every kind of tampering, against verify and against a head signed before. The page of the docs is what this
 * found; `WRITE_TAMPERING=on` writes it anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';
import { completeStory } from '#test/support/complete-story';
import { Forger } from './forger.js';
import { headOf } from './head.js';
import { shownOf, type TamperingEvidence } from './judge.js';
import { KINDS } from './kinds.js';
import { tamperingPage } from './page.js';

const honest = completeStory().log.all;
const head = headOf(honest);

const PAGE = join(repositoryRoot(), 'docs/reference/tampering.md');

describe('the honest log', () => {
  it('is in order, and fits its own head', async () =>
    expect(await shownOf(new Forger(honest), head)).toEqual({ checks: [], findings: [], byHead: false }));

  it('is in order when a forger has chained it again and changed nothing', async () =>
    expect(await shownOf(new Forger(honest).rechain(), head)).toEqual({
      checks: [],
      findings: [],
      byHead: false,
    }));
});

describe('a kind of tampering', () => {
  const shown = new Map<string, TamperingEvidence>();

  it.each(KINDS.map((kind) => [`${kind.group}: ${kind.name}`, kind] as const))(
    '%s is found by verify, or the page says what finds it',
    async (title, kind) => {
      const forger = new Forger(honest);
      kind.act(forger);
      const found = await shownOf(forger, head);
      shown.set(title, found);
      // A reason stands exactly where the log alone shows nothing.
      expect({ found: found.checks, reason: kind.because !== undefined }).toEqual({
        found: found.checks,
        reason: found.checks.length === 0,
      });
    },
  );

  it('is one of at least a hundred, each with a title of its own', () => {
    expect(KINDS.length).toBeGreaterThanOrEqual(100);
    expect(shown.size).toBe(KINDS.length);
  });

  it('that was chained again, or took something away, never passes a head signed before it', () => {
    const passed = KINDS.filter(
      ({ group, name }) =>
        (group === 'order' || group === 'legs' || group === 'fields' || group === 'gone') &&
        !shown.get(`${group}: ${name}`)!.byHead,
    );
    expect(passed.map(({ name }) => name)).toEqual([]);
  });

  it('is listed in the docs with the checks that found it', () => {
    const page = tamperingPage(KINDS, shown);
    if (process.env.WRITE_TAMPERING === 'on') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});
