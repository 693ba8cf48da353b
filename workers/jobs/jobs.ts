/**
 * The duties: what each tick asks of the ledger. A tick carries nothing; the read models say what is due, and
 * the ledger decides what is done about it. Run twice, or in two processes at once, a duty does nothing more.
 */
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import { careFor, type UnresolvedPayment } from './payment-sweep.js';
import { careForPayout, type UnfinishedPayout } from './payout-sweep.js';
import { jobIdOf, type DueSchedule } from './due-schedules.js';
import { stretchesSince } from './reconciliation.js';
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

/**
 * What a reconciliation may leave behind: payments by the provider's id, users' accounts at the payout
 * provider, and payouts.
 */
export type BehindKind = 'payments' | 'payout-accounts' | 'payouts';

/** A user's account at the payout provider, as the read model shows it. */
export interface PayoutAccount {
  readonly userId: string;
  readonly connectAccountId: string;
  readonly payoutsEnabled: boolean;
}

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
  readonly tries: {
    ripe(names: readonly string[]): Promise<ReadonlySet<string>>;
    note(name: string): Promise<unknown>;
  };
  /** Charges that no payment explains and that have not gone back, oldest first, a page at a time. */
  readonly unappliedCharges: (after: UnappliedCharge | undefined) => Promise<readonly UnappliedCharge[]>;
  /** Payments neither settled nor canceled, oldest first, a page at a time. */
  readonly unresolvedPayments: (
    after: UnresolvedPayment | undefined,
  ) => Promise<readonly UnresolvedPayment[]>;
  /** Payouts that have not ended, oldest first, a page at a time. */
  readonly unfinishedPayouts: (after: UnfinishedPayout | undefined) => Promise<readonly UnfinishedPayout[]>;
  /** Users' accounts at the payout provider, so many at a time as one call takes. */
  readonly payoutAccounts: (after: PayoutAccount | undefined) => Promise<readonly PayoutAccount[]>;
  /** How long a payout that was put off waits the first time. */
  readonly payoutRetryMs: number;
  /** Users with a bank account that was submitted some time ago and never got to the provider. */
  readonly usersWithStuckBankAccounts: () => Promise<readonly string[]>;
  /**
   * Users whose forgetting was begun and not finished, or for whom a schedule still goes on, a page at a
   * time.
   */
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
 * Asks on where one command is declined or cannot be done now: what the provider chokes on must not keep the
 * others waiting. Throws LedgerAway where too many in a row came to nothing.
 */
function asksOn(world: World) {
  let inARow = 0;
  return async (
    command: InternalCommand,
  ): Promise<
    { answer: InternalAnswer; failure?: never } | { answer?: never; failure: LedgerAway | LedgerDeclined }
  > => {
    try {
      const answer = await world.ask(command);
      inARow = 0;
      return { answer };
    } catch (error) {
      if (error instanceof LedgerDeclined) world.declined(command, error);
      else if (!(error instanceof LedgerAway) || ++inARow === FAILURES_IN_A_ROW) throw error;
      return { failure: error };
    }
  };
}

/**
 * Passes over what the ledger declines. Throws LedgerAway at the end for what cannot be done now, so that the
 * whole pass is made again.
 */
async function askEach<C extends InternalCommand>(
  commands: Iterable<C>,
  world: World,
  onAnswer: (command: C) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const ask = asksOn(world);
  let away: LedgerAway | undefined;
  for (const command of commands) {
    const { failure } = await ask(command);
    if (failure instanceof LedgerAway) away = failure;
    if (failure instanceof LedgerAway && failure.isUnreachable) continue;
    await onAnswer(command);
  }
  if (away) throw away;
}

/**
 * Asks by itself for each that was behind before this pass. What will never be is let go; what cannot be done
 * now stays behind, and keeps no other waiting. Answers what there is to tell where any stays.
 */
async function catchUp(
  world: World,
  kind: BehindKind,
  behind: ReadonlyMap<string, Date>,
  commandFor: (id: string, since: Date) => InternalCommand,
): Promise<LedgerAway | undefined> {
  let staying = 0;
  for (const [id, since] of behind) {
    const command = commandFor(id, since);
    let isOver: boolean;
    try {
      isOver = (await world.ask(command)).failed.length === 0;
    } catch (error) {
      if (error instanceof LedgerDeclined) world.declined(command, error);
      else if (!(error instanceof LedgerAway) || error.isUnreachable) throw error;
      isOver = error instanceof LedgerDeclined && error.isFinal;
    }
    if (isOver) await world.marks.caughtUp(kind, id);
    else staying += 1;
  }
  if (staying === 0) return undefined;
  return new LedgerAway(
    `${staying} of the ${kind} that are behind could not be looked into; they are asked again.`,
  );
}

