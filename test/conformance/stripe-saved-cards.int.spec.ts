/**
 * Saved cards at the card provider's stand-in: set up with and without a payment, charged in the payer's
 * absence, refused.
 */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import Stripe from 'stripe';
import { openBrowser } from '#test/support/chromium';
import { PUBLISHABLE_KEY, refusal, startStripe, type RunningStripe } from './stripe-process.js';
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

const saved = async (token: string): Promise<{ customer: string; payment_method: string }> => {
  const { id: customer } = await sdk.customers.create();
  const { id } = await sdk.paymentMethods.attach(token, { customer });
  return { customer, payment_method: id };
};

const chargeAbsent = (card: { customer: string; payment_method: string }): Promise<Stripe.PaymentIntent> =>
  sdk.paymentIntents.create({
    ...card,
    amount: 1200,
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    off_session: true,
    confirm: true,
  });

const setUp = async (card: { customer: string; payment_method: string }): Promise<Stripe.SetupIntent> => {
  const setup = await sdk.setupIntents.create({
    ...card,
    allowed_payment_method_types: ['card'],
    confirm: true,
  });
  if (setup.status === 'requires_action')
    await stripe.control('POST', `/test/setup_intents/${setup.id}/action`, { outcome: 'succeed' });
  return shaped(await sdk.setupIntents.retrieve(setup.id));
};

const declineNext = (method: string, body: object): Promise<unknown> =>
  stripe.control('POST', `/test/payment_methods/${method}/decline_next`, body);

