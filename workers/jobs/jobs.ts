/**
 * The jobs: what each tick asks of the ledger. A tick carries nothing; the read models say what is due, and
 * the ledger decides what is done about it. Run twice, or in two processes at once, a job does nothing more.
 */
import type { InternalCommand } from '#contracts/api/internal';
import type { DueSchedule } from '#projections/schedules/queries';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import {
  askSideBySide,
  dueTasks,
  eachPage,
  PASS_MS,
  tasksBehind,
  type PassEnd,
  type Task,
} from './asking.js';
import type { JobContext, JobName, Mark, MarkName } from './context.js';
import { jobIdOf } from './due-schedules.js';
import { sendMails } from './mails.js';
import { commandForPayment } from './payment-sweep.js';
import { commandForPayout, payoutTryName } from './payout-sweep.js';
import { FURTHEST_BACK_MS, markAfter, stretchesSince, type Stretch } from './reconciliation.js';

/**
 * Where the last comparison came to, if that was with this log: a log that was restored from a copy of before
 * then lacks what the mark was set upon, and all of the time is looked at again. One that begins anew is
 * remembered too, so that the next pass goes on with the same.
 */
async function startOf(job: JobContext, name: MarkName): Promise<Mark> {
  const mark = await job.marks.get(name);
  const { log, isKnown } = await job.ask({ type: 'FindLogEnd', known: mark?.log });
  // A mark in the future is a clock that was wrong when it was made: what it hides must be looked at.
  if (mark?.log !== undefined && isKnown && mark.at <= job.now()) return mark;
  const furthest = { at: new Date(job.now().getTime() - FURTHEST_BACK_MS), log };
  await job.marks.set(name, furthest);
  return furthest;
}

/**
 * Moves a mark on the log as it is now, with all in it that was booked before. Answers where it stands then;
 * undefined if it was lost since `from` was read: what stayed behind was lost with it, and the next pass
 * looks at all of the time again.
 */
async function moveMark(
  job: JobContext,
  name: MarkName,
  from: Mark,
  through: Date,
): Promise<Mark | undefined> {
  const { log } = await job.ask({ type: 'FindLogEnd' });
  const to = { at: markAfter(through, job.now()), log };
  return (await job.marks.move(name, from, to)) ? to : undefined;
}

/**
 * Asks for a time, piece by piece, and moves the mark after each. What could not be looked into is left
 * behind by name, and so is a piece of which nothing could be learnt: no mark stands still for it.
 */
async function compareTime(
  job: JobContext,
  type: 'ReconcileSince' | 'ReconcileTransfers',
  name: MarkName,
  from: Mark,
): Promise<PassEnd> {
  const { one, stretch: piece } = LEFT_BEHIND[type];
  const endMs = job.now().getTime() + PASS_MS;
  let mark = from;
  for (const { since: first, until } of stretchesSince(from.at, job.now()))
    for (let since = first; since < until;) {
      if (job.now().getTime() >= endMs) return 'more';
      let through = until;
      try {
        const answer = await job.ask({ type, since, until });
        for (const id of answer.failed) await job.marks.leaveBehind(one, id, new Date(since));
        through = answer.through ?? until;
      } catch (error) {
        if (error instanceof LedgerDeclined) job.declined({ type, since, until }, error);
        else if (!(error instanceof LedgerAway) || error.isOutage) throw error;
        await job.marks.leaveBehind(piece, `${since}/${until}`, new Date(since));
      }
      const moved = await moveMark(job, name, mark, new Date(through));
      if (moved === undefined) return 'more';
      mark = moved;
      since = through;
    }
  return 'done';
}
/** Under which kinds it is noted what a comparison could not look into: one thing, and a piece of time. */
const LEFT_BEHIND = {
  ReconcileSince: { one: 'payments', stretch: 'payment-times' },
  ReconcileTransfers: { one: 'payouts', stretch: 'transfer-times' },
} as const;

/** What stayed behind of a kind, and of the pieces of time in which it is found. */
async function tasksOf(
  job: JobContext,
  type: 'ReconcileSince' | 'ReconcileTransfers',
  commandFor: (id: string) => InternalCommand,
): Promise<Task[]> {
  const { one, stretch } = LEFT_BEHIND[type];
  const [items, pieces] = await Promise.all([job.marks.behind(one), job.marks.behind(stretch)]);
  return [
    ...tasksBehind(job, one, items, commandFor),
    ...[...pieces.keys()].map((piece): Task => {
      const [since = '', until = ''] = piece.split('/');
      return {
        name: `behind-${stretch}-${piece}`,
        command: { type, since, until },
        async onAnswer({ failed, through }) {
          for (const id of failed) await job.marks.leaveBehind(one, id, new Date(since));
          if (through !== undefined && through < until)
            await job.marks.leaveBehind(stretch, `${through}/${until}`, new Date(through));
          await job.marks.caughtUp(stretch, piece);
        },
      };
    }),
  ];
}

