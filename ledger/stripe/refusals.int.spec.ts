/**
 * Answers that nobody expects, each provoked at the card provider's stand-in: what may be our own fault or
 * the provider's ends nothing, and works once it is mended, though the provider remembers its answer for a
 * day.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CardProvider, type IntentRequest } from '#ledger/stripe/card-provider';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { PAYEE_ACCOUNT, PayoutProvider } from '#ledger/stripe/payout-provider';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { StripeHistory } from '#ledger/stripe/provider-history';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import { NumbersRefused } from '#ledger/stripe/provider-payout';
import { NO_METHOD, type ProviderRefusal } from '#ledger/stripe/refusals';
import { SavedCards } from '#ledger/stripe/saved-cards';
import { Unavailable } from '#ledger/rejection';
import {
  CONNECT_WEBHOOK_SECRET,
  SECRET_KEY,
  startStripe,
  WEBHOOK_SECRET,
  type RunningStripe,
} from '#test/conformance/stripe-process';
import { ACCOUNT, readyAccount } from '#test/conformance/stripe-world';

let stripe: RunningStripe;
let cards: CardProvider;
let saved: SavedCards;
let payouts: PayoutProvider;
const seal = new OwnershipSeal(Buffer.alloc(32), () => 'led_spec');
const refusals: ProviderRefusal[] = [];
let made = 0;

beforeAll(async () => {
  stripe = await startStripe();
  const access = {
    secretKey: SECRET_KEY,
    apiUrl: stripe.url,
    onRefusal: (refusal: ProviderRefusal) => void refusals.push(refusal),
  };
  const publicUrl = 'https://encore.example';
  cards = new CardProvider({ ...access, webhookSecrets: { current: WEBHOOK_SECRET }, seal, publicUrl });
  saved = new SavedCards({ ...access, seal });
  payouts = new PayoutProvider({ ...access, webhookSecrets: { current: CONNECT_WEBHOOK_SECRET }, seal });
  await stripe.control('POST', '/test/balance/top_up', { amount: 1_000_000 });
});
afterAll(() => stripe.stop());
afterEach(async () => {
  refusals.length = 0;
  await stripe.control('DELETE', '/test/switches');
});

interface Answer {
  readonly status?: number;
  readonly error?: Record<string, string>;
  readonly without?: readonly string[];
  readonly set?: Record<string, unknown>;
  readonly isKept?: boolean;
}
/** The next call of a route is answered so. */
async function provoke(route: string, { error, ...answer }: Answer, times = 1): Promise<void> {
  const body = error && { error: { type: 'invalid_request_error', message: 'No.', ...error } };
  const when = body ? 'before' : 'after';
  const fault = { route, when, what: 'answer', times, answer: { ...answer, body } };
  await stripe.control('POST', '/test/switches', { faults: [fault] });
}
/** Every answer of a kind that says nothing of a card, account or amount. */
const FAULTS: readonly (readonly [string, Answer])[] = [
  ['parameter_missing', { status: 400, error: { code: 'parameter_missing', param: 'x' }, isKept: true }],
  ['parameter_unknown', { status: 400, error: { code: 'parameter_unknown' }, isKept: true }],
  ['a 400 without a code', { status: 400, error: {}, isKept: true }],
  ['an unknown code', { status: 400, error: { code: 'moon_phase' }, isKept: true }],
  ['a 401', { status: 401, error: {} }],
  ['a 403', { status: 403, error: {} }],
];

