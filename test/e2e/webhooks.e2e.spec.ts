/**
 * A webhook is a hint: delivered never, once or often, shuffled, late or forged, the books end alike. Money
 * that no payment explains is kept apart and goes back; refunds reach the balance and both histories.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { postingsOf, type JournalEvent } from '#contracts/events/journal';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld, DECLINED, intentOf, REFUND_FAILS, VISA } from '#test/support/payer';
import { Person } from '#test/support/person';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1' } });

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;
/** What Milo must have, in cents, by a model that knows nothing of the app. */
let expectedMinor = 0;

beforeAll(async () => {
  juno = await Person.signUp(stack().url, 'Juno');
  milo = await Person.signUp(stack().url, 'Milo');
});

const dollars = (minor: number): string => (minor / 100).toFixed(2);

async function settledDown(): Promise<void> {
  await provider.delivered();
  await evidence.shown();
}
async function balanceIsRight(): Promise<void> {
  expect((await milo.me()).earnings).toBe(dollars(expectedMinor));
  expect((await juno.me()).earnings).toBe('0.00');
}
const typesAbout = async (paymentId: string): Promise<string[]> =>
  (await evidence.journal())
    .filter(({ data }) => 'paymentId' in data && data.paymentId === paymentId)
    .map(({ type }) => type);
const aboutCharge = async (chargeId: string): Promise<JournalEvent[]> =>
  ((await evidence.journal()) as unknown as JournalEvent[]).filter(
    // What the provider took for it is an entry too, and no part of its way.
    ({ type, data }) => 'chargeId' in data && data.chargeId === chargeId && type !== 'ProviderFeeBooked',
  );
const lineOf = async (person: Person, paymentId: string) =>
  (await person.transactions()).find(({ id }) => id === paymentId);

/** A payment that was paid; some of them only with the second card. */
async function paid(minor: number, how: { declineFirst?: boolean; card?: string } = {}) {
  const { clientSecret, paymentId } = await juno.pay(milo.id, dollars(minor));
  if (how.declineFirst)
    await expect(provider.card(clientSecret, DECLINED)).rejects.toThrow('Your card was declined.');
  expect((await provider.card(clientSecret, how.card ?? VISA)).status).toBe('succeeded');
  expectedMinor += minor;
  return { paymentId, intentId: intentOf(clientSecret), minor };
}
const chargesOf = async (intentId: string): Promise<string[]> =>
  (await provider.stripe.charges.list({ payment_intent: intentId })).data.map(({ id }) => id);
async function refunded(payment: { intentId: string }, minor: number): Promise<string> {
  const { id } = await provider.stripe.refunds.create({ payment_intent: payment.intentId, amount: minor });
  expectedMinor -= minor;
  return id;
}

describe('webhooks', () => {
  it.each(sampled([0, 1, 2, 4], [0, 2]))(
    'sent %i times more than once and shuffled settle each payment once',
    async (duplicates) => {
      await provider.control('POST', '/test/switches', { webhooks: { duplicates, shuffle: true } });
      const payments = await Promise.all(
        Array.from({ length: 6 }, (_, n) => paid(101 + 7 * n + duplicates, { declineFirst: n % 2 === 0 })),
      );
      await Promise.all([refunded(payments[0]!, 50), refunded(payments[1]!, 20), refunded(payments[1]!, 30)]);
      await settledDown();
      await balanceIsRight();
      for (const [n, { paymentId }] of payments.entries()) {
        const types = await typesAbout(paymentId);
        expect(types.filter((type) => type === 'PaymentSettled')).toHaveLength(1);
        expect(types.filter((type) => type === 'PaymentRefunded')).toHaveLength([1, 2, 0, 0, 0, 0][n]!);
        expect(types.filter((type) => type === 'PaymentAttemptFailed')).toHaveLength(n % 2 === 0 ? 1 : 0);
      }
      await provider.control('DELETE', '/test/switches');
    },
  );

  it('that never come are made up for by the worker’s first look, and change nothing when they come after all', async () => {
    await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
    const payments = await Promise.all(
      [1234, 567, 890].map((minor, n) => paid(minor, { declineFirst: n === 1 })),
    );
    await refunded(payments[2]!, 890);
    const open = await juno.pay(milo.id, '9.99');
    await expect(provider.card(open.clientSecret, DECLINED)).rejects.toThrow('Your card was declined.');
    for (const { paymentId } of payments) expect(await typesAbout(paymentId)).not.toContain('PaymentSettled');

    await stack().part('workers').restart();
    await eventually(
      async () => (await lineOf(juno, open.paymentId))?.status === 'failed',
      'the decline to be seen',
    );
    await eventually(
      async () => (await milo.me()).earnings === dollars(expectedMinor),
      'the balance to be right',
    );
    for (const { paymentId } of payments)
      expect((await typesAbout(paymentId)).filter((type) => type === 'PaymentSettled')).toHaveLength(1);
    expect(Number((await provider.control('GET', '/test/webhooks')).owed)).toBeGreaterThan(0);

    const { revision } = await evidence.everything();
    await provider.control('DELETE', '/test/switches');
    await settledDown();
    expect((await evidence.everything()).revision).toBe(revision);
    await balanceIsRight();
  });

  it('that come again long after, when all is settled and refunded, change nothing', async () => {
    const payment = await paid(4000, { declineFirst: true });
    await settledDown();
    await refunded(payment, 4000);
    await settledDown();
    expect(await lineOf(milo, payment.paymentId)).toMatchObject({
      status: 'refunded',
      refundedAmount: '40.00',
    });
    const before = await evidence.everything();
    await provider.control('POST', '/test/switches', { webhooks: { duplicates: 1, shuffle: true } });
    const events = await provider.stripe.events.list({ limit: 100 });
    expect(events.data.length).toBeGreaterThan(50);
    for (const { id } of events.data) await provider.control('POST', `/test/events/${id}/resend`);
    await settledDown();
    expect(await evidence.everything()).toEqual(before);
    await provider.control('DELETE', '/test/switches');
  });

  it('that are forged are not believed', async () => {
    const { clientSecret } = await juno.pay(milo.id, '5.00');
    const before = await evidence.everything();
    const object = {
      id: intentOf(clientSecret),
      object: 'payment_intent',
      status: 'succeeded',
      amount_received: 500,
    };
    const payload = JSON.stringify({
      id: 'evt_x',
      object: 'event',
      type: 'payment_intent.succeeded',
      data: { object },
    });
    const signed = (secret: string): string =>
      provider.stripe.webhooks.generateTestHeaderString({ payload, secret });
    const send = (signature: string) =>
      juno.post('/api/webhooks/stripe', payload, { 'stripe-signature': signature });
    expect((await send(signed('whsec_of_somebody_else'))).status).toBe(400);
    // Signed rightly, and not true: what it says is read at the provider.
    expect((await send(signed(stack().env.STRIPE_WEBHOOK_SECRET!))).status).toBe(200);
    expect(await evidence.everything()).toEqual(before);
  });
});