/**
 * The mark moves with what was looked at, so that a long way back is gone once, also over several passes.
 * What stayed behind is asked for by itself, later and later, until it can be looked into.
 */
async function reconcile(job: JobContext): Promise<PassEnd> {
  const tasks = await tasksOf(job, 'ReconcileSince', (intentId) => ({ type: 'SyncPayment', intentId }));
  const from = await startOf(job, 'reconcile');
  const ends = await allEnded([
    compareTime(job, 'ReconcileSince', 'reconcile', from),
    askSideBySide(job, tasks),
  ]);
  return ends.includes('more') ? 'more' : 'done';
}

/**
 * A refund that does not work is tried again later and later; one that works takes its charge out of the
 * pages.
 */
async function refundUnapplied(job: JobContext): Promise<PassEnd> {
  const tasks = await dueTasks(job, job.unappliedCharges, ({ chargeId }) => ({
    name: chargeId,
    command: { type: 'RefundUnapplied', chargeId },
  }));
  return askSideBySide(job, tasks);
}

/** Each payment has its ages at which it is looked at: one look that works is all that an age gets. */
async function sweepPayments(job: JobContext): Promise<PassEnd> {
  const now = job.now();
  const tasks = await dueTasks(job, job.unresolvedPayments, (payment): Task | undefined => {
    const due = commandForPayment(payment, now);
    if (!due) return undefined;
    const name = `${payment.id}-${due.times}`;
    return { name, command: due.command, onAnswer: () => job.attempts.done(name) };
  });
  return askSideBySide(job, tasks);
}

/** The same for payouts and users' accounts with the payout provider, with marks of their own. */
async function reconcilePayouts(job: JobContext): Promise<PassEnd> {
  const tasks = await tasksOf(job, 'ReconcileTransfers', (payoutId) => ({ type: 'AdvancePayout', payoutId }));
  const transfersFrom = await startOf(job, 'reconcile-transfers');
  const from = await startOf(job, 'reconcile-payouts');
  // A round looks at all accounts up to one moment, over as many passes as it takes.
  const round = await job.marks.get('payout-accounts-round');
  const until = round !== undefined && round.at > from.at && round.at <= job.now() ? round.at : job.now();
  await job.marks.set('payout-accounts-round', { at: until, log: undefined });
  const behind = tasksBehind(
    job,
    'payout-accounts',
    await job.marks.behind('payout-accounts'),
    (connectAccountId, at) => ({
      type: 'ReconcilePayoutAccounts',
      accounts: [{ connectAccountId, isToVerify: true }],
      since: at.toISOString(),
      until: job.now().toISOString(),
    }),
  );
  const since = stretchesSince(from.at, until)[0]?.since;
  const accounts = since === undefined ? [] : await accountTasks(job, { since, until: until.toISOString() });
  const ends = await allEnded([
    compareTime(job, 'ReconcileTransfers', 'reconcile-transfers', transfersFrom),
    askSideBySide(job, [...accounts, ...tasks, ...behind]),
  ]);
  const [, roundsEnd] = ends;
  if (roundsEnd === 'done' && !(await moveMark(job, 'reconcile-payouts', from, until))) return 'more';
  return ends.includes('more') ? 'more' : 'done';
}

/**
 * A page of accounts at a time, each once for the time since the mark. However long that is: an account is
 * asked for its own events, and those are few.
 */
async function accountTasks(job: JobContext, { since, until }: Stretch): Promise<Task[]> {
  const tasks: Task[] = [];
  await eachPage(job.payoutAccounts, (page) => {
    const [first] = page;
    if (first === undefined) return Promise.resolve();
    const accounts = page.map(({ connectAccountId, payoutsEnabled }) => ({
      connectAccountId,
      isToVerify: !payoutsEnabled,
    }));
    // If an account is gone since the last pass, the others move up and the page ends with another one: its
    // name must differ.
    const name = `accounts-${since}-${[first, ...page.slice(-1)].map((one) => one.connectAccountId).join('-')}-${page.length}`;
    const leave = async (ids: readonly string[]): Promise<void> => {
      for (const id of ids) await job.marks.leaveBehind('payout-accounts', id, new Date(since));
      await job.attempts.done(name);
    };
    tasks.push({
      name,
      command: { type: 'ReconcilePayoutAccounts', accounts, since, until },
      onAnswer: ({ failed }) => leave(failed),
      // Of a page without an answer nobody knows how far it came.
      onFailure: () => leave(accounts.map(({ connectAccountId }) => connectAccountId)),
    });
    return Promise.resolve();
  });
  return tasks;
}

