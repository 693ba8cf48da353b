/**
 * The card provider's stand-in, driven with the provider's own SDK: what Encore relies on at the provider
 * holds here.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import {
  eventually,
  launch,
  PUBLISHABLE_KEY,
  refusal,
  SECRET_KEY,
  sdkFor,
  startStripe,
  type RunningStripe,
} from './stripe-process.js';
import { problemsOf, shaped } from './stripe-types.js';

let stripe: RunningStripe;
let sdk: Stripe;

beforeAll(async () => {
  stripe = await startStripe();
  sdk = stripe.sdk;
});
afterAll(async () => {
  await stripe.stop();
});

const open = (extra: Partial<Stripe.PaymentIntentCreateParams> = {}): Promise<Stripe.PaymentIntent> =>
  sdk.paymentIntents.create({
    amount: 2500,
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    ...extra,
  });

const pay = (extra: Partial<Stripe.PaymentIntentCreateParams> = {}): Promise<Stripe.PaymentIntent> =>
  open({ confirm: true, payment_method: 'pm_card_visa', ...extra });

const chargeOf = async (intent: Stripe.PaymentIntent): Promise<Stripe.Charge> =>
  sdk.charges.retrieve(String(intent.latest_charge));

/** The oldest first, each with its object as it was then. */
async function eventsOf(id: string): Promise<Stripe.Event[]> {
  const { data } = await sdk.events.list({ limit: 100 });
  return data.filter(({ data: { object } }) => 'id' in object && object.id === id).toReversed();
}
const eventTypesOf = async (id: string): Promise<string[]> => (await eventsOf(id)).map(({ type }) => type);

