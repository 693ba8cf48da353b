/** Random acts of tampering: what was chained again is shown by a head signed before, all else by verify. */
import { describe, expect, it } from '@jest/globals';
import { completeStory } from '#test/support/complete-story';
import { Dice } from '#test/simulator/dice';
import { Forger } from './forger.js';
import { headOf } from './head.js';
import { shownOf } from './judge.js';
import { tamper } from './random.js';

const honest = completeStory().log.all;
const head = headOf(honest);

/** Whether the log says what it said: chaining it again mends what epochs and closed months name. */
const isUndone = ({ all }: Forger): boolean =>
  all.length === honest.length &&
  all.every(
    ({ data, metadata }, at) =>
      data.bytes.equals(honest[at]!.data.bytes) && metadata.bytes.equals(honest[at]!.metadata.bytes),
  );

describe('random tampering', () => {
  const from = Number(process.env.TAMPERING_FROM ?? 1);
  const seeds = Number(process.env.TAMPERINGS ?? 50);

  it(`of ${seeds} seeds is found, in what was signed always and otherwise where the log can tell`, async () => {
    const missed: string[] = [];
    for (let seed = from; seed < from + seeds; seed += 1) {
      const forger = new Forger(honest);
      const act = tamper(forger, new Dice(seed));
      const found = await shownOf(forger, head);
      const isFound = found.checks.length > 0;
      if (act.isRaw && !isFound) missed.push(`seed ${seed}: ${act.what} was not found by verify`);
      // An edit that leaves the hash is the chain's to show; a head covers hashes.
      if (!act.isRaw && !act.isBehindHead && !found.byHead && !isUndone(forger))
        missed.push(`seed ${seed}: ${act.what} passes the signed head`);
      if (act.isBehindHead && !isFound && !act.isOnlyOutside)
        missed.push(`seed ${seed}: ${act.what} was found by nothing`);
    }
    expect(missed).toEqual([]);
  }, 3_600_000);
});
