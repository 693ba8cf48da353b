/**
 * Every field of every answer that is read, missing and of another kind (in `make prove` of every kind):
 * whoever asked is told that it cannot be read, or goes without the field. Nothing breaks over it, and
 * nothing is taken for something else.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { CardProvider } from '#ledger/stripe/card-provider';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { PayoutProvider } from '#ledger/stripe/payout-provider';
import { ProviderBalance } from '#ledger/stripe/provider-balance';
import { StripeHistory } from '#ledger/stripe/provider-history';
import { SealedObjects } from '#ledger/stripe/sealed-objects';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import { SavedCards } from '#ledger/stripe/saved-cards';
import { Unavailable } from '#ledger/rejection';
import {
  CONNECT_WEBHOOK_SECRET,
  SECRET_KEY,
  startStripe,
  WEBHOOK_SECRET,
  type RunningStripe,
} from '#test/conformance/stripe-process';
import { readyAccount } from '#test/conformance/stripe-world';
import { sampled } from '#test/support/sample';

let stripe: RunningStripe;
let cards: CardProvider;
let saved: SavedCards;
let payouts: PayoutProvider;
let balance: ProviderBalance;
let intentId: string;
let chargeId: string;
let disputedIntent: string;
let customerId: string;
let account: string;
let payoutId: string;
let transferId: string;

beforeAll(async () => {
  stripe = await startStripe();
  const access = { secretKey: SECRET_KEY, apiUrl: stripe.url };
  const seal = new OwnershipSeal(Buffer.alloc(32), () => 'led_spec');
  const publicUrl = 'https://encore.example';
  cards = new CardProvider({ ...access, webhookSecrets: { current: WEBHOOK_SECRET }, seal, publicUrl });
  saved = new SavedCards({ ...access, seal });
  balance = new ProviderBalance(access, seal);
  payouts = new PayoutProvider({ ...access, webhookSecrets: { current: CONNECT_WEBHOOK_SECRET }, seal });
  const { sdk, control } = stripe;
  await control('POST', '/test/balance/top_up', { amount: 1_000_000 });
  const stray = async (): Promise<Stripe.PaymentIntent> =>
    sdk.paymentIntents.retrieve(String((await control('POST', '/test/payments', { amount: 2_000 })).id));
  const chargeOf = ({ latest_charge }: Stripe.PaymentIntent): string => String(latest_charge);
  const paid = await stray();
  intentId = paid.id;
  chargeId = chargeOf(paid);
  await sdk.refunds.create({ charge: chargeId, amount: 500 });
  const disputed = await stray();
  disputedIntent = disputed.id;
  await control('POST', `/test/charges/${chargeOf(disputed)}/dispute`, {});
  customerId = (await sdk.customers.create()).id;
  await sdk.paymentMethods.attach('pm_card_visa', { customer: customerId });
  const ready = await readyAccount(stripe);
  account = ready.account;
  const transfer = await sdk.transfers.create({ amount: 4_000, currency: 'usd', destination: account });
  transferId = transfer.id;
  const payout = await sdk.payouts.create(
    { amount: 2_000, currency: 'usd', destination: ready.bank },
    { stripeAccount: account },
  );
  payoutId = payout.id;
});
afterAll(() => stripe.stop());
afterEach(() => stripe.control('DELETE', '/test/switches'));

const HOSTILE: readonly unknown[] = [null, 1e300, 'constructor', 'a\0b', {}];
/** What the field of this number is set to. */
const hostile = (at: number): readonly unknown[] => sampled(HOSTILE, [HOSTILE[at % HOSTILE.length]]);

type Json = Record<string, unknown>;
/** Every place of an answer, of a list's first item too. */
function placesOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Json).flatMap(([name, inner]) => {
    if (!/^[\w*]+$/.test(name) || (Array.isArray(value) && name !== '0')) return [];
    const place = `${prefix}${name}`;
    return [place, ...placesOf(inner, `${place}.`)];
  });
}
async function raw(path: string, onAccount?: string): Promise<Json> {
  const headers = {
    authorization: `Bearer ${SECRET_KEY}`,
    ...(onAccount && { 'stripe-account': onAccount }),
  };
  return (await fetch(`${stripe.url}${path}`, { headers })).json() as Promise<Json>;
}

const AT_A_TIME = 100;
/**
 * Spoils each place of one answer in each way; answers what came of it that is neither right nor a clear no.
 */
