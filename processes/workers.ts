/** The workers' process: what is due, and what must be retried. It asks; a ledger decides. */
import type { ConnectionOptions, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { ACCOUNTS_AT_ONCE, type InternalCommand } from '#contracts/api/internal';
import { BadSetting, type Configuration } from '#contracts/configuration';
import { providerAccounts, stuckBankAccounts } from '#projections/bank-accounts/queries';
import { moneySummary, safeguardingSummary, type MoneySummary } from '#projections/balances/queries';
import { openReadPool } from '#projections/engine/database';
import { payoutFunds } from '#projections/payouts/funds';
import { payoutsPutOff, unfinishedPayouts } from '#projections/payouts/queries';
import { dueBacklog, dueSchedules, halfForgotten } from '#projections/schedules/queries';
import { unresolvedPaymentsBefore } from '#projections/transactions/queries';
import { unclaimedByAge } from '#projections/unclaimed/queries';
import { unappliedBacklog, unappliedCharges } from '#projections/unapplied/queries';
import { dueToBeForgotten } from '#projections/users/queries';
import type { PassEnd } from '#workers/jobs/asking';
import { STUCK_AFTER_TRIES } from '#workers/jobs/back-off';
import type { JobContext, JobName } from '#workers/jobs/context';
import { JOBS } from '#workers/jobs/jobs';
import { smtpSender } from '#workers/mail/mail-sender';
import { LedgerAway, LedgerClient } from '#workers/ledger-client';
import { LedgerWatch } from '#workers/ledger-watch';
import type { serveQueueBoard } from '#workers/operators/queue-board';
import { watchQueues } from '#workers/operators/queue-figures';
import { Attempts } from '#workers/queues/attempts';
import { DueQueue } from '#workers/queues/due-queue';
import { RepeatedQueue, type PassOutcome } from '#workers/queues/job-queue';
import { Marks } from '#workers/queues/marks';
import { Figures } from './shell/figures.js';
import { watchRecovery } from './shell/log-recovery.js';
import { openHealthPort } from './shell/health-port.js';
import { logOf, serve, type RunningProcess } from './shell/serve.js';
import { clockOf, readSettings } from './shell/settings.js';
import { workersReadiness } from './workers/readiness.js';
import { NAMES } from './workers/settings.js';

const KEEP_SCHEDULED_MS = 15_000;
const PAGE = 200;
const MINUTE_MS = 60_000;
/**
 * What is due and stays as it was is looked after this often at least; unapplied money that does not go back,
 * this often.
 */
const LONGEST_SCHEDULE_WAIT_MS = 15 * MINUTE_MS;
/** What a sweep or a comparison could not look into. */
const LONGEST_ITEM_WAIT_MS = 15 * MINUTE_MS;
const LONGEST_REFUND_WAIT_MS = 6 * 60 * MINUTE_MS;
/** What has been due for so long is stuck. */
const STUCK_DUE_MS = 10 * MINUTE_MS;
/** A bank account that was submitted so long ago is looked after; no request is still at work on it. */
const STUCK_AFTER_MS = 11 * MINUTE_MS;

/** What is due at a time that people were told. */
const BY_MOVED_CLOCK: ReadonlySet<JobName> = new Set<JobName>(['find-due-schedules', 'forget-who-asked']);

async function start(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const log = logOf('workers', settings);
  const scheduleNow = clockOf(settings);
  const reads = openReadPool(settings.DATABASE_URL, 4);
  // BullMQ waits for Redis as long as it is away; a command of ours is given up after some tries.
  const redis = new Redis(settings.REDIS_URL, { maxRetriesPerRequest: 3 });
  redis.on('error', (error: Error) => log.warn({ why: error.message }, 'Redis does not answer'));
  const ledger = new LedgerClient(settings.LEDGER_INTERNAL_URL, settings.ENCORE_INTERNAL_TOKEN);

  const figures = new Figures();
  const ticks = figures.counter('encore_duty_ticks_total', 'Ticks of a job, by how they ended', [
    'duty',
    'ended',
  ]);
  const dueJobs = figures.counter(
    'encore_due_jobs_total',
    'Jobs for schedules that were due, by how they ended',
    ['ended'],
  );
  const asked = figures.counter('encore_internal_commands_total', 'Commands that the ledger was asked', [
    'type',
  ]);
  const ask = (command: InternalCommand, about: { correlationId: string; duty?: JobName }) => {
    asked.inc({ type: command.type });
    log.debug({ ...about, command }, 'asking the ledger');
    return ledger.ask(command, about.correlationId);
  };

  /** Attempts at what is named by its `kind` of id; too many of them are a warning. */
  const attemptsAt = (
    store: string,
    kind: string,
    firstMs: number,
    longestMs: number,
  ): JobContext['attempts'] => {
    const attempts = new Attempts(redis, store, { firstMs, longestMs });
    return {
      due: (names) => attempts.due(names),
      done: (name) => attempts.done(name),
      async note(name) {
        const last = await attempts.note(name);
        if (last.tries >= STUCK_AFTER_TRIES)
          log.warn({ [kind]: name, ...last }, 'it was tried again and again and stays as it was');
      },
    };
  };
  const everyMs = everyMsOf(settings);
  const scheduleAttempts = attemptsAt(
    'schedule',
    'job',
    everyMs['find-due-schedules'],
    LONGEST_SCHEDULE_WAIT_MS,
  );
  const attemptsOf = (job: JobName): JobContext['attempts'] => {
    if (job === 'find-due-schedules') return scheduleAttempts;
    const isRefund = job === 'refund-unapplied';
    return attemptsAt(
      isRefund ? 'refund' : job,
      isRefund ? 'chargeId' : 'item',
      Math.min(everyMs[job], MINUTE_MS),
      isRefund ? LONGEST_REFUND_WAIT_MS : LONGEST_ITEM_WAIT_MS,
    );
  };

  const mail = mailOf(settings, figures);
  if (mail === undefined) log.warn('SMTP_URL is not set: nobody is told anything by mail');
  const marks = new Marks(redis);
  const contextOf = (job: JobName): JobContext => {
    const about = { correlationId: uuidv7(), duty: job };
    return {
      mail,
      now: BY_MOVED_CLOCK.has(job) ? scheduleNow : () => new Date(),
      marks,
      ask: (command) => ask(command, about),
      attempts: attemptsOf(job),
      unappliedCharges: (after) => unappliedCharges(reads, PAGE, after),
      unresolvedPayments: (after) => unresolvedPaymentsBefore(reads, new Date(), PAGE, after),
      unfinishedPayouts: async (after) =>
        unfinishedPayouts(reads, PAGE, after?.id, (await payoutFunds(reads)).availableMinor),
      payoutAccounts: (after) => providerAccounts(reads, ACCOUNTS_AT_ONCE, after?.userId),
      payoutRetryMs: settings.PAYOUT_RETRY_SECONDS * 1000,
      usersWithStuckBankAccounts: () => stuckBankAccounts(reads, new Date(Date.now() - STUCK_AFTER_MS), PAGE),
      dueToBeForgotten: (now, afterId) => dueToBeForgotten(reads, now, PAGE, afterId),
      halfForgotten: (afterId) => halfForgotten(reads, PAGE, afterId),
      dueSchedules: (now, after) => dueSchedules(reads, now, PAGE, after),
      enqueue: (dues, isRetry) => dueQueue.add(dues, isRetry),
      declined: (command, error) =>
        log.warn({ ...about, command, why: error.message }, 'the ledger declined'),
    };
  };

  const connection = connectionTo(settings.REDIS_URL);
  // An outage is no try of anything, and nothing that somebody has to look into at each job.
  const isOutage = (error: Error | undefined): boolean => error instanceof LedgerAway && error.isOutage;
  const endedOf = (error: Error | undefined): string =>
    error === undefined ? 'well' : isOutage(error) ? 'put off' : 'badly';
  const troubleOf =
    (about: object) =>
    (error: Error): void =>
      log.warn({ ...about, why: error.message }, 'a queue is in trouble');
  const dueQueue = new DueQueue(async (command) => void (await ask(command, { correlationId: uuidv7() })), {
    connection,
    onTrouble: troubleOf({ queue: 'due-schedules' }),
    onEnd(job, error) {
      dueJobs.inc({ ended: endedOf(error) });
      if (isOutage(error))
        return log.info({ job, why: error?.message }, 'put off by an outage; it is still due');
      if (error) log.warn({ job, why: error.message }, 'a schedule could not be seen to; it is still due');
      scheduleAttempts
        .note(job)
        .catch((trouble: Error) => log.warn({ why: trouble.message }, 'a try was not noted'));
    },
  });
  const recovery = watchRecovery(settings, figures, log);
  const watch: LedgerWatch = new LedgerWatch({
    areWritesOpen: async () => recovery.reason() === undefined && ledger.areWritesOpen(),
    changed(isAway) {
      if (isAway) return log.warn('the ledger takes no commands: jobs are put off until it does');
      log.info('the ledger takes commands again: what was put off is done now');
      for (const queue of repeated)
        queue
          .passNow()
          .catch((error: Error) => log.warn({ why: error.message }, 'a pass could not be made now'));
    },
  });
  const outcomeOf = (error: unknown): PassOutcome =>
    error instanceof LedgerAway && error.isOutage ? 'outage' : 'failed';
  const tick = (job: JobName): Promise<PassEnd> =>
    watch.isAway
      ? Promise.reject(new LedgerAway('The ledger takes no commands.', { isOutage: true }))
      : JOBS[job](contextOf(job));
  const repeated = (Object.keys(JOBS) as JobName[]).map(
    (job) =>
      new RepeatedQueue(job, everyMs[job], () => tick(job), outcomeOf, {
        connection,
        onTrouble: troubleOf({ duty: job }),
        onEnd(_, error) {
          ticks.inc({ duty: job, ended: endedOf(error) });
          if (isOutage(error))
            log.info({ duty: job, why: error?.message }, 'a tick was put off by an outage');
          else if (error)
            log.warn(
              { duty: job, why: error.message },
              'a tick did not end well; the next one goes on from there',
            );
          else log.debug({ duty: job }, 'a tick ended well');
        },
      }),
  );

  showBacklogs(figures, reads, scheduleNow);

  const queues = [...repeated, dueQueue];
  const watched = queues.map(({ queue }) => queue);
  watchQueues(figures.registry, watched);
  const board =
    settings.BULL_BOARD_PORT === undefined ? undefined : await boardOf(watched, settings.BULL_BOARD_PORT);

  const health = await openHealthPort({
    port: settings.WORKERS_PORT,
    host: settings.WORKERS_HOST,
    ready: () =>
      workersReadiness({ redis, reads, isLedgerAway: () => watch.isAway, recovery: recovery.reason }),
    registry: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
  });
  watch.start();
  for (const queue of queues) await queue.start();
  const keeper = setInterval(() => {
    for (const queue of repeated)
      queue
        .keepScheduled()
        .catch((error: Error) => log.warn({ why: error.message }, 'an alarm could not be set'));
  }, KEEP_SCHEDULED_MS);
  return {
    log,
    ports: { port: health.port },
    async end() {
      clearInterval(keeper);
      watch.stop();
      await board?.close();
      await Promise.all(queues.map((queue) => queue.close()));
      for (const sender of mail?.senders ?? []) sender.close();
      health.close();
      redis.disconnect();
      await Promise.all([reads.end(), recovery.close()]);
    },
  };
}

/** The queues as a page; loaded where it is wanted, for it is a third of all that this process loads. */
async function boardOf(queues: readonly Queue[], port: number): ReturnType<typeof serveQueueBoard> {
  const { serveQueueBoard } = await import('#workers/operators/queue-board');
  return serveQueueBoard(queues, port);
}

/** Mails go out side by side on so many connections. */
const MAIL_CONNECTIONS = 4;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The connections to the mail server; undefined where there is none. Throws BadSetting in production without one. */
function mailOf(
  { SMTP_URL: url, MAIL_FROM: from, NODE_ENV }: Configuration<'SMTP_URL' | 'MAIL_FROM' | 'NODE_ENV'>,
  figures: Figures,
): JobContext['mail'] {
  const isProduction = NODE_ENV === 'production';
  if (url === undefined) {
    if (!isProduction) return undefined;
    throw new BadSetting(
      'SMTP_URL is not set: nobody would hear of a new sign-in, or could refuse the recovery of their account. Set the mail server.',
    );
  }
  const mailsTotal = figures.counter(
    'encore_mails_total',
    'Mails handed to the mail server, by what became of them',
    ['outcome', 'code'],
  );
  const mayBeClear = !isProduction || LOOPBACK.test(new URL(url).hostname);
  return {
    senders: Array.from({ length: MAIL_CONNECTIONS }, () => smtpSender({ url, from, mayBeClear })),
    noted: (outcome, code) => mailsTotal.inc({ outcome, code: code ?? '' }),
  };
}

/** How often each job is run. */
function everyMsOf(
  settings: Configuration<
    'CARE_EVERY_SECONDS' | 'RECONCILE_EVERY_MINUTES' | 'SCHEDULES_EVERY_SECONDS' | 'MAIL_EVERY_SECONDS'
  >,
): Readonly<Record<JobName, number>> {
  const sweepMs = settings.CARE_EVERY_SECONDS * 1000;
  const reconcileMs = settings.RECONCILE_EVERY_MINUTES * MINUTE_MS;
  return {
    reconcile: reconcileMs,
    'refund-unapplied': sweepMs,
    'care-for-payments': sweepMs,
    'find-due-schedules': settings.SCHEDULES_EVERY_SECONDS * 1000,
    'reconcile-payouts': reconcileMs,
    'advance-payouts': sweepMs,
    'care-for-bank-accounts': sweepMs,
    'compare-provider-balance': reconcileMs,
    'finish-forgetting': reconcileMs,
    'send-mails': settings.MAIL_EVERY_SECONDS * 1000,
    'forget-who-asked': sweepMs,
  };
}

/** Redis as BullMQ is told of it. */
function connectionTo(redisUrl: string): ConnectionOptions {
  const url = new URL(redisUrl);
  return {
    host: url.hostname,
    port: Number(url.port || 6379),
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    db: Number(url.pathname.slice(1) || 0),
    tls: url.protocol === 'rediss:' ? {} : undefined,
    maxRetriesPerRequest: null,
  };
}

/** For how long something has waited, in seconds; 0 when nothing waits. */
const secondsSince = (oldest: Date | null, now: Date): number =>
  oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);