describe('a payment', () => {
  it('opens, is confirmed and succeeds with a charge and a balance transaction', async () => {
    const opened = shaped(await open({ metadata: { paymentId: 'p1' }, description: 'A tip' }));
    expect(opened).toMatchObject({
      status: 'requires_payment_method',
      amount: 2500,
      metadata: { paymentId: 'p1' },
      livemode: false,
    });
    expect(opened.client_secret).toMatch(new RegExp(`^${opened.id}_secret_`));
    const paid = shaped(
      await sdk.paymentIntents.confirm(opened.id, {
        payment_method: 'pm_card_visa',
        expand: ['latest_charge.balance_transaction', 'payment_method'],
      }),
    );
    expect(paid).toMatchObject({
      status: 'succeeded',
      amount_received: 2500,
      payment_method: { card: { brand: 'visa', last4: '4242' } },
      latest_charge: {
        paid: true,
        metadata: { paymentId: 'p1' },
        payment_intent: opened.id,
        // 2.9 % of $25.00 is 72.5 cents, rounded up, and 30 cents.
        balance_transaction: { amount: 2500, fee: 103, net: 2397, status: 'available' },
      },
    });
    expect(await eventTypesOf(opened.id)).toEqual(['payment_intent.created', 'payment_intent.succeeded']);
  });

  it('waits for its confirmation once it has a payment method', async () => {
    const intent = shaped(await open({ payment_method: 'pm_card_mastercard' }));
    expect(intent.status).toBe('requires_confirmation');
    expect((await sdk.paymentIntents.confirm(intent.id)).status).toBe('succeeded');
  });

  it.each([
    ['4000000000000002', 'pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['4000000000009995', 'pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['4000000000000069', 'pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['4000000000000127', 'pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['4000000000000119', 'pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
  ])(
    'is declined with card %s, by number and as %s, and another card may pay it',
    async (number, token, code, declineCode) => {
      const intent = await open();
      const byNumber = await sdk.paymentMethods.create({
        type: 'card',
        card: { number, exp_month: 12, exp_year: 2040, cvc: '123' },
      });
      for (const method of [token, byNumber.id]) {
        const error = await refusal(sdk.paymentIntents.confirm(intent.id, { payment_method: method }));
        expect(error).toBeInstanceOf(Stripe.errors.StripeCardError);
        expect(error).toMatchObject({ statusCode: 402, code, decline_code: declineCode });
        expect(error.payment_intent).toMatchObject({ id: intent.id, status: 'requires_payment_method' });
      }
      const declined = shaped(await sdk.paymentIntents.retrieve(intent.id));
      expect(declined).toMatchObject({
        payment_method: null,
        last_payment_error: { code, decline_code: declineCode, type: 'card_error' },
      });
      const charge = shaped(await chargeOf(declined));
      expect(charge).toMatchObject({
        status: 'failed',
        paid: false,
        failure_code: code,
        balance_transaction: null,
      });
      expect((await sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' })).status).toBe(
        'succeeded',
      );
      const { data } = await sdk.charges.list({ payment_intent: intent.id });
      expect(data.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed']);
      expect(await eventTypesOf(intent.id)).toEqual([
        'payment_intent.created',
        'payment_intent.payment_failed',
        'payment_intent.payment_failed',
        'payment_intent.succeeded',
      ]);
    },
  );

  it('exists after a decline at its creation, and the error names it', async () => {
    const error = await refusal(pay({ payment_method: 'pm_card_chargeDeclined' }));
    const id = String(error.payment_intent?.id);
    expect((await sdk.paymentIntents.retrieve(id)).status).toBe('requires_payment_method');
  });

  it('refuses a number that is no test card, and keeps none of it', async () => {
    const method = await sdk.paymentMethods.create({
      type: 'card',
      card: { number: '4111111111111111', exp_month: 1, exp_year: 2040, cvc: '123' },
    });
    expect(await refusal(pay({ payment_method: method.id }))).toMatchObject({
      decline_code: 'test_mode_live_card',
    });
    const wrong = { number: '4242424242424241', exp_month: 1, exp_year: 2040, cvc: '123' };
    expect(await refusal(sdk.paymentMethods.create({ type: 'card', card: wrong }))).toMatchObject({
      statusCode: 402,
      code: 'incorrect_number',
    });
  });

  it('is canceled, and then neither confirmed nor canceled again', async () => {
    const intent = await open();
    const canceled = shaped(await sdk.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' }));
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    const again = await refusal(sdk.paymentIntents.cancel(intent.id));
    expect(again).toMatchObject({
      statusCode: 400,
      code: 'payment_intent_unexpected_state',
      payment_intent: { status: 'canceled' },
    });
    const confirmed = await refusal(
      sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }),
    );
    expect(confirmed.code).toBe('payment_intent_unexpected_state');
    const paid = await pay();
    expect((await refusal(sdk.paymentIntents.cancel(paid.id))).code).toBe('payment_intent_unexpected_state');
  });

  it('changes its amount until it is confirmed, and its metadata always', async () => {
    const intent = await open();
    expect(
      await sdk.paymentIntents.update(intent.id, { amount: 900, metadata: { a: '1', b: '2' } }),
    ).toMatchObject({
      amount: 900,
    });
    await sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect((await refusal(sdk.paymentIntents.update(intent.id, { amount: 901 }))).code).toBe(
      'payment_intent_unexpected_state',
    );
    expect((await sdk.paymentIntents.update(intent.id, { metadata: { a: '' } })).metadata).toEqual({
      b: '2',
    });
  });

  it('stays in processing while the switch says so, and settles by itself', async () => {
    await stripe.control('POST', '/test/switches', { processingMs: 100 });
    const [good, bad] = [await pay(), await pay({ payment_method: 'pm_card_chargeCustomerFail' })];
    await stripe.control('DELETE', '/test/switches');
    expect([shaped(good).status, bad.status]).toEqual(['processing', 'processing']);
    await eventually(
      async () => (await sdk.paymentIntents.retrieve(good.id)).status === 'succeeded',
      'the success',
    );
    await eventually(
      async () => (await sdk.paymentIntents.retrieve(bad.id)).status === 'requires_payment_method',
      'the decline',
    );
    expect(await eventTypesOf(good.id)).toEqual([
      'payment_intent.created',
      'payment_intent.processing',
      'payment_intent.succeeded',
    ]);
  });

  it('is on the balance later when capture is asynchronous, and charge.updated tells it', async () => {
    await stripe.control('POST', '/test/switches', { balanceTransactionMs: 50 });
    const charge = await chargeOf(await pay());
    await stripe.control('DELETE', '/test/switches');
    await eventually(
      async () => (await sdk.charges.retrieve(charge.id)).balance_transaction !== null,
      'the balance transaction',
    );
    // As it was then: on a busy machine nobody sees the charge itself before.
    const told = await eventsOf(charge.id);
    expect(told.map(({ type }) => type)).toEqual(['charge.succeeded', 'charge.updated']);
    const [before, after] = told.map(({ data: { object } }) => shaped(object as Stripe.Charge));
    expect(before!.balance_transaction).toBeNull();
    expect(after!.balance_transaction).toMatch(/^txn_/);
  });

  it.each<[string, Stripe.PaymentIntentCreateParams, string | undefined, string]>([
    ['an amount below 50 cents', { amount: 49, currency: 'usd' }, 'amount_too_small', 'amount'],
    ['an amount above the most', { amount: 100_000_000, currency: 'usd' }, 'amount_too_large', 'amount'],
    ['a fraction of a cent', { amount: 10.5, currency: 'usd' }, 'parameter_invalid_integer', 'amount'],
    ['no such currency', { amount: 100, currency: 'xyz' }, undefined, 'currency'],
    [
      'a customer that is not there',
      { amount: 100, currency: 'usd', customer: 'cus_none' },
      'resource_missing',
      'customer',
    ],
    [
      'a parameter without effect',
      { amount: 100, currency: 'usd', return_url: 'https://a.example/' },
      undefined,
      'return_url',
    ],
  ])('is refused for %s', async (_what, parameters, code, param) => {
    const error = await refusal(sdk.paymentIntents.create(parameters));
    expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(error).toMatchObject({ statusCode: 400, code, param });
  });

  it('offers what is allowed, what is not excluded, or everything, and no longer what payment_method_types says', async () => {
    const base = { amount: 900, currency: 'usd' };
    const some = shaped(await open({ allowed_payment_method_types: ['cashapp', 'klarna'] }));
    expect(some).toMatchObject({
      payment_method_types: ['cashapp'],
      allowed_payment_method_types: ['cashapp'],
    });
    const most = shaped(
      await sdk.paymentIntents.create({ ...base, excluded_payment_method_types: ['cashapp'] }),
    );
    expect(most.payment_method_types).toEqual(['card']);
    const all = shaped(await sdk.paymentIntents.create(base));
    expect(all).toMatchObject({
      payment_method_types: ['card', 'cashapp'],
      automatic_payment_methods: { enabled: true },
    });
    const old = sdk.rawRequest('POST', '/v1/payment_intents', { ...base, payment_method_types: ['card'] });
    expect(await refusal(old)).toMatchObject({
      statusCode: 400,
      code: 'parameter_unknown',
    });
  });

  it('is refused for a misspelt parameter, an unknown id, and an expansion that is none', async () => {
    const unknown = sdk.rawRequest('POST', '/v1/payment_intents', {
      amount: 100,
      currency: 'usd',
      amuont: 1,
    });
    expect(await refusal(unknown)).toMatchObject({
      statusCode: 400,
      code: 'parameter_unknown',
      param: 'amuont',
    });
    expect(await refusal(sdk.paymentIntents.retrieve('pi_none'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    expect(await refusal(open({ expand: ['nothing'] }))).toMatchObject({ statusCode: 400, param: 'expand' });
  });

  it('is found by its metadata', async () => {
    const paymentId = randomUUID();
    const intent = await open({ metadata: { paymentId } });
    const { data } = await sdk.paymentIntents.search({ query: `metadata['paymentId']:'${paymentId}'` });
    expect(data.map(({ id }) => id)).toEqual([intent.id]);
  });
});

describe('authentication', () => {
  const action = (id: string, outcome: 'succeed' | 'fail'): Promise<unknown> =>
    stripe.control('POST', `/test/payment_intents/${id}/action`, { outcome });

  it('is asked of the payer, and the payment succeeds when they complete it', async () => {
    const waiting = shaped(await pay({ payment_method: 'pm_card_authenticationRequired' }));
    expect(waiting).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
    await action(waiting.id, 'succeed');
    const paid = shaped(await sdk.paymentIntents.retrieve(waiting.id, { expand: ['latest_charge'] }));
    expect(paid).toMatchObject({ status: 'succeeded', next_action: null });
    expect(await eventTypesOf(waiting.id)).toEqual([
      'payment_intent.created',
      'payment_intent.requires_action',
      'payment_intent.succeeded',
    ]);
  });

  it('fails the attempt when they do not, and the same intent takes another card', async () => {
    const waiting = await pay({ payment_method: 'pm_card_authenticationRequired' });
    await action(waiting.id, 'fail');
    const failed = shaped(await sdk.paymentIntents.retrieve(waiting.id));
    expect(failed).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
    expect((await sdk.paymentIntents.confirm(waiting.id, { payment_method: 'pm_card_visa' })).status).toBe(
      'succeeded',
    );
  });

  it('sends the payer to a page when there is a return_url and no script', async () => {
    const waiting = shaped(
      await pay({
        payment_method: 'pm_card_authenticationRequired',
        return_url: 'https://shop.example/done',
      }),
    );
    expect(waiting.next_action).toMatchObject({
      type: 'redirect_to_url',
      redirect_to_url: { return_url: 'https://shop.example/done' },
    });
    const url = new URL(String(waiting.next_action?.redirect_to_url?.url));
    url.hostname = '127.0.0.1';
    expect(await (await fetch(url)).text()).toContain('$25.00');
  });

  it('can be declined after it is completed', async () => {
    const waiting = await pay({ payment_method: 'pm_card_threeDSecureRequiredChargeDeclined' });
    await action(waiting.id, 'succeed');
    expect(await sdk.paymentIntents.retrieve(waiting.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined' },
    });
  });

  it('refuses a charge in the payer’s absence, and the error says what is needed', async () => {
    const customer = await sdk.customers.create();
    const card = await sdk.paymentMethods.attach('pm_card_authenticationRequired', { customer: customer.id });
    const error = await refusal(pay({ customer: customer.id, payment_method: card.id, off_session: true }));
    expect(error).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
      decline_code: 'authentication_required',
    });
    expect(error.payment_method?.id).toBe(card.id);
    const later = await sdk.paymentIntents.confirm(String(error.payment_intent?.id), {
      payment_method: card.id,
    });
    expect(later.status).toBe('requires_action');
  });

  it('spares card 3155 in the payer’s absence once it was set up, and no earlier', async () => {
    const customer = await sdk.customers.create();
    const card = await sdk.paymentMethods.attach('pm_card_authenticationRequiredOnSetup', {
      customer: customer.id,
    });
    const off = (): Promise<Stripe.PaymentIntent> =>
      pay({ customer: customer.id, payment_method: card.id, off_session: true });
    expect((await refusal(off())).code).toBe('authentication_required');
    const setup = shaped(
      await sdk.setupIntents.create({
        customer: customer.id,
        payment_method: card.id,
        allowed_payment_method_types: ['card'],
        confirm: true,
      }),
    );
    expect(setup.status).toBe('requires_action');
    await stripe.control('POST', `/test/setup_intents/${setup.id}/action`, { outcome: 'succeed' });
    expect((await off()).status).toBe('succeeded');
    expect((await pay({ customer: customer.id, payment_method: card.id })).status).toBe('requires_action');
  });
});

describe('Cash App', () => {
  const begin = (): Promise<Stripe.PaymentIntent> =>
    open({
      allowed_payment_method_types: ['cashapp'],
      confirm: true,
      payment_method_data: { type: 'cashapp' },
      return_url: 'https://shop.example/payment-success?from=tip',
    });

  async function answer(intent: Stripe.PaymentIntent, outcome: string): Promise<URL> {
    const hosted = new URL(
      String(intent.next_action?.cashapp_handle_redirect_or_display_qr_code?.mobile_auth_url),
    );
    hosted.hostname = '127.0.0.1';
    const body = new URLSearchParams({ client_secret: String(intent.client_secret), outcome });
    const reply = await fetch(`${hosted.origin}${hosted.pathname}/answer`, {
      method: 'POST',
      body,
      redirect: 'manual',
    });
    expect(reply.status).toBe(303);
    return new URL(String(reply.headers.get('location')));
  }

  it('sends the payer to its page and, once authorized, back with the intent in the address', async () => {
    const intent = shaped(await begin());
    expect(intent).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'cashapp_handle_redirect_or_display_qr_code' },
    });
    const back = await answer(intent, 'succeed');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      from: 'tip',
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: 'succeeded',
    });
    const paid = shaped(
      await sdk.paymentIntents.retrieve(intent.id, { expand: ['latest_charge.balance_transaction'] }),
    );
    expect(paid).toMatchObject({
      status: 'succeeded',
      latest_charge: { payment_method_details: { type: 'cashapp' } },
    });
  });

  it('brings the payer back with a failure when they refuse', async () => {
    const intent = await begin();
    expect((await answer(intent, 'fail')).searchParams.get('redirect_status')).toBe('failed');
    expect(shaped(await sdk.paymentIntents.retrieve(intent.id))).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_method_customer_decline' },
    });
  });

  it('needs a return_url, and is refused where only cards are allowed', async () => {
    const withoutUrl = open({
      allowed_payment_method_types: ['cashapp'],
      confirm: true,
      payment_method_data: { type: 'cashapp' },
    });
    expect(await refusal(withoutUrl)).toMatchObject({ statusCode: 400, param: 'return_url' });
    const cardOnly = open({
      confirm: true,
      payment_method_data: { type: 'cashapp' },
      return_url: 'https://shop.example/',
    });
    expect((await refusal(cardOnly)).statusCode).toBe(400);
  });
});

