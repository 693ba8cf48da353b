/**
 * How often the card provider is asked for one tip, counted where the calls arrive: from the click to the
 * booked fee, with every webhook that the provider sends, and two ledgers that these are handed to in turns.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, DECLINED } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack, WITHOUT_WORKERS } from '#test/support/stack';

// Without workers: no job looks in between, and what is counted is the tip's own.
const stack = useStack(WITHOUT_WORKERS, { ledgers: 2 });
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});
beforeEach(() => provider.control('DELETE', '/test/calls'));
afterEach(() => provider.control('DELETE', '/test/switches'));

/** The calls since the test began, once all that the provider sends was taken. */
async function calls(): Promise<Record<string, number>> {
  await provider.delivered();
  return (await provider.control('GET', '/test/calls')).routes as Record<string, number>;
}
const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** A tip's entries, in order; its fee is the last. */
async function entriesOf(paymentId: string): Promise<string[]> {
  const entries = await evidence.journal();
  return entries.flatMap(({ type, data }) =>
    'paymentId' in data && data.paymentId === paymentId ? [type] : [],
  );
}
const booked = (paymentId: string): Promise<unknown> =>
  eventually(
    async () => (await entriesOf(paymentId)).includes('ProviderFeeBooked'),
    'the fee to be in the log',
  );
const BOOKED = ['PaymentOpened', 'PaymentSubmitted', 'PaymentSettled', 'ProviderFeeBooked'];

describe.each([
  ['at once', 0],
  ['a moment later', 400],
])('a tip whose fee is known %s takes at most three calls', (_, balanceTransactionMs) => {
  beforeEach(() => provider.control('POST', '/test/switches', { balanceTransactionMs }));
  const most = balanceTransactionMs === 0 ? 2 : 3;

  it('by card', async () => {
    const { paymentId, clientSecret } = await juno.pay(milo.id, '20.00');
    await provider.card(clientSecret);
    await booked(paymentId);
    expect(sum(await calls())).toBeLessThanOrEqual(most);
    expect(await entriesOf(paymentId)).toEqual(BOOKED);
  });

  it('by card, when every webhook comes twice and in any order', async () => {
    await provider.control('POST', '/test/switches', {
      balanceTransactionMs,
      webhooks: { duplicates: 1, shuffle: true },
    });
    const { paymentId, clientSecret } = await juno.pay(milo.id, '21.00');
    await provider.card(clientSecret);
    await booked(paymentId);
    // Each ledger may look once for itself: it cannot know whether the other has booked all of it.
    expect(sum(await calls())).toBeLessThanOrEqual(most + 2);
    expect(await entriesOf(paymentId)).toEqual(BOOKED);
  });

  it('by Cash App', async () => {
    const { paymentId, clientSecret } = await juno.pay(milo.id, '22.00', { paymentMethod: 'cashapp' });
    await provider.answer(await provider.cashApp(clientSecret), 'succeed');
    await booked(paymentId);
    expect(sum(await calls())).toBeLessThanOrEqual(most);
    expect(await entriesOf(paymentId)).toEqual(BOOKED);
  });
});

describe('a tip whose card is saved', () => {
  it('takes three calls, its saved cards read among them; and one more for a payer whom the provider does not know', async () => {
    for (const most of [4, 3]) {
      await provider.control('DELETE', '/test/calls');
      const { paymentId, clientSecret } = await juno.pay(milo.id, `${20 + most}.00`, { saveCard: true });
      await provider.card(clientSecret);
      await booked(paymentId);
      expect(sum(await calls())).toBeLessThanOrEqual(most);
    }
  });
});

describe('what is not a plain tip', () => {
  it('costs a call for each attempt: one that is declined, and then another card', async () => {
    const { paymentId, clientSecret } = await juno.pay(milo.id, '30.00');
    await expect(provider.card(clientSecret, DECLINED)).rejects.toThrow();
    await provider.delivered();
    await provider.card(clientSecret);
    await booked(paymentId);
    expect(sum(await calls())).toBeLessThanOrEqual(3);
    expect(await entriesOf(paymentId)).toEqual(BOOKED.toSpliced(2, 0, 'PaymentAttemptFailed'));
  });

  it('costs nothing where it is somebody else’s payment in the same account', async () => {
    await provider.control('POST', '/test/payments', { amount: 4_200 });
    expect(await calls()).toEqual({});
  });
});