/** What is due, stuck or put off, as figures. */
function showBacklogs(figures: Figures, reads: pg.Pool, scheduleNow: () => Date): void {
  figures.gauge(
    'encore_schedules_due',
    'Schedules that must be looked after now',
    async () => (await dueBacklog(reads, scheduleNow())).count,
  );
  figures.gauge('encore_schedules_due_seconds', 'For how long the oldest of them has been due', async () =>
    secondsSince((await dueBacklog(reads, scheduleNow())).oldest, scheduleNow()),
  );
  figures.gauge(
    'encore_schedules_stuck',
    'Schedules that have been due for more than ten minutes',
    async () => (await dueBacklog(reads, new Date(scheduleNow().getTime() - STUCK_DUE_MS))).count,
  );
  figures.gauge(
    'encore_unapplied_seconds',
    'For how long the oldest charge that no payment explains has been kept',
    async () => secondsSince((await unappliedBacklog(reads)).oldest, new Date()),
  );
  const summarised = async (minorOf: (summary: MoneySummary) => number) =>
    (await moneySummary(reads)).map((summary) => [{ currency: summary.currency }, minorOf(summary)] as const);
  figures.gauges(
    'encore_owed_minor',
    'What people are owed by the books, in minor units: the sum of their positive balances',
    ['currency'],
    () => summarised(({ owedMinor }) => owedMinor),
  );
  figures.gauges(
    'encore_debts_minor',
    'What people owe after refunds and disputes, in minor units; it never lessens what others are owed',
    ['currency'],
    () => summarised(({ debtsMinor }) => debtsMinor),
  );
  figures.gauges(
    'encore_platform_own_minor',
    'The platform’s own money by the books, in minor units: what it brought along, less fees and losses',
    ['currency'],
    () => summarised(({ ownMinor }) => ownMinor),
  );
  figures.gauges(
    'encore_safeguarding_minor',
    'What belongs to others (required), the money that is there (held), and what is missing (shortfall), in minor units',
    ['currency', 'part'],
    async () =>
      (await safeguardingSummary(reads)).flatMap(({ currency, requiredMinor, heldMinor, shortfallMinor }) => [
        [{ currency, part: 'required' }, requiredMinor] as const,
        [{ currency, part: 'held' }, heldMinor] as const,
        [{ currency, part: 'shortfall' }, shortfallMinor] as const,
      ]),
  );
  figures.gauges(
    'encore_unclaimed_items',
    'How often money came back for somebody whose account is closed and was not paid since, by its age',
    ['age'],
    async () => (await unclaimedByAge(reads, new Date())).map(({ age, count }) => [{ age }, count]),
  );
  figures.gauges(
    'encore_unclaimed_minor',
    'How much that comes to, in minor units, by its age',
    ['age'],
    async () =>
      (await unclaimedByAge(reads, new Date())).map(({ age, amountMinor }) => [{ age }, amountMinor]),
  );
  const availableNow = async (): Promise<number> => (await payoutFunds(reads)).availableMinor;
  figures.gauges(
    'encore_payouts_put_off',
    'Payouts that the provider does not make now, by its code',
    ['code'],
    async () =>
      (await payoutsPutOff(reads, await availableNow())).map(({ code, count }) => [{ code }, count]),
  );
  figures.gauges(
    'encore_payouts_put_off_seconds',
    'For how long the oldest of them has stood where it stands',
    ['code'],
    async () =>
      (await payoutsPutOff(reads, await availableNow())).map(({ code, oldest }) => [
        { code },
        secondsSince(oldest, new Date()),
      ]),
  );
}

await serve('the workers', start);