async function savedCard(token = 'pm_card_visa'): Promise<{ customerId: string; paymentMethodId: string }> {
  const { id: customerId } = await stripe.sdk.customers.create();
  const { id } = await stripe.sdk.paymentMethods.attach(token, { customer: customerId });
  return { customerId, paymentMethodId: id };
}
/** A schedule's payment whose bank asked for the owner in their absence. */
async function waiting(token = 'pm_card_authenticationRequired', decline = 'authentication_required') {
  const card = await savedCard(token);
  if (token === 'pm_card_visa')
    await stripe.control('POST', `/test/payment_methods/${card.paymentMethodId}/decline_next`, {
      decline,
    });
  const occurrence = {
    occurrenceId: `occ_${made}`,
    kind: 'subscription',
    scheduleId: 'sub_1',
    dueAt: new Date().toISOString(),
    attempt: 1,
  } as const;
  const charged = await cards.chargeSaved({ ...request(), savedCard: card, occurrence });
  return { intentId: 'intentId' in charged ? charged.intentId : '', savedCard: card };
}
const request = (amountMinor = 2_000): IntentRequest => ({
  paymentId: `pay_${++made}`,
  key: `usr_milo:${made}`,
  payerId: 'usr_milo',
  recipientId: 'usr_juno',
  method: 'card',
  amountMinor,
  openedAt: new Date(),
});
const attemptOf = (payoutId: string, connectAccountId: string, attempt = 1) => ({
  payoutId,
  key: undefined,
  userId: 'usr_juno',
  bankAccountId: 'bnk_1',
  attempt,
  begunAt: new Date(),
  amountMinor: 2_000,
  connectAccountId,
});
const chargesOf = async (intentId: string): Promise<number> =>
  (await stripe.sdk.charges.list({ payment_intent: intentId })).data.length;

