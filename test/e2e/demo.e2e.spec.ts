/** The demo of `make start`: told through the app as people use it, cut short and told again, and what its people then see. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Transaction } from '#contracts/api/payments';
import { SettingsAnswer } from '#contracts/api/settings';
import { CurrentUser } from '#contracts/api/users';
import { minorFromDecimal } from '#contracts/money';
import { Demo } from '#local/demo/chapter';
import { CHAPTERS, isTold, signInsShown, tellDemo, type DemoSettings } from '#local/demo/demo';
import { PASSWORD, PEOPLE, type DemoName } from '#local/demo/people';
import { TIPS, type Tip } from '#local/demo/tips';
import { eventually } from '#test/conformance/stripe-process';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { useStack } from '#test/support/stack';

const stack = useStack(['all']);
const begunAt = new Date();
let settings: DemoSettings;
let provider: CardProviderWorld;
let demo: Demo;
beforeAll(() => {
  const { url: publicUrl, dataFolder, env } = stack();
  const { STRIPE_API_URL: apiUrl = '', STRIPE_SECRET_KEY: secretKey = '', STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = env;
  const till = { apiUrl, secretKey, publishableKey };
  settings = { dataFolder, publicUrl, till };
  provider = new CardProviderWorld(stack());
  demo = new Demo(publicUrl, begunAt, till, new AbortController().signal);
});

const noteToldSoFar = (chapters: readonly string[]): void =>
  writeFileSync(join(settings.dataFolder, 'demo.json'), JSON.stringify({ begunAt: begunAt.toISOString(), chapters }));
const intents = async (): Promise<number> => {
  let count = 0;
  for await (const _ of provider.office.paymentIntents.list({ limit: 100 })) count += 1;
  return count;
};
const minorOf = (decimal: string): number => {
  const read = minorFromDecimal(decimal);
  if ('problem' in read) throw new Error(read.problem);
  return read.minor;
};
const decimal = (minor: number): string => (minor / 100).toFixed(2);
const isPaid = (tip: Tip): boolean => tip.by !== 'declined card';

describe('the demo', () => {
  it('that was cut short is completed by the next start, and told again it changes nothing', async () => {
    noteToldSoFar([]);
    const cut = new AbortController();
    const begun = tellDemo(settings, cut.signal).catch((failure: unknown) => failure);
    await eventually(async () => (await intents()) >= 5, 'some tips');
    cut.abort();
    expect(await begun).toMatchObject({ name: 'AbortError' });
    expect(isTold(settings.dataFolder)).toBe(false);

    await tellDemo(settings, new AbortController().signal);
    expect(isTold(settings.dataFolder)).toBe(true);
    expect(await intents()).toBe(TIPS.length);
    // As if killed after the last command and before the note of it.
    noteToldSoFar(CHAPTERS.slice(0, 1).map(({ name }) => name));
    await tellDemo(settings, new AbortController().signal);
    expect(await intents()).toBe(TIPS.length);
  });

  it('is what its people find: balances to the cent, weeks of history in order, a declined card, money given back', async () => {
    await provider.delivered();
    const evidence = new Evidence(stack());
    try {
      await evidence.shown();
      await evidence.holds();
    } finally {
      await evidence.close();
    }
    for (const name of Object.keys(PEOPLE) as DemoName[]) {
      const person = await demo.person(name);
      const [me, list] = await Promise.all([
        person.call('GET', '/api/auth/user').then((answer) => CurrentUser.parse(answer)),
        person.call('GET', '/api/transactions').then((answer) => z.array(Transaction).parse(answer)),
      ]);
      const received = TIPS.filter((tip) => tip.to === name && isPaid(tip));
      const earned = received.reduce((sum, { amount, backMinor = 0 }) => sum + minorOf(amount) - backMinor, 0);
      expect({ name, earnings: me.earnings }).toEqual({ name, earnings: decimal(earned) });
      const lines = TIPS.filter((tip) => tip.from === name || (tip.to === name && isPaid(tip))).map((tip) => ({
        type: tip.from === name ? 'payment_sent' : 'payment_received',
        amount: tip.amount,
        status: !isPaid(tip) ? 'failed' : tip.backMinor === undefined ? 'completed' : 'partially_refunded',
        createdAt: new Date(Math.floor(demo.daysAgo(tip.daysAgo).getTime() / 1000) * 1000).toISOString(),
        description: tip.note ?? null,
      }));
      const shown = list.map(({ type, amount, status, createdAt, description }) => ({
        type,
        amount,
        status,
        createdAt,
        description,
      }));
      const byTime = (a: { createdAt: string; amount: string }, b: { createdAt: string; amount: string }): number =>
        b.createdAt.localeCompare(a.createdAt) || a.amount.localeCompare(b.amount);
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

  it('shows who can sign in, with the password', () => {
    for (const { email } of Object.values(PEOPLE)) expect(signInsShown()).toContain(email);
    expect(signInsShown()).toContain(PASSWORD);
  });
});
