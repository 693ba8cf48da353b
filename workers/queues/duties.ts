/**
 * The duties: what each tick asks of the ledger. A tick carries nothing; the read models say what is due, and the ledger
 * decides what is done about it. Run twice, or in two processes at once, a duty does nothing more.
 */
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import { careFor, type UnresolvedPayment } from '../processes/payment-care.js';
import { careForPayout, type UnfinishedPayout } from '../processes/payout-care.js';
import { jobIdOf, type DueSchedule } from '../processes/due-schedules.js';
import { stretchesSince } from '../processes/reconciliation.js';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';

export type DutyName =
  | 'reconcile'
  | 'refund-unapplied'
  | 'care-for-payments'
  | 'reconcile-payouts'
  | 'advance-payouts'
  | 'care-for-bank-accounts'
  | 'find-due-schedules'
  | 'finish-forgetting';

/** What a reconciliation may leave behind: users' accounts at the payout provider, and payouts. */
export type BehindKind = 'payout-accounts' | 'payouts';

/** A charge that no payment explains, as the read model shows it. */
export interface UnappliedCharge {
  readonly chargeId: string;
  readonly receivedAt: Date;
}

/** What the duties need of the world. */
export interface World {
  readonly now: () => Date;
  readonly marks: {
    get(duty: DutyName): Promise<Date | undefined>;
    set(duty: DutyName, at: Date): Promise<void>;
    /** What stayed behind when a mark moved on, and from when on it must be looked at. */
    behind(kind: BehindKind): Promise<ReadonlyMap<string, Date>>;
    /** The earlier time stays, where it is behind already. */
    leaveBehind(kind: BehindKind, id: string, since: Date): Promise<void>;
    caughtUp(kind: BehindKind, id: string): Promise<void>;
  };
  readonly ask: (command: InternalCommand) => Promise<InternalAnswer>;
  /** What this duty has tried in vain: it is left alone for a while, longer each time. */
  readonly tries: { ripe(names: readonly string[]): Promise<ReadonlySet<string>>; note(name: string): Promise<unknown> };
  /** Charges that no payment explains and that have not gone back, oldest first, a page at a time. */
  readonly unappliedCharges: (after: UnappliedCharge | undefined) => Promise<readonly UnappliedCharge[]>;
  /** Payments neither settled nor canceled, oldest first, a page at a time. */
  readonly unresolvedPayments: (after: UnresolvedPayment | undefined) => Promise<readonly UnresolvedPayment[]>;
  /** Payouts that have not ended, oldest first, a page at a time. */
  readonly unfinishedPayouts: (after: UnfinishedPayout | undefined) => Promise<readonly UnfinishedPayout[]>;
  /** How long a payout that was put off waits the first time. */
  readonly payoutRetryMs: number;
  /** Users with a bank account that was submitted some time ago and never got to the provider. */
  readonly usersWithStuckBankAccounts: () => Promise<readonly string[]>;
  /** Users whose forgetting was begun and not finished, or for whom a schedule still goes on, a page at a time. */
  readonly halfForgotten: (afterId: string | undefined) => Promise<readonly string[]>;
  /** Schedules that must be looked after at a moment, the longest overdue first, a page at a time. */
  readonly dueSchedules: (now: Date, after: DueSchedule | undefined) => Promise<readonly DueSchedule[]>;
  /** Makes a job of each that has none. */
  readonly enqueue: (dues: readonly DueSchedule[]) => Promise<void>;
  /** Told of a command that the ledger declined: noted, and no reason to stop. */
  readonly declined: (command: InternalCommand, error: LedgerDeclined) => void;
}

/** So many failures in a row mean that the ledger itself is away. */
const FAILURES_IN_A_ROW = 3;

/**
 * Passes over what the ledger declines, and over what cannot be done now: one payment that the provider chokes on must not
 * keep the others waiting. Throws LedgerAway at the end for those, so that the whole pass is made again at the next tick.
 */
async function askEach<C extends InternalCommand>(
  commands: Iterable<C>,
  world: World,
  onAnswer: (command: C) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  let failure: LedgerAway | undefined;
  let inARow = 0;
  for (const command of commands) {
    try {
      await world.ask(command);
      inARow = 0;
    } catch (error) {
      if (error instanceof LedgerDeclined) world.declined(command, error);
      else if (error instanceof LedgerAway && ++inARow < FAILURES_IN_A_ROW) failure = error;
      else throw error;
      if (error instanceof LedgerAway && error.isUnreachable) continue;
    }
    await onAnswer(command);
  }
  if (failure) throw failure;
}

/**
 * The mark moves after each stretch, so that a long way back is gone once. A payment that cannot be booked now holds the
 * mark, so that it is looked at again, but does not keep the later stretches from being looked at.
 */
async function reconcile(world: World): Promise<void> {
  const missed: string[] = [];
  for (const stretch of stretchesSince(await world.marks.get('reconcile'), world.now())) {
    missed.push(...(await world.ask(stretch)).failed);
    if (missed.length === 0) await world.marks.set('reconcile', new Date(stretch.until ?? stretch.since));
  }
  if (missed.length > 0) throw new LedgerAway(`${missed.length} payments could not be booked now, among them ${missed[0]}.`);
}