describe('a saved card', () => {
  it('is charged where the provider wants to know where a payer comes back to, whoever is there', async () => {
    await stripe.control('POST', '/test/switches', { needsReturnUrl: true });
    const asked = { ...request(), savedCard: await savedCard() };
    expect(await cards.chargeSaved(asked)).toMatchObject({ kind: 'done' });
    const asking = await waiting();
    expect(await cards.confirmSaved({ ...asking, key: 'back' })).toEqual({ kind: 'done' });
    expect(await stripe.sdk.paymentIntents.retrieve(asking.intentId)).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'use_stripe_sdk' },
    });
  });

  it.each(FAULTS)('is not gone by %s, and is charged once when that is mended', async (_, answer) => {
    const asked = { ...request(), savedCard: await savedCard() };
    await provoke('POST /v1/payment_intents', answer);
    await expect(cards.chargeSaved(asked)).rejects.toBeInstanceOf(ProviderRefused);
    expect(refusals).toMatchObject([{ kind: 'our-fault' }]);
    const charged = await cards.chargeSaved(asked);
    expect(charged).toMatchObject({ kind: 'done' });
    expect(await chargesOf('intentId' in charged ? charged.intentId : '')).toBe(1);
    expect(await cards.chargeSaved(asked)).toEqual(charged);
  });

  it('is gone where the provider shows that it was detached, whatever code it says so with', async () => {
    const card = await savedCard();
    await stripe.sdk.paymentMethods.detach(card.paymentMethodId);
    expect(await cards.chargeSaved({ ...request(), savedCard: card })).toEqual({
      kind: 'never',
      about: 'card',
      code: 'card_gone',
    });
  });

  it('is gone with its customer', async () => {
    const card = await savedCard();
    await stripe.sdk.customers.del(card.customerId);
    expect(await cards.chargeSaved({ ...request(), savedCard: card })).toMatchObject({
      kind: 'never',
      code: 'card_gone',
    });
  });

  it('is not asked for an amount again that the provider never takes', async () => {
    const asked = { ...request(), savedCard: await savedCard() };
    await provoke('POST /v1/payment_intents', { status: 400, error: { code: 'amount_too_small' } });
    expect(await cards.chargeSaved(asked)).toMatchObject({ kind: 'never', about: 'amount' });
  });

  it.each(FAULTS)('is confirmed once its owner is there, also after %s', async (_, answer) => {
    const { intentId, savedCard: card } = await waiting();
    const asked = { intentId, savedCard: card, key: `confirm-${intentId}` };
    await provoke('POST /v1/payment_intents/:id/confirm', answer);
    await expect(cards.confirmSaved(asked)).rejects.toBeInstanceOf(ProviderRefused);
    for (let n = 0; n < 2; n += 1) {
      expect(await cards.confirmSaved(asked)).toEqual({ kind: 'done' });
      expect(await cards.intent(intentId)).toMatchObject({ needsAction: true, isUnderWay: false });
    }
    await stripe.control('POST', `/test/payment_intents/${intentId}/action`, { outcome: 'succeed' });
    expect(await cards.intent(intentId)).toMatchObject({ needsAction: false, isUnderWay: true });
    const paid = await chargesOf(intentId);
    expect(await cards.confirmSaved({ ...asked, key: 'another' })).toEqual({ kind: 'done' });
    expect(await chargesOf(intentId)).toBe(paid);
  });

  it('asks for its owner also when the provider made no charge', async () => {
    const { intentId } = await waiting('pm_card_visa', 'authentication_required_unsent');
    expect(await chargesOf(intentId)).toBe(0);
    const [first, second] = [
      await cards.payment(intentId, 'latest-charge'),
      await cards.payment(intentId, 'all-charges'),
    ];
    expect(first.attemptWithoutCharge).toMatchObject({
      code: 'authentication_required',
      reason: 'Your card was declined. This transaction requires authentication.',
    });
    // Read again, it is the same attempt.
    expect(second.attemptWithoutCharge?.attemptId).toBe(first.attemptWithoutCharge?.attemptId);
    // Where there is a charge, that tells of it.
    const { intentId: other } = await waiting('pm_card_visa');
    expect((await cards.payment(other, 'latest-charge')).attemptWithoutCharge).toBeUndefined();
  });

  it('is tried once by one key, and again by the next', async () => {
    const { intentId, savedCard: card } = await waiting('pm_card_visa');
    const before = await chargesOf(intentId);
    await stripe.control('POST', `/test/payment_methods/${card.paymentMethodId}/decline_next`, {
      decline: 'insufficient_funds',
    });
    const asked = { intentId, savedCard: card, key: `confirm-${intentId}` };
    for (let n = 0; n < 2; n += 1) {
      expect(await cards.confirmSaved(asked)).toEqual({ kind: 'done' });
      expect(await chargesOf(intentId)).toBe(before + 1);
      expect(await cards.intent(intentId)).toMatchObject({ needsAction: false, isUnderWay: false });
    }
    expect(await cards.confirmSaved({ ...asked, key: 'the next' })).toEqual({ kind: 'done' });
    expect(await cards.intent(intentId)).toMatchObject({ isUnderWay: true });
    expect(await chargesOf(intentId)).toBe(before + 2);
  });

  it('that was detached meanwhile confirms nothing', async () => {
    const { intentId, savedCard: card } = await waiting();
    await stripe.sdk.paymentMethods.detach(card.paymentMethodId);
    expect(await cards.confirmSaved({ intentId, savedCard: card, key: 'gone' })).toMatchObject({
      kind: 'never',
      about: 'card',
    });
  });

  it('of a customer whose metadata are missing is nobody’s', async () => {
    const { id } = await stripe.sdk.customers.create({ metadata: { userId: 'usr_x' } });
    expect(await saved.withOwner(id)).toEqual({ userId: 'usr_x', cards: [] });
    await provoke('GET /v1/customers/:id', { without: ['metadata'] });
    expect((await saved.withOwner(id)).userId).toBeUndefined();
    expect((await saved.withOwner('cus_unknown')).userId).toBeUndefined();
  });

  it('that is declined as it is being saved is told by its number, and its setup can be ended, twice', async () => {
    const customerId = await saved.openCustomer('usr_saver');
    const [setupId = ''] = (await saved.setUp(customerId, 'usr_saver:1')).split('_secret_');
    expect(await saved.declinedSetup(setupId)).toBeUndefined();
    const card = { number: '4000000000000002', exp_month: 12, exp_year: 2040, cvc: '123' };
    const { id } = await stripe.sdk.paymentMethods.create({ type: 'card', card });
    const how = { payment_method: id, return_url: 'https://encore.example/' };
    await expect(stripe.sdk.setupIntents.confirm(setupId, how)).rejects.toThrow('declined');
    expect(await saved.declinedSetup(setupId)).toEqual({ userId: 'usr_saver', card: expect.any(String) });
    await saved.cancelSetup(setupId);
    await saved.cancelSetup(setupId);
    expect((await stripe.sdk.setupIntents.retrieve(setupId)).status).toBe('canceled');
    expect(await saved.declinedSetup('seti_unknown')).toBeUndefined();
  });

  it('is shown where its customer has no settings, and is removed twice', async () => {
    const { customerId, paymentMethodId } = await savedCard();
    await provoke('GET /v1/customers/:id', { without: ['invoice_settings', 'metadata'] });
    expect(await saved.of(customerId)).toMatchObject([{ cardId: paymentMethodId, isDefault: true }]);
    await provoke('POST /v1/payment_methods/:id/detach', {
      status: 404,
      error: { code: 'resource_missing' },
    });
    await saved.remove(paymentMethodId);
  });

  it('can be set up after a failure that the provider remembers, and a setup without a secret is no crash', async () => {
    const { customerId } = await savedCard();
    const route = 'POST /v1/setup_intents';
    await stripe.control('POST', '/test/switches', {
      faults: [{ route, when: 'before', what: 'error', times: 2 }],
    });
    await expect(saved.setUp(customerId, 'usr_x:1')).rejects.toBeInstanceOf(Unavailable);
    expect(await saved.setUp(customerId, 'usr_x:1')).toContain('_secret_');
    await provoke(route, { set: { client_secret: null } });
    await expect(saved.setUp(customerId, 'usr_x:2')).rejects.toBeInstanceOf(ProviderRefused);
  });
});