describe('saved cards', () => {
  it('are attached, listed, charged in the payer’s absence, and detached for good', async () => {
    const customer = shaped(
      await sdk.customers.create({ email: 'a@example.com', metadata: { userId: 'u1' } }),
    );
    const card = shaped(await sdk.paymentMethods.attach('pm_card_visa', { customer: customer.id }));
    expect(
      (await sdk.paymentMethods.list({ customer: customer.id, type: 'card' })).data.map(({ id }) => id),
    ).toEqual([card.id]);
    expect((await sdk.customers.listPaymentMethods(customer.id)).data).toHaveLength(1);
    const paid = await pay({ customer: customer.id, payment_method: card.id, off_session: true });
    expect(paid).toMatchObject({ status: 'succeeded', customer: customer.id });
    expect((await sdk.paymentIntents.list({ customer: customer.id })).data.map(({ id }) => id)).toEqual([
      paid.id,
    ]);
    shaped(await sdk.paymentMethods.detach(card.id));
    expect((await sdk.paymentMethods.list({ customer: customer.id })).data).toEqual([]);
    expect((await refusal(sdk.paymentMethods.attach(card.id, { customer: customer.id }))).message).toContain(
      'may not be used again',
    );
  });

  it('are saved by a payment with setup_future_usage, and used up by one without', async () => {
    const customer = await sdk.customers.create();
    const card = {
      type: 'card' as const,
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
    };
    await pay({
      customer: customer.id,
      setup_future_usage: 'off_session',
      payment_method: undefined,
      payment_method_data: card as never,
    });
    expect((await sdk.paymentMethods.list({ customer: customer.id })).data).toHaveLength(1);
    const loose = await sdk.paymentMethods.create(card);
    await pay({ payment_method: loose.id });
    expect((await refusal(pay({ payment_method: loose.id }))).message).toContain('may not be used again');
  });

  it('belong to one customer', async () => {
    const [owner, other] = [await sdk.customers.create(), await sdk.customers.create()];
    const card = await sdk.paymentMethods.attach('pm_card_visa', { customer: owner.id });
    expect((await refusal(pay({ customer: other.id, payment_method: card.id }))).statusCode).toBe(400);
    expect((await refusal(pay({ payment_method: card.id }))).statusCode).toBe(400);
    expect((await refusal(sdk.paymentMethods.attach(card.id, { customer: other.id }))).statusCode).toBe(400);
  });

  it('may attach and fail when charged, as card 0341 does', async () => {
    const customer = await sdk.customers.create();
    const card = await sdk.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
    expect(
      (await refusal(pay({ customer: customer.id, payment_method: card.id, off_session: true }))).code,
    ).toBe('card_declined');
    expect(
      (await refusal(sdk.paymentMethods.attach('pm_card_chargeDeclined', { customer: customer.id }))).code,
    ).toBe('card_declined');
  });

  it('go with their customer, who can still be read as deleted', async () => {
    const customer = await sdk.customers.create({ name: 'Ada' });
    const card = await sdk.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    shaped(
      await sdk.customers.update(customer.id, {
        name: 'Ada L.',
        invoice_settings: { default_payment_method: card.id },
      }),
    );
    expect(await sdk.customers.del(customer.id)).toMatchObject({ id: customer.id, deleted: true });
    expect(await sdk.customers.retrieve(customer.id)).toMatchObject({ id: customer.id, deleted: true });
    expect((await sdk.customers.list({ limit: 100 })).data.some(({ id }) => id === customer.id)).toBe(false);
    expect((await sdk.paymentMethods.retrieve(card.id)).customer).toBeNull();
  });

  it('are set up without a payment; a setup may be declined, tried again and canceled', async () => {
    const customer = await sdk.customers.create();
    const setup = shaped(
      await sdk.setupIntents.create({ customer: customer.id, allowed_payment_method_types: ['card'] }),
    );
    expect(setup).toMatchObject({ status: 'requires_payment_method', usage: 'off_session' });
    const error = await refusal(
      sdk.setupIntents.confirm(setup.id, { payment_method: 'pm_card_chargeDeclined' }),
    );
    expect(error).toMatchObject({ statusCode: 402, code: 'card_declined', setup_intent: { id: setup.id } });
    shaped(await sdk.setupIntents.retrieve(setup.id));
    const done = shaped(
      await sdk.setupIntents.confirm(setup.id, {
        payment_method: 'pm_card_visa',
        expand: ['payment_method'],
      }),
    );
    expect(done).toMatchObject({ status: 'succeeded', payment_method: { customer: customer.id } });
    expect(await eventTypesOf(setup.id)).toEqual([
      'setup_intent.created',
      'setup_intent.setup_failed',
      'setup_intent.succeeded',
    ]);
    const other = await sdk.setupIntents.create({ allowed_payment_method_types: ['card'] });
    expect(shaped(await sdk.setupIntents.cancel(other.id)).status).toBe('canceled');
    expect((await refusal(sdk.setupIntents.cancel(done.id))).code).toBe('setup_intent_unexpected_state');
  });
});

