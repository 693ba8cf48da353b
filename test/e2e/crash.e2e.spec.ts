/**
 * The ledger, the projector and the event store are killed while payments settle, and Redis forgets
 * everything: nothing that was acknowledged is lost, nothing is doubled, and the books are in order.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Crowd } from '#test/support/crowd';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

/** 200, and each process killed twice, in `make prove`. */
const PAYMENTS = sampled(200, 40);
const AT_ONCE = 8;

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1' } });
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let crowd: Crowd;

beforeAll(async () => {
  crowd = await Crowd.gather(stack().url, provider);
});

async function powerCut(part: 'ledger-1' | 'projections' | 'eventstore'): Promise<void> {
  await stack().part(part).kill9();
  await stack().part(part).start();
}
async function forget(): Promise<void> {
  const redis = new Redis(stack().env.REDIS_URL!);
  await redis.flushall();
  redis.disconnect();
}

describe(`while ${PAYMENTS} payments settle`, () => {
  it('the ledger, the projector and the event store are killed in turn, and no payment is lost or doubled', async () => {
    await provider.control('POST', '/test/switches', { webhooks: { duplicates: 1, shuffle: true } });
    const once: readonly [number, () => Promise<void>][] = [
      [4, () => powerCut('ledger-1')],
      [12, () => powerCut('projections')],
      [18, forget],
      [24, () => powerCut('eventstore')],
    ];
    const accidents = new Map([
      ...once,
      ...sampled<typeof once>(
        [
          [150, () => powerCut('ledger-1')],
          [151, () => powerCut('projections')],
          [180, () => powerCut('eventstore')],
        ],
        [],
      ),
    ]);
    // One after the other, each begun at its payment at the earliest: never two parts' restarts in each
    // other's way.
    let happening: Promise<void> = Promise.resolve();
    let happened = 0;
    await crowd.tip(PAYMENTS, AT_ONCE, (paid) => {
      const accident = accidents.get(paid);
      if (accident) happening = happening.then(accident).then(() => void (happened += 1));
    });
    await happening;
    expect(happened).toBe(accidents.size);
    // It did hurt: whoever was not answered had to ask again.
    expect(crowd.repeats).toBeGreaterThan(0);
    await crowd.cameOutRight(evidence);
  }, 180_000);

  it('and everything still works', async () => {
    await crowd.tip(10, 4);
    await crowd.cameOutRight(evidence);
  });
});