async function surprises(route: string, answer: Json, ask: () => Promise<unknown>): Promise<string[]> {
  // What the SDK itself needs to turn pages is no field of ours; what nobody reads is left out.
  const places = placesOf(answer).filter(
    (place) =>
      !/^(has_more|url|object|data\.0\.object)$/.test(place) &&
      !/details|settings\.|address|evidence\.|controller|capabilities|future_|profile|acceptance|checks/.test(
        place,
      ),
  );
  expect(places.length).toBeGreaterThan(3);
  const changes = places.flatMap((place, at): object[] => [
    { without: [place] },
    ...(/metadata|description/.test(place) ? [] : hostile(at).map((value) => ({ set: { [place]: value } }))),
  ]);
  const found: string[] = [];
  for (let from = 0; from < changes.length; from += AT_A_TIME) {
    const some = changes.slice(from, from + AT_A_TIME);
    // Each is used up by one answer, in this order.
    const faults = some.map((change) => ({ route, when: 'after', what: 'answer', times: 1, answer: change }));
    await stripe.control('POST', '/test/switches', { faults });
    for (const change of some) {
      const what = JSON.stringify(change);
      try {
        if (JSON.stringify(await ask())?.includes('\\u0000')) found.push(`${what}: a zero byte went through`);
      } catch (error) {
        if (!(error instanceof Unavailable || error instanceof ProviderRefused))
          found.push(`${what}: ${String(error)}`);
      }
    }
    const { faults: left } = await stripe.control('GET', '/test/switches');
    expect(left).toEqual([]);
  }
  return found;
}

describe('an answer that is not as its description says', () => {
  it('breaks nothing where a payment is read', async () => {
    const read = () => cards.payment(intentId, 'all-charges');
    const [intent, charges] = await Promise.all([
      raw(`/v1/payment_intents/${intentId}?expand[]=latest_charge.balance_transaction`),
      raw(`/v1/charges?payment_intent=${intentId}&expand[]=data.balance_transaction&expand[]=data.refunds`),
    ]);
    const latest = () => cards.payment(intentId, 'latest-charge');
    expect(await surprises('GET /v1/payment_intents/:id', intent, latest)).toEqual([]);
    expect(await surprises('GET /v1/charges', charges, read)).toEqual([]);
  });

  it('breaks nothing where a dispute is read', async () => {
    const disputes = await raw(`/v1/disputes?payment_intent=${disputedIntent}`);
    const read = () => cards.payment(disputedIntent, 'latest-charge');
    expect(await surprises('GET /v1/disputes', disputes, read)).toEqual([]);
  });

  it('breaks nothing where a charge is to go back', async () => {
    // All of it has gone, so that nothing more is given back here.
    await stripe.sdk.refunds.create({ charge: chargeId });
    const charge = await raw(`/v1/charges/${chargeId}`);
    const rest = () => cards.refundRest(chargeId, 0);
    expect(await surprises('GET /v1/charges/:id', charge, rest)).toEqual([]);
    const refunds = await raw(`/v1/refunds?charge=${chargeId}`);
    expect(await surprises('GET /v1/refunds', refunds, rest)).toEqual([]);
  });

  it('breaks nothing where saved cards are read', async () => {
    const read = () => saved.of(customerId);
    const without = (await stripe.sdk.customers.create()).id;
    const customer = await raw(`/v1/customers/${without}`);
    const methods = await raw(`/v1/payment_methods?customer=${customerId}&type=card&expand[]=data.customer`);
    const owner = () => saved.withOwner(without);
    expect(await surprises('GET /v1/customers/:id', customer, owner)).toEqual([]);
    expect(await surprises('GET /v1/payment_methods', methods, read)).toEqual([]);
  });

  it('breaks nothing where an account, a payout or a transfer is read', async () => {
    const banks = await raw(`/v1/accounts/${account}/external_accounts?object=bank_account`);
    const standing = () => payouts.standing(account);
    expect(await surprises('GET /v1/accounts/:id', await raw(`/v1/accounts/${account}`), standing)).toEqual(
      [],
    );
    expect(await surprises('GET /v1/accounts/:id/external_accounts', banks, standing)).toEqual([]);
    const payout = await raw(`/v1/payouts/${payoutId}`, account);
    const read = () => payouts.payout(account, payoutId);
    expect(await surprises('GET /v1/payouts/:id', payout, read)).toEqual([]);
    const transfers = await raw('/v1/transfers');
    const listed = () => payouts.transferredBetween(new Date(0), new Date(Date.now() + 60_000));
    expect(await surprises('GET /v1/transfers', transfers, listed)).toEqual([]);
    expect(transferId).toMatch(/^tr_/);
  });

  it('tells the movements of the balance from those of what the provider holds in reserve', async () => {
    const sum = async (): Promise<readonly [number, number | undefined]> => {
      let moved = 0;
      for await (const { netMinor } of balance.all()) moved += netMinor;
      return [moved, (await balance.total()).get('usd')];
    };
    await stripe.control('POST', '/test/balance/reserve', { amount: 30_000 });
    const [moved, shown] = await sum();
    expect(moved).toBe(shown);
    await stripe.control('POST', '/test/balance/reserve', { amount: -30_000 });
    expect(await sum()).toEqual([moved + 30_000, moved + 30_000]);
  });

  it('breaks nothing where the balance and its movements are read', async () => {
    const page = () => balance.page({});
    const movements = await raw('/v1/balance_transactions?limit=100&expand[]=data.source');
    expect(await surprises('GET /v1/balance_transactions', movements, page)).toEqual([]);
    const total = async () => [...(await balance.total())];
    expect(await surprises('GET /v1/balance', await raw('/v1/balance'), total)).toEqual([]);
  });

  it('is not taken for a no: a user whose payouts are not told of is neither on nor off', async () => {
    const answer = { without: ['payouts_enabled'] };
    const fault = { route: 'GET /v1/accounts/:id', when: 'after', what: 'answer', times: 1, answer };
    await stripe.control('POST', '/test/switches', { faults: [fault] });
    await expect(payouts.standing(account)).rejects.toMatchObject({
      name: 'UnreadableAnswer',
      field: 'payouts_enabled',
    });
  });
});

