/**
 * A provider that says anything: every id of its is booked at most once, against the payment that its charge
 * settled, and nothing that it says stops a writer. `make prove PART=provider` lives through a thousand
 * seeds.
 */
import { describe, expect, it } from '@jest/globals';
import { HostileStory } from './hostile.js';

const FROM = Number(process.env.HOSTILE_FROM ?? 1);
const SEEDS = Number(process.env.HOSTILE_SEEDS ?? 5);
/** In one test, so that a thousand of them are no thousand lines. */
const AT_A_TIME = 5;

describe('a hostile provider', () => {
  it.each(Array.from({ length: Math.ceil(SEEDS / AT_A_TIME) }, (_, n) => FROM + n * AT_A_TIME))(
    'books nothing twice, nothing to somebody else, and stops nobody (five seeds from %i)',
    async (from) => {
      const seeds = Array.from({ length: AT_A_TIME }, (_, n) => from + n);
      const stories = await Promise.all(
        seeds.map(async (seed) => ({ seed, ...(await HostileStory.live(seed)) })),
      );
      expect(stories.filter(({ wrongs }) => wrongs.length > 0)).toEqual([]);
      expect(Math.min(...stories.map(({ entries }) => entries))).toBeGreaterThan(15);
    },
  );
});
