/**
 * The leader of the event store's three nodes is lost in every way while two ledgers move money: another
 * takes over, writes and rows go on soon after, every answer was true and every effect came once. Then nodes
 * are lost as the dice fall. `make prove` does it ten times, at the pace of real nodes (ROUNDS, PACE).
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '#test/simulator/dice';
import { FailoverWorld, type Failover, type FailoverCost } from '#test/support/failover-world';
import { START_WITHIN_MS } from '#test/support/start-stack';

const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
const PACE = Number(process.env['PACE'] ?? 0.3);
const FAULTS_IN_A_STORY = 8;
/** How soon after another leader stands money moves and is shown, however the last one was lost. */
const AFTER_A_LEADER_MS = 8_000;

let world: FailoverWorld;
beforeAll(async () => {
  world = await FailoverWorld.start(PACE);
}, START_WITHIN_MS);
afterAll(() => world?.stop(), START_WITHIN_MS);

const FAILOVERS = ['killed', 'ended', 'frozen', 'cut off', 'lagging'] satisfies Failover[];
/** What becomes of an append that was under way, in turns; undefined: nobody looks. */
const UNANSWERED = ['kept', 'lost', undefined] as const;

describe('a leader that is lost while two ledgers move money', () => {
  it.each(FAILOVERS)(
    'costs seconds of writing: %s',
    async (failover) => {
      const costs: FailoverCost[] = [];
      for (let round = FAILOVERS.indexOf(failover), last = round + ROUNDS; round < last; round += 1)
        costs.push(await world.failOver(failover, UNANSWERED[round % UNANSWERED.length]));
      if (ROUNDS > 1) process.stdout.write(`${failover}: ${costs.map(words).join('; ')}\n`);
      for (const { untilWrittenMs, untilShownMs } of costs) {
        expect(untilWrittenMs).toBeLessThan(AFTER_A_LEADER_MS);
        expect(untilShownMs).toBeLessThan(AFTER_A_LEADER_MS);
      }
    },
    ROUNDS * 90_000,
  );

  it(
    'is one of many things that befall any of the nodes, several at once, and money moves again after',
    async () => {
      for (let seed = 1; seed <= ROUNDS; seed += 1) await world.story(new Dice(seed), FAULTS_IN_A_STORY);
    },
    ROUNDS * 90_000,
  );

  it(
    'costs no money: every answer was true, and every effect came once',
    async () => {
      await world.cameOutRight();
    },
    120_000 + ROUNDS * 30_000,
  );
});

function words({ withoutWriteMs, untilWrittenMs, untilShownMs, repeats }: FailoverCost): string {
  const seconds = [withoutWriteMs, untilWrittenMs, untilShownMs].map((ms) => (ms / 1000).toFixed(1));
  return `${seconds.join(', ')} s and ${repeats} repeats`;
}