/** Of the named lists, the newest object as nobody can read it. */
const unreadableFirst = (routes: readonly string[], place: string) =>
  stripe.control('POST', '/test/switches', {
    faults: routes.map((route) => ({
      route,
      when: 'after',
      what: 'answer',
      times: 1,
      answer: { set: { [`data.0.${place}`]: null } },
    })),
  });

describe('one object of a list that cannot be read', () => {
  const since = new Date(0);
  const idsIn = (listed: unknown): Set<string> =>
    new Set(JSON.stringify(listed).match(/"(?:pi|ch|re|dp|tr|po|cus|acct)_\w+"/g));
  const access = () => ({ secretKey: SECRET_KEY, apiUrl: stripe.url });
  const seal = new OwnershipSeal(Buffer.alloc(32), () => 'led_spec');
  const history = () => new StripeHistory({ ...access(), seal });
  beforeAll(async () => {
    const { id } = await stripe.sdk.paymentIntents.create({ amount: 900, currency: 'usd' });
    await stripe.sdk.paymentIntents.cancel(id);
  });

  it.each([
    ['payment_intent', 'GET /v1/payment_intents', 'amount', 'payments'],
    ['charge', 'GET /v1/charges', 'amount', 'payments'],
    ['refund', 'GET /v1/refunds', 'created', 'payments'],
    ['dispute', 'GET /v1/disputes', 'balance_transactions', 'payments'],
    ['event', 'GET /v1/events', 'data', 'payments'],
    ['balance_transaction', 'GET /v1/balance_transactions', 'net', 'payments'],
    ['transfer', 'GET /v1/transfers', 'reversed', 'transfers'],
    ['listed', 'GET /v1/accounts', 'id', 'accounts'],
    ['listed', 'GET /v1/customers', 'id', 'customers'],
  ] as const)(
    'keeps nothing else out of a recovery, which names it: %s',
    async (kind, route, place, list) => {
      const before = idsIn(await history()[list](since));
      await unreadableFirst([route], place);
      const spoiled = history();
      const after = idsIn(await spoiled[list](since));
      expect(before.size - after.size).toBeLessThanOrEqual(2);
      expect(spoiled.unreadable()).toMatchObject([{ kind, field: place }]);
    },
  );

  it('keeps no payout out of a recovery, and an account that is gone none of the others', async () => {
    const { account: other, bank } = await readyAccount(stripe);
    await stripe.sdk.transfers.create({ amount: 1_000, currency: 'usd', destination: other });
    const sent = await stripe.sdk.payouts.create(
      { amount: 1_000, currency: 'usd', destination: bank },
      { stripeAccount: other },
    );
    const gone = (await readyAccount(stripe)).account;
    await stripe.sdk.accounts.del(gone);
    await unreadableFirst(['GET /v1/payouts'], 'created');
    const spoiled = history();
    const listed = await spoiled.payouts([account, gone, other], since);
    expect(listed.map(({ providerPayoutId }) => providerPayoutId)).toEqual([sent.id]);
    expect(spoiled.unreadable()).toMatchObject([
      { kind: 'payout', objectId: payoutId },
      { kind: 'account', objectId: gone },
    ]);
  });

  it('freezes no comparison of the log with the provider', async () => {
    const until = new Date(Date.now() + 60_000);
    const changed = async () => (await cards.changedBetween(since, until, 1_000))?.length ?? 0;
    const whole = await changed();
    await unreadableFirst(['GET /v1/events', 'GET /v1/payment_intents'], 'id');
    expect(whole - (await changed())).toBeLessThanOrEqual(2);
    await unreadableFirst(['GET /v1/transfers'], 'amount');
    await payouts.transferredBetween(since, until);
    await unreadableFirst(['GET /v1/events', 'GET /v1/payouts'], 'data');
    expect((await payouts.changedBetween(account, since, until)).payoutIds).toEqual([payoutId]);
    await unreadableFirst(['GET /v1/payment_intents', 'GET /v1/transfers'], 'amount');
    expect(await new SealedObjects({ ...access(), seal }).since(since)).toEqual([]);
  });
});

