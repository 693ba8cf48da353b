/**
 * The demo of `make start`: told through the app as people use it, cut short and told again, and what its
 * people then see, on every screen that they have.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Derivation } from '#audit/derivation/derivation';
import { entries } from '#audit/derivation/entries';
import { LogFile } from '#audit/exported-log/log-file';
import { verifyEvents } from '#audit/verify';
import { BankAccount } from '#contracts/api/bank-accounts';
import { SavedCardAnswer } from '#contracts/api/payment-methods';
import { Transaction } from '#contracts/api/payments';
import { Payout } from '#contracts/api/payouts';
import { ScheduledPayment } from '#contracts/api/scheduled-payments';
import { SettingsAnswer } from '#contracts/api/settings';
import { Subscription } from '#contracts/api/subscriptions';
import { TreasuryTransaction, TreasuryWallet } from '#contracts/api/treasury';
import { CurrentUser } from '#contracts/api/users';
import { decimalFromMinor } from '#contracts/plain/money';
import { Demo } from '#local/demo/chapter';
import { CHAPTERS, isDemoComplete, signInList, setUpDemo, type DemoSettings } from '#local/demo/demo';
import { BANKS, PAYOUTS } from '#local/demo/payouts';
import { PASSWORD, PEOPLE, type DemoName } from '#local/demo/people';
import { CARDS } from '#local/demo/saved-cards';
import { SCHEDULED, SUBSCRIPTIONS } from '#local/demo/schedules';
import { TIPS } from '#local/demo/tips';
import { WALLETS } from '#local/demo/treasury';
import { audit } from '#processes/audit/run';
import { eventually } from '#test/conformance/stripe-process';
import { hasPython, pythonOf } from '#test/support/docs-python';
import { useEvidence } from '#test/support/evidence';
import { accountFromHledger, askHledger, hledger } from '#test/support/hledger';
import { CardProviderWorld } from '#test/support/payer';
import { useStack } from '#test/support/stack';
import {
  demoBalance,
  demoConfidences,
  demoPayouts,
  demoSettings,
  isPaid,
  PAID_BY_CARD,
} from '#test/support/told-demo';

const stack = useStack(['all'], { env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1' } });
const evidence = useEvidence(stack);
/**
 * Some hundred commands, with what the app does by itself in between, on a machine that does other things
 * too.
 */
const TOLD_TWICE_WITHIN_MS = 180_000;
const EVERYBODY = Object.keys(PEOPLE) as DemoName[];
const begunAt = new Date();
let settings: DemoSettings;
const provider = new CardProviderWorld(stack);
let demo: Demo;
beforeAll(() => {
  settings = demoSettings(stack());
  demo = new Demo(settings.publicUrl, begunAt, settings.till, new AbortController().signal);
});

const noteToldSoFar = (chapters: readonly string[]): void =>
  writeFileSync(
    join(settings.dataFolder, 'demo.json'),
    JSON.stringify({ begunAt: begunAt.toISOString(), chapters }),
  );
const intents = async (): Promise<number> => {
  let count = 0;
  for await (const _ of provider.stripe.paymentIntents.list({ limit: 100 })) count += 1;
  return count;
};

async function lists<T extends z.ZodType>(row: T, path: string): Promise<Record<string, z.infer<T>[]>> {
  const of = async (name: DemoName) =>
    [name, z.array(row).parse(await (await demo.person(name)).list(path))] as const;
  return Object.fromEntries(await Promise.all(EVERYBODY.map(of)));
}
/** How much there is of everything that a repeat could double. */
async function counts(): Promise<Record<string, number>> {
  const sum = (all: Record<string, unknown[]>): number => Object.values(all).flat().length;
  return {
    intents: await intents(),
    cards: sum(await lists(SavedCardAnswer, '/api/payment-methods')),
    subscriptions: sum(await lists(Subscription, '/api/subscriptions')),
    scheduled: sum(await lists(ScheduledPayment, '/api/scheduled-payments')),
    banks: sum(await lists(BankAccount, '/api/bank-accounts')),
    payouts: sum(await lists(Payout, '/api/payouts')),
    wallets: sum(await lists(TreasuryWallet, '/api/treasury/wallets')),
    moves: sum(await lists(TreasuryTransaction, '/api/treasury/transactions')),
  };
}
const TOLD = {
  intents: TIPS.length + PAID_BY_CARD.length,
  cards: CARDS.length,
  subscriptions: SUBSCRIPTIONS.length,
  scheduled: SCHEDULED.length,
  banks: BANKS.length,
  payouts: PAYOUTS.length,
  wallets: WALLETS.length,
  moves: WALLETS.flatMap(({ moves }) => moves).length,
};