describe('refunds', () => {
  it('are whole or in parts, and never more than the charge', async () => {
    const intent = await pay();
    const part = shaped(
      await sdk.refunds.create({ payment_intent: intent.id, amount: 1000, metadata: { why: 'part' } }),
    );
    expect(part).toMatchObject({ amount: 1000, status: 'succeeded', payment_intent: intent.id });
    expect(shaped(await chargeOf(intent))).toMatchObject({ amount_refunded: 1000, refunded: false });
    expect(
      (await refusal(sdk.refunds.create({ payment_intent: intent.id, amount: 1501 }))).message,
    ).toContain('greater than unrefunded');
    const rest = await sdk.refunds.create({
      charge: String(intent.latest_charge),
      reason: 'requested_by_customer',
    });
    expect(rest.amount).toBe(1500);
    expect(await chargeOf(intent)).toMatchObject({ amount_refunded: 2500, refunded: true });
    expect((await refusal(sdk.refunds.create({ payment_intent: intent.id }))).code).toBe(
      'charge_already_refunded',
    );
    expect((await sdk.refunds.list({ payment_intent: intent.id })).data.map(({ id }) => id)).toEqual([
      rest.id,
      part.id,
    ]);
    const charge = shaped(await sdk.charges.retrieve(String(intent.latest_charge), { expand: ['refunds'] }));
    expect(charge.refunds?.data).toHaveLength(2);
    const booked = shaped(await sdk.balanceTransactions.retrieve(String(part.balance_transaction)));
    expect(booked).toMatchObject({ amount: -1000, fee: 0, net: -1000, type: 'refund', source: part.id });
    expect(await eventTypesOf(charge.id)).toEqual(['charge.succeeded', 'charge.refunded', 'charge.refunded']);
  });

  it('may be returned by the bank after they succeeded', async () => {
    const intent = await pay();
    const refund = await sdk.refunds.create({ payment_intent: intent.id });
    await stripe.control('POST', `/test/refunds/${refund.id}/fail`);
    const failed = shaped(await sdk.refunds.retrieve(refund.id, { expand: ['failure_balance_transaction'] }));
    expect(failed).toMatchObject({
      status: 'failed',
      failure_balance_transaction: { amount: 2500, type: 'refund_failure' },
    });
    expect(await chargeOf(intent)).toMatchObject({ amount_refunded: 0, refunded: false });
    expect(await eventTypesOf(refund.id)).toEqual([
      'refund.created',
      'refund.updated',
      'refund.failed',
      'charge.refund.updated',
    ]);
  });

  it('fail or succeed by themselves with the two cards made for that', async () => {
    const fails = await sdk.refunds.create({
      payment_intent: (await pay({ payment_method: 'pm_card_refundFail' })).id,
    });
    const waits = await sdk.refunds.create({
      payment_intent: (await pay({ payment_method: 'pm_card_pendingRefund' })).id,
    });
    expect([fails.status, shaped(waits).status]).toEqual(['succeeded', 'pending']);
    await eventually(
      async () => (await sdk.refunds.retrieve(fails.id)).status === 'failed',
      'the refund to fail',
    );
    await eventually(
      async () => (await sdk.refunds.retrieve(waits.id)).status === 'succeeded',
      'the refund to succeed',
    );
  });

  it('are refused for a payment that never succeeded', async () => {
    expect((await refusal(sdk.refunds.create({ payment_intent: (await open()).id }))).statusCode).toBe(400);
  });
});

