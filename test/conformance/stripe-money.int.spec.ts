/**
 * Money at the card provider's stand-in once it has been charged: the balance, transfers and reversals,
 * payouts and disputes. Each part ends with what the balance transactions come to.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import {
  CONNECT_WEBHOOK_SECRET,
  eventually,
  refusal,
  startStripe,
  WebhookEndpoint,
  type RunningStripe,
} from './stripe-process.js';
import { problemsOf, shaped } from './stripe-types.js';
import { ACCOUNT, addBank, asBank, readyAccount } from './stripe-world.js';

const platformEndpoint = new WebhookEndpoint();
const connectEndpoint = new WebhookEndpoint(CONNECT_WEBHOOK_SECRET);
let stripe: RunningStripe;
let sdk: Stripe;

const start = async (folder?: string): Promise<void> => {
  stripe = await startStripe({
    ...(folder === undefined ? {} : { folder }),
    webhookUrl: platformEndpoint.url,
    connectWebhookUrl: connectEndpoint.url,
  });
  sdk = stripe.sdk;
};
beforeAll(async () => {
  await platformEndpoint.listen();
  await connectEndpoint.listen();
  await start();
});
afterEach(async () => {
  await stripe.control('DELETE', '/test/switches');
});
afterAll(async () => {
  await stripe.stop();
  await platformEndpoint.close();
  await connectEndpoint.close();
});

const DAY_MS = 86_400_000;
const switches = (values: object): Promise<unknown> => stripe.control('POST', '/test/switches', values);
const topUp = (amount: number): Promise<unknown> =>
  stripe.control('POST', '/test/balance/top_up', { amount });

const pay = async (
  amount: number,
  extra: Partial<Stripe.PaymentIntentCreateParams> = {},
): Promise<Stripe.Charge> => {
  const { latest_charge } = await sdk.paymentIntents.create({
    amount,
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    confirm: true,
    payment_method: 'pm_card_visa',
    ...extra,
  });
  return sdk.charges.retrieve(String(latest_charge));
};

/** Available and pending, of the platform or of a connected account. */
async function funds(stripeAccount?: string): Promise<[available: number, pending: number]> {
  const { available, pending } = shaped(
    await sdk.balance.retrieve({}, stripeAccount === undefined ? {} : { stripeAccount }),
  );
  return [Number(available[0]?.amount), Number(pending[0]?.amount)];
}

/** What the balance must come to: the sum of what its transactions leave. */
async function sumOfEntries(stripeAccount?: string): Promise<number> {
  let sum = 0;
  for await (const entry of sdk.balanceTransactions.list(
    { limit: 100 },
    stripeAccount === undefined ? {} : { stripeAccount },
  ))
    sum += shaped(entry).net;
  return sum;
}

async function addsUp(stripeAccount?: string): Promise<void> {
  const [available, pending] = await funds(stripeAccount);
  expect(available + pending).toBe(await sumOfEntries(stripeAccount));
}

const transfer = (
  account: string,
  amount: number,
  extra: Partial<Stripe.TransferCreateParams> = {},
): Promise<Stripe.Transfer> =>
  sdk.transfers.create({ amount, currency: 'usd', destination: account, ...extra });

const typesOf = async (id: string, stripeAccount?: string): Promise<string[]> =>
  (await sdk.events.list({ limit: 100 }, stripeAccount === undefined ? {} : { stripeAccount })).data
    .filter(({ data: { object } }) => 'id' in object && object.id === id)
    .map(({ type }) => type)
    .reverse();