/** Several payouts at a time: whose turn it is, the ledger says. */
async function advancePayouts(job: JobContext): Promise<PassEnd> {
  const now = job.now();
  const tasks = await dueTasks(job, job.unfinishedPayouts, (payout): Task | undefined => {
    const command = commandForPayout(payout, now, job.payoutRetryMs);
    if (!command) return undefined;
    const name = payoutTryName(payout, now);
    // What is at its bank is asked about once an hour.
    const isOnce = payout.step === 'submitted';
    return { name, command, ...(isOnce && { onAnswer: () => job.attempts.done(name) }) };
  });
  return askSideBySide(job, tasks);
}

async function retryBankAccounts(job: JobContext): Promise<PassEnd> {
  const tasks = await dueTasks(job, job.usersWithStuckBankAccounts, (userId) => ({
    name: `bank-accounts-${userId}`,
    command: { type: 'CareForBankAccounts', userId },
  }));
  return askSideBySide(job, tasks);
}

/** Forgetting that stopped half way, and schedules that were made while somebody was being forgotten. */
async function finishForgetting(job: JobContext): Promise<PassEnd> {
  const tasks = await dueTasks(job, job.halfForgotten, (userId) => ({
    name: `forget-${userId}`,
    command: { type: 'ForgetUser', userId },
  }));
  return askSideBySide(job, tasks);
}

/** Who asked to be forgotten, and has not called it off: the ledger looks at the log and its own clock. */
async function forgetWhoAsked(job: JobContext): Promise<PassEnd> {
  const now = job.now();
  const read = (afterId: string | undefined) => job.dueToBeForgotten(now, afterId);
  const tasks = await dueTasks(job, read, (userId) => ({
    name: `forget-asked-${userId}`,
    command: { type: 'CarryOutForgetting', userId },
  }));
  return askSideBySide(job, tasks);
}

/** All of it ends before the first failure of it is told. */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

/**
 * How many jobs one pass makes at most, of those never tried and those to retry. The rest waits in the read
 * model.
 */
const MOST_JOBS = { fresh: 5_000, retried: 1_000 };

/**
 * Makes jobs of what is due: one that takes long, or that fails again and again, keeps no other waiting. What
 * a job left as it was is left alone for a while; whatever happens to it in the log is another job. After a
 * long outage the oldest are done first, and Redis holds no more than it can.
 */
async function findDueSchedules(job: JobContext): Promise<PassEnd> {
  const now = job.now();
  const room = { ...MOST_JOBS };
  await eachPage(
    (after: DueSchedule | undefined) => (room.fresh > 0 ? job.dueSchedules(now, after) : Promise.resolve([])),
    async (page) => {
      const due = await job.attempts.due(page.map(jobIdOf));
      for (const kind of ['fresh', 'retried'] as const) {
        const dues = page
          .filter((schedule) => {
            const tries = due.get(jobIdOf(schedule));
            return tries !== undefined && tries > 0 === (kind === 'retried');
          })
          .slice(0, room[kind]);
        room[kind] -= dues.length;
        if (dues.length > 0) await job.enqueue(dues, kind === 'retried');
      }
    },
  );
  return 'done';
}

/** Until all that moved in the balance at the provider is looked at, and compared with the books. */
async function compareProviderBalance(job: JobContext): Promise<PassEnd> {
  const endMs = job.now().getTime() + PASS_MS;
  for (;;) {
    const { isUnfinished } = await job.ask({ type: 'CompareProviderBalance' });
    if (!isUnfinished) return 'done';
    if (job.now().getTime() >= endMs) return 'more';
  }
}

export const JOBS: Readonly<Record<JobName, (job: JobContext) => Promise<PassEnd>>> = {
  reconcile,
  'refund-unapplied': refundUnapplied,
  'care-for-payments': sweepPayments,
  'find-due-schedules': findDueSchedules,
  'reconcile-payouts': reconcilePayouts,
  'advance-payouts': advancePayouts,
  'care-for-bank-accounts': retryBankAccounts,
  'compare-provider-balance': compareProviderBalance,
  'finish-forgetting': finishForgetting,
  'send-mails': sendMails,
  'forget-who-asked': forgetWhoAsked,
};
