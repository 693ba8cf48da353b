/**
 * Tips under the limits that the card provider publishes for test keys, through two ledgers: how many payers
 * are refused, how many calls a tip takes, and how many calls of ours the provider refuses.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person } from '#test/support/person';
import { startStack } from '#test/support/start-stack';
import type { Row } from './measure.js';

const LIMITS = { total: 25, endpoint: 25 };
const PAYERS = 200;
const A_SECOND = [5, 10];
const PEOPLE = 4;
const BOOKED_WITHIN_MS = 120_000;

export async function benchProvider(): Promise<Row[]> {
  const stack = await startStack(['all'], {
    ledgers: 2,
    env: {
      STRIPE_REQUESTS_PER_SECOND: String(LIMITS.total),
      STRIPE_REQUESTS_PER_ENDPOINT: String(LIMITS.endpoint),
    },
  });
  try {
    const provider = new CardProviderWorld(() => stack);
    const people = await Promise.all(
      Array.from({ length: PEOPLE }, (_, n) => Person.signUp(stack.url, `Payer${n}`)),
    );
    await provider.control('POST', '/test/switches', { rateLimits: LIMITS, balanceTransactionMs: 500 });
    const rows: Row[] = [];
    for (const rate of A_SECOND) rows.push(...(await tipsAt(rate, provider, people)));
    return rows;
  } finally {
    await stack.stop();
  }
}

async function tipsAt(rate: number, provider: CardProviderWorld, people: readonly Person[]): Promise<Row[]> {
  await provider.control('DELETE', '/test/calls');
  let refusedPayers = 0;
  const tips = Array.from({ length: PAYERS }, async (_, n) => {
    await pause((n * 1_000) / rate);
    const [payer, recipient] = [people[n % PEOPLE]!, people[(n + 1) % PEOPLE]!];
    const body = { toUserId: recipient.id, amount: '5.00' };
    const answer = await payer.post('/api/create-payment-intent', body, { 'idempotency-key': uuidv7() });
    if (answer.status !== 200) refusedPayers += 1;
    else await provider.card(PaymentIntentAnswer.parse(json(answer)).clientSecret);
  });
  await Promise.all(tips);
  const end = Date.now() + BOOKED_WITHIN_MS;
  while ((await provider.control('GET', '/test/webhooks')).owed !== 0 && Date.now() < end) await pause(500);
  const { calls, refused } = await provider.control('GET', '/test/calls');
  const of = `${rate} tips/s, ${PAYERS} payers, 2 ledgers`;
  return [
    { bench: 'provider', of, value: refusedPayers, unit: 'payers refused' },
    { bench: 'provider', of, value: Number(calls) / PAYERS, unit: 'calls a tip' },
    { bench: 'provider', of, value: Number(refused), unit: 'calls refused' },
  ];
}
