/**
 * Disputes and the provider's fees, however their webhooks come: who bears what, to the cent, in balances,
 * histories and receipts. And finding one's way in a long history.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { platform } from '#contracts/plain/accounts';
import { Transaction, TransactionReceipt } from '#contracts/api/payments';
import { trialBalance } from '#projections/balances/queries';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, intentOf } from '#test/support/payer';
import { json, Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1' } });

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  juno = await Person.signUp(stack().url, 'Juno');
  milo = await Person.signUp(stack().url, 'Milo');
});

async function settledDown(): Promise<void> {
  await provider.delivered();
  await evidence.shown();
}
const typesAbout = async (paymentId: string): Promise<string[]> =>
  (await evidence.journal())
    .filter(({ data }) => 'paymentId' in data && data.paymentId === paymentId)
    .map(({ type }) => type);
const lineOf = async (person: Person, paymentId: string) =>
  (await person.transactions()).find(({ id }) => id === paymentId);
const balance = async (account: string): Promise<number> =>
  (await trialBalance(evidence.db)).find((line) => line.account === account)?.balanceMinor ?? 0;

/** A payment of Juno's to Milo, paid, and its charge. */
async function paid(amount: string, more: { description?: string } = {}) {
  const { clientSecret, paymentId } = await juno.pay(milo.id, amount, more);
  await provider.card(clientSecret);
  const { data } = await provider.stripe.charges.list({ payment_intent: intentOf(clientSecret) });
  await settledDown();
  return { paymentId, chargeId: data[0]!.id, intentId: intentOf(clientSecret) };
}

describe('the provider’s fee', () => {
  it('is booked for each payment and borne by the platform, once', async () => {
    const before = await balance(platform('fees'));
    const { paymentId, chargeId } = await paid('20.00');
    await eventually(
      async () => (await typesAbout(paymentId)).includes('ProviderFeeBooked'),
      'the fee to be booked',
    );
    await settledDown();
    const { balance_transaction: taken } = await provider.stripe.charges.retrieve(chargeId, {
      expand: ['balance_transaction'],
    });
    const fee = typeof taken === 'object' ? taken!.fee : 0;
    expect(fee).toBeGreaterThan(0);
    expect(await balance(platform('fees'))).toBe(before - fee);
    expect((await typesAbout(paymentId)).filter((type) => type === 'ProviderFeeBooked')).toHaveLength(1);
    expect(await lineOf(milo, paymentId)).toMatchObject({ amount: '20.00', status: 'completed' });
  });
});

