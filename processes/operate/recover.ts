/**
 * `operate recover`: wins back what the log has lost. The archive first (the same events), then the provider,
 * by lists; what no source has is listed, and whoever it concerns may be paid and nothing more until an
 * operator has looked at it. Each step may be taken again: killed at any point, it is run again and goes on.
 */
import { readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { openArchive } from '#audit/exported-log/archive';
import { JOURNAL } from '#contracts/events/journal';
import type { Journal } from '#ledger/journal/journal';
import { BalanceTables } from '#ledger/platform-money/balance-tables';
import { comparisonDone, comparisonDue } from '#ledger/start-gate/comparison-mark';
import { asUrgent, CallLimiter, OwnCallCounter } from '#ledger/stripe/call-limiter';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { StripeHistory } from '#ledger/stripe/provider-history';
import type { StripeAccess } from '#ledger/stripe/stripe-client';
import { EsdbLog } from '#log/esdb';
import { recorded, type EventLog } from '#log/event-log';
import { clearLogRecovery, readLogRecovery, writeLogRecovery, type LogRecovery } from '#log/log-recovery';
import { Vault } from '#log/vault';
import { HOWEVER_LONG, openReadPool } from '#projections/engine/database';
import { replaceRows, type LostRow } from '#projections/engine/replace-rows';
import { outsideSources } from '../ledger/start-gate.js';
import { prepareDatabase } from '../database.js';
import { CALL_LIMIT_SETTINGS, callLimitsOf } from '../shell/call-limits.js';
import { CannotRun, type Verdict } from '../shell/command.js';
import { openReadModels } from '../shell/read-models.js';
import { MASTER_KEY_SETTINGS, masterKeysOf, readSettings } from '../shell/settings.js';
import { cannotRecover } from './cannot-recover.js';
import { usersOf } from './concerned.js';
import { assertNoLedger } from './living-ledgers.js';
import type { PausedSchedule } from './pause-schedules.js';
import { linesOf, type RecoveryReport } from './recovery-report.js';
import {
  closeConcerned,
  comparedSince,
  lastHeardMs,
  otherAccount,
  sinceTooLate,
  winBack,
  type WonBack,
} from './win-back.js';

/** The other processes look once a second whether the log is in recovery. */
const NOTICED_WITHIN_MS = 3_000;
/** A ledger is founded by one of its first entries, unless it is older than founding. */
const FOUNDED_WITHIN = 1_000;

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/** What recovering takes: the stores, and where the log stood when the loss was found. */
interface World {
  readonly log: EventLog;
  readonly pool: pg.Pool;
  readonly reads: pg.Pool;
  readonly archive: string | undefined;
  readonly tree: string | undefined;
  readonly row: LogRecovery;
}

interface RecoverOptions {
  /** Since when the provider is compared with; found out unless told. */
  readonly since?: Date | undefined;
  /** The file of the report. */
  readonly report?: string | undefined;
}

export async function recover({
  since: asked,
  report: file = defaultReport(),
}: RecoverOptions): Promise<Verdict> {
  const settings = recoverySettings();
  const access: StripeAccess = {
    secretKey: settings.STRIPE_SECRET_KEY,
    apiUrl: settings.STRIPE_API_URL,
    isPatient: true,
    limiter: new CallLimiter(new OwnCallCounter(), callLimitsOf(settings)),
  };
  const began = Date.now();
  const account = new ProviderAccount(access);
  const world = await openWorld(settings, account);
  const { log, pool } = world;
  tell(`The log is in recovery: ${world.row.reason}`);

  const wonBack = await orSentence(async () =>
    winBack({
      log,
      archive: world.archive === undefined ? undefined : (await openArchive(world.archive)).events(),
      row: world.row,
      sources: outsideSources(world.reads, world),
      async provider(journal) {
        await assertSameAccount(journal.founding, account);
        const vault = Vault.open(pool, masterKeysOf(settings));
        const seal = new OwnershipSeal(await vault.sealKey(), () => journal.ledgerId);
        const since = await sinceOf(world, asked);
        return { history: new StripeHistory({ ...access, seal }), since };
      },
      tell,
    }),
  );
  const { journal, archived, lostEvents, provider, links, unreadable, since, isVerbatim } = wonBack;

  let report: RecoveryReport | undefined;
  const before = await earlierReport(file);
  const { models } = await openReadModels(settings);
  const { events } = await replaceRows({
    databaseUrl: settings.DATABASE_URL,
    log,
    models,
    compared: async (rows, rebuilt) => {
      const lostRows = isVerbatim ? [] : rows;
      const suspended = isVerbatim ? [] : usersOf(lostEvents, lostRows);
      const paused = isVerbatim ? [] : await schedulesToPause(rebuilt, world, lostRows);
      report = {
        found: world.row,
        since,
        archived,
        provider,
        links,
        unreadable,
        epoch: journal.epoch,
        lostEvents,
        lostRows,
        suspended,
        paused: paused.map(({ id }) => id),
        parked: [],
      };
      // Written before anything is replaced: from then on nobody knows it any more.
      await writeFile(file, [...linesOf(report), ...before, ''].join('\n'));
      if (isVerbatim) return;
      const parked = await closeConcerned(log, wonBack, { suspended, paused, now: new Date() });
      report = { ...report, parked };
    },
  });
  await journal.close();
  // What was counted of the provider's balance was counted against the log as it was.
  await new BalanceTables(pool).startOver();
  await comparisonDone(pool, new Date(0));
  await clearLogRecovery(pool);
  if (report === undefined) throw new Error('The rows were replaced and nothing was compared.');
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  const lines = [
    ...linesOf(report),
    `The read models were built anew from ${events} events. The recovery took ${minutes} minutes.`,
    'The log is in recovery no more: start the ledgers again.',
  ];
  await writeFile(file, [...lines, ...before, ''].join('\n'));
  return { status: 0, lines: [...lines, `This report stands in ${file}.`] };
}

const recoverySettings = () =>
  readSettings([
    'EVENTSTORE_URL',
    'DATABASE_URL',
    ...MASTER_KEY_SETTINGS,
    'ENCORE_ARCHIVE',
    'ENCORE_TRANSPARENCY',
    ...CALL_LIMIT_SETTINGS,
    'STRIPE_API_URL',
  ]);

/**
 * Opens the stores. From here on the log is in recovery, unless the keys are of another account: Throws
 * CannotRun.
 */
async function openWorld(
  settings: ReturnType<typeof recoverySettings>,
  account: ProviderAccount,
): Promise<World> {
  const { DATABASE_URL: databaseUrl, ENCORE_ARCHIVE: archive, ENCORE_TRANSPARENCY: tree } = settings;
  await prepareDatabase(databaseUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  await assertAlone(pool);
  await assertNoLedger(pool);
  const known = await readLogRecovery(pool);
  // A refusal must not leave a sound log in recovery.
  if (known === undefined) await assertSameAccount(await foundingIn(log), account);
  const row = known ?? (await enterRecovery(log, pool));
  return { log, pool, reads: openReadPool(databaseUrl, 2, HOWEVER_LONG), archive, tree, row };
}

/**
 * No ledger calls the provider meanwhile: more than a job's share of its calls is free. Throws CannotRun with
 * what stands in the way.
 */
async function orSentence(recovery: () => Promise<WonBack>): Promise<WonBack> {
  try {
    return await asUrgent('webhook', recovery);
  } catch (error) {
    throw cannotRecover(error);
  }
}

const defaultReport = (): string =>
  `encore-recovery-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.txt`;

/** What a run that was killed had listed: once it had replaced the rows, nobody else knows it. */
async function earlierReport(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  return text === '' ? [] : ['', 'This file held the report of an earlier run:', '', text.trimEnd()];
}

/** Two recoveries at a time would write two reports of halves. The lock ends with this process. */
async function assertAlone(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(hashtext('encore.recover')) as taken`,
  );
  if (!rows[0]?.taken) throw new CannotRun('A recovery is running already: wait until it has ended.');
}

/** An operator knows of a loss that no process has found: nothing is appended from here on. */
async function enterRecovery(log: EventLog, pool: pg.Pool): Promise<LogRecovery> {
  const last = await log.lastOf(JOURNAL);
  const row = await writeLogRecovery(pool, {
    reason: 'An operator began a recovery.',
    logRevision: last?.revision ?? -1,
    logHash: last && recorded(last).metadata.hash,
    knownFrom: 'provider',
  });
  if (row === undefined) throw new Error('The row that says that the log is in recovery was not written.');
  await new Promise((resolve) => setTimeout(resolve, NOTICED_WITHIN_MS));
  return row;
}

/** Over which account the ledger was founded, where the beginning of its journal says it. */
async function foundingIn(log: EventLog): Promise<Journal['founding']> {
  for await (const raw of log.readStream(JOURNAL, 0, FOUNDED_WITHIN)) {
    const { type, data } = recorded(raw);
    if (type === 'LedgerFounded') return data;
  }
  return undefined;
}

async function assertSameAccount(founding: Journal['founding'], account: ProviderAccount): Promise<void> {
  const other = otherAccount(founding, await account.current());
  if (other !== undefined) throw new CannotRun(other);
}

/** By the log's last entry; the ledgers' own comparison may be due since before that. Throws CannotRun. */
async function sinceOf({ log, pool, row }: World, asked: Date | undefined): Promise<Date> {
  const lastMs = await lastHeardMs(log, row.logRevision);
  const tooLate = sinceTooLate(asked, lastMs);
  if (tooLate !== undefined) throw new CannotRun(tooLate);
  if (asked !== undefined) return asked;
  const since = lastMs === undefined ? new Date(0) : comparedSince(lastMs, Date.now(), row.knownFrom);
  return comparisonDue(pool, since);
}

/** Schedules that were due in the lost time, or that somebody changed in it. */
async function schedulesToPause(
  rebuilt: pg.Client,
  { row }: World,
  lostRows: readonly LostRow[],
): Promise<PausedSchedule[]> {
  const changed = lostRows.flatMap(({ table, what, ids }) =>
    table === 'schedules' && what === 'changed' ? [String(ids['id'])] : [],
  );
  const { rows } = await rebuilt.query<PausedSchedule>(
    `select id, kind from schedules
      where status in ('active', 'pending')
        and (next_due_at <= $1 or stage is not null or wake_at <= $1 or id = any ($2)) order by id`,
    [row.foundAt, changed],
  );
  return rows;
}