describe('the balance', () => {
  it('has a charge less its fee at once, and later where the switch says that funds are pending', async () => {
    const [before, waiting] = await funds();
    await pay(10_000);
    expect(await funds()).toEqual([before + 10_000 - 320, waiting]);
    await switches({ chargeFundsPendingMs: 2 * DAY_MS });
    const charge = await pay(10_000);
    expect(await funds()).toEqual([before + 9680, waiting + 9680]);
    const entry = shaped(await sdk.balanceTransactions.retrieve(String(charge.balance_transaction)));
    expect(entry).toMatchObject({
      amount: 10_000,
      fee: 320,
      net: 9680,
      status: 'pending',
      fee_details: [{ amount: 320, type: 'stripe_fee' }],
    });
    expect(entry.available_on - entry.created).toBeGreaterThanOrEqual((2 * DAY_MS) / 1000);
    await pay(10_000, { payment_method: 'pm_card_bypassPending' });
    expect(await funds()).toEqual([before + 2 * 9680, waiting + 9680]);
    expect(await stripe.control('POST', '/test/balance/release')).toEqual({ released: waiting + 9680 });
    expect(await funds()).toEqual([before + 3 * 9680 + waiting, 0]);
    expect((await sdk.balanceTransactions.retrieve(entry.id)).status).toBe('available');
    await addsUp();
  });

  it('grows by a top-up without a fee', async () => {
    const [before] = await funds();
    await topUp(5000);
    expect((await funds())[0]).toBe(before + 5000);
    const [entry] = (await sdk.balanceTransactions.list({ limit: 1, type: 'topup' })).data;
    expect(shaped(entry ?? {})).toMatchObject({ amount: 5000, fee: 0, type: 'topup' });
  });

  it('shows a top-up as an object of its own, and one that its bank takes back', async () => {
    const [before] = await funds();
    const made = shaped(await sdk.topups.create({ amount: 700, currency: 'usd', description: 'For fees' }));
    expect(made).toMatchObject({ amount: 700, status: 'succeeded', description: 'For fees' });
    expect((await sdk.topups.list({ status: 'succeeded', limit: 1 })).data[0]?.id).toBe(made.id);
    const [entry] = (await sdk.balanceTransactions.list({ limit: 1, expand: ['data.source'] })).data;
    expect(shaped(entry ?? {})).toMatchObject({ net: 700, type: 'topup', source: { id: made.id } });
    await stripe.control('POST', `/test/topups/${made.id}/reverse`);
    expect((await sdk.topups.retrieve(made.id)).status).toBe('reversed');
    const [back] = (await sdk.balanceTransactions.list({ limit: 1, type: 'topup_reversal' })).data;
    expect(shaped(back ?? {})).toMatchObject({ net: -700, source: made.id });
    expect((await funds())[0]).toBe(before);
    expect(await typesOf(made.id)).toEqual(['topup.created', 'topup.succeeded', 'topup.reversed']);
    await addsUp();
  });

  it('loses what is paid to the platform’s own bank, has it again when that fails, and what the provider charges', async () => {
    await topUp(5000);
    const [before] = await funds();
    const paidOut = await stripe.control('POST', '/test/balance/pay_out', { amount: 1200 });
    expect((await funds())[0]).toBe(before - 1200);
    expect(shaped(await sdk.payouts.retrieve(String(paidOut.id)))).toMatchObject({
      status: 'paid',
      automatic: true,
    });
    const failed = { outcome: 'failed', failure_code: 'account_closed' };
    await stripe.control('POST', `/test/payouts/${String(paidOut.id)}/settle`, failed);
    expect((await funds())[0]).toBe(before);
    await stripe.control('POST', '/test/balance/adjust', { amount: -200 });
    const [fee] = (await sdk.balanceTransactions.list({ limit: 1, type: 'stripe_fee' })).data;
    expect(shaped(fee ?? {})).toMatchObject({ net: -200, source: null });
    expect((await funds())[0]).toBe(before - 200);
    await addsUp();
  });
});

describe('a reserve', () => {
  it('takes from the balance what it holds, shows both sides of it, and gives it back', async () => {
    await topUp(5000);
    const [before] = await funds();
    await stripe.control('POST', '/test/balance/reserve', { amount: 2000 });
    expect((await funds())[0]).toBe(before - 2000);
    const { data } = await sdk.balanceTransactions.list({ limit: 2, type: 'reserve_hold' });
    expect(data.map((entry) => [shaped(entry).balance_type, entry.net]).sort()).toEqual([
      ['payments', -2000],
      ['risk_reserved', 2000],
    ]);
    await stripe.control('POST', '/test/balance/reserve', { amount: -2000 });
    expect((await funds())[0]).toBe(before);
    await addsUp();
  });
});