/** A refund that does not work is tried again later and later; one that works takes its charge out of the pages. */
async function refundUnapplied(world: World): Promise<void> {
  let after: UnappliedCharge | undefined;
  do {
    const page = await world.unappliedCharges(after);
    const ripe = await world.tries.ripe(page.map(({ chargeId }) => chargeId));
    await askEach(
      page.flatMap(({ chargeId }) => (ripe.has(chargeId) ? [{ type: 'RefundUnapplied' as const, chargeId }] : [])),
      world,
      ({ chargeId }) => world.tries.note(chargeId),
    );
    after = page.at(-1);
  } while (after !== undefined);
}

async function careForPayments(world: World): Promise<void> {
  const now = world.now();
  const lastPass = await world.marks.get('care-for-payments');
  let after: UnresolvedPayment | undefined;
  do {
    const page = await world.unresolvedPayments(after);
    await askEach(
      page.flatMap((payment) => careFor(payment, lastPass, now) ?? []),
      world,
    );
    after = page.at(-1);
  } while (after !== undefined);
  await world.marks.set('care-for-payments', now);
}

/**
 * The same for payouts and users' accounts with the payout provider, with a mark of its own. The mark moves on past what could not be
 * looked into: that is left behind by name, and asked by itself at each pass until it can be. So one broken account holds up no other,
 * and makes no pass longer than the one before.
 */
async function reconcilePayouts(world: World): Promise<void> {
  const now = world.now();
  const [first] = stretchesSince(await world.marks.get('reconcile-payouts'), now);
  if (!first) return;
  const [accounts, payouts] = await Promise.all([world.marks.behind('payout-accounts'), world.marks.behind('payouts')]);
  // One stretch however long: each account is asked for its own events, and those are few.
  const until = now.toISOString();
  const { since } = first;
  const leave = async (kind: BehindKind, ids: readonly string[]): Promise<void> => {
    for (const id of ids) await world.marks.leaveBehind(kind, id, new Date(since));
  };
  await leave('payouts', (await world.ask({ type: 'ReconcileTransfers', since, until })).failed);
  let afterUserId: string | undefined;
  do {
    const { failed, next } = await world.ask({ type: 'ReconcilePayoutAccounts', since, until, afterUserId });
    await leave('payout-accounts', failed);
    afterUserId = next;
  } while (afterUserId !== undefined);
  await world.marks.set('reconcile-payouts', now);

  let isBehind = false;
  const catchUp = async (kind: BehindKind, id: string, command: InternalCommand): Promise<void> => {
    try {
      const { failed } = await world.ask(command);
      if (failed.length === 0) return await world.marks.caughtUp(kind, id);
      isBehind = true;
    } catch (error) {
      if (error instanceof LedgerDeclined) {
        world.declined(command, error);
        await world.marks.caughtUp(kind, id);
      } else if (error instanceof LedgerAway && !error.isUnreachable) isBehind = true;
      else throw error;
    }
  };
  for (const [connectAccountId, from] of accounts)
    await catchUp('payout-accounts', connectAccountId, {
      type: 'ReconcilePayoutAccount',
      connectAccountId,
      since: from.toISOString(),
      until,
    });
  for (const payoutId of payouts.keys()) await catchUp('payouts', payoutId, { type: 'AdvancePayout', payoutId });
  if (isBehind)
    throw new LedgerAway('Some payouts or accounts could not be looked into for the second time; they are asked again.');
}

async function advancePayouts(world: World): Promise<void> {
  const now = world.now();
  const lastPass = await world.marks.get('advance-payouts');
  let after: UnfinishedPayout | undefined;
  do {
    const page = await world.unfinishedPayouts(after);
    await askEach(
      page.flatMap((payout) => careForPayout(payout, lastPass, now, world.payoutRetryMs) ?? []),
      world,
    );
    after = page.at(-1);
  } while (after !== undefined);
  await world.marks.set('advance-payouts', now);
}

async function careForBankAccounts(world: World): Promise<void> {
  const userIds = await world.usersWithStuckBankAccounts();
  await askEach(
    userIds.map((userId) => ({ type: 'CareForBankAccounts', userId })),
    world,
  );
}

/** Forgetting that stopped half way, and schedules that were made while somebody was being forgotten. */
async function finishForgetting(world: World): Promise<void> {
  let afterId: string | undefined;
  do {
    const userIds = await world.halfForgotten(afterId);
    await askEach(
      userIds.map((userId) => ({ type: 'ForgetUser', userId })),
      world,
    );
    afterId = userIds.at(-1);
  } while (afterId !== undefined);
}

/**
 * Makes jobs of what is due: one that takes long, or that fails again and again, keeps no other waiting. What a job left as it was is
 * left alone for a while; whatever happens to it in the log is another job.
 */
async function findDueSchedules(world: World): Promise<void> {
  const now = world.now();
  let after: DueSchedule | undefined;
  do {
    const page = await world.dueSchedules(now, after);
    const ripe = await world.tries.ripe(page.map(jobIdOf));
    const dues = page.filter((due) => ripe.has(jobIdOf(due)));
    if (dues.length > 0) await world.enqueue(dues);
    after = page.at(-1);
  } while (after !== undefined);
}

export const DUTIES: Readonly<Record<DutyName, (world: World) => Promise<void>>> = {
  reconcile,
  'refund-unapplied': refundUnapplied,
  'care-for-payments': careForPayments,
  'find-due-schedules': findDueSchedules,
  'reconcile-payouts': reconcilePayouts,
  'advance-payouts': advancePayouts,
  'care-for-bank-accounts': careForBankAccounts,
  'finish-forgetting': finishForgetting,
};
