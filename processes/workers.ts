/** The workers' process: what is due, and what must be retried. It asks; a ledger decides. */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Configuration } from '#contracts/configuration';
import type { Ready } from '#edge/health';
import { openReadPool } from '#projections/engine/database';
import { LedgerClient } from '#workers/ledger-client';
import { LedgerWatch } from '#workers/ledger-watch';
import { serveQueueBoard } from '#workers/operators/queue-board';
import { watchQueues } from '#workers/operators/queue-figures';
import type { DueQueue } from '#workers/queues/due-queue';
import type { JobQueue, RepeatedQueue } from '#workers/queues/job-queue';
import { Figures } from './shell/figures.js';
import { watchRecovery } from './shell/log-recovery.js';
import { openHealthPort } from './shell/health-port.js';
import { queueConnection, redisOptions } from './shell/redis-connection.js';
import { logOf, serve, type RunningProcess } from './shell/serve.js';
import { clockOf, readSettings } from './shell/settings.js';
import { attemptsIn, everyMsOf } from './workers/attempts.js';
import { showBacklogs } from './workers/backlogs.js';
import { jobContexts, type Ask } from './workers/job-context.js';
import { mailOf } from './workers/mail.js';
import { OtherInstallations } from './workers/other-installations.js';
import { dueSchedulesQueue, repeatedQueues } from './workers/queues.js';
import { workersReadiness } from './workers/readiness.js';
import { NAMES } from './workers/settings.js';

const KEEP_SCHEDULED_MS = 15_000;

type WorkersSettings = Configuration<(typeof NAMES)[number]>;

async function start(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const log = logOf('workers', settings);
  const scheduleNow = clockOf(settings);
  const reads = openReadPool(settings.DATABASE_URL, 4);
  // BullMQ waits for Redis as long as it is away; a command of ours is given up after some tries.
  const redis = new Redis(settings.REDIS_URL, { ...redisOptions(), maxRetriesPerRequest: 3 });
  redis.on('error', (error: Error) => log.warn({ why: error.message }, 'Redis does not answer'));
  const ledger = new LedgerClient(settings.LEDGER_INTERNAL_URL, settings.ENCORE_INTERNAL_TOKEN);
  const figures = new Figures();
  const ask = askOf(ledger, figures, log);
  const mail = mailOf(settings, figures);
  if (mail === undefined) log.warn('SMTP_URL is not set: nobody is told anything by mail');

  const everyMs = everyMsOf(settings);
  const attemptsOf = attemptsIn(redis, everyMs, log);
  const world = { connection: queueConnection(settings.REDIS_URL), figures, log };
  const dueQueue = dueSchedulesQueue({
    ...world,
    ask: (command) => ask(command, { correlationId: uuidv7() }),
    attempts: attemptsOf('find-due-schedules'),
  });
  const contextOf = jobContexts({
    mail,
    payoutRetryMs: settings.PAYOUT_RETRY_SECONDS * 1000,
    enqueue: (dues, isRetry) => dueQueue.add(dues, isRetry),
    reads,
    redis,
    scheduleNow,
    ask,
    attemptsOf,
    log,
  });
  const recovery = watchRecovery(settings, figures, log);
  const watch: LedgerWatch = new LedgerWatch({
    areWritesOpen: async () => recovery.reason() === undefined && ledger.areWritesOpen(),
    changed: (isAway) => noteLedger(isAway, repeated, log),
  });
  const repeated = repeatedQueues({ ...world, everyMs, isLedgerAway: () => watch.isAway, contextOf });

  const others = new OtherInstallations(redis, settings.ENCORE_INTERNAL_TOKEN);
  showBacklogs(figures, reads, scheduleNow);
  const ready = () =>
    workersReadiness({
      redis,
      reads,
      isLedgerAway: () => watch.isAway,
      recovery: recovery.reason,
      otherInstallation: () => others.warning,
    });
  const { board, health } = await openPorts(settings, [...repeated, dueQueue], figures, ready, log);
  watch.start();
  const keeper = await startQueues(repeated, dueQueue, others, log);
  return {
    log,
    ports: { port: health.port },
    async end() {
      clearInterval(keeper);
      watch.stop();
      await board?.close();
      await Promise.all([...repeated, dueQueue].map((queue) => queue.close()));
      for (const sender of mail?.senders ?? []) sender.close();
      health.close();
      redis.disconnect();
      await Promise.all([reads.end(), recovery.close()]);
    },
  };
}

function askOf(ledger: LedgerClient, figures: Figures, log: Logger): Ask {
  const asked = figures.counter('encore_internal_commands_total', 'Commands that the ledger was asked', [
    'type',
  ]);
  return (command, about) => {
    asked.inc({ type: command.type });
    log.debug({ ...about, command }, 'asking the ledger');
    return ledger.ask(command, about.correlationId);
  };
}

/** What was put off while no ledger took commands is done as soon as one does. */
function noteLedger(isAway: boolean, repeated: readonly RepeatedQueue[], log: Logger): void {
  if (isAway) return log.warn('the ledger takes no commands: jobs are put off until it does');
  log.info('the ledger takes commands again: what was put off is done now');
  for (const queue of repeated)
    queue.passNow().catch((error: Error) => log.warn({ why: error.message }, 'a pass could not be made now'));
}

/** The port that says how the workers are, and the page of the queues where one is wanted. */
async function openPorts(
  settings: WorkersSettings,
  queues: readonly JobQueue[],
  figures: Figures,
  ready: () => Promise<Ready>,
  log: Logger,
) {
  const watched = queues.map(({ queue }) => queue);
  watchQueues(figures.registry, watched);
  const board =
    settings.BULL_BOARD_PORT === undefined
      ? undefined
      : await serveQueueBoard({ queues: watched, port: settings.BULL_BOARD_PORT, log });
  const health = await openHealthPort({
    port: settings.WORKERS_PORT,
    host: settings.WORKERS_HOST,
    ready,
    registry: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
  });
  return { board, health };
}

/** Runs the jobs. The alarms of repeated ones are set again for good: Redis may lose them. */
async function startQueues(
  repeated: readonly RepeatedQueue[],
  dueQueue: DueQueue,
  others: OtherInstallations,
  log: Logger,
): Promise<NodeJS.Timeout> {
  for (const queue of [...repeated, dueQueue]) await queue.start();
  return setInterval(() => {
    others
      .look()
      .catch((error: Error) => log.warn({ why: error.message }, 'Redis could not be asked who else uses it'));
    for (const queue of repeated)
      queue
        .keepScheduled()
        .catch((error: Error) => log.warn({ why: error.message }, 'an alarm could not be set'));
  }, KEEP_SCHEDULED_MS);
}

await serve('the workers', start);