describe('what is asked again after a failure that the provider remembers', () => {
  const breaks = (route: string, times: number): Promise<unknown> =>
    stripe.control('POST', '/test/switches', { faults: [{ route, when: 'before', what: 'error', times }] });

  it('is a refund of unapplied money, made once', async () => {
    const stray = (await stripe.control('POST', '/test/payments', { amount: 1_500 })) as {
      latest_charge: string;
    };
    await breaks('POST /v1/refunds', 2);
    await expect(cards.refundRest(stray.latest_charge, 0)).rejects.toBeInstanceOf(Unavailable);
    expect(await cards.refundRest(stray.latest_charge, 0)).toMatchObject([{ amountMinor: 1_500 }]);
    expect(await cards.refundRest(stray.latest_charge, 0)).toHaveLength(1);
  });

  it('is a refund of which only the answer was lost, not made again', async () => {
    const stray = (await stripe.control('POST', '/test/payments', { amount: 1_500 })) as {
      latest_charge: string;
    };
    await stripe.control('POST', '/test/switches', {
      faults: [{ route: 'POST /v1/refunds', when: 'after', what: 'error', times: 1 }],
    });
    // A dispute has taken 5.00 of it: nothing but the rest goes back, also where that is asked for once more.
    for (let time = 0; time < 2; time += 1)
      expect(await cards.refundRest(stray.latest_charge, 500)).toHaveLength(1);
    const { data } = await stripe.sdk.refunds.list({ charge: stray.latest_charge });
    expect(data).toMatchObject([{ amount: 1_000, metadata: { attempt: `${stray.latest_charge}-0` } }]);
  });

  it('is a cancelation', async () => {
    const { intentId } = await cards.intentFor(request());
    await breaks('POST /v1/payment_intents/:id/cancel', 3);
    await expect(cards.cancel(intentId)).rejects.toBeInstanceOf(Unavailable);
    await cards.cancel(intentId);
    expect((await cards.intent(intentId)).isCanceled).toBe(true);
  });
});