describe('a transfer', () => {
  it('moves money to the connected balance, is found by its group, and both sides book it', async () => {
    await topUp(20_000);
    const { account } = await readyAccount(stripe);
    const [before] = await funds();
    const group = randomUUID();
    const made = shaped(
      await transfer(account, 7000, { transfer_group: group, metadata: { payoutId: group } }),
    );
    expect(made).toMatchObject({
      amount: 7000,
      destination: account,
      reversed: false,
      amount_reversed: 0,
      transfer_group: group,
    });
    expect([(await funds())[0], await funds(account)]).toEqual([before - 7000, [7000, 0]]);
    expect((await sdk.transfers.list({ transfer_group: group })).data.map(({ id }) => id)).toEqual([made.id]);
    expect(shaped(await sdk.balanceTransactions.retrieve(String(made.balance_transaction)))).toMatchObject({
      type: 'transfer',
      amount: -7000,
      source: made.id,
    });
    const payment = shaped(
      await sdk.charges.retrieve(String(made.destination_payment), {}, { stripeAccount: account }),
    );
    expect(payment).toMatchObject({ amount: 7000, source_transfer: made.id, paid: true });
    expect(await typesOf(made.id)).toEqual(['transfer.created']);
    expect(shaped(await sdk.transfers.update(made.id, { metadata: { n: '1' } })).metadata).toMatchObject({
      n: '1',
    });
    await addsUp();
    await addsUp(account);
  });

  it('is made once for one key, and found by its group before another is made', async () => {
    await topUp(5000);
    const { account } = await readyAccount(stripe);
    const idempotencyKey = randomUUID();
    const parameters = { amount: 900, currency: 'usd', destination: account };
    const [one, again] = [
      await sdk.transfers.create(parameters, { idempotencyKey }),
      await sdk.transfers.create(parameters, { idempotencyKey }),
    ];
    expect([again.id, await funds(account)]).toEqual([one.id, [900, 0]]);
  });

  it('is refused beyond what is available, a pending charge included, and moves nothing', async () => {
    const { account } = await readyAccount(stripe);
    const [available] = await funds();
    await switches({ chargeFundsPendingMs: DAY_MS });
    await pay(5000);
    const idempotencyKey = randomUUID();
    const parameters = { amount: available + 1, currency: 'usd', destination: account };
    const refused = await refusal(sdk.transfers.create(parameters, { idempotencyKey }));
    expect(refused).toMatchObject({ statusCode: 400, code: 'balance_insufficient' });
    expect(await funds(account)).toEqual([0, 0]);
    await stripe.control('POST', '/test/balance/release');
    // The answer belongs to the key: whoever tries again later needs another one.
    expect((await refusal(sdk.transfers.create(parameters, { idempotencyKey }))).code).toBe(
      'balance_insufficient',
    );
    expect((await sdk.transfers.create(parameters, { idempotencyKey: randomUUID() })).amount).toBe(
      available + 1,
    );
  });

  it('passes on a pending charge as its source, up to the charge, and waits as long as the charge does', async () => {
    const { account } = await readyAccount(stripe);
    await switches({ chargeFundsPendingMs: DAY_MS });
    const charge = await pay(4000);
    const [available, pending] = await funds();
    const made = shaped(await transfer(account, 3000, { source_transaction: charge.id }));
    expect(made).toMatchObject({
      source_transaction: charge.id,
      transfer_group: `group_${String(charge.payment_intent)}`,
    });
    expect([await funds(), await funds(account)]).toEqual([
      [available, pending - 3000],
      [0, 3000],
    ]);
    expect(await refusal(transfer(account, 1001, { source_transaction: charge.id }))).toMatchObject({
      statusCode: 400,
      param: 'amount',
    });
    await sdk.transfers.createReversal(made.id);
    expect(await funds(account)).toEqual([0 - 3000, 3000]);
    await stripe.control('POST', '/test/balance/release', { account });
    expect(await funds(account)).toEqual([0, 0]);
    await stripe.control('POST', '/test/balance/release');
    await addsUp();
  });

  it('is refused to an account that may not have money yet, and to none', async () => {
    const { id } = await sdk.accounts.create(ACCOUNT);
    expect(await refusal(transfer(id, 500))).toMatchObject({
      statusCode: 400,
      code: 'insufficient_capabilities_for_transfer',
    });
    expect(await refusal(transfer('acct_none', 500))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'destination',
    });
  });
});