describe('balance and lists', () => {
  it('adds up: the balance is the sum of what its transactions leave', async () => {
    await pay({ payment_method: 'pm_card_bypassPending', amount: 10_000 });
    let net = 0;
    for await (const transaction of sdk.balanceTransactions.list({ limit: 100 }))
      net += shaped(transaction).net;
    const balance = shaped(await sdk.balance.retrieve());
    const sum = [...balance.available, ...balance.pending].reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBe(net);
    expect(balance.available[0]?.amount).toBeGreaterThan(0);
  });

  it('pages forward and back, newest first, with nothing lost or doubled', async () => {
    const customer = await sdk.customers.create();
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.unshift((await open({ customer: customer.id })).id);
    const seen: string[] = [];
    for await (const { id } of sdk.paymentIntents.list({ customer: customer.id, limit: 2 })) seen.push(id);
    expect(seen).toEqual(made);
    const first = await sdk.paymentIntents.list({ customer: customer.id, limit: 3 });
    expect([first.has_more, first.data.map(({ id }) => id)]).toEqual([true, made.slice(0, 3)]);
    const back = await sdk.paymentIntents.list({
      customer: customer.id,
      limit: 2,
      ending_before: String(made[4]),
    });
    expect([back.has_more, back.data.map(({ id }) => id)]).toEqual([true, made.slice(2, 4)]);
    expect((await refusal(sdk.paymentIntents.list({ limit: 101 }))).param).toBe('limit');
    expect((await refusal(sdk.paymentIntents.list({ starting_after: 'pi_none' }))).param).toBe(
      'starting_after',
    );
  });

  it('filters by time and by kind of event', async () => {
    const intent = await pay();
    const from = (await sdk.paymentIntents.list({ created: { gte: intent.created } })).data.map(
      ({ id }) => id,
    );
    expect(from).toContain(intent.id);
    expect((await sdk.paymentIntents.list({ created: { gt: intent.created + 5 } })).data).toEqual([]);
    expect((await sdk.paymentIntents.list({ created: { lt: 1 } })).data).toEqual([]);
    const { data } = await sdk.events.list({
      types: ['payment_intent.succeeded', 'charge.failed'],
      limit: 100,
    });
    expect(new Set(data.map(({ type }) => type))).toEqual(
      new Set(['payment_intent.succeeded', 'charge.failed']),
    );
    const own = data.find(({ data: { object } }) => 'id' in object && object.id === intent.id);
    expect(own && (await sdk.events.retrieve(own.id)).type).toBe('payment_intent.succeeded');
  });

  it('has events of the SDK’s shape, with the object as it was then', async () => {
    for await (const event of sdk.events.list({ limit: 100 }))
      expect([event.type, problemsOf(event)]).toEqual([event.type, []]);
    const { data } = await sdk.events.list({ type: 'payment_intent.created', limit: 100 });
    for (const {
      data: { object },
    } of data)
      expect('status' in object && String(object.status)).toMatch(/^requires_/);
  });

  it('have the events of several types in their order, a page at a time, either way', async () => {
    const { id } = await open();
    await sdk.paymentIntents.cancel(id);
    await open();
    const types = ['payment_intent.canceled', 'payment_intent.created'];
    const { data: all } = await sdk.events.list({ limit: 100 });
    const wanted = all.filter(({ type }) => types.includes(type)).map((event) => event.id);
    const listed: string[] = [];
    for await (const event of sdk.events.list({ types, limit: 2 })) {
      listed.push(event.id);
      if (listed.length === wanted.length) break;
    }
    expect(listed).toEqual(wanted);
    const { data: back } = await sdk.events.list({ types, limit: 2, ending_before: wanted[3]! });
    expect(back.map((event) => event.id)).toEqual(wanted.slice(1, 3));
    const { data: none } = await sdk.events.list({ types: ['payment_intent.nothing'] });
    expect(none).toEqual([]);
  });
});