describe('a payout', () => {
  it.each([
    ...FAULTS,
    ['a limit of the day', { status: 400, error: { code: 'payouts_limit_exceeded' }, isKept: true }] as const,
  ])('is only put off by %s at the transfer and at the bank', async (_, answer) => {
    const { account, bank } = await readyAccount(stripe);
    const payoutId = `out_${++made}`;
    await provoke('POST /v1/transfers', answer);
    expect(await payouts.transfer(attemptOf(payoutId, account))).toMatchObject({ kind: 'not-now' });
    expect(await payouts.transfer(attemptOf(payoutId, account, 2))).toMatchObject({ kind: 'done' });
    // Whoever asks with yet another number finds what was made.
    const { data } = await stripe.sdk.transfers.list({ transfer_group: payoutId });
    expect(await payouts.transfer(attemptOf(payoutId, account, 3))).toMatchObject({
      providerTransferId: data[0]!.id,
    });
    await provoke('POST /v1/payouts', answer);
    const send = { ...attemptOf(payoutId, account), externalAccountId: bank };
    expect(await payouts.send(send)).toMatchObject({ kind: 'not-now' });
    expect(await payouts.send({ ...send, attempt: 2 })).toMatchObject({ kind: 'done' });
    expect((await stripe.sdk.payouts.list({}, { stripeAccount: account })).data).toHaveLength(1);
  });

  it('does not take a key that may not see an account for an account that is gone', async () => {
    const { account } = await readyAccount(stripe);
    const no = { status: 403, error: { code: 'account_invalid' } };
    await provoke('POST /v1/transfers', no);
    expect(await payouts.transfer(attemptOf('out_may_not', account))).toMatchObject({ kind: 'not-now' });
  });

  it('has no way to an account that is gone', async () => {
    const { id } = await stripe.sdk.accounts.create(ACCOUNT);
    await stripe.sdk.accounts.del(id);
    const gone = { kind: 'never', about: 'account', code: 'no_destination' };
    expect(await payouts.transfer(attemptOf('out_gone', id))).toMatchObject(gone);
    const send = { ...attemptOf('out_gone', id), externalAccountId: 'ba_x' };
    expect(await payouts.send(send)).toMatchObject(gone);
  });

  it('has no way to a bank account that is not there', async () => {
    const { account } = await readyAccount(stripe);
    await payouts.transfer(attemptOf('out_no_bank', account));
    const send = { ...attemptOf('out_no_bank', account), externalAccountId: 'ba_unknown' };
    expect(await payouts.send(send)).toMatchObject({ kind: 'never', about: 'bank-account' });
  });

  it('is found among transfers whose metadata are missing', async () => {
    await provoke('GET /v1/transfers', { without: ['data.*.metadata'] });
    const now = Date.now();
    expect(await payouts.transferredBetween(new Date(now - 60_000), new Date(now + 60_000))).toEqual([]);
  });
});

describe('the ways to pay', () => {
  it('are those that the account does not say to be inactive, and are read back from each payment', async () => {
    const account = new ProviderAccount({ secretKey: SECRET_KEY, apiUrl: stripe.url });
    expect(await account.methods()).toEqual(['card', 'cashapp']);
    const set = { 'capabilities.card_payments': 'active', 'capabilities.cashapp_payments': 'inactive' };
    await provoke('GET /v1/account', { set });
    expect(await account.methods()).toEqual(['card']);
    await provoke('POST /v1/payment_intents', { set: { payment_method_types: ['card'] } });
    const asked = { ...request(), method: 'cashapp' as const };
    expect((await cards.intentFor(asked)).methods).toEqual(['card']);
  });
});

describe('a payment of which no way to pay is left', () => {
  it('is no fault of ours, and says so', async () => {
    await stripe.control('POST', '/test/switches', { inactive: ['cashapp'] });
    const asked = cards.intentFor({ ...request(), method: 'cashapp' });
    await expect(asked).rejects.toMatchObject({ name: 'ProviderRefused', refusal: { code: NO_METHOD } });
    expect(refusals.filter(({ kind }) => kind === 'our-fault')).toEqual([]);
    expect((await cards.intentFor(request())).methods).toEqual(['card']);
  });
});