describe('a webhook that is signed and holds anything', () => {
  const signedAs = (payload: string, secret: string): string =>
    stripe.sdk.webhooks.generateTestHeaderString({ payload, secret });

  it.each([
    ['nothing', '{}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"evt_1"'],
    ['no type', '{"data":{"object":{}}}'],
    ['no data', '{"type":"payment_intent.succeeded","account":"acct_1"}'],
    ['no object', '{"type":"payment_intent.succeeded","data":{}}'],
    ['an object that is none', '{"type":"payment_intent.succeeded","data":{"object":null}}'],
    ['a list for an object', '{"type":"payment_intent.succeeded","data":{"object":[]}}'],
    ['a number for an id', '{"type":"payment_intent.succeeded","data":{"object":{"id":7}}}'],
  ])('is refused where it is no event: %s', (_, payload) => {
    const refused = { name: 'NoEvent', answer: { status: 400 } };
    const body = Buffer.from(payload);
    const told = [
      () => cards.webhookSubject(body, signedAs(payload, WEBHOOK_SECRET)),
      () => payouts.webhookSubject(body, signedAs(payload, CONNECT_WEBHOOK_SECRET)),
    ];
    for (const tell of told) {
      let thrown: unknown;
      try {
        tell();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject(refused);
    }
  });

  it.each([
    ['an object without anything', { type: 'payment_intent.succeeded', data: { object: {} } }],
    ['a customer', { type: 'payment_method.attached', data: { object: { customer: 7 } } }],
  ])('is about nothing, or read at the provider: %s', (_, event) => {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', account: 'acct_1', ...event });
    cards.webhookSubject(Buffer.from(payload), signedAs(payload, WEBHOOK_SECRET));
    const types = ['account.updated', 'payout.paid', 'account.application.deauthorized'];
    for (const type of types) {
      const connect = JSON.stringify({ ...(JSON.parse(payload) as Json), type });
      const header = signedAs(connect, CONNECT_WEBHOOK_SECRET);
      expect(payouts.webhookSubject(Buffer.from(connect), header)).toMatchObject({
        connectAccountId: 'acct_1',
      });
    }
  });
});

describe('a payment of ours that the provider calls paid and shows no charge of yet', () => {
  const OURS = {
    paymentId: 'pay_late',
    key: undefined,
    payerId: 'usr_1',
    recipientId: 'usr_2',
    method: 'card',
    amountMinor: 1_500,
    openedAt: new Date(),
  } as const;
  let paidIntent: string;
  beforeAll(async () => {
    ({ intentId: paidIntent } = await cards.intentFor(OURS));
    await stripe.sdk.paymentIntents.confirm(paidIntent, { payment_method: 'pm_card_visa' });
  });
  const LATE = { when: 'after', what: 'answer', times: 10 } as const;
  const withoutCharge = {
    ...LATE,
    route: 'GET /v1/payment_intents/:id',
    answer: { set: { latest_charge: null } },
  };

  it('is read with the list of its charges', async () => {
    await stripe.control('POST', '/test/switches', { faults: [withoutCharge] });
    for (const depth of ['latest-charge', 'all-charges'] as const)
      expect((await cards.payment(paidIntent, depth)).charges).toMatchObject([
        { status: 'succeeded', amountMinor: 1_500 },
      ]);
  });

  it('is asked for again later where no list has the charge either: its money is not passed over', async () => {
    const list = { ...LATE, route: 'GET /v1/charges', answer: { set: { data: [] } } };
    await stripe.control('POST', '/test/switches', { faults: [withoutCharge, list] });
    for (const depth of ['latest-charge', 'all-charges'] as const)
      await expect(cards.payment(paidIntent, depth)).rejects.toBeInstanceOf(Unavailable);
  });
});