describe('a reversal', () => {
  it('brings back a part or the rest, never more, and only what the connected balance has', async () => {
    await topUp(5000);
    const { account } = await readyAccount(stripe);
    const made = await transfer(account, 3000);
    const [before] = await funds();
    const part = shaped(
      await sdk.transfers.createReversal(made.id, { amount: 1000, metadata: { why: 'part' } }),
    );
    expect(part).toMatchObject({ amount: 1000, transfer: made.id, metadata: { why: 'part' } });
    expect([(await funds())[0], await funds(account)]).toEqual([before + 1000, [2000, 0]]);
    expect(shaped(await sdk.transfers.retrieve(made.id))).toMatchObject({
      amount_reversed: 1000,
      reversed: false,
    });
    expect((await refusal(sdk.transfers.createReversal(made.id, { amount: 2001 }))).param).toBe('amount');
    await switches({ payouts: { settleMs: DAY_MS } });
    const payout = await sdk.payouts.create({ amount: 500, currency: 'usd' }, { stripeAccount: account });
    expect(await refusal(sdk.transfers.createReversal(made.id))).toMatchObject({
      statusCode: 400,
      code: 'balance_insufficient',
    });
    expect([(await funds())[0], await funds(account)]).toEqual([before + 1000, [1500, 0]]);
    await sdk.payouts.cancel(payout.id, {}, { stripeAccount: account });
    const rest = await sdk.transfers.createReversal(made.id);
    const whole = shaped(await sdk.transfers.retrieve(made.id, { expand: ['balance_transaction'] }));
    expect(whole).toMatchObject({ amount_reversed: 3000, reversed: true });
    expect(whole.reversals.data.map(({ id }) => id)).toEqual([rest.id, part.id]);
    expect((await sdk.transfers.listReversals(made.id)).data.map((each) => shaped(each).id)).toEqual([
      rest.id,
      part.id,
    ]);
    expect((await sdk.transfers.retrieveReversal(made.id, part.id)).amount).toBe(1000);
    expect((await refusal(sdk.transfers.createReversal(made.id))).message).toContain(
      'already fully reversed',
    );
    const refund = await sdk.refunds.retrieve(
      String(rest.destination_payment_refund),
      {},
      { stripeAccount: account },
    );
    expect(shaped(refund)).toMatchObject({ amount: 2000, source_transfer_reversal: rest.id });
    expect(await typesOf(made.id)).toEqual(['transfer.created', 'transfer.reversed', 'transfer.reversed']);
    expect(await funds(account)).toEqual([0, 0]);
    await addsUp();
    await addsUp(account);
  });
});