describe('a bank account', () => {
  const numbers = {
    accountHolderName: 'Ada Lovelace',
    accountNumber: '000123456789',
    routingNumber: '110000000',
    accountType: 'checking',
  } as const;

  it('is refused for its numbers only', async () => {
    const route = 'POST /v1/tokens';
    await provoke(route, { status: 400, error: { code: 'routing_number_invalid' } });
    await expect(payouts.bankToken(numbers)).rejects.toBeInstanceOf(NumbersRefused);
    for (const [, { status = 400, error = {} }] of FAULTS) {
      await provoke(route, { status, error });
      await expect(payouts.bankToken(numbers)).rejects.toBeInstanceOf(ProviderRefused);
    }
  });

  it('is not refused at its account for a fault of ours', async () => {
    const { account } = await readyAccount(stripe);
    const token = await payouts.bankToken({ ...numbers, accountNumber: '000222222227' });
    await provoke('POST /v1/accounts/:id/external_accounts', { status: 400, error: {}, isKept: true });
    await expect(payouts.addBankAccount(account, 'bnk_1', token)).rejects.toBeInstanceOf(ProviderRefused);
    expect(await payouts.addBankAccount(account, 'bnk_1', token)).toMatch(/^ba_/);
  });
});

describe('money that was moved by a request whose answer was lost', () => {
  const readyPayout = async (payoutId: string) => {
    const { account, bank } = await readyAccount(stripe);
    return { ...attemptOf(payoutId, account), externalAccountId: bank };
  };

  it.each(FAULTS)('is found where the request is refused when it is sent again: %s', async (name, answer) => {
    const attempt = await readyPayout(`out_lost ${name}`);
    const transferred = await payouts.transfer(attempt);
    await provoke('POST /v1/transfers', answer);
    expect(await payouts.transfer(attempt)).toEqual(transferred);
    const sent = await payouts.send(attempt);
    await provoke('POST /v1/payouts', answer);
    expect(await payouts.send(attempt)).toEqual(sent);
    expect([transferred.kind, sent.kind]).toEqual(['done', 'done']);
  });

  it('is looked up first by whoever did not begin it, however recent its date', async () => {
    const attempt = await readyPayout('out_slept');
    const posts = async () => {
      const routes = (await stripe.control('GET', '/test/calls')).routes as Record<string, number>;
      return [routes['POST /v1/transfers'], routes['POST /v1/payouts']];
    };
    const transferred = await payouts.transfer({ ...attempt, isFresh: true });
    const sent = await payouts.send({ ...attempt, isFresh: true });
    const before = await posts();
    expect(await payouts.transfer(attempt)).toEqual(transferred);
    expect(await payouts.send(attempt)).toEqual(sent);
    expect(await posts()).toEqual(before);
  });

  it('is not taken for unmoved while it cannot be looked up', async () => {
    const attempt = await readyPayout('out_unseen');
    await payouts.transfer(attempt);
    await stripe.control('POST', '/test/switches', {
      faults: ['POST /v1/transfers', 'GET /v1/transfers'].map((route) => ({
        route,
        when: 'before',
        what: 'answer',
        times: 1,
        answer: { status: 401, body: { error: { type: 'invalid_request_error', message: 'No.' } } },
      })),
    });
    await expect(payouts.transfer(attempt)).rejects.toBeInstanceOf(Unavailable);
    expect(await payouts.transfer(attempt)).toMatchObject({ kind: 'done' });
  });
});

