/**
 * The jobs: what each tick asks of the ledger. A tick carries nothing; the read models say what is due, and
 * the ledger decides what is done about it. Run twice, or in two processes at once, a job does nothing more.
 */
import type { DueSchedule } from '#projections/schedules/queries';
import { LedgerAway } from '../ledger-client.js';
import { askEach, asksOn, catchUp, eachPage } from './asking.js';
import type { JobContext, JobName } from './context.js';
import { jobIdOf } from './due-schedules.js';
import { commandForPayment } from './payment-sweep.js';
import { commandForPayout } from './payout-sweep.js';
import { stretchesSince } from './reconciliation.js';

/**
 * The mark moves after each stretch, so that a long way back is gone once. It moves on past what could not be
 * looked into: that is left behind by name, and asked by itself at each pass until it can be. So one broken
 * payment holds up no other, and makes no pass longer than the one before. A stretch of which nothing could
 * be learnt holds the mark; the later ones are looked at all the same.
 */
async function reconcile(job: JobContext): Promise<void> {
  const behind = await job.marks.behind('payments');
  const ask = asksOn(job);
  let missed: Error | undefined;
  for (const stretch of stretchesSince(await job.marks.get('reconcile'), job.now())) {
    const { answer, failure } = await ask({ type: 'ReconcileSince', ...stretch });
    missed ??= failure;
    for (const intentId of answer?.failed ?? [])
      await job.marks.leaveBehind('payments', intentId, new Date(stretch.since));
    if (missed === undefined) await job.marks.set('reconcile', new Date(stretch.until));
  }
  const stayed = await catchUp(job, 'payments', behind, (intentId) => ({ type: 'SyncPayment', intentId }));
  const failure = missed ?? stayed;
  if (failure) throw failure;
}

/**
 * A refund that does not work is tried again later and later; one that works takes its charge out of the
 * pages.
 */
async function refundUnapplied(job: JobContext): Promise<void> {
  await eachPage(job.unappliedCharges, async (page) => {
    const due = await job.attempts.due(page.map(({ chargeId }) => chargeId));
    const charges = page.filter(({ chargeId }) => due.has(chargeId));
    await askEach(
      charges.map(({ chargeId }) => ({ type: 'RefundUnapplied' as const, chargeId })),
      job,
      ({ chargeId }) => job.attempts.note(chargeId),
    );
  });
}

async function sweepPayments(job: JobContext): Promise<void> {
  const now = job.now();
  const lastPass = await job.marks.get('care-for-payments');
  await eachPage(job.unresolvedPayments, (page) =>
    askEach(
      page.flatMap((payment) => commandForPayment(payment, lastPass, now) ?? []),
      job,
    ),
  );
  await job.marks.set('care-for-payments', now);
}

/** The same for payouts and users' accounts with the payout provider, with a mark of their own. */
async function reconcilePayouts(job: JobContext): Promise<void> {
  const now = job.now();
  const stretches = stretchesSince(await job.marks.get('reconcile-payouts'), now);
  const since = stretches[0]?.since;
  if (since === undefined) return;
  const [accounts, payouts] = await Promise.all([
    job.marks.behind('payout-accounts'),
    job.marks.behind('payouts'),
  ]);
  const until = now.toISOString();
  const ask = asksOn(job);
  let missed: Error | undefined;
  for (const stretch of stretches) {
    const { answer, failure } = await ask({ type: 'ReconcileTransfers', ...stretch });
    missed ??= failure;
    for (const payoutId of answer?.failed ?? [])
      await job.marks.leaveBehind('payouts', payoutId, new Date(stretch.since));
  }
  await eachPage(job.payoutAccounts, async (page) => {
    if (page.length === 0) return;
    const accounts = page.map(({ connectAccountId, payoutsEnabled }) => ({
      connectAccountId,
      isToVerify: !payoutsEnabled,
    }));
    // However long the time: an account is asked for its own events, and those are few.
    const { answer, failure } = await ask({ type: 'ReconcilePayoutAccounts', accounts, since, until });
    // An outage holds the mark, and the next pass looks at all of them again.
    if (failure instanceof LedgerAway && failure.isOutage) return void (missed ??= failure);
    // Of a page without an answer nobody knows how far it came.
    const failed = answer?.failed ?? accounts.map(({ connectAccountId }) => connectAccountId);
    for (const id of failed) await job.marks.leaveBehind('payout-accounts', id, new Date(since));
  });
  if (missed === undefined) await job.marks.set('reconcile-payouts', now);

  const accountsStayed = await catchUp(job, 'payout-accounts', accounts, (connectAccountId, from) => ({
    type: 'ReconcilePayoutAccounts',
    accounts: [{ connectAccountId, isToVerify: true }],
    since: from.toISOString(),
    until,
  }));
  const payoutsStayed = await catchUp(job, 'payouts', payouts, (payoutId) => ({
    type: 'AdvancePayout',
    payoutId,
  }));
  const failure = missed ?? accountsStayed ?? payoutsStayed;
  if (failure) throw failure;
}

async function advancePayouts(job: JobContext): Promise<void> {
  const now = job.now();
  const lastPass = await job.marks.get('advance-payouts');
  await eachPage(job.unfinishedPayouts, (page) =>
    askEach(
      page.flatMap((payout) => commandForPayout(payout, lastPass, now, job.payoutRetryMs) ?? []),
      job,
    ),
  );
  await job.marks.set('advance-payouts', now);
}

async function retryBankAccounts(job: JobContext): Promise<void> {
  const userIds = await job.usersWithStuckBankAccounts();
  await askEach(
    userIds.map((userId) => ({ type: 'CareForBankAccounts', userId })),
    job,
  );
}

/** Forgetting that stopped half way, and schedules that were made while somebody was being forgotten. */
async function finishForgetting(job: JobContext): Promise<void> {
  await eachPage(job.halfForgotten, (userIds) =>
    askEach(
      userIds.map((userId) => ({ type: 'ForgetUser', userId })),
      job,
    ),
  );
}

/**
 * Makes jobs of what is due: one that takes long, or that fails again and again, keeps no other waiting. What
 * a job left as it was is left alone for a while; whatever happens to it in the log is another job.
 */
async function findDueSchedules(job: JobContext): Promise<void> {
  const now = job.now();
  await eachPage(
    (after: DueSchedule | undefined) => job.dueSchedules(now, after),
    async (page) => {
      const due = await job.attempts.due(page.map(jobIdOf));
      const schedules = page.filter((schedule) => due.has(jobIdOf(schedule)));
      if (schedules.length > 0) await job.enqueue(schedules);
    },
  );
}

/** On and on until all that moved in the balance at the provider is looked at, and compared with the books. */
async function compareProviderBalance(job: JobContext): Promise<void> {
  let isUnfinished = true;
  while (isUnfinished)
    isUnfinished = (await job.ask({ type: 'CompareProviderBalance' })).isUnfinished ?? false;
}

export const JOBS: Readonly<Record<JobName, (job: JobContext) => Promise<void>>> = {
  reconcile,
  'refund-unapplied': refundUnapplied,
  'care-for-payments': sweepPayments,
  'find-due-schedules': findDueSchedules,
  'reconcile-payouts': reconcilePayouts,
  'advance-payouts': advancePayouts,
  'care-for-bank-accounts': retryBankAccounts,
  'compare-provider-balance': compareProviderBalance,
  'finish-forgetting': finishForgetting,
};