describe('the demo', () => {
  it(
    'that was cut short is completed by the next start, and told again it changes nothing',
    async () => {
      noteToldSoFar([]);
      const cut = new AbortController();
      const begun = setUpDemo(settings, cut.signal).catch((failure: unknown) => failure);
      await eventually(async () => (await intents()) >= 5, 'some tips');
      cut.abort();
      expect(await begun).toMatchObject({ name: 'AbortError' });
      expect(isDemoComplete(settings.dataFolder)).toBe(false);

      await setUpDemo(settings, new AbortController().signal);
      expect(isDemoComplete(settings.dataFolder)).toBe(true);
      expect(await intents()).toBe(TOLD.intents);
      // As if killed after the last command and before the note of it.
      noteToldSoFar(CHAPTERS.slice(0, 1).map(({ name }) => name));
      await setUpDemo(settings, new AbortController().signal);
      expect(await counts()).toEqual(TOLD);
    },
    TOLD_TWICE_WITHIN_MS,
  );

  it('has payouts that arrived, one that the bank sent back with the money, and one that waits for its owner', async () => {
    const known = await demoPayouts(demo);
    const all = Object.values(known).flat();
    expect(all.filter(({ status }) => status === 'failed').map(({ failureReason }) => failureReason)).toEqual(
      [expect.stringContaining('closed')],
    );
    expect(all.filter(({ status }) => status === 'pending').map(({ statusReason }) => statusReason)).toEqual([
      expect.stringMatching(/./),
    ]);
    const banks = await lists(BankAccount, '/api/bank-accounts');
    for (const { of, bankName, unverified = false } of BANKS) {
      const bank = banks[of]?.find((one) => one.bankName === bankName);
      const isFirst = BANKS.find((one) => one.of === of)?.bankName === bankName;
      const isClosed = PAYOUTS.some(
        (payout) => payout.of === of && payout.to === bankName && payout.becomes === 'failed',
      );
      expect({ of, bank }).toMatchObject({
        of,
        bank: { isPrimary: isFirst, isVerified: !unverified && !isClosed, needsOnboarding: unverified },
      });
    }
  });

  it('has subscriptions that have paid once, payments that are to come, wallets with money in them, and saved cards', async () => {
    const subscriptions = await lists(Subscription, '/api/subscriptions');
    const scheduled = await lists(ScheduledPayment, '/api/scheduled-payments');
    for (const { from, note, amount, endsAs = 'active' } of SUBSCRIPTIONS) {
      const found = subscriptions[from]?.find(({ description }) => description === note);
      expect(found).toMatchObject({
        amount,
        status: endsAs,
        lastPaymentAt: expect.any(String),
        lastFailureReason: null,
      });
    }
    for (const { from, note, amount, endsAs = 'pending' } of SCHEDULED) {
      const found = scheduled[from]?.find(({ description }) => description === note);
      expect(found).toMatchObject({ amount, status: endsAs });
      expect(Date.parse(found?.scheduledDate ?? '')).toBeGreaterThan(Date.now());
    }
    const wallets = await lists(TreasuryWallet, '/api/treasury/wallets');
    for (const { of, name, moves } of WALLETS) {
      const balance = decimalFromMinor(moves.reduce((sum, { dollars }) => sum + dollars * 100, 0));
      expect(wallets[of]?.find(({ displayName }) => displayName === name)).toMatchObject({ balance });
    }
    const cards = await lists(SavedCardAnswer, '/api/payment-methods');
    for (const { of, number } of CARDS)
      expect(cards[of]?.map(({ last4 }) => last4)).toContain(number.slice(-4));
  });

  it('is what its people find: balances to the cent, weeks of history in order, a declined card, money given back', async () => {
    await provider.delivered();
    await evidence.shown();
    await evidence.holds();
    for (const name of EVERYBODY) {
      const person = await demo.person(name);
      const [me, list] = await Promise.all([
        person.call('GET', '/api/auth/user').then((answer) => CurrentUser.parse(answer)),
        person.call('GET', '/api/transactions').then((answer) => z.array(Transaction).parse(answer)),
      ]);
      expect({ name, earnings: me.earnings }).toEqual({ name, earnings: demoBalance(name) });
      const lines = TIPS.filter((tip) => tip.from === name || (tip.to === name && isPaid(tip))).map(
        (tip) => ({
          type: tip.from === name ? 'payment_sent' : 'payment_received',
          amount: tip.amount,
          status: !isPaid(tip) ? 'failed' : tip.backMinor === undefined ? 'completed' : 'partially_refunded',
          createdAt: new Date(Math.floor(demo.daysAgo(tip.daysAgo).getTime() / 1000) * 1000).toISOString(),
          description: tip.note ?? null,
        }),
      );
      const paidBySubscription = list.filter(({ scheduleKind }) => scheduleKind !== null);
      expect(paidBySubscription.map(({ description, status }) => `${description} ${status}`).sort()).toEqual(
        SUBSCRIPTIONS.filter(({ from, to }) => from === name || to === name)
          .map(({ note }) => `${note} completed`)
          .sort(),
      );
      const shown = list
        .filter(({ scheduleKind }) => scheduleKind === null)
        .map(({ type, amount, status, createdAt, description }) => ({
          type,
          amount,
          status,
          createdAt,
          description,
        }));
      const byTime = (
        a: { createdAt: string; amount: string },
        b: { createdAt: string; amount: string },
      ): number => b.createdAt.localeCompare(a.createdAt) || a.amount.localeCompare(b.amount);
      expect(shown.map(({ createdAt }) => createdAt)).toEqual(
        shown
          .map(({ createdAt }) => createdAt)
          .sort()
          .reverse(),
      );
      expect([...shown].sort(byTime)).toEqual(lines.sort(byTime));
    }
    const settings = SettingsAnswer.parse(await (await demo.person('nell')).call('GET', '/api/settings'));
    expect(settings.transactionAlertsEnabled).toBe(false);
  });

  it('is exported as one file that has no name, address or note of its people, and is verified without a key', async () => {
    const file = join(stack().dataFolder, 'demo-log.jsonl.gz');
    expect(await evidence.run('processes/audit.js', 'export', '--log', file)).toMatchObject({ status: 0 });
    const text = gunzipSync(readFileSync(file)).toString();
    expect(text).toContain('PaymentSettled');
    const confidences = demoConfidences();
    expect(confidences.length).toBeGreaterThan(80);
    // As words of their own: four letters of a sealed text may spell a name.
    const isFound = (words: string): boolean =>
      new RegExp(`(?<![\\w-])${words.replaceAll(/[.$?()&]/g, '\\$&')}(?![\\w-])`).test(text);
    expect(isFound('PaymentSettled')).toBe(true);
    expect(confidences.filter(isFound)).toEqual([]);
    const checks = await verifyEvents(new LogFile(file));
    expect(checks.filter(({ findings }) => findings.length > 0)).toEqual([]);

    // hledger shares no code with ours, and comes to the same balances.
    const books = join(stack().dataFolder, 'demo.journal');
    const exported = await audit(['export', '--from-file', file, '--hledger', books]);
    expect(exported.status).toBe(0);
    const program = await hledger();
    expect(await askHledger(program, ['-f', books, 'check', '--strict'])).toMatchObject({ status: 0 });
    const { out } = await askHledger(program, ['-f', books, 'balance', '--flat', '--no-total', '-O', 'csv']);
    const theirs = [...out.matchAll(/^"([^"]+)","(-?[\d.]+) USD"$/gm)].map(
      ([, name = '', amount = '']) => [accountFromHledger(name), amount] as const,
    );
    const derivation = new Derivation();
    for await (const _ of entries(new LogFile(file), derivation));
    const ours = derivation.balances.sorted().filter(([, minor]) => minor !== 0);
    expect(theirs.length).toBeGreaterThan(5);
    expect(theirs.toSorted()).toEqual(ours.map(([account, minor]) => [account, decimalFromMinor(-minor)]));
    if (!hasPython) return;
    const python = ['-c', pythonOf('how-to/check-the-books-with-python.md'), file];
    const said = spawnSync('python3', python, { encoding: 'utf8' }).stdout.trimEnd().split('\n');
    expect(said.slice(1, -1)).toEqual(ours.map(([account, minor]) => `${account} ${minor}`));
  }, 120_000);

  it('shows who can sign in, with the password', () => {
    for (const { email } of Object.values(PEOPLE)) expect(signInList()).toContain(email);
    expect(signInList()).toContain(PASSWORD);
  });
});
