/** What the demo comes to, for suites that look at its people. */
import { z } from 'zod';
import { Payout } from '#contracts/api/payouts';
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import type { Demo } from '#local/demo/chapter';
import type { DemoSettings } from '#local/demo/demo';
import { BANKS, PAYOUTS } from '#local/demo/payouts';
import { PEOPLE, type DemoName } from '#local/demo/people';
import { SCHEDULED, SUBSCRIPTIONS } from '#local/demo/schedules';
import { TIPS, type Tip } from '#local/demo/tips';
import { WALLETS } from '#local/demo/treasury';
import { eventually } from '#test/conformance/stripe-process';
import type { TestStack } from './start-stack.js';

/** Where the demo of a stack is set up, and who pays in it. */
export function demoSettings({ url: publicUrl, dataFolder, env }: TestStack): DemoSettings {
  const of = (name: string): string => env[name] ?? '';
  const till = {
    apiUrl: of('STRIPE_API_URL'),
    secretKey: of('STRIPE_SECRET_KEY'),
    publishableKey: of('STRIPE_PUBLISHABLE_KEY'),
  };
  return { dataFolder, publicUrl, till };
}

export const isPaid = (tip: Tip): boolean => tip.by !== 'declined card';
/** Nobody tips the fans: what they subscribe to is charged to their cards. */
export const PAID_BY_CARD = SUBSCRIPTIONS.filter(({ from }) => !TIPS.some(({ to }) => to === from));

export const minorOf = (decimal: string): number => {
  const read = minorFromDecimal(decimal);
  if ('problem' in read) throw new Error(read.problem);
  return read.minor;
};
const sumOf = <T>(items: readonly T[], minor: (item: T) => number): number =>
  items.reduce((sum, item) => sum + minor(item), 0);

/** What somebody has to spend once the demo is told and its payouts are over, as the API writes it. */
export function demoBalance(name: DemoName): string {
  const tips = TIPS.filter((tip) => tip.to === name && isPaid(tip));
  const subscribedTo = SUBSCRIPTIONS.filter(({ to }) => to === name);
  const subscribes = SUBSCRIPTIONS.filter((one) => one.from === name && !PAID_BY_CARD.includes(one));
  const paidOut = PAYOUTS.filter(({ of, becomes }) => of === name && becomes !== 'failed');
  const setAside = WALLETS.filter(({ of }) => of === name).flatMap(({ moves }) => moves);
  return decimalFromMinor(
    sumOf(tips, ({ amount, backMinor = 0 }) => minorOf(amount) - backMinor) +
      sumOf(subscribedTo, ({ amount }) => minorOf(amount)) -
      sumOf(subscribes, ({ amount }) => minorOf(amount)) -
      sumOf(paidOut, ({ amount }) => minorOf(amount)) -
      sumOf(setAside, ({ dollars }) => dollars * 100),
  );
}

/** Waits until each payout has become what it becomes; workers that look after them often make that short. */
export async function demoPayouts(demo: Demo): Promise<Partial<Record<DemoName, Payout[]>>> {
  const owners = [...new Set(PAYOUTS.map(({ of }) => of))];
  return eventually(async () => {
    const read = async (of: DemoName) =>
      [of, z.array(Payout).parse(await (await demo.person(of)).list('/api/payouts'))] as const;
    const found: Partial<Record<DemoName, Payout[]>> = Object.fromEntries(
      await Promise.all(owners.map(read)),
    );
    const isOver = PAYOUTS.every(({ of, amount, becomes }) =>
      found[of]?.some((payout) => payout.amount === amount && payout.status === becomes),
    );
    return isOver && found;
  }, 'the payouts to end');
}

/** All that the demo's people are called, and all that they wrote: what nobody finds who has no key. */
export function demoConfidences(): string[] {
  const people = Object.values(PEOPLE).flatMap(({ firstName, lastName, username, email }) => [
    firstName,
    lastName,
    username,
    email,
  ]);
  const banks = BANKS.flatMap(({ bankName, accountNumber }) => [bankName, accountNumber]);
  const notes = [...TIPS, ...SUBSCRIPTIONS, ...SCHEDULED].flatMap(({ note }) => note ?? []);
  const wallets = WALLETS.flatMap(({ name, about, moves }) => [
    name,
    ...(about === undefined ? [] : [about]),
    ...moves.map(({ note }) => note),
  ]);
  return [...people, ...banks, ...notes, ...wallets];
}