describe('idempotency keys', () => {
  const parameters = { amount: 700, currency: 'usd', allowed_payment_method_types: ['card'] };

  it('replay the same answer, and say so', async () => {
    const idempotencyKey = randomUUID();
    const first = await sdk.paymentIntents.create(parameters, { idempotencyKey });
    const again = await sdk.paymentIntents.create(
      { allowed_payment_method_types: ['card'], currency: 'usd', amount: 700 },
      { idempotencyKey },
    );
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'original-request': first.lastResponse.requestId,
    });
    const { data } = await sdk.events.list({ type: 'payment_intent.created' });
    expect(data[0]?.request).toEqual({ id: first.lastResponse.requestId, idempotency_key: idempotencyKey });
  });

  it('replay a decline, and do not charge again', async () => {
    const intent = await open();
    const idempotencyKey = randomUUID();
    const attempt = (): Promise<unknown> =>
      sdk.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_chargeDeclined' }, { idempotencyKey });
    const [first, again] = [await refusal(attempt()), await refusal(attempt())];
    expect([first.code, again.code, again.charge]).toEqual(['card_declined', 'card_declined', first.charge]);
    expect((await sdk.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);
  });

  it('replay a 500 whether or not the work was done', async () => {
    for (const when of ['before', 'after']) {
      const idempotencyKey = randomUUID();
      const paymentId = randomUUID();
      const create = (): Promise<unknown> =>
        sdk.paymentIntents.create({ ...parameters, metadata: { paymentId } }, { idempotencyKey });
      await stripe.control('POST', '/test/switches', {
        faults: [{ route: 'POST /v1/payment_intents', when, what: 'error' }],
      });
      expect([(await refusal(create())).statusCode, (await refusal(create())).statusCode]).toEqual([
        500, 500,
      ]);
      const { data } = await sdk.paymentIntents.search({ query: `metadata['paymentId']:'${paymentId}'` });
      expect(data).toHaveLength(when === 'after' ? 1 : 0);
    }
  });

  it('refuse other parameters and other endpoints', async () => {
    const idempotencyKey = randomUUID();
    await sdk.paymentIntents.create(parameters, { idempotencyKey });
    const other = await refusal(
      sdk.paymentIntents.create({ ...parameters, amount: 701 }, { idempotencyKey }),
    );
    expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(other.statusCode).toBe(400);
    expect((await refusal(sdk.customers.create({}, { idempotencyKey }))).type).toBe('StripeIdempotencyError');
  });

  it('do not keep a refused parameter: the same key may be used for the corrected call', async () => {
    const idempotencyKey = randomUUID();
    expect(
      (await refusal(sdk.paymentIntents.create({ ...parameters, amount: 1 }, { idempotencyKey }))).code,
    ).toBe('amount_too_small');
    expect((await sdk.paymentIntents.create(parameters, { idempotencyKey })).amount).toBe(700);
  });

  it('let one of many concurrent calls through, and answer the others 409 or the same', async () => {
    const idempotencyKey = randomUUID();
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, () => sdk.paymentIntents.create(parameters, { idempotencyKey })),
    );
    const ids = new Set(
      results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : [])),
    );
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Stripe.errors.StripeError] : [],
    );
    expect(ids.size).toBe(1);
    for (const { statusCode, code } of refusals)
      expect([statusCode, code]).toEqual([409, 'idempotency_key_in_use']);
  });

  it('are in use for as long as the first call takes', async () => {
    const idempotencyKey = randomUUID();
    const create = (): Promise<Stripe.PaymentIntent> =>
      sdk.paymentIntents.create(parameters, { idempotencyKey });
    await stripe.control('POST', '/test/switches', {
      faults: [{ route: 'POST /v1/payment_intents', when: 'after', what: 'delay', delayMs: 1500 }],
    });
    const slow = create();
    const used = async (): Promise<boolean> => {
      const { faults } = await stripe.control('GET', '/test/switches');
      return Array.isArray(faults) && faults.length === 0;
    };
    await eventually(used, 'the slow call to begin');
    expect((await refusal(create())).code).toBe('idempotency_key_in_use');
    const { id } = await slow;
    expect((await create()).id).toBe(id);
  });
});