describe('a payout', () => {
  const payout = (
    stripeAccount: string,
    extra: Partial<Stripe.PayoutCreateParams> = {},
  ): Promise<Stripe.Payout> =>
    sdk.payouts.create({ amount: 2000, currency: 'usd', ...extra }, { stripeAccount });
  const read = async (id: string, stripeAccount: string): Promise<Stripe.Payout> =>
    shaped(await sdk.payouts.retrieve(id, {}, { stripeAccount }));
  const reaches = (id: string, stripeAccount: string, status: string): Promise<boolean> =>
    eventually(async () => (await read(id, stripeAccount)).status === status, `the payout to be ${status}`);
  const settle = (id: string, body: object): Promise<unknown> =>
    stripe.control('POST', `/test/payouts/${id}/settle`, body);
  const funded = async (number?: string): Promise<{ account: string; bank: string }> => {
    const ready = await readyAccount(stripe, number);
    await topUp(5000);
    await transfer(ready.account, 5000);
    return ready;
  };

  it('to the chosen bank account goes from pending over in transit to paid, and its webhooks name the account', async () => {
    const { account } = await funded();
    const chosen = await addBank(sdk, account, '000111111116');
    await switches({ payouts: { settleMs: DAY_MS } });
    const made = shaped(await payout(account, { destination: chosen.id, metadata: { payoutId: 'p1' } }));
    expect(made).toMatchObject({
      status: 'pending',
      destination: chosen.id,
      amount: 2000,
      metadata: { payoutId: 'p1' },
      automatic: false,
    });
    expect(await funds(account)).toEqual([3000, 0]);
    await settle(made.id, { outcome: 'in_transit' });
    expect((await read(made.id, account)).status).toBe('in_transit');
    await settle(made.id, { outcome: 'paid' });
    expect(await read(made.id, account)).toMatchObject({
      status: 'paid',
      failure_code: null,
      trace_id: { status: 'supported' },
    });
    await eventually(() => connectEndpoint.typesAbout(made.id).includes('payout.paid'), 'the webhook');
    const received = connectEndpoint.about(made.id).map(({ event }) => event);
    expect(new Set(received.map(({ account: whose }) => whose))).toEqual(new Set([account]));
    for (const event of received) expect([event.type, problemsOf(event)]).toEqual([event.type, []]);
    expect(await typesOf(made.id, account)).toEqual([
      'payout.created',
      'payout.updated',
      'payout.updated',
      'payout.paid',
    ]);
    const entry = shaped(
      await sdk.balanceTransactions.retrieve(
        String(made.balance_transaction),
        {},
        { stripeAccount: account },
      ),
    );
    expect(entry).toMatchObject({ amount: -2000, type: 'payout', source: made.id });
    expect((await refusal(sdk.payouts.retrieve(made.id))).statusCode).toBe(404);
    await addsUp(account);
  });

  it('is paid by itself in about a second, to the default bank account where none is named', async () => {
    const { account, bank } = await funded();
    const made = await payout(account);
    expect(made.destination).toBe(bank);
    await reaches(made.id, account, 'paid');
    expect(await funds(account)).toEqual([3000, 0]);
  });

  it.each([
    ['000111111113', 'account_closed'],
    ['000111111116', 'no_account'],
    ['000333333335', 'debit_not_authorized'],
    ['000444444440', 'invalid_currency'],
  ])(
    'to %s fails with %s: the money is back, and that bank account is paid no more',
    async (number, code) => {
      await switches({ payouts: { settleMs: 50 } });
      const { account, bank } = await funded(number);
      const made = await payout(account);
      await reaches(made.id, account, 'failed');
      const failed = shaped(
        await sdk.payouts.retrieve(
          made.id,
          { expand: ['failure_balance_transaction', 'destination'] },
          { stripeAccount: account },
        ),
      );
      expect(failed).toMatchObject({
        failure_code: code,
        failure_balance_transaction: { type: 'payout_failure', amount: 2000 },
        destination: { id: bank, status: 'errored' },
      });
      expect(failed.failure_message).not.toBeNull();
      expect(await funds(account)).toEqual([5000, 0]);
      expect(await typesOf(made.id, account)).toEqual([
        'payout.created',
        'payout.updated',
        'payout.updated',
        'payout.failed',
      ]);
      expect(await typesOf(bank, account)).toContain('account.external_account.updated');
      expect((await sdk.accounts.retrieve(account)).payouts_enabled).toBe(false);
      expect((await refusal(payout(account))).code).toBe('bank_account_unusable');
      await addsUp(account);
    },
  );

  it('to 000222222227 fails with insufficient_funds, which is not the bank account’s fault', async () => {
    await switches({ payouts: { settleMs: 50 } });
    const { account, bank } = await funded('000222222227');
    const made = await payout(account);
    await reaches(made.id, account, 'failed');
    expect((await read(made.id, account)).failure_code).toBe('insufficient_funds');
    expect(asBank(await sdk.accounts.retrieveExternalAccount(account, bank)).status).toBe('new');
  });

  it('to 000777777771 is paid first, and the bank returns it later', async () => {
    await switches({ payouts: { settleMs: 50, returnMs: 300 } });
    const { account } = await funded('000777777771');
    const made = await payout(account);
    await reaches(made.id, account, 'failed');
    expect(await typesOf(made.id, account)).toEqual([
      'payout.created',
      'payout.updated',
      'payout.updated',
      'payout.paid',
      'payout.updated',
      'payout.failed',
    ]);
    expect((await read(made.id, account)).failure_code).toBe('account_closed');
    expect(await funds(account)).toEqual([5000, 0]);
  });

  it('fails when a suite says so, also days after it was paid', async () => {
    await switches({ payouts: { settleMs: DAY_MS } });
    const { account } = await funded();
    const made = await payout(account);
    await settle(made.id, { outcome: 'paid' });
    await settle(made.id, { outcome: 'failed', failure_code: 'no_account' });
    expect(await read(made.id, account)).toMatchObject({ status: 'failed', failure_code: 'no_account' });
    expect(await funds(account)).toEqual([5000, 0]);
    await expect(settle(made.id, { outcome: 'paid' })).rejects.toThrow('cannot become paid');
  });

  it('can be canceled while it is pending, and no later', async () => {
    await switches({ payouts: { settleMs: DAY_MS } });
    const { account } = await funded();
    const [one, other] = [await payout(account), await payout(account)];
    const canceled = shaped(await sdk.payouts.cancel(one.id, {}, { stripeAccount: account }));
    expect(canceled).toMatchObject({ status: 'canceled', failure_code: null });
    expect(await typesOf(one.id, account)).toEqual(['payout.created', 'payout.canceled']);
    await settle(other.id, { outcome: 'in_transit' });
    expect((await refusal(sdk.payouts.cancel(other.id, {}, { stripeAccount: account }))).statusCode).toBe(
      400,
    );
    expect(await funds(account)).toEqual([3000, 0]);
    await addsUp(account);
  });

  it('is refused beyond the connected balance, to a stranger’s bank account, before onboarding and from the platform', async () => {
    const { account } = await funded();
    const stranger = await readyAccount(stripe);
    expect(await refusal(payout(account, { amount: 5001 }))).toMatchObject({
      statusCode: 400,
      code: 'balance_insufficient',
    });
    expect(await refusal(payout(account, { destination: stranger.bank }))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
    });
    expect(await refusal(payout(account, { method: 'instant' }))).toMatchObject({
      code: 'instant_payouts_unsupported',
    });
    const { id } = await sdk.accounts.create(ACCOUNT);
    await addBank(sdk, id);
    expect((await refusal(payout(id))).code).toBe('payouts_not_allowed');
    expect((await refusal(sdk.payouts.create({ amount: 500, currency: 'usd' }))).message).toContain(
      'Stripe-Account',
    );
  });

  it('is made once for one key, and a key belongs to one account', async () => {
    const [one, other] = [await funded(), await funded()];
    const idempotencyKey = randomUUID();
    const create = (stripeAccount: string): Promise<Stripe.Payout> =>
      sdk.payouts.create({ amount: 700, currency: 'usd' }, { idempotencyKey, stripeAccount });
    const first = await create(one.account);
    expect((await create(one.account)).id).toBe(first.id);
    expect((await refusal(create(other.account))).type).toBe('StripeIdempotencyError');
    expect(await funds(one.account)).toEqual([4300, 0]);
  });

  it('goes on after a kill, with its balances', async () => {
    const { account } = await funded();
    await switches({ payouts: { settleMs: 1500 } });
    const made = await payout(account);
    await stripe.kill('SIGKILL');
    await start(stripe.folder);
    expect(await funds(account)).toEqual([3000, 0]);
    await reaches(made.id, account, 'paid');
    await addsUp(account);
    await addsUp();
  });
});

