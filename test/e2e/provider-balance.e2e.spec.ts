/**
 * The books against the balance at the card provider, to the cent, after all that can happen to a platform's
 * own money: in an account of our own, with the whole demo, and in one that others use too.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { platform } from '#contracts/plain/accounts';
import { Demo } from '#local/demo/chapter';
import { setUpDemo } from '#local/demo/demo';
import { OWN_MONEY_MINOR } from '#local/demo/own-money';
import { trialBalance } from '#projections/balances/queries';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { useStack } from '#test/support/stack';
import { demoPayouts, demoSettings } from '#test/support/told-demo';
import { LedgerClient } from '#workers/ledger-client';

const TOLD_WITHIN_MS = 180_000;
const PENDING_MS = 2 * 86_400_000;
const OWN_MONEY = ['PlatformFunded', 'PlatformPaidOut', 'PlatformPayoutReturned', 'ProviderCharged'];

describe.each(['exclusive', 'shared'] as const)('an account at the provider that is %s', (use) => {
  const stack = useStack(['all'], {
    env: { STRIPE_ACCOUNT: use, CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1' },
  });
  const provider = new CardProviderWorld(stack);
  const evidence = useEvidence(stack);
  beforeAll(async () => {
    const settings = demoSettings(stack());
    const signal = new AbortController().signal;
    // As it is at the provider: what is paid by card can be used two days later.
    await provider.control('POST', '/test/switches', { chargeFundsPendingMs: PENDING_MS });
    if (use === 'exclusive') {
      await setUpDemo(settings, signal);
      await demoPayouts(new Demo(settings.publicUrl, new Date(), settings.till, signal));
    } else {
      await provider.stripe.topups.create({ amount: OWN_MONEY_MINOR, currency: 'usd' });
      await payOnce(settings.publicUrl);
      await moveForeignMoney();
    }
    await moveOwnMoney();
    await provider.delivered();
  }, TOLD_WITHIN_MS);

  /** More than the platform pays out of its own. */
  async function payOnce(publicUrl: string): Promise<void> {
    const [milo, juno] = [await Person.signUp(publicUrl, 'Milo'), await Person.signUp(publicUrl, 'Juno')];
    await provider.card((await milo.pay(juno.id, '500.00')).clientSecret);
    await provider.delivered();
  }

  /** Everything that moves a platform's balance without a payment. */
  async function moveOwnMoney(): Promise<void> {
    await provider.control('POST', '/test/balance/pay_out', { amount: 30_000 });
    const { id } = await provider.control('POST', '/test/balance/pay_out', { amount: 20_000 });
    await provider.control('POST', `/test/payouts/${String(id)}/settle`, { outcome: 'failed' });
    await provider.control('POST', '/test/balance/adjust', { amount: -200 });
  }

  /** Somebody else's payments in the same account, given back in part and disputed. */
  async function moveForeignMoney(): Promise<void> {
    const [one, other] = [
      await provider.control('POST', '/test/payments', { amount: 4_200 }),
      await provider.control('POST', '/test/payments', { amount: 9_900 }),
    ];
    await provider.stripe.refunds.create({ payment_intent: String(one.id), amount: 1_000 });
    await provider.control('POST', `/test/charges/${String(other.latest_charge)}/dispute`);
  }

  /** Has the ledger look, as the workers do every hour, until it has seen all. */
  async function compare(): Promise<void> {
    const { LEDGER_INTERNAL_URL: url = '', ENCORE_INTERNAL_TOKEN: token = '' } = stack().env;
    const ledger = new LedgerClient(url, token);
    while ((await ledger.ask({ type: 'CompareProviderBalance' }, uuidv7())).isUnfinished);
  }

  /** The provider's balance, card clearing's debit and the net of foreign movements, in cents. */
  async function figures(): Promise<{ balance: number; books: number; foreign: number }> {
    await evidence.shown();
    const { available, pending } = await provider.stripe.balance.retrieve();
    const balance = [...available, ...pending].reduce((sum, { amount }) => sum + amount, 0);
    const lines = await trialBalance(evidence.db);
    const clearing = lines.find(({ account }) => account === platform('card-clearing'));
    const { rows } = await evidence.db.query<{ net: string | null }>(
      `select sum(net_minor)::text as net from edge.provider_transactions where kind = 'foreign'`,
    );
    return { balance, books: -(clearing?.balanceMinor ?? 0), foreign: Number(rows[0]?.net ?? 0) };
  }

  /** The provider's balance transactions in a file, as its API lists them. */
  async function exported(): Promise<string> {
    const data: object[] = [];
    for await (const movement of provider.stripe.balanceTransactions.list({
      limit: 100,
      expand: ['data.source'],
    }))
      data.push(movement);
    const file = join(stack().dataFolder, 'balance-transactions.json');
    writeFileSync(file, JSON.stringify({ object: 'list', has_more: false, data }));
    return file;
  }

  const ownMoney = async (): Promise<string[]> =>
    (await evidence.journal()).map(({ type }) => type).filter((type) => OWN_MONEY.includes(type));

  it('holds what the books say and what is somebody else’s, to the cent', async () => {
    // A refund or a payout of the demo may still be on its way.
    await eventually(async () => {
      await compare();
      return (await evidence.run('processes/audit.js', 'provider')).status === 0;
    }, 'the books to be those of the provider');
    const audit = await evidence.run('processes/audit.js', 'provider');
    expect(audit).toMatchObject({ status: 0, out: expect.stringContaining('The books are in order.') });
    const fromFile = await evidence.run(
      'processes/audit.js',
      'reconcile',
      '--provider-file',
      await exported(),
    );
    expect(fromFile).toMatchObject({ status: 0, out: expect.stringContaining('The books are in order.') });
    const { balance, books, foreign } = await figures();
    expect(balance).toBe(books + foreign);
    expect(balance).toBeGreaterThan(OWN_MONEY_MINOR);
    await evidence.holds();
  });

  if (use === 'exclusive')
    it('has the demo’s money of weeks ago at hand, and that of today is still to come', async () => {
      const { data } = await provider.stripe.balanceTransactions.list({ type: 'charge', limit: 100 });
      const nowSeconds = Date.now() / 1000;
      const isOld = ({ created }: { created: number }): boolean => created < nowSeconds - PENDING_MS / 1000;
      expect(data.filter(isOld).length).toBeGreaterThan(10);
      expect(data.filter((movement) => !isOld(movement)).length).toBeGreaterThan(0);
      expect(data.map(({ status }) => status)).toEqual(
        data.map((movement) => (isOld(movement) ? 'available' : 'pending')),
      );
    });

  it('has its own money booked once where it is ours alone, and counted where it is not', async () => {
    await compare();
    const { foreign } = await figures();
    if (use === 'exclusive') {
      expect((await ownMoney()).sort()).toEqual([
        'PlatformFunded',
        'PlatformPaidOut',
        'PlatformPaidOut',
        'PlatformPayoutReturned',
        'ProviderCharged',
      ]);
      expect(foreign).toBe(0);
    } else {
      expect(await ownMoney()).toEqual([]);
      // The top-up, less a payout and a charge; and what others were paid, gave back and lost.
      const theirs = 4_200 - 152 - 1_000 + 9_900 - 317 - 9_900 - 1_500;
      expect(foreign).toBe(OWN_MONEY_MINOR - 30_000 - 200 + theirs);
    }
  });

  it('names what nothing explains, and has it booked by an operator’s word alone where others use it', async () => {
    const { id: topUp } = await provider.stripe.topups.create({ amount: 12_345, currency: 'usd' });
    const [movement] = (await provider.stripe.balanceTransactions.list({ source: topUp })).data;
    const book = () => evidence.run('processes/operate.js', 'book-platform-money', movement!.id);
    await provider.delivered();
    await compare();
    const before = await ownMoney();
    expect(await book()).toMatchObject({ status: 0, err: '' });
    expect(await book()).toMatchObject({ status: 0, err: '' });
    expect((await ownMoney()).length - before.length).toBe(use === 'exclusive' ? 0 : 1);
    const charge = (await provider.stripe.balanceTransactions.list({ type: 'charge', limit: 1 })).data[0]!;
    expect(await evidence.run('processes/operate.js', 'book-platform-money', charge.id)).toMatchObject({
      status: 2,
      err: expect.stringContaining('belongs to a payment'),
    });
    // What was mistyped is neither a fault of the key nor one of ours.
    expect(await evidence.run('processes/operate.js', 'book-platform-money', 'txn_mistyped')).toMatchObject({
      status: 2,
      err: 'The balance at the card provider has no such balance transaction.\n',
    });
    expect((await evidence.run('processes/audit.js', 'provider')).status).toBe(0);
    const { balance, books, foreign } = await figures();
    expect(balance).toBe(books + foreign);

    // Nobody told the ledger of this one: webhooks are lost.
    await provider.control('POST', '/test/switches', { webhooks: { paused: true } });
    await provider.stripe.topups.create({ amount: 777, currency: 'usd' });
    const audit = await evidence.run('processes/audit.js', 'provider');
    expect(audit.status).toBe(1);
    expect(audit.out).toContain('7.77 usd');
    await provider.control('DELETE', '/test/switches');
    await compare();
    expect((await evidence.run('processes/audit.js', 'provider')).status).toBe(0);
  });
});