describe('failures on purpose', () => {
  it('end the connection after the work, and the SDK’s own retry finds the work done', async () => {
    await stripe.control('POST', '/test/switches', {
      faults: [{ route: 'POST /v1/payment_intents', when: 'after', what: 'close' }],
    });
    const paymentId = randomUUID();
    const patient = new Stripe(SECRET_KEY, {
      host: '127.0.0.1',
      port: stripe.port,
      protocol: 'http',
      maxNetworkRetries: 1,
      telemetry: false,
    });
    const intent = await patient.paymentIntents.create(
      { amount: 700, currency: 'usd', metadata: { paymentId } },
      { idempotencyKey: randomUUID() },
    );
    const { data } = await sdk.paymentIntents.search({ query: `metadata['paymentId']:'${paymentId}'` });
    expect(data.map(({ id }) => id)).toEqual([intent.id]);
  });

  it('never answer though the work is done, once', async () => {
    await stripe.control('POST', '/test/switches', {
      faults: [{ route: 'POST /v1/payment_intents', when: 'after', what: 'hang' }],
    });
    const paymentId = randomUUID();
    const impatient = new Stripe(SECRET_KEY, {
      host: '127.0.0.1',
      port: stripe.port,
      protocol: 'http',
      maxNetworkRetries: 0,
      timeout: 300,
      telemetry: false,
    });
    const hung = impatient.paymentIntents.create({ amount: 700, currency: 'usd', metadata: { paymentId } });
    expect(await refusal(hung)).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    const query = `metadata['paymentId']:'${paymentId}'`;
    // On a busy machine the caller may have lost its patience before the work began.
    await eventually(
      async () => (await sdk.paymentIntents.search({ query })).data.length === 1,
      'the work to be done',
    );
    expect((await open()).status).toBe('requires_payment_method');
  });

  it('answer 429 as often as told', async () => {
    await stripe.control('POST', '/test/switches', {
      faults: [{ route: 'GET /v1/balance', when: 'before', what: 'rate_limit', times: 2 }],
    });
    for (let n = 0; n < 2; n += 1)
      expect(await refusal(sdk.balance.retrieve())).toMatchObject({
        statusCode: 429,
        headers: { 'stripe-rate-limited-reason': 'global-rate' },
      });
    shaped(await sdk.balance.retrieve());
  });

  it('say that another request is changing an object, which is no limit', async () => {
    const { id } = await open();
    const fault = { route: 'POST /v1/payment_intents/:id', when: 'before', what: 'lock' };
    await stripe.control('POST', '/test/switches', { faults: [fault] });
    const refused = await refusal(sdk.paymentIntents.update(id, { description: 'x' }));
    expect(refused).toMatchObject({ statusCode: 429, code: 'lock_timeout' });
    expect(refused.headers).not.toHaveProperty('stripe-rate-limited-reason');
    expect((await sdk.paymentIntents.update(id, { description: 'x' })).description).toBe('x');
  });

  it('date the charges of a payment back, declined or paid, and leave its events today', async () => {
    const before = Math.floor(Date.now() / 1000);
    const lastMonth = before - 30 * 86_400;
    const { id } = await open();
    await stripe.control('POST', `/test/payment_intents/${id}/charged_at`, { at: lastMonth });
    await refusal(sdk.paymentIntents.confirm(id, { payment_method: 'pm_card_chargeDeclined' }));
    await sdk.paymentIntents.confirm(id, {
      payment_method: 'pm_card_visa',
      return_url: 'https://encore.example/',
    });
    const { data: charges } = await sdk.charges.list({ payment_intent: id });
    expect(charges.map(({ status, created }) => [status, created])).toEqual([
      ['succeeded', lastMonth],
      ['failed', lastMonth],
    ]);
    const { data: events } = await sdk.events.list({ created: { gte: before }, types: ['charge.succeeded'] });
    expect(events.some(({ data }) => (data.object as Stripe.Charge).payment_intent === id)).toBe(true);
    const ahead = stripe.control('POST', `/test/payment_intents/${id}/charged_at`, { at: before + 86_400 });
    await expect(ahead).rejects.toThrow(/future/);
  });

  it('succeed late on a canceled and on a declined payment, twice on a paid one, and with a wrong amount', async () => {
    const canceled = await open();
    await sdk.paymentIntents.cancel(canceled.id);
    await stripe.control('POST', `/test/payment_intents/${canceled.id}/late_success`);
    expect(shaped(await sdk.paymentIntents.retrieve(canceled.id)).status).toBe('succeeded');
    const declined = await open();
    await refusal(sdk.paymentIntents.confirm(declined.id, { payment_method: 'pm_card_chargeDeclined' }));
    await stripe.control('POST', `/test/payment_intents/${declined.id}/late_success`, {
      amount: 999,
      currency: 'eur',
    });
    expect(await sdk.paymentIntents.retrieve(declined.id)).toMatchObject({
      amount_received: 999,
      currency: 'eur',
      status: 'succeeded',
    });
    const paid = await pay();
    await stripe.control('POST', `/test/payment_intents/${paid.id}/second_charge`);
    expect((await sdk.charges.list({ payment_intent: paid.id })).data.map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
    ]);
    const stray = await stripe.control('POST', '/test/payments', { amount: 1234 });
    expect(shaped(await sdk.paymentIntents.retrieve(String(stray.id)))).toMatchObject({
      metadata: {},
      amount_received: 1234,
    });
  });
});

