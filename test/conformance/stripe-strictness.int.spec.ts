/**
 * The card provider's stand-in refuses what the provider refuses, and says why with no code that the provider
 * does not have: a mistake that it let pass would be found in production.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Stripe from 'stripe';
import { eventually, refusal, SECRET_KEY, startStripe, type RunningStripe } from './stripe-process.js';
import { ACCOUNT } from './stripe-world.js';

let stripe: RunningStripe;
let sdk: Stripe;
beforeAll(async () => {
  stripe = await startStripe();
  sdk = stripe.sdk;
});
afterAll(() => stripe.stop());

const open = (extra: object = {}): Promise<Stripe.PaymentIntent> =>
  sdk.paymentIntents.create({
    amount: 2500,
    currency: 'usd',
    allowed_payment_method_types: ['card'],
    ...extra,
  });
const account = (extra: object): Promise<Stripe.Account> => sdk.accounts.create({ ...ACCOUNT, ...extra });

describe('what the provider refuses', () => {
  it.each<[string, () => Promise<unknown>, string, string | undefined]>([
    [
      'a statement descriptor on a card payment',
      () => open({ statement_descriptor: 'ENCORE' }),
      'statement_descriptor',
      undefined,
    ],
    [
      'off_session=maybe',
      () => open({ confirm: true, payment_method: 'pm_card_visa', off_session: 'maybe' }),
      'off_session',
      undefined,
    ],
    ['an empty customer', () => open({ customer: '' }), 'customer', 'parameter_invalid_empty'],
    ['an empty amount', () => open({ amount: '' }), 'amount', 'parameter_invalid_empty'],
    ['an empty choice', () => open({ capture_method: '' }), 'capture_method', 'parameter_invalid_empty'],
    ['a choice that is none', () => open({ capture_method: 'later' }), 'capture_method', undefined],
    ['the currency xyz', () => open({ currency: 'xyz' }), 'currency', undefined],
    [
      'an e-mail address without an @',
      () => sdk.customers.create({ email: 'foo' }),
      'email',
      'email_invalid',
    ],
    [
      'an unknown way to pay among the options',
      () => open({ payment_method_options: { cheque: { a: 1 } } }),
      'payment_method_options[cheque]',
      'parameter_unknown',
    ],
    [
      'an unknown option of a card',
      () => open({ payment_method_options: { card: { colour: 'red' } } }),
      'payment_method_options[card][colour]',
      'parameter_unknown',
    ],
    [
      'an unknown field of a person',
      () => account({ individual: { shoe_size: 44 } }),
      'individual[shoe_size]',
      'parameter_unknown',
    ],
    [
      'delay_days=abc',
      () => account({ settings: { payouts: { schedule: { interval: 'manual', delay_days: 'abc' } } } }),
      'settings[payouts][schedule][delay_days]',
      'parameter_invalid_integer',
    ],
    ['limit 0', () => sdk.charges.list({ limit: 0 }), 'limit', 'parameter_invalid_integer'],
    ['limit 101', () => sdk.charges.list({ limit: 101 }), 'limit', 'parameter_invalid_integer'],
    [
      'two ends of a page',
      () => sdk.charges.list({ starting_after: 'ch_a', ending_before: 'ch_b' }),
      'ending_before',
      'parameters_exclusive',
    ],
  ])('is refused for %s', async (_, call, param, code) => {
    const error = await refusal(call());
    expect({ status: error.statusCode, param: error.param, code: error.code }).toEqual({
      status: 400,
      param,
      code,
    });
  });

  it('is refused for an unknown field of an onboarding', async () => {
    const { id } = await account({});
    const link = { account: id, type: 'account_onboarding', return_url: 'https://a.example/' } as const;
    const error = await refusal(
      sdk.accountLinks.create({
        ...link,
        refresh_url: 'https://a.example/',
        collection_options: { fields: 'currently_due', shape: 'round' } as never,
      }),
    );
    expect(error).toMatchObject({ statusCode: 400, param: 'collection_options[shape]' });
  });

  it('is refused for another customer on an intent that has one', async () => {
    const [one, other] = await Promise.all([sdk.customers.create(), sdk.customers.create()]);
    const { id } = await open({ customer: one.id });
    expect(await refusal(sdk.paymentIntents.update(id, { customer: other.id }))).toMatchObject({
      statusCode: 400,
      param: 'customer',
    });
    expect((await sdk.paymentIntents.update(id, { customer: one.id })).customer).toBe(one.id);
  });

  it('is refused for a text that happens to be an id, where it is to be expanded', async () => {
    const customer = await sdk.customers.create();
    const { id } = await open({ metadata: { note: customer.id } });
    for (const path of ['metadata.note', 'description', 'status'])
      expect(await refusal(sdk.paymentIntents.retrieve(id, { expand: [path] }))).toMatchObject({
        statusCode: 400,
        param: 'expand',
      });
  });

  it('is refused for a body in JSON', async () => {
    const answer = await fetch(`http://127.0.0.1:${stripe.port}/v1/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada' }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('application/x-www-form-urlencoded');
  });

  it('has no code for another’s card, or for one that was taken off its customer', async () => {
    const [one, other] = await Promise.all([sdk.customers.create(), sdk.customers.create()]);
    const { id } = await sdk.paymentMethods.attach('pm_card_visa', { customer: one.id });
    const charge = (): Promise<unknown> =>
      open({ customer: other.id, payment_method: id, confirm: true, off_session: true });
    expect(await refusal(charge())).toMatchObject({
      statusCode: 400,
      code: undefined,
      param: 'payment_method',
    });
    await sdk.paymentMethods.detach(id);
    const gone = await refusal(charge());
    expect({ status: gone.statusCode, code: gone.code }).toEqual({ status: 400, code: undefined });
    expect(gone.message).toMatch(/was detached from a Customer/);
  });
});

it('unsets with an empty text what people read, and nothing else', async () => {
  const { id } = await sdk.customers.create({ name: 'Ada', email: 'ada@example.org' });
  expect(await sdk.customers.update(id, { name: '', email: '' })).toMatchObject({ name: null, email: null });
});

it('tells in the event of each update what was before', async () => {
  const { id } = await sdk.customers.create({ name: 'Ada', metadata: { a: '1', b: '2' } });
  await sdk.customers.update(id, { name: 'Ada L.', metadata: { b: '3' } });
  const told = await eventually(async () => {
    const { data } = await sdk.events.list({ type: 'customer.updated', limit: 100 });
    return data.find(({ data: { object } }) => 'id' in object && object.id === id);
  }, 'the event');
  expect(told.data.previous_attributes).toEqual({ name: 'Ada', metadata: { b: '2' } });
});

it('uses no error code that the provider does not have', async () => {
  const types = await readFile('node_modules/stripe/esm/resources/PaymentIntents.d.ts', 'utf8');
  const from = types.indexOf("'parameter_invalid_empty'");
  const union = types.slice(types.lastIndexOf('=', from), types.indexOf(';', from));
  const theirs = new Set([...union.matchAll(/'([a-z_0-9]+)'/g)].map(([, code]) => code));
  expect(theirs.size).toBeGreaterThan(100);
  const folder = 'local/stand-ins/stripe';
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('browser/'),
  );
  const used = new Set<string>();
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, code] of text.matchAll(/\bcode: '([a-z_]+)'/g)) used.add(code!);
    for (const [, code] of text.matchAll(
      /(?:invalidParameter|wrongState)\((?:[^()]|\([^()]*\))*?'([a-z]+(?:_[a-z]+)+)',?\s*\)/g,
    ))
      used.add(code!);
  }
  expect(used.size).toBeGreaterThan(10);
  expect([...used].filter((code) => !theirs.has(code))).toEqual([]);
});