describe('a dispute', () => {
  const close = (id: string, body: object): Promise<unknown> =>
    stripe.control('POST', `/test/disputes/${id}/close`, body);
  const disputed = async (charge: Stripe.Charge, body: object = {}): Promise<Stripe.Dispute> => {
    const { id } = await stripe.control('POST', `/test/charges/${charge.id}/dispute`, body);
    return shaped(await sdk.disputes.retrieve(String(id)));
  };

  it('takes the money and a fee of $15.00 at once, and the money comes back when it is won', async () => {
    const charge = await pay(3000);
    const [before] = await funds();
    const dispute = await disputed(charge, { reason: 'product_not_received' });
    expect(dispute).toMatchObject({
      amount: 3000,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      reason: 'product_not_received',
      status: 'needs_response',
      balance_transactions: [
        { amount: -3000, fee: 1500, net: -4500, type: 'adjustment', reporting_category: 'dispute' },
      ],
    });
    expect((await funds())[0]).toBe(before - 4500);
    expect(shaped(await sdk.charges.retrieve(charge.id)).disputed).toBe(true);
    expect((await refusal(sdk.refunds.create({ charge: charge.id }))).code).toBe('charge_disputed');
    await close(dispute.id, { outcome: 'won' });
    const won = shaped(await sdk.disputes.retrieve(dispute.id));
    expect(won.balance_transactions.map(({ net }) => net)).toEqual([-4500, 3000]);
    expect((await funds())[0]).toBe(before - 1500);
    expect(await typesOf(dispute.id)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ]);
    await eventually(
      () => platformEndpoint.typesAbout(dispute.id).includes('charge.dispute.funds_reinstated'),
      'the webhooks',
    );
    for (const { event } of platformEndpoint.about(dispute.id))
      expect([event.type, problemsOf(event)]).toEqual([event.type, []]);
    expect((await sdk.refunds.create({ charge: charge.id, amount: 500 })).status).toBe('succeeded');
    await addsUp();
  });

  it('keeps the money when it is lost, and gives the fee back with the money when a suite says so', async () => {
    const [one, other] = [await pay(3000), await pay(3000)];
    const [before] = await funds();
    const lost = await disputed(one);
    await close(lost.id, { outcome: 'lost' });
    expect([(await sdk.disputes.retrieve(lost.id)).status, (await funds())[0]]).toEqual([
      'lost',
      before - 4500,
    ]);
    expect(await typesOf(lost.id)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
    ]);
    await close((await disputed(other)).id, { outcome: 'won', fee_returned: true });
    expect((await funds())[0]).toBe(before - 4500);
    await expect(close(lost.id, { outcome: 'won' })).rejects.toThrow('already closed');
    await addsUp();
  });

  it.each([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])('answered with %s is %s', async (uncategorized_text, status) => {
    const dispute = await disputed(await pay(3000));
    const kept = shaped(
      await sdk.disputes.update(dispute.id, { evidence: { customer_name: 'Ada' }, submit: false }),
    );
    expect(kept).toMatchObject({
      status: 'needs_response',
      evidence: { customer_name: 'Ada' },
      evidence_details: { has_evidence: true },
    });
    const closed = shaped(
      await sdk.disputes.update(dispute.id, { evidence: { uncategorized_text }, submit: true }),
    );
    expect(closed).toMatchObject({ status, evidence_details: { submission_count: 1 } });
  });

  it('that is an inquiry takes nothing, leaves the charge refundable, and is closed', async () => {
    const charge = await pay(3000);
    const before = (await funds())[0];
    const inquiry = await disputed(charge, { inquiry: true });
    expect(inquiry).toMatchObject({
      status: 'warning_needs_response',
      balance_transactions: [],
      is_charge_refundable: true,
    });
    expect((await sdk.charges.retrieve(charge.id)).disputed).toBe(true);
    await close(inquiry.id, { outcome: 'warning_closed' });
    expect(shaped(await sdk.disputes.retrieve(inquiry.id)).status).toBe('warning_closed');
    expect((await funds())[0]).toBe(before);
    expect(await typesOf(inquiry.id)).toEqual(['charge.dispute.created', 'charge.dispute.closed']);
    expect((await sdk.refunds.create({ charge: charge.id, amount: 1000 })).status).toBe('succeeded');
  });

  it('may be prevented: no chargeback came of it, and the payer has the money', async () => {
    const charge = await pay(3000);
    const before = (await funds())[0];
    const dispute = await disputed(charge);
    await close(dispute.id, { outcome: 'prevented' });
    const closed = shaped(await sdk.disputes.retrieve(dispute.id));
    expect([closed.status, closed.balance_transactions.length]).toEqual(['prevented', 1]);
    expect((await funds())[0]).toBe(before - 4500);
    await addsUp();
  });

  it('may be accepted, which loses it', async () => {
    const dispute = await disputed(await pay(3000), { amount: 1000 });
    expect(shaped(await sdk.disputes.close(dispute.id))).toMatchObject({ status: 'lost', amount: 1000 });
  });

  it('comes by itself of card 0259, and is listed by its charge', async () => {
    const charge = await pay(2500, { payment_method: 'pm_card_createDispute' });
    const found = await eventually(
      async () => (await sdk.disputes.list({ charge: charge.id })).data[0],
      'the dispute',
    );
    expect(shaped(found)).toMatchObject({ reason: 'fraudulent', amount: 2500 });
    expect((await sdk.disputes.list({ payment_intent: String(charge.payment_intent) })).data).toHaveLength(1);
  });

  it('is only of what was not refunded, and only once', async () => {
    const charge = await pay(3000);
    await sdk.refunds.create({ charge: charge.id, amount: 1000 });
    expect((await disputed(charge)).amount).toBe(2000);
    await expect(disputed(charge)).rejects.toThrow('nothing can be disputed');
    await addsUp();
  });
});