describe('a dispute', () => {
  it.each([
    ['in order', {}],
    ['shuffled and three times each', { webhooks: { duplicates: 2, shuffle: true } }],
  ])(
    'whose webhooks come %s takes the payment from the recipient, and gives it back when it is won',
    async (_, switches) => {
      await provider.control('POST', '/test/switches', switches);
      const { earnings } = await milo.me();
      const losses = await balance(platform('dispute-losses'));
      const { paymentId, chargeId } = await paid('30.00');
      const { id } = await provider.control('POST', `/test/charges/${chargeId}/dispute`, {});
      await settledDown();
      expect((await milo.me()).earnings).toBe(earnings);
      for (const person of [juno, milo])
        expect(await lineOf(person, paymentId)).toMatchObject({
          status: 'disputed',
          disputeStatus: 'open',
          disputedAmount: '30.00',
        });
      expect(await balance(platform('dispute-losses'))).toBe(losses - 1500);

      await provider.control('POST', `/test/disputes/${String(id)}/close`, { outcome: 'won' });
      await settledDown();
      expect(Number((await milo.me()).earnings)).toBe(Number(earnings) + 30);
      expect(await lineOf(milo, paymentId)).toMatchObject({
        status: 'completed',
        disputeStatus: 'won',
        disputedAmount: '0.00',
      });
      const types = (await typesAbout(paymentId)).filter((type) => type.startsWith('Dispute'));
      expect(types.sort()).toEqual([
        'DisputeFundsReinstated',
        'DisputeFundsWithdrawn',
        'DisputeOpened',
        'DisputeWon',
      ]);
      await provider.control('DELETE', '/test/switches');
    },
  );

  it('that is merely an inquiry takes nothing, and ends as if it had been won', async () => {
    const { earnings } = await milo.me();
    const losses = await balance(platform('dispute-losses'));
    const { paymentId, chargeId } = await paid('15.00');
    const { id } = await provider.control('POST', `/test/charges/${chargeId}/dispute`, { inquiry: true });
    await settledDown();
    const standing = { disputeStatus: 'open', disputedAmount: '0.00' };
    for (const person of [juno, milo]) expect(await lineOf(person, paymentId)).toMatchObject(standing);
    await provider.control('POST', `/test/disputes/${String(id)}/close`, { outcome: 'warning_closed' });
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({
      status: 'completed',
      disputeStatus: 'won',
      disputedAmount: '0.00',
    });
    expect(Number((await milo.me()).earnings)).toBe(Number(earnings) + 15);
    expect(await balance(platform('dispute-losses'))).toBe(losses);
    expect((await typesAbout(paymentId)).filter((type) => type.startsWith('Dispute'))).toEqual([
      'DisputeOpened',
      'DisputeWon',
    ]);
  });

  it('that was prevented by paying its payer stands as lost', async () => {
    const { earnings } = await milo.me();
    const { paymentId, chargeId } = await paid('15.00');
    const { id } = await provider.control('POST', `/test/charges/${chargeId}/dispute`, {});
    await provider.control('POST', `/test/disputes/${String(id)}/close`, { outcome: 'prevented' });
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({ disputeStatus: 'lost', disputedAmount: '15.00' });
    expect((await milo.me()).earnings).toBe(earnings);
  });

  it('that was lost and is won on appeal gives the money back, and a fee without money is a fee', async () => {
    const { earnings } = await milo.me();
    const fees = await balance(platform('fees'));
    const { paymentId, chargeId } = await paid('15.00');
    const taken = fees - (await balance(platform('fees')));
    const { id } = await provider.control('POST', `/test/charges/${chargeId}/dispute`, {});
    await provider.control('POST', `/test/disputes/${String(id)}/fee`, { fee: 1_500 });
    await provider.control('POST', `/test/disputes/${String(id)}/close`, { outcome: 'lost' });
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({ disputeStatus: 'lost', disputedAmount: '15.00' });
    expect(await balance(platform('fees'))).toBe(fees - taken - 1_500);
    await provider.control('POST', `/test/disputes/${String(id)}/appeal`, {});
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({
      status: 'completed',
      disputeStatus: 'won',
      disputedAmount: '0.00',
    });
    expect(Number((await milo.me()).earnings)).toBe(Number(earnings) + 15);
    expect((await typesAbout(paymentId)).filter((type) => type.startsWith('Dispute'))).toEqual([
      'DisputeOpened',
      'DisputeFundsWithdrawn',
      'DisputeLost',
      'DisputeFundsReinstated',
      'DisputeWon',
    ]);
  });

  it('that is lost while no webhook came is found by the worker, and may leave a debt that no wallet can be filled from', async () => {
    const { paymentId, chargeId } = await paid('40.00');
    const wallet = z
      .object({ id: z.string() })
      .parse(json(await milo.post('/api/treasury/wallets', { displayName: 'Safe' })));
    const { earnings } = await milo.me();
    expect(
      (await milo.post('/api/treasury/transfer', { walletId: wallet.id, amount: earnings })).status,
    ).toBe(200);
    await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
    const { id } = await provider.control('POST', `/test/charges/${chargeId}/dispute`, {});
    await provider.control('POST', `/test/disputes/${String(id)}/close`, { outcome: 'lost' });
    await stack().part('workers').restart();
    await eventually(
      async () => (await lineOf(milo, paymentId))?.status === 'dispute_lost',
      'the dispute to be seen',
    );
    expect((await milo.me()).earnings).toBe('-40.00');
    expect(
      refusal(await milo.post('/api/treasury/transfer', { walletId: wallet.id, amount: '0.01' })),
    ).toEqual([422, 'Your available balance is -$40.00, which does not cover $0.01.']);
    const before = await evidence.everything();
    await provider.control('DELETE', '/test/switches');
    await settledDown();
    expect((await evidence.everything()).revision).toBe(before.revision);
    expect(
      (await milo.post('/api/treasury/withdraw', { walletId: wallet.id, amount: earnings })).status,
    ).toBe(200);
  });
});

