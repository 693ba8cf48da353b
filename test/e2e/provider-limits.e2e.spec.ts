/**
 * A card provider that refuses bursts, as the real one does: with as many tips at once as its limits allow,
 * and two ledgers that share them out, no payer is refused, and next to no call; with more, whoever has to
 * wait too long is told so.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketsOf } from '#ledger/stripe/call-limiter';
import { SharedCallCounter } from '#processes/ledger/shared-calls';
import { Crowd } from '#test/support/crowd';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { useStack } from '#test/support/stack';

const LIMITS = { total: 25, endpoint: 25 };
const stack = useStack(['all'], {
  ledgers: 2,
  env: {
    STRIPE_REQUESTS_PER_SECOND: String(LIMITS.total),
    STRIPE_REQUESTS_PER_ENDPOINT: String(LIMITS.endpoint),
  },
});
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let crowd: Crowd;

beforeAll(async () => {
  crowd = await Crowd.gather(stack().url, provider);
  await provider.control('POST', '/test/switches', { rateLimits: LIMITS, balanceTransactionMs: 200 });
  await provider.control('DELETE', '/test/calls');
});

/** Calls that we let go in time and that a busy machine then brought closer together; each was made again. */
const JOSTLED = 3;

const refused = async (): Promise<number> => Number((await provider.control('GET', '/test/calls')).refused);

describe('under the published limits', () => {
  it('a crowd is served and no call is refused', async () => {
    await crowd.tip(30, 6);
    await crowd.cameOutRight(evidence);
    expect(await refused()).toBeLessThanOrEqual(JOSTLED);
  }, 120_000);

  it('it goes on without Redis, each ledger with its part', async () => {
    await stack().part('redis').stop();
    await provider.control('DELETE', '/test/calls');
    await crowd.tip(10, 4);
    expect(await refused()).toBeLessThanOrEqual(JOSTLED);
    await stack().part('redis').start();
  }, 120_000);

  it('whoever would wait too long is told to come back, in words and by a header', async () => {
    const [recipient, ...payers] = crowd.people;
    // However slowly this machine calls: another ledger takes what the account allows, all the time.
    const other = new SharedCallCounter(stack().env.REDIS_URL!, 'another ledger', pino({ enabled: false }));
    const buckets = bucketsOf('POST /v1/payment_intents', 'click', LIMITS);
    let isOver = false;
    const taking = async (): Promise<void> => {
      while (!isOver) if ((await other.take(buckets)) > 0) await sleep(5);
    };
    const others = taking();
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        payers[n % payers.length]!.post('/api/create-payment-intent', {
          toUserId: recipient!.id,
          amount: '3.00',
        }),
      ),
    );
    isOver = true;
    await others;
    other.close();
    const late = answers.filter(({ status }) => status !== 200);
    expect(late.length).toBeGreaterThan(0);
    for (const { status, text } of late) {
      expect(status).toBe(503);
      expect(text).toContain('Please try again in a few seconds.');
    }
  }, 120_000);
});