describe('lists for a reconciliation', () => {
  it('page by time: everything made since a second, and nothing of before it', async () => {
    const { account } = await readyAccount(stripe);
    await topUp(9000);
    const charge = await pay(3000);
    await sdk.refunds.create({ charge: charge.id, amount: 100 });
    await stripe.control('POST', `/test/charges/${charge.id}/dispute`);
    const made = await transfer(account, 2000);
    await sdk.payouts.create({ amount: 2000, currency: 'usd' }, { stripeAccount: account });
    const on = { stripeAccount: account };
    type Lists = Record<
      string,
      (created: Stripe.RangeQueryParam) => Promise<{ data: { created?: number }[] }>
    >;
    const lists: Lists = {
      accounts: (created) => sdk.accounts.list({ created, limit: 100 }),
      balanceTransactions: (created) => sdk.balanceTransactions.list({ created, limit: 100 }),
      charges: (created) => sdk.charges.list({ created, limit: 100 }),
      connectedBalanceTransactions: (created) => sdk.balanceTransactions.list({ created, limit: 100 }, on),
      connectedEvents: (created) => sdk.events.list({ created, limit: 100 }, on),
      disputes: (created) => sdk.disputes.list({ created, limit: 100 }),
      events: (created) => sdk.events.list({ created, limit: 100 }),
      payouts: (created) => sdk.payouts.list({ created, limit: 100 }, on),
      refunds: (created) => sdk.refunds.list({ created, limit: 100 }),
      transfers: (created) => sdk.transfers.list({ created, limit: 100 }),
    };
    for (const [name, list] of Object.entries(lists)) {
      const recent = (await list({ gte: made.created - 5 })).data;
      expect([name, recent.length > 0]).toEqual([name, true]);
      expect(recent.every(({ created }) => Number(created) >= made.created - 5)).toBe(true);
      expect([name, (await list({ lt: made.created - 3600 })).data]).toEqual([name, []]);
    }
    const paid = await sdk.payouts.list({ status: 'canceled', limit: 100 }, on);
    expect(paid.data).toEqual([]);
  });

  it('page through the payouts of one account, with nothing lost or doubled while their states change', async () => {
    const { account, bank } = await readyAccount(stripe);
    await topUp(7000);
    await transfer(account, 7000);
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1)
      ids.unshift(
        (await sdk.payouts.create({ amount: 1000, currency: 'usd' }, { stripeAccount: account })).id,
      );
    const seen: string[] = [];
    for await (const { id } of sdk.payouts.list({ destination: bank, limit: 2 }, { stripeAccount: account }))
      seen.push(id);
    expect(seen).toEqual(ids);
    await eventually(
      async () =>
        (await sdk.payouts.list({ status: 'paid', limit: 100 }, { stripeAccount: account })).data.length ===
        7,
      'all of them to be paid',
    );
    expect((await sdk.payouts.list({ status: 'pending' }, { stripeAccount: account })).data).toEqual([]);
  });
});

// At the end: it leaves a movement of before today to the lists.
describe('a history of before today', () => {
  it('has a charge of before today since then, and lists it by that day', async () => {
    await switches({ chargeFundsPendingMs: 2 * DAY_MS });
    const [before, waiting] = await funds();
    const at = Math.floor((Date.now() - 5 * DAY_MS) / 1000);
    const intent = await sdk.paymentIntents.create({
      amount: 10_000,
      currency: 'usd',
      allowed_payment_method_types: ['card'],
    });
    await stripe.control('POST', `/test/payment_intents/${intent.id}/charged_at`, { at });
    await sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(await funds()).toEqual([before + 9680, waiting]);
    const listed = await sdk.balanceTransactions.list({ created: { gte: at, lte: at } });
    expect(listed.data.map(({ net, created }) => ({ net, created }))).toEqual([{ net: 9680, created: at }]);
    // Those made after it and before today are still found by a day that lies after it.
    await sdk.topups.create({ amount: 100, currency: 'usd' });
    expect((await sdk.balanceTransactions.list({ created: { gt: at } })).data.length).toBeGreaterThan(1);
    await addsUp();
  });
});