describe('a charge in the payer’s absence', () => {
  it('succeeds with card 4242, saved by a setup', async () => {
    const card = await saved('pm_card_visa');
    expect((await setUp(card)).status).toBe('succeeded');
    expect(shaped(await chargeAbsent(card))).toMatchObject({ status: 'succeeded', ...card });
  });

  it.each([
    ['0341', 'pm_card_chargeCustomerFail', 'card_declined', 'generic_decline'],
    [
      '3178',
      'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
      'card_declined',
      'insufficient_funds',
    ],
    ['3184', 'pm_card_authenticationRequired', 'authentication_required', 'authentication_required'],
  ])(
    'is refused with card %s though it could be set up, and the error names intent and card',
    async (_digits, token, code, decline_code) => {
      const card = await saved(token);
      expect((await setUp(card)).status).toBe('succeeded');
      const error = await refusal(chargeAbsent(card));
      expect(error).toBeInstanceOf(Stripe.errors.StripeCardError);
      expect(error).toMatchObject({
        statusCode: 402,
        code,
        decline_code,
        payment_method: { id: card.payment_method },
      });
      const intent = shaped(await sdk.paymentIntents.retrieve(String(error.payment_intent?.id)));
      expect(intent).toMatchObject({
        status: 'requires_payment_method',
        last_payment_error: { code, decline_code },
      });
      expect(shaped(await sdk.charges.retrieve(String(intent.latest_charge)))).toMatchObject({
        paid: false,
        failure_code: code,
      });
    },
  );

  it('that needs authentication is confirmed later by the payer on the same intent', async () => {
    const card = await saved('pm_card_authenticationRequired');
    const error = await refusal(chargeAbsent(card));
    const id = String(error.payment_intent?.id);
    const waiting = shaped(await sdk.paymentIntents.confirm(id, { payment_method: card.payment_method }));
    expect(waiting.status).toBe('requires_action');
    await stripe.control('POST', `/test/payment_intents/${id}/action`, { outcome: 'succeed' });
    expect(shaped(await sdk.paymentIntents.retrieve(id))).toMatchObject({
      status: 'succeeded',
      last_payment_error: null,
    });
    // Always asks, however often it has been answered.
    expect((await refusal(chargeAbsent(card))).code).toBe('authentication_required');
  });

  it.each([
    ['9995', 'pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['0002', 'pm_card_chargeDeclined', 'generic_decline'],
  ])(
    'cannot come to pass with card %s: it is refused already when it is to be saved',
    async (_digits, token, decline_code) => {
      expect(await refusal(saved(token))).toMatchObject({
        statusCode: 402,
        code: 'card_declined',
        decline_code,
      });
    },
  );
});

describe('a saved card', () => {
  it.each([
    ['insufficient_funds', 'card_declined'],
    ['generic_decline', 'card_declined'],
    ['expired_card', 'expired_card'],
    ['authentication_required', 'authentication_required'],
  ])(
    'has its next charge refused with %s when a suite says so, and the one after it goes through',
    async (decline, code) => {
      const card = await saved('pm_card_visa');
      await declineNext(card.payment_method, { decline });
      expect(await refusal(chargeAbsent(card))).toMatchObject({
        statusCode: 402,
        code,
        decline_code: decline,
      });
      expect((await chargeAbsent(card)).status).toBe('succeeded');
    },
  );

  it('is refused as often as told, in the order told, and asks a payer who is there to authenticate', async () => {
    const card = await saved('pm_card_visa');
    await declineNext(card.payment_method, { decline: 'insufficient_funds', times: 2 });
    await declineNext(card.payment_method, { decline: 'authentication_required' });
    for (let n = 0; n < 2; n += 1)
      expect((await refusal(chargeAbsent(card))).decline_code).toBe('insufficient_funds');
    const present = await sdk.paymentIntents.create({
      ...card,
      amount: 1200,
      currency: 'usd',
      allowed_payment_method_types: ['card'],
      confirm: true,
    });
    expect(present.status).toBe('requires_action');
    await stripe.control('POST', `/test/payment_intents/${present.id}/action`, { outcome: 'succeed' });
    expect((await sdk.paymentIntents.retrieve(present.id)).status).toBe('succeeded');
  });

  it('is used in the payer’s absence no more once it is detached', async () => {
    const card = await saved('pm_card_visa');
    expect(shaped(await sdk.customers.retrievePaymentMethod(card.customer, card.payment_method)).id).toBe(
      card.payment_method,
    );
    await sdk.paymentMethods.detach(card.payment_method);
    expect((await refusal(chargeAbsent(card))).message).toContain('may not be used again');
    expect((await sdk.customers.listPaymentMethods(card.customer)).data).toEqual([]);
  });
});

describe('the payment form of a browser', () => {
  let browser: Browser;
  let shop: Server;
  let origin: string;

  beforeAll(async () => {
    browser = await openBrowser();
    shop = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>A shop</title><div id="form"></div><output></output><script src="http://localhost:${stripe.port}/v3/"></script>` +
          `<script>
             const clientSecret = new URLSearchParams(location.search).get('secret');
             const stripe = Stripe('${PUBLISHABLE_KEY}');
             const elements = stripe.elements({ clientSecret });
             elements.create('payment').mount('#form');
             window.goOn = () => stripe.handleNextAction({ clientSecret }).catch((error) => ({ thrown: error.message }));
             window.confirmIt = () => stripe.confirmSetup({ elements, redirect: 'if_required', confirmParams: { return_url: location.href } });
           </script>`,
      );
    });
    await new Promise<void>((done) => shop.listen(0, '127.0.0.1', done));
    const address = shop.address();
    origin = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`;
  });
  afterAll(async () => {
    await browser.close();
    await new Promise((done) => shop.close(done));
  });

  async function enter(setup: Stripe.SetupIntent, number: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${origin}/?secret=${String(setup.client_secret)}`);
    const form = page.frameLocator('iframe');
    await form.getByLabel('Card number').fill(number);
    await form.getByLabel('Expiration date').fill('1240');
    await form.getByLabel('Security code').fill('123');
    await form.getByLabel('ZIP').fill('12345');
    return page;
  }

  const confirmIn = (page: Page): Promise<unknown> => page.evaluate('window.confirmIt()');

  it('saves a card without a payment', async () => {
    const { id: customer } = await sdk.customers.create();
    const setup = await sdk.setupIntents.create({ customer, allowed_payment_method_types: ['card'] });
    const page = await enter(setup, '4242424242424242');
    expect(await confirmIn(page)).toMatchObject({ setupIntent: { id: setup.id, status: 'succeeded' } });
    const [card] = (await sdk.paymentMethods.list({ customer, type: 'card' })).data;
    expect(card?.card).toMatchObject({ last4: '4242', exp_month: 12, exp_year: 2040 });
    expect((await chargeAbsent({ customer, payment_method: String(card?.id) })).status).toBe('succeeded');
    await page.close();
  });

  it.each([
    ['Complete', { paymentIntent: { status: 'succeeded' } }],
    ['Fail', { error: { code: 'payment_intent_authentication_failure' } }],
  ])('asks what the bank wants of a payment that a server confirmed: %s', async (name, outcome) => {
    const card = await saved('pm_card_authenticationRequired');
    const id = String((await refusal(chargeAbsent(card))).payment_intent?.id);
    const { payment_method } = card;
    const asking = await sdk.paymentIntents.confirm(id, {
      payment_method,
      off_session: false,
      use_stripe_sdk: true,
    });
    expect(asking.next_action?.type).toBe('use_stripe_sdk');
    const page = await browser.newPage();
    await page.goto(`${origin}/?secret=${String(asking.client_secret)}`);
    const goOn = (): Promise<unknown> => page.evaluate('window.goOn()');
    const ended = goOn();
    await page.frameLocator('dialog iframe').getByRole('button', { name }).click();
    expect(await ended).toMatchObject(outcome);
    // As the SDK has it: it throws where nothing is to be done.
    expect(await goOn()).toEqual({ thrown: expect.stringContaining('requires_action') });
    await page.close();
  });

  it('shows the bank’s question first where there is one, and the issuer’s no at the number', async () => {
    const { id: customer } = await sdk.customers.create();
    const asked = await sdk.setupIntents.create({ customer, allowed_payment_method_types: ['card'] });
    const page = await enter(asked, '4000002500003155');
    const confirmed = confirmIn(page);
    await page.frameLocator('dialog iframe').getByRole('button', { name: 'Complete' }).click();
    expect(await confirmed).toMatchObject({ setupIntent: { status: 'succeeded' } });
    await page.close();
    const declined = await sdk.setupIntents.create({ customer, allowed_payment_method_types: ['card'] });
    const other = await enter(declined, '4000000000000002');
    expect(await confirmIn(other)).toMatchObject({
      error: { code: 'card_declined', setup_intent: { id: declined.id } },
    });
    await other.frameLocator('iframe').getByText('Your card was declined.').waitFor();
    await other.close();
  });
});

describe('an answer', () => {
  it('is judged by the types of the SDK: what is missing, unknown, of another type or value', async () => {
    const balance = JSON.parse(JSON.stringify(await sdk.balance.retrieve())) as { available: object[] };
    expect(problemsOf(balance)).toEqual([]);
    const { available, ...rest } = balance;
    expect(problemsOf(rest)).toEqual(['balance must have available']);
    expect(problemsOf({ ...balance, colour: 'red' })).toEqual(['balance must not have colour']);
    expect(problemsOf({ ...balance, livemode: 'no' })).toEqual(['balance/livemode must be boolean']);
    expect(problemsOf({ ...balance, available: [{ ...available[0], amount: 0.5 }] })).toEqual([
      'balance/available/0/amount must be integer',
    ]);
    const customer = JSON.parse(JSON.stringify(await sdk.customers.create())) as object;
    expect(problemsOf(customer)).toEqual([]);
    expect(problemsOf({ ...customer, tax_exempt: 'sometimes' })).not.toEqual([]);
    expect(problemsOf({ object: 'moon' })).toEqual(['no type is known for moon']);
  });
});