describe('unapplied money', () => {
  const entriesOf = async (chargeId: string): Promise<string[]> =>
    (await evidence.journal()).flatMap(({ type, data }) =>
      'chargeId' in data &&
      data.chargeId === chargeId &&
      'amountMinor' in data &&
      type.startsWith('Unapplied')
        ? [`${type} ${data.amountMinor}`]
        : [],
    );
  const secondChargeOf = async (
    payment: { intentId: string; chargeId: string },
    more: object = {},
  ): Promise<string> => {
    await provider.control('POST', `/test/payment_intents/${payment.intentId}/second_charge`, more);
    const { data } = await provider.stripe.charges.list({ payment_intent: payment.intentId });
    return data.find(({ id }) => id !== payment.chargeId)!.id;
  };

  it('of which somebody gave back a part by hand goes back whole, and no more than that', async () => {
    const payment = await paid('25.00');
    await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
    const second = await secondChargeOf(payment);
    await provider.stripe.refunds.create({ charge: second, amount: 1000 });
    await provider.control('DELETE', '/test/switches');
    await eventually(async () => (await entriesOf(second)).length === 3, 'the rest to go back');
    await settledDown();
    expect(await entriesOf(second)).toEqual([
      'UnappliedReceived 2500',
      'UnappliedRefunded 1000',
      'UnappliedRefunded 1500',
    ]);
    expect(await provider.stripe.charges.retrieve(second)).toMatchObject({ amount_refunded: 2500 });
    expect(await lineOf(milo, payment.paymentId)).toMatchObject({
      status: 'completed',
      refundedAmount: '0.00',
    });
  });

  it('whose refund comes back is held again, and is given back another time', async () => {
    const payment = await paid('5.00');
    const second = await secondChargeOf(payment, { payment_method: 'pm_card_refundFail' });
    await eventually(async () => (await entriesOf(second)).length >= 4, 'a second refund');
    expect((await entriesOf(second)).slice(0, 4)).toEqual([
      'UnappliedReceived 500',
      'UnappliedRefunded 500',
      'UnappliedRefundFailed 500',
      'UnappliedRefunded 500',
    ]);
    expect(await lineOf(milo, payment.paymentId)).toMatchObject({
      status: 'completed',
      refundedAmount: '0.00',
    });
  });
});

describe('a long history', () => {
  const found = async (person: Person, query: string): Promise<string[]> => {
    const answer = await person.get(`/api/transactions?${query}`);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return z
      .array(Transaction)
      .parse(json(answer))
      .map(({ id }) => id);
  };

  it('is narrowed by text, type and time, also together with a limit', async () => {
    const { paymentId } = await paid('12.00', { description: 'A needle in the hay' });
    expect(await found(juno, 'search=NEEDLE')).toEqual([paymentId]);
    expect(await found(milo, `search=${juno.username}&limit=1`)).toEqual([paymentId]);
    expect(await found(juno, 'search=needle&type=payment_received')).toEqual([]);
    expect(await found(milo, 'search=needle&type=payment_received')).toEqual([paymentId]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await found(juno, `search=needle&from=${today}&to=${today}`)).toEqual([paymentId]);
    expect(await found(juno, 'search=needle&to=2020-01-01')).toEqual([]);
    expect(await found(juno, 'search=needle&from=2099-01-01T00:00:00Z')).toEqual([]);
    expect(await found(juno, 'search=%25')).toEqual([]);
    for (const [query, sentence] of [
      ['from=yesterday', 'A date is written as 2026-03-01, or as a time such as 2026-03-01T20:00:00Z.'],
      ['type=gift', 'The type is payment_received or payment_sent.'],
      [`search=${'x'.repeat(101)}`, 'A search has at most 100 characters.'],
    ])
      expect(refusal(await juno.get(`/api/transactions?${query}`))).toEqual([400, sentence]);
  });

  it('has a receipt for each line, for its two sides and nobody else', async () => {
    const { paymentId } = await paid('7.00', { description: 'For the strings' });
    const receiptFor = async (person: Person) =>
      TransactionReceipt.parse(json(await person.get(`/api/transactions/${paymentId}`)));
    expect(await receiptFor(juno)).toMatchObject({
      id: paymentId,
      type: 'payment_sent',
      amount: '7.00',
      currency: 'USD',
    });
    const received = await receiptFor(milo);
    expect(received).toMatchObject({
      type: 'payment_received',
      description: 'For the strings',
      counterpartyUsername: juno.username,
    });
    expect(Date.parse(received.settledAt!)).toBeGreaterThanOrEqual(Date.parse(received.openedAt));
    const ada = await Person.signUp(stack().url, 'Ada');
    for (const path of [
      `/api/transactions/${paymentId}`,
      '/api/transactions/pay_of_nobody',
      '/api/transactions/%00',
    ])
      expect(refusal(await ada.get(path))).toEqual([404, 'Transaction not found']);
    expect(await found(juno, 'limit=1')).toEqual([paymentId]);
  });
});

describe('after all of it', () => {
  it('the books are in order', () => evidence.holds());
});