/**
 * The mark moves after each stretch, so that a long way back is gone once. It moves on past what could not be
 * looked into: that is left behind by name, and asked by itself at each pass until it can be. So one broken
 * payment holds up no other, and makes no pass longer than the one before. A stretch of which nothing could
 * be learnt holds the mark; the later ones are looked at all the same.
 */
async function reconcile(world: World): Promise<void> {
  const behind = await world.marks.behind('payments');
  const ask = asksOn(world);
  let missed: Error | undefined;
  for (const stretch of stretchesSince(await world.marks.get('reconcile'), world.now())) {
    const { answer, failure } = await ask({ type: 'ReconcileSince', ...stretch });
    missed ??= failure;
    for (const intentId of answer?.failed ?? [])
      await world.marks.leaveBehind('payments', intentId, new Date(stretch.since));
    if (missed === undefined) await world.marks.set('reconcile', new Date(stretch.until));
  }
  const stayed = await catchUp(world, 'payments', behind, (intentId) => ({ type: 'SyncPayment', intentId }));
  const failure = missed ?? stayed;
  if (failure) throw failure;
}

/**
 * A refund that does not work is tried again later and later; one that works takes its charge out of the
 * pages.
 */
async function refundUnapplied(world: World): Promise<void> {
  let after: UnappliedCharge | undefined;
  do {
    const page = await world.unappliedCharges(after);
    const ripe = await world.tries.ripe(page.map(({ chargeId }) => chargeId));
    await askEach(
      page.flatMap(({ chargeId }) =>
        ripe.has(chargeId) ? [{ type: 'RefundUnapplied' as const, chargeId }] : [],
      ),
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

/** The same for payouts and users' accounts with the payout provider, with a mark of their own. */
async function reconcilePayouts(world: World): Promise<void> {
  const now = world.now();
  const stretches = stretchesSince(await world.marks.get('reconcile-payouts'), now);
  const since = stretches[0]?.since;
  if (since === undefined) return;
  const [accounts, payouts] = await Promise.all([
    world.marks.behind('payout-accounts'),
    world.marks.behind('payouts'),
  ]);
  const until = now.toISOString();
  const ask = asksOn(world);
  let missed: Error | undefined;
  for (const stretch of stretches) {
    const { answer, failure } = await ask({ type: 'ReconcileTransfers', ...stretch });
    missed ??= failure;
    for (const payoutId of answer?.failed ?? [])
      await world.marks.leaveBehind('payouts', payoutId, new Date(stretch.since));
  }
  let after: PayoutAccount | undefined;
  do {
    const page = await world.payoutAccounts(after);
    if (page.length > 0) {
      const named = page.map(({ connectAccountId, payoutsEnabled }) => ({
        connectAccountId,
        isToVerify: !payoutsEnabled,
      }));
      // However long the time: an account is asked for its own events, and those are few.
      const { answer } = await ask({ type: 'ReconcilePayoutAccounts', accounts: named, since, until });
      // Of a page without an answer nobody knows how far it came.
      const failed = answer?.failed ?? named.map(({ connectAccountId }) => connectAccountId);
      for (const id of failed) await world.marks.leaveBehind('payout-accounts', id, new Date(since));
    }
    after = page.at(-1);
  } while (after !== undefined);
  if (missed === undefined) await world.marks.set('reconcile-payouts', now);

  const accountsStayed = await catchUp(world, 'payout-accounts', accounts, (connectAccountId, from) => ({
    type: 'ReconcilePayoutAccounts',
    accounts: [{ connectAccountId, isToVerify: true }],
    since: from.toISOString(),
    until,
  }));
  const payoutsStayed = await catchUp(world, 'payouts', payouts, (payoutId) => ({
    type: 'AdvancePayout',
    payoutId,
  }));
  const failure = missed ?? accountsStayed ?? payoutsStayed;
  if (failure) throw failure;
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
 * Makes jobs of what is due: one that takes long, or that fails again and again, keeps no other waiting. What
 * a job left as it was is left alone for a while; whatever happens to it in the log is another job.
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