describe('money that no payment explains', () => {
  /** Kept apart once, and given back once, by a worker; nobody's balance knows of it. */
  async function goesBack(chargeId: string, amountMinor: number, reason: string): Promise<void> {
    await eventually(async () => (await aboutCharge(chargeId)).length === 2, `charge ${chargeId} to go back`);
    await settledDown();
    const entries = await aboutCharge(chargeId);
    expect(entries).toMatchObject([
      { type: 'UnappliedReceived', data: { amountMinor, reason } },
      { type: 'UnappliedRefunded', data: { amountMinor } },
    ]);
    const [received, returned] = entries.map((entry) => postingsOf(entry)[0]!);
    expect(returned).toEqual({ debit: received!.credit, credit: received!.debit, amountMinor });
    expect(await provider.stripe.charges.retrieve(chargeId)).toMatchObject({
      refunded: true,
      amount_refunded: amountMinor,
    });
    const refunds = await provider.stripe.refunds.list({ charge: chargeId });
    expect(refunds.data).toHaveLength(1);
    await balanceIsRight();
  }

  it('is a second charge of a settled payment', async () => {
    const payment = await paid(2000);
    await settledDown();
    const [first] = await chargesOf(payment.intentId);
    await provider.control('POST', `/test/payment_intents/${payment.intentId}/second_charge`, {});
    const second = (await chargesOf(payment.intentId)).find((id) => id !== first)!;
    await goesBack(second, 2000, 'already-settled');
    // The payment itself stays as it was.
    expect(await lineOf(milo, payment.paymentId)).toMatchObject({
      status: 'completed',
      refundedAmount: '0.00',
    });
  });

  it('is a charge of another amount or currency', async () => {
    for (const [other, amount, reason] of [
      [{ amount: 999 }, 999, 'amount-differs'],
      [{ currency: 'eur' }, 1000, 'currency-differs'],
    ] as const) {
      const { clientSecret, paymentId } = await juno.pay(milo.id, '10.00');
      await provider.control('POST', `/test/payment_intents/${intentOf(clientSecret)}/late_success`, other);
      const [charge] = await chargesOf(intentOf(clientSecret));
      await goesBack(charge!, amount, reason);
      expect(await typesAbout(paymentId)).not.toContain('PaymentSettled');
    }
  });

  it('is not what pays late, after the payment was canceled: that is booked', async () => {
    const { clientSecret, paymentId } = await juno.pay(milo.id, '10.00');
    await provider.stripe.paymentIntents.cancel(intentOf(clientSecret));
    await settledDown();
    expect(await typesAbout(paymentId)).toContain('PaymentCanceled');
    await provider.control('POST', `/test/payment_intents/${intentOf(clientSecret)}/late_success`, {});
    expectedMinor += 1000;
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({ status: 'completed', amount: '10.00' });
    await balanceIsRight();
  });

  it('is counted while it is there, and none is left', async () => {
    const ledger = `http://127.0.0.1:${stack().ports['ledger-1-internal']}`;
    const figures = await (await fetch(`${ledger}/metrics`)).text();
    expect(figures).toMatch(/^encore_unapplied_charges 0$/m);
  });
});