describe('what carries a copy of our seal', () => {
  /** Longer ago than the provider keeps keys: what was made is looked up. */
  const longAgo = (): Date => new Date(Date.now() - 48 * 3_600_000);

  it('is not taken for a user’s account for payouts, which is the older one', async () => {
    const id = await payouts.accountFor('usr_copied', longAgo());
    const { metadata } = await stripe.sdk.accounts.retrieve(id);
    await stripe.sdk.accounts.create({ ...PAYEE_ACCOUNT, metadata: metadata ?? {} });
    expect(await payouts.accountFor('usr_copied', longAgo())).toBe(id);
  });

  it('is not taken for a user’s customer, which is the older one', async () => {
    const id = await saved.openCustomer('usr_copied');
    const { metadata } = (await stripe.sdk.customers.retrieve(id)) as { metadata: Record<string, string> };
    await stripe.sdk.customers.create({ metadata });
    await provoke('POST /v1/customers', { status: 500, error: {} });
    expect(await saved.openCustomer('usr_copied')).toBe(id);
  });

  it('is not taken for a payout’s transfer, wherever it goes', async () => {
    const [{ account }, { account: theirs }] = [await readyAccount(stripe), await readyAccount(stripe)];
    const first = await payouts.transfer(attemptOf('out_copied', account));
    const transferId = 'providerTransferId' in first ? first.providerTransferId : '';
    const { metadata, amount, currency } = await stripe.sdk.transfers.retrieve(transferId);
    const copy = { amount, currency, metadata };
    for (const [group, destination] of [
      ['out_copied', account],
      ['out_copied', theirs],
      ['out_other', theirs],
    ] as const)
      await stripe.sdk.transfers.create({ ...copy, transfer_group: group, destination });
    expect(await payouts.transfer(attemptOf('out_copied', account, 2))).toMatchObject({
      providerTransferId: transferId,
    });
    const sealed = (await payouts.transferredBetween(longAgo(), new Date(Date.now() + 60_000))).filter(
      ({ payoutId }) => payoutId === 'out_copied',
    );
    expect(sealed.map(({ isSealed }) => isSealed)).toEqual([false, false, true, true]);
  });

  it('is told from our own in the lists that a recovery reads', async () => {
    const history = new StripeHistory({ secretKey: SECRET_KEY, apiUrl: stripe.url, seal });
    const [{ account }, { account: theirs }] = [await readyAccount(stripe), await readyAccount(stripe)];
    const sent = await payouts.transfer(attemptOf('out_back', account));
    const transferId = 'providerTransferId' in sent ? sent.providerTransferId : '';
    const { metadata, amount, currency } = await stripe.sdk.transfers.retrieve(transferId);
    await stripe.sdk.transfers.create({ amount, currency, metadata, destination: theirs });
    const reversed = await payouts.reverse(transferId, { payoutId: 'out_back', attempt: 1 });
    const listed = (await history.transfers(longAgo())).filter(({ payoutId }) => payoutId === 'out_back');
    expect(listed).toMatchObject([
      { connectAccountId: account, booking: { payoutId: 'out_back' } },
      { connectAccountId: theirs, booking: undefined },
    ]);
    expect(await history.reversals(longAgo())).toContainEqual({
      reversalId: 'reversalId' in reversed ? reversed.reversalId : '',
      providerTransferId: transferId,
      amountMinor: 2_000,
      at: expect.any(String),
    });
  });

  it('does not pass the refund of another charge for one that we gave', async () => {
    const history = new StripeHistory({ secretKey: SECRET_KEY, apiUrl: stripe.url, seal });
    const charged = async () => {
      const answer = await cards.chargeSaved({ ...request(), savedCard: await savedCard() });
      const intentId = 'intentId' in answer ? answer.intentId : '';
      const { data } = await stripe.sdk.charges.list({ payment_intent: intentId });
      return { intentId, chargeId: data[0]!.id };
    };
    const [ours, theirs] = [await charged(), await charged()];
    await cards.refundRest(ours.chargeId, 0);
    const [refund] = (await stripe.sdk.refunds.list({ charge: ours.chargeId })).data;
    await stripe.sdk.refunds.create({ charge: theirs.chargeId, metadata: refund?.metadata ?? {} });
    const listed = new Map(
      (await history.payments(longAgo())).map(({ intentId, returnedByUs }) => [intentId, returnedByUs]),
    );
    expect([listed.get(ours.intentId), listed.get(theirs.intentId)]).toEqual([[ours.chargeId], []]);
  });
});