describe('keys', () => {
  it('must be right, and a publishable key may do only what a browser does', async () => {
    expect(await refusal(sdkFor(stripe.port, 'sk_test_other').balance.retrieve())).toBeInstanceOf(
      Stripe.errors.StripeAuthenticationError,
    );
    const browser = sdkFor(stripe.port, PUBLISHABLE_KEY);
    expect((await refusal(browser.paymentIntents.list())).statusCode).toBe(403);
    expect((await refusal(browser.balance.retrieve())).statusCode).toBe(403);
    const answer = await fetch(`${stripe.url}/test/switches`, {
      headers: { authorization: `Bearer ${PUBLISHABLE_KEY}` },
    });
    expect(answer.status).toBe(401);
  });

  it('let a browser that holds the client secret read and confirm, and show it neither metadata nor charge', async () => {
    const browser = sdkFor(stripe.port, PUBLISHABLE_KEY);
    const intent = await open({ metadata: { paymentId: 'hidden' } });
    const secret = String(intent.client_secret);
    expect((await refusal(browser.paymentIntents.retrieve(intent.id))).param).toBe('client_secret');
    expect(
      (await refusal(browser.paymentIntents.retrieve(intent.id, { client_secret: `${secret}x` }))).statusCode,
    ).toBe(400);
    const seen = await browser.paymentIntents.retrieve(intent.id, { client_secret: secret });
    expect(seen.status).toBe('requires_payment_method');
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['metadata']));
    const paid = await browser.rawRequest('POST', `/v1/payment_intents/${intent.id}/confirm`, {
      client_secret: secret,
      payment_method_data: {
        type: 'card',
        card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
      },
    });
    expect(paid).toMatchObject({ status: 'succeeded' });
    expect(Object.keys(paid)).not.toEqual(expect.arrayContaining(['latest_charge']));
  });

  it('answer browsers of any origin, and serve them the script', async () => {
    const preflight = await fetch(`${stripe.url}/v1/payment_methods`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    for (const path of ['/v3/', '/v3/stripe.js']) {
      const script = await fetch(`${stripe.url}${path}`);
      expect(script.headers.get('content-type')).toContain('text/javascript');
      // A classic script: with an import or export in it, a browser would refuse all of it.
      expect(await script.text()).not.toMatch(/^\s*(import|export)\b/m);
    }
    const form = await fetch(`${stripe.url}/v3/elements/payment`);
    expect(form.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('of any other kind than test keys stop the start with one sentence', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stripe-'));
    const environments: Record<string, string>[] = [
      { STRIPE_SECRET_KEY: 'sk_live_x' },
      { STRIPE_PUBLISHABLE_KEY: 'pk_live_x' },
      { STRIPE_WEBHOOK_SECRET: '' },
    ];
    for (const env of environments) {
      const ended = await launch(['--port', '0', '--data', folder], env);
      if ('child' in ended) ended.child.kill('SIGKILL');
      expect(ended).toMatchObject({ code: 1 });
      expect('stderr' in ended && ended.stderr.trim().split('\n')).toHaveLength(1);
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('speak one API version, and know no routes but those Encore uses', async () => {
    const old = new Stripe(SECRET_KEY, {
      host: '127.0.0.1',
      port: stripe.port,
      protocol: 'http',
      telemetry: false,
      apiVersion: '2020-08-27' as never,
    });
    expect((await refusal(old.balance.retrieve())).statusCode).toBe(400);
    expect((await refusal(sdk.products.list())).statusCode).toBe(404);
  });
});