describe('money of somebody else’s in the same account', () => {
  it('is counted and left alone, whatever its metadata name, and whatever becomes of it', async () => {
    const ledger = `http://127.0.0.1:${stack().ports['ledger-1-internal']}`;
    const mine = await paid(3333);
    const { metadata } = await provider.stripe.paymentIntents.retrieve(mine.intentId);
    await settledDown();
    const before = await evidence.everything();
    const named = [{}, { paymentId: 'pay_of_nobody' }, { paymentId: mine.paymentId }, { ...metadata }];
    for (const copied of named) {
      const { id } = await provider.control('POST', '/test/payments', { amount: 4444, metadata: copied });
      const [charge] = await chargesOf(String(id));
      await provider.stripe.refunds.create({ charge: charge!, amount: 44 });
      await provider.control('POST', `/test/charges/${charge}/dispute`, {});
    }
    await settledDown();
    await stack().part('workers').restart();
    await settledDown();
    expect(await evidence.everything()).toEqual(before);
    const figures = await (await fetch(`${ledger}/metrics`)).text();
    expect(figures).toMatch(/^encore_foreign_objects_seen_total\{kind="payment"\} [1-9]/m);
    await balanceIsRight();
  });
});

describe('metadata that people edited', () => {
  it('change nothing of whose a payment, its refund and its dispute are', async () => {
    const { clientSecret, paymentId } = await juno.pay(milo.id, '10.00');
    const other = await paid(700);
    await provider.stripe.paymentIntents.update(intentOf(clientSecret), {
      metadata: { paymentId: other.paymentId },
    });
    await provider.card(clientSecret, VISA);
    expectedMinor += 1000;
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({ status: 'completed', amount: '10.00' });
    await refunded({ intentId: intentOf(clientSecret) }, 300);
    await settledDown();
    expect(await lineOf(milo, paymentId)).toMatchObject({ refundedAmount: '3.00' });
    expect(await lineOf(milo, other.paymentId)).toMatchObject({ refundedAmount: '0.00' });
    await balanceIsRight();
  });
});

describe('a dispute in another currency than its charge', () => {
  it('stops nothing and takes nothing from the recipient, however often it is told', async () => {
    const payment = await paid(1500);
    await settledDown();
    const [charge] = await chargesOf(payment.intentId);
    await provider.control('POST', '/test/switches', { webhooks: { duplicates: 2, shuffle: true } });
    await provider.control('POST', `/test/charges/${charge}/dispute`, { currency: 'eur', amount: 1000 });
    await settledDown();
    await provider.control('DELETE', '/test/switches');
    expect((await typesAbout(payment.paymentId)).slice(-2)).toEqual([
      'DisputeOpened',
      'DisputeFundsWithdrawn',
    ]);
    await balanceIsRight();
    // Others are paid as before.
    await paid(100);
    await settledDown();
    await balanceIsRight();
  });
});

describe('a refund', () => {
  const bothSee = async (paymentId: string, line: object): Promise<void> => {
    await settledDown();
    for (const person of [juno, milo]) expect(await lineOf(person, paymentId)).toMatchObject(line);
    await balanceIsRight();
  };

  it('in parts and then in full is in the balance and both histories', async () => {
    const payment = await paid(3000);
    await refunded(payment, 1);
    await bothSee(payment.paymentId, {
      status: 'partially_refunded',
      amount: '30.00',
      refundedAmount: '0.01',
    });
    await refunded(payment, 1499);
    await bothSee(payment.paymentId, { status: 'partially_refunded', refundedAmount: '15.00' });
    await refunded(payment, 1500);
    await bothSee(payment.paymentId, { status: 'refunded', amount: '30.00', refundedAmount: '30.00' });
    expect((await milo.me()).totalEarnings).toBe(dollars(expectedMinor));
  });

  it('that the payer’s bank returns is the recipient’s again', async () => {
    const payment = await paid(2500, { card: REFUND_FAILS });
    await settledDown();
    await balanceIsRight();
    await provider.stripe.refunds.create({ payment_intent: payment.intentId, amount: 700 });
    await eventually(
      async () => (await typesAbout(payment.paymentId)).includes('RefundFailed'),
      'the refund to fail',
    );
    await bothSee(payment.paymentId, { status: 'completed', refundedAmount: '0.00' });
    expect((await typesAbout(payment.paymentId)).slice(-2)).toEqual(['PaymentRefunded', 'RefundFailed']);
  });
});

describe('after all of it', () => {
  it('the books are in order', () => evidence.holds());
});
