/**
 * Connected accounts at the card provider's stand-in, driven with the provider's own SDK: accounts,
 * onboarding, bank accounts.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type Stripe from 'stripe';
import { openBrowser } from '#test/support/chromium';
import {
  CONNECT_WEBHOOK_SECRET,
  eventually,
  PUBLISHABLE_KEY,
  refusal,
  sdkFor,
  startStripe,
  WebhookEndpoint,
  type RunningStripe,
} from './stripe-process.js';
import { problemsOf, shaped } from './stripe-types.js';
import { ACCOUNT, addBank as addBankTo, asBank, bankToken as makeToken } from './stripe-world.js';

const platformEndpoint = new WebhookEndpoint();
const connectEndpoint = new WebhookEndpoint(CONNECT_WEBHOOK_SECRET);
let stripe: RunningStripe;
let sdk: Stripe;

beforeAll(async () => {
  await platformEndpoint.listen();
  await connectEndpoint.listen();
  stripe = await startStripe({ webhookUrl: platformEndpoint.url, connectWebhookUrl: connectEndpoint.url });
  sdk = stripe.sdk;
});
afterAll(async () => {
  await stripe.stop();
  await platformEndpoint.close();
  await connectEndpoint.close();
});

const open = (extra: Partial<Stripe.AccountCreateParams> = {}): Promise<Stripe.Account> =>
  sdk.accounts.create({ ...ACCOUNT, ...extra });

const bankToken = (
  number?: string,
  extra?: Partial<Stripe.TokenCreateParams.BankAccount>,
): Promise<Stripe.Token> => makeToken(sdk, number, extra);

const addBank = async (account: string, number?: string, isDefault?: boolean): Promise<Stripe.BankAccount> =>
  shaped(await addBankTo(sdk, account, number, isDefault));

const onboard = (account: string): Promise<unknown> =>
  stripe.control('POST', `/test/accounts/${account}/onboard`);
const eventTypes = async (account: string): Promise<string[]> =>
  (await sdk.events.list({ limit: 100 }, { stripeAccount: account })).data.map(({ type }) => type).reverse();

describe('a connected account', () => {
  it('is opened without a dashboard, owes every requirement, and may neither charge nor be paid out', async () => {
    const account = shaped(await open({ email: 'ada@example.com', metadata: { userId: 'u1' } }));
    expect(account).toMatchObject({
      payouts_enabled: false,
      charges_enabled: false,
      details_submitted: false,
      capabilities: { transfers: 'inactive' },
      controller: {
        losses: { payments: 'application' },
        requirement_collection: 'application',
        stripe_dashboard: { type: 'none' },
      },
      settings: { payouts: { schedule: { interval: 'manual' } } },
      metadata: { userId: 'u1' },
    });
    expect(account.requirements?.currently_due).toEqual(
      expect.arrayContaining(['external_account', 'tos_acceptance.date']),
    );
    expect(account.requirements?.disabled_reason).toBe('requirements.past_due');
  });

  it('may be paid out once its holder has told all and it has a bank account, in either order', async () => {
    for (const steps of [
      [onboard, addBank],
      [addBank, onboard],
    ]) {
      const { id } = await open();
      await steps[0]?.(id);
      expect(shaped(await sdk.accounts.retrieve(id)).payouts_enabled).toBe(false);
      await steps[1]?.(id);
      const ready = shaped(await sdk.accounts.retrieve(id));
      expect(ready).toMatchObject({
        payouts_enabled: true,
        charges_enabled: true,
        details_submitted: true,
        capabilities: { transfers: 'active' },
        requirements: { currently_due: [], disabled_reason: null },
      });
    }
  });

  it('is read, changed, listed by time and deleted', async () => {
    const { id, created } = await open({ metadata: { a: '1', b: '2' } });
    const changed = shaped(
      await sdk.accounts.update(id, {
        metadata: { a: '' },
        business_profile: { product_description: 'Tips' },
      }),
    );
    expect(changed).toMatchObject({
      metadata: { b: '2' },
      business_profile: { product_description: 'Tips' },
    });
    const ids = async (range: Stripe.RangeQueryParam): Promise<string[]> =>
      (await sdk.accounts.list({ limit: 100, created: range })).data.map((each) => shaped(each).id);
    expect(await ids({ gte: Number(created) })).toContain(id);
    expect(await ids({ lt: Number(created) })).not.toContain(id);
    expect(shaped(await sdk.accounts.retrieveCurrent({}, { stripeAccount: id })).id).toBe(id);
    expect(await sdk.accounts.del(id)).toMatchObject({ id, deleted: true });
    expect(await refusal(sdk.accounts.retrieve(id))).toMatchObject({
      statusCode: 403,
      code: 'account_invalid',
    });
  });

  it('is opened once for one key', async () => {
    const idempotencyKey = randomUUID();
    const [first, again] = [
      await sdk.accounts.create(ACCOUNT, { idempotencyKey }),
      await sdk.accounts.create(ACCOUNT, { idempotencyKey }),
    ];
    expect(again.id).toBe(first.id);
    expect(
      (await refusal(sdk.accounts.create({ ...ACCOUNT, email: 'other@example.com' }, { idempotencyKey })))
        .type,
    ).toBe('StripeIdempotencyError');
  });

  it.each<[string, Stripe.AccountCreateParams, string]>([
    ['of an old type', { type: 'custom' }, 'type'],
    [
      'with the provider liable',
      { controller: { ...ACCOUNT.controller, losses: { payments: 'stripe' } } },
      'controller[losses][payments]',
    ],
    ['without capabilities', { capabilities: {} }, 'capabilities'],
    ['that is paid out by itself', { settings: {} }, 'settings[payouts][schedule][interval]'],
  ])('is refused %s', async (_what, extra, param) => {
    expect(await refusal(open(extra))).toMatchObject({ statusCode: 400, param });
  });

  it('can be held back, and then is not paid out until it is let go', async () => {
    const { id } = await open();
    await onboard(id);
    await addBank(id);
    await stripe.control('POST', `/test/accounts/${id}/restrict`, { restricted: true });
    expect(shaped(await sdk.accounts.retrieve(id))).toMatchObject({
      payouts_enabled: false,
      requirements: { disabled_reason: 'under_review' },
    });
    await stripe.control('POST', `/test/accounts/${id}/restrict`, { restricted: false });
    expect((await sdk.accounts.retrieve(id)).payouts_enabled).toBe(true);
  });

  it('has objects of its own: the platform’s calls do not see them, and another account’s neither', async () => {
    const [one, other] = [await open(), await open()];
    await addBank(one.id);
    expect(await eventTypes(one.id)).toContain('account.external_account.created');
    expect(await eventTypes(other.id)).toEqual([]);
    const { data } = await sdk.events.list({ limit: 100 });
    expect(data.filter(({ account }) => account !== undefined)).toEqual([]);
    const none = await refusal(sdk.balance.retrieve({}, { stripeAccount: 'acct_none' }));
    expect(none).toMatchObject({ statusCode: 403, code: 'account_invalid' });
    const direct = sdk.paymentIntents.create({ amount: 500, currency: 'usd' }, { stripeAccount: one.id });
    expect(await refusal(direct)).toMatchObject({ statusCode: 400 });
  });
});

describe('hosted onboarding', () => {
  const link = (account: string): Promise<Stripe.AccountLink> =>
    sdk.accountLinks.create({
      account,
      type: 'account_onboarding',
      refresh_url: 'https://app.example/bank-accounts?again=1',
      return_url: 'https://app.example/bank-accounts?done=1',
    });
  const reachable = (url: string): URL => {
    const found = new URL(url);
    found.hostname = '127.0.0.1';
    return found;
  };
  const answer = async (url: URL, outcome: string): Promise<[number, string | null]> => {
    const reply = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ outcome }),
      redirect: 'manual',
    });
    return [reply.status, reply.headers.get('location')];
  };

  it('says what is missing, takes the agreement and brings the holder back', async () => {
    const { id } = await open();
    const url = reachable(shaped(await link(id)).url);
    const shown = await fetch(url);
    expect(shown.headers.get('content-security-policy')).toContain('https://app.example');
    expect(await shown.text()).toContain('individual.ssn_last_4');
    expect(await answer(url, 'succeed')).toEqual([303, 'https://app.example/bank-accounts?done=1']);
    expect(shaped(await sdk.accounts.retrieve(id))).toMatchObject({
      details_submitted: true,
      requirements: { currently_due: ['external_account'] },
    });
  });

  it('may be left unfinished, which changes nothing but where the holder is', async () => {
    const { id } = await open();
    const url = reachable((await link(id)).url);
    await fetch(url);
    expect(await answer(url, 'fail')).toEqual([303, 'https://app.example/bank-accounts?done=1']);
    expect((await sdk.accounts.retrieve(id)).details_submitted).toBe(false);
  });

  it('opens once by one link: the second time the application is asked for another', async () => {
    const url = reachable((await link((await open()).id)).url);
    expect((await fetch(url)).status).toBe(200);
    const again = await fetch(url, { redirect: 'manual' });
    expect([again.status, again.headers.get('location')]).toEqual([
      303,
      'https://app.example/bank-accounts?again=1',
    ]);
  });

  it('brings a browser back to the application, whose address the page’s policy allows', async () => {
    const { id } = await open();
    const application = createServer((request, response) => response.end(`You are at ${request.url}`));
    await new Promise<void>((done) => application.listen(0, '127.0.0.1', done));
    const address = application.address();
    const origin = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`;
    const browser = await openBrowser();
    try {
      const { url } = await sdk.accountLinks.create({
        account: id,
        type: 'account_onboarding',
        refresh_url: `${origin}/again`,
        return_url: `${origin}/done`,
      });
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('You are at /done').waitFor();
      expect((await sdk.accounts.retrieve(id)).details_submitted).toBe(true);
    } finally {
      await browser.close();
      await new Promise((done) => application.close(done));
    }
  });

  it('is refused for no account and without a way back', async () => {
    expect((await refusal(link('acct_none'))).code).toBe('account_invalid');
    const { id } = await open();
    const nowhere = sdk.accountLinks.create({
      account: id,
      type: 'account_onboarding',
      refresh_url: 'https://app.example/',
    });
    expect(await refusal(nowhere)).toMatchObject({ statusCode: 400, param: 'return_url' });
  });
});

describe('bank accounts', () => {
  it('come from a token that works once; the number is nowhere, and the same number has the same fingerprint', async () => {
    const { id } = await open();
    const token = shaped(await bankToken());
    expect(token).toMatchObject({
      type: 'bank_account',
      used: false,
      bank_account: {
        last4: '6789',
        routing_number: '110000000',
        bank_name: 'STRIPE TEST BANK',
        status: 'new',
      },
    });
    const bank = shaped(asBank(await sdk.accounts.createExternalAccount(id, { external_account: token.id })));
    expect(bank).toMatchObject({
      account: id,
      default_for_currency: true,
      status: 'new',
      account_holder_name: 'Ada Lovelace',
    });
    expect(shaped(await sdk.tokens.retrieve(token.id)).used).toBe(true);
    expect(
      await refusal(sdk.accounts.createExternalAccount(id, { external_account: token.id })),
    ).toMatchObject({
      statusCode: 400,
      code: 'token_already_used',
    });
    const [same, other] = [await bankToken(), await bankToken('000111111113')];
    expect([
      same.bank_account?.fingerprint === bank.fingerprint,
      other.bank_account?.fingerprint === bank.fingerprint,
    ]).toEqual([true, false]);
    expect(JSON.stringify([token, bank, await sdk.accounts.retrieve(id)])).not.toContain('000123456789');
  });

  it('are listed newest first; the first is the default until another is made it', async () => {
    const { id } = await open();
    const first = await addBank(id);
    const second = await addBank(id, '000111111116');
    expect(second.default_for_currency).toBe(false);
    const updated = asBank(
      await sdk.accounts.updateExternalAccount(id, second.id, {
        default_for_currency: true,
        metadata: { n: '2' },
      }),
    );
    expect(shaped(updated)).toMatchObject({ default_for_currency: true, metadata: { n: '2' } });
    const { data } = await sdk.accounts.listExternalAccounts(id, { object: 'bank_account' });
    expect(data.map((each) => [each.id, shaped(asBank(each)).default_for_currency])).toEqual([
      [second.id, true],
      [first.id, false],
    ]);
    const third = await addBank(id, '000222222227', true);
    const now = await Promise.all(
      [first, second, third].map(async (bank) => sdk.accounts.retrieveExternalAccount(id, bank.id)),
    );
    expect(now.map(({ default_for_currency }) => default_for_currency)).toEqual([false, false, true]);
    expect((await sdk.accounts.retrieve(id)).external_accounts?.data).toHaveLength(3);
  });

  it('can be deleted, but not the default one: the provider keeps one to pay to', async () => {
    const { id } = await open();
    await onboard(id);
    const [first, second] = [await addBank(id), await addBank(id, '000111111116')];
    expect((await refusal(sdk.accounts.deleteExternalAccount(id, first.id))).message).toContain('default');
    expect(await sdk.accounts.deleteExternalAccount(id, second.id)).toMatchObject({
      id: second.id,
      deleted: true,
    });
    expect((await refusal(sdk.accounts.retrieveExternalAccount(id, second.id))).statusCode).toBe(404);
    expect((await sdk.accounts.listExternalAccounts(id)).data.map((each) => each.id)).toEqual([first.id]);
  });

  it('that are found wrong stop payouts, and account.updated tells it', async () => {
    const { id } = await open();
    await onboard(id);
    const bank = await addBank(id);
    await stripe.control('POST', `/test/accounts/${id}/external_accounts/${bank.id}/status`, {
      status: 'errored',
    });
    expect(shaped(asBank(await sdk.accounts.retrieveExternalAccount(id, bank.id))).status).toBe('errored');
    expect((await sdk.accounts.retrieve(id)).payouts_enabled).toBe(false);
    await addBank(id, '000222222227');
    expect((await sdk.accounts.retrieve(id)).payouts_enabled).toBe(true);
  });

  it.each([
    ['a routing number with a wrong digit', { routing_number: '110000001' }, 'routing_number_invalid'],
    ['an empty routing number', { routing_number: '' }, 'parameter_invalid_empty'],
    ['a number with letters', { account_number: '00012345678X' }, 'account_number_invalid'],
    ['another currency', { currency: 'eur' }, undefined],
  ])('are refused with %s', async (_what, extra, code) => {
    expect(await refusal(bankToken(undefined, extra))).toMatchObject({ statusCode: 400, code });
  });

  it('can be made a token of by a browser, which can do no more', async () => {
    const browser = sdkFor(stripe.port, PUBLISHABLE_KEY);
    const token = await browser.tokens.create({
      bank_account: { country: 'US', routing_number: '021000021', account_number: '000123456789' },
    });
    expect(shaped(token).bank_account?.bank_name).toBe('JPMORGAN CHASE');
    expect((await refusal(browser.tokens.retrieve(token.id))).statusCode).toBe(403);
  });
});

describe('webhooks about connected accounts', () => {
  it('go to their own endpoint, with its secret and the account’s id, and the platform’s endpoint gets none of them', async () => {
    const { id } = await open();
    await addBank(id);
    await onboard(id);
    await eventually(
      () => connectEndpoint.received.filter(({ event }) => event.account === id).length >= 3,
      'the webhooks about the account',
    );
    const received = connectEndpoint.received
      .filter(({ event }) => event.account === id)
      .map(({ event }) => event);
    expect(new Set(received.map(({ type }) => type))).toEqual(
      new Set(['account.external_account.created', 'account.updated']),
    );
    for (const event of received) expect([event.type, problemsOf(event)]).toEqual([event.type, []]);
    expect(
      received.some(({ data: { object } }) => 'payouts_enabled' in object && object.payouts_enabled),
    ).toBe(true);
    expect(platformEndpoint.received.filter(({ event }) => event.account !== undefined)).toEqual([]);
    const [first] = received;
    expect(shaped(await sdk.events.retrieve(String(first?.id), {}, { stripeAccount: id })).account).toBe(id);
  });

  it('are kept over a restart, with the accounts and their order', async () => {
    const { id } = await open();
    const [first, second] = [await addBank(id), await addBank(id, '000111111113')];
    await stripe.kill('SIGKILL');
    stripe = await startStripe({
      folder: stripe.folder,
      webhookUrl: platformEndpoint.url,
      connectWebhookUrl: connectEndpoint.url,
    });
    sdk = stripe.sdk;
    expect((await sdk.accounts.listExternalAccounts(id)).data.map((each) => each.id)).toEqual([
      second.id,
      first.id,
    ]);
    expect((await bankToken()).bank_account?.fingerprint).toBe(first.fingerprint);
  });
});
