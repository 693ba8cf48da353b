/**
 * `operate recover`: wins back what the log has lost. The archive first (the same events), then the provider, by
 * lists; what no source has is listed, and whoever it concerns may be paid and nothing more until an operator has
 * looked at it. Each step may be taken again: killed at any point, it is run again and goes on.
 */
import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { openArchive } from '#audit/exported-log/archive';
import { JOURNAL } from '#contracts/events/journal';
import type { DomainEvent } from '#contracts/events/index';
import type { Journal } from '#ledger/journal/journal';
import { BalanceTables } from '#ledger/platform-money/balance-tables';
import { recoverFromProvider } from '#ledger/recovery/provider-recovery';
import { comparisonDone, comparisonDue } from '#ledger/start-gate/comparison-mark';
import { lossAgainst, type KnownSource } from '#ledger/start-gate/known-events';
import { StreamRunner } from '#ledger/streams/runner';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { ProviderAccount } from '#ledger/stripe/provider-account';
import { StripeHistory } from '#ledger/stripe/provider-history';
import { bringBack, type BroughtBack } from '#log/bring-back';
import { EsdbLog } from '#log/esdb';
import { recorded, type EventLog, type RawEvent } from '#log/event-log';
import { clearLogRecovery, readLogRecovery, writeLogRecovery, type LogRecovery } from '#log/log-recovery';
import { Vault } from '#log/vault';
import { openReadPool } from '#projections/engine/database';
import { replaceRows, type LostRow } from '#projections/engine/replace-rows';
import { outsideSources } from '../ledger/start-gate.js';
import { prepareDatabase } from '../database.js';
import { CannotRun, type Verdict } from '../shell/command.js';
import { openReadModels } from '../shell/read-models.js';
import { MASTER_KEY_SETTINGS, masterKeysOf, readSettings } from '../shell/settings.js';
import { pauseSchedules, type PausedSchedule } from './pause-schedules.js';
import { openWhole } from './whole-journal.js';
import { USAGE } from './usage.js';
import { linesOf, type LostEvent, type RecoveryReport } from './recovery-report.js';

const DAY_MS = 24 * 3_600_000;
/** Where only the provider knew of a loss, nobody knows when the log's own history ended. */
const UNKNOWN_LOSS_MS = 30 * DAY_MS;
/** The other processes look once a second whether the log is in recovery. */
const NOTICED_WITHIN_MS = 3_000;
const BY = { correlationId: 'recovery', recovered: true } as const;

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

export async function recover(words: readonly string[]): Promise<Verdict> {
  const { since: asked, file } = optionsOf(words);
  const settings = readSettings([
    'EVENTSTORE_URL',
    'DATABASE_URL',
    ...MASTER_KEY_SETTINGS,
    'ENCORE_ARCHIVE',
    'ENCORE_TRANSPARENCY',
    'STRIPE_SECRET_KEY',
    'STRIPE_API_URL',
  ]);
  const began = Date.now();
  await prepareDatabase(settings.DATABASE_URL);
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 4 });
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  await assertAlone(pool);
  const world: World = {
    log,
    pool,
    reads: openReadPool(settings.DATABASE_URL, 2),
    archive: settings.ENCORE_ARCHIVE,
    tree: settings.ENCORE_TRANSPARENCY,
    row: (await readLogRecovery(pool)) ?? (await enterRecovery(log, pool)),
  };
  tell(`The log is in recovery: ${world.row.reason}`);

  const archived = await fromArchive(world);
  const sources = sourcesOf(world);
  const journal = await openWhole(log);
  const isWhole = archived.lost.length === 0 && (await isKnownWhole(world, sources));
  const access = { secretKey: settings.STRIPE_SECRET_KEY, apiUrl: settings.STRIPE_API_URL };
  await assertSameAccount(journal, new ProviderAccount(access));
  const epoch = new EpochOnce(journal, world, archived.lost, sources);
  if (!isWhole) await epoch.begin();
  const seal = new OwnershipSeal(
    await Vault.open(pool, masterKeysOf(settings)).sealKey(),
    () => journal.ledgerId,
  );
  const since = asked ?? (await comparisonDue(pool, await sinceOf(world)));
  const provider = await recoverFromProvider(
    journal,
    new StripeHistory({ ...access, seal }),
    since,
    tell,
    () => epoch.begin(),
  );

  let report: RecoveryReport | undefined;
  const { models } = await openReadModels(settings);
  const isVerbatim = !epoch.hasBegun;
  const { events } = await replaceRows({
    databaseUrl: settings.DATABASE_URL,
    log,
    models,
    compared: async (rows, rebuilt) => {
      const lostRows = isVerbatim ? [] : rows;
      const suspended = isVerbatim ? [] : usersOf(archived.lost, lostRows);
      const paused = isVerbatim ? [] : await schedulesToPause(rebuilt, world, lostRows);
      report = {
        found: world.row,
        since,
        archived: archived.result,
        provider,
        epoch: journal.epoch,
        lostEvents: archived.lost,
        lostRows,
        suspended,
        paused: paused.map(({ id }) => id),
      };
      // Written before anything is replaced: from then on nobody knows it any more.
      await writeFile(file, `${linesOf(report).join('\n')}\n`);
      for (const userId of suspended) await journal.execute({ type: 'SuspendDebits', userId }, BY);
      const streams = new StreamRunner(log);
      await pauseSchedules({ streams, journal, now: new Date() }, paused, provider.occurrences);
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
  await writeFile(file, `${lines.join('\n')}\n`);
  return { status: 0, lines: [...lines, `This report stands in ${file}.`] };
}

function optionsOf(words: readonly string[]): { since: Date | undefined; file: string } {
  let since: Date | undefined;
  let file = `encore-recovery-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.txt`;
  for (let n = 0; n < words.length; n += 2) {
    const [option, value] = [words[n], words[n + 1]];
    if (option === '--report' && value !== undefined) file = value;
    else if (option === '--since' && value !== undefined && Number.isFinite(Date.parse(value)))
      since = new Date(value);
    else throw new CannotRun(`Usage: ${USAGE.recover}`);
  }
  return { since, file };
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

async function fromArchive({
  archive,
  log,
}: World): Promise<{ result: BroughtBack | undefined; lost: readonly LostEvent[] }> {
  if (archive === undefined) return { result: undefined, lost: [] };
  const lost: LostEvent[] = [];
  const result = await bringBack((await openArchive(archive)).events(), log, (event) =>
    lost.push(lostEventOf(event)),
  );
  tell(`The archive had ${result.appended} events that the log lacked.`);
  return { result, lost };
}

function lostEventOf(raw: RawEvent): LostEvent {
  const { stream, revision, type } = raw;
  let data: object = {};
  try {
    data = (recorded(raw) as DomainEvent).data;
  } catch {
    // One that this build cannot read is named all the same.
  }
  return { stream, revision, kind: type, users: usersIn(data) };
}

const sourcesOf = ({ reads, archive, tree }: World): KnownSource[] =>
  outsideSources(reads, { archive, tree });

/** Whether everything that anybody has seen is in the log: word for word, as far as anybody can tell. */
async function isKnownWhole({ log, row }: World, sources: readonly KnownSource[]): Promise<boolean> {
  const { knownRevision: revision, knownHash: hash } = row;
  const ofRow: KnownSource = {
    from: row.knownFrom,
    known: () => Promise.resolve(revision === undefined ? [] : [{ stream: JOURNAL, revision, hash }]),
  };
  for (const source of [ofRow, ...sources]) if (await lossAgainst(log, source)) return false;
  return true;
}

async function assertSameAccount(journal: Journal, account: ProviderAccount): Promise<void> {
  const { founding } = journal;
  const { providerAccountId } = await account.current();
  if (founding && founding.providerAccountId !== providerAccountId)
    throw new CannotRun(
      `The keys are of the card provider’s account ${providerAccountId}, and this ledger was founded over ` +
        `${founding.providerAccountId}. Set the keys of that account.`,
    );
}

/** The objects since the log's last entry, less a day; the ledgers' own comparison may be due since before that. */
async function sinceOf({ log, row }: World): Promise<Date> {
  for await (const raw of log.readStream(JOURNAL, Math.max(row.logRevision, 0), 1)) {
    const lastMs = Date.parse(recorded(raw).metadata.recordedAt);
    return new Date(lastMs - (row.knownFrom === 'provider' ? UNKNOWN_LOSS_MS : DAY_MS));
  }
  return new Date(0);
}

/** The epoch of this recovery, begun once: at once where something is known to be lost, else when the provider shows it. */
class EpochOnce {
  #begun: Promise<unknown> | undefined;

  constructor(
    private readonly journal: Journal,
    private readonly world: World,
    private readonly lost: readonly LostEvent[],
    private readonly sources: readonly KnownSource[],
  ) {
    // Of a recovery that was killed: what it has begun is this one's.
    const { epoch } = journal;
    if (epoch && epoch.commonRevision >= world.row.logRevision) this.#begun = Promise.resolve();
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  async begin(): Promise<void> {
    this.#begun ??= this.#write();
    await this.#begun;
  }

  async #write(): Promise<void> {
    const { revision, hash } = this.journal.tip;
    const known = (await Promise.all(this.sources.map((source) => source.known()))).flat();
    const { knownRevision, knownHash } = this.world.row;
    const heads = [
      ...known.filter(({ stream }) => stream === JOURNAL),
      ...(knownRevision === undefined ? [] : [{ revision: knownRevision, hash: knownHash }]),
      ...this.lost.filter(({ stream }) => stream === JOURNAL),
    ].sort((a, b) => b.revision - a.revision || ('hash' in b && b.hash ? 1 : -1));
    const [head] = heads;
    await this.journal.execute(
      {
        type: 'BeginEpoch',
        commonRevision: revision,
        commonHash: revision < 0 ? undefined : hash,
        lostRevision: head?.revision,
        lostHash: head && 'hash' in head ? head.hash : undefined,
      },
      BY,
    );
    tell(`A new epoch begins behind revision ${revision} of the journal.`);
  }
}

const USER = /usr_[0-9A-Za-z]+/g;

/** The users whom ids name, wherever they stand. */
const usersIn = (value: unknown): readonly string[] => [
  ...new Set(JSON.stringify(value, (key, part: unknown) => (isSealed(part) ? undefined : part)).match(USER)),
];
const isSealed = (part: unknown): boolean => typeof part === 'string' && part.startsWith('sealed:');

/** Tables whose lost rows say by themselves that nothing is certain of the users they name. */
const SUMS: ReadonlySet<string> = new Set([
  'idempotency_keys',
  'transaction_counts',
  'receipts',
  'balances',
  'funds_arriving',
  'unapplied',
  'unclaimed',
]);

/** Everybody of whom something is lost. A payment that the provider does not know moved no money. */
function usersOf(lostEvents: readonly LostEvent[], lostRows: readonly LostRow[]): string[] {
  const rows = lostRows.filter(
    ({ table, ids }) => !SUMS.has(table) && !(table === 'transactions' && ids['kind'] === 'payment'),
  );
  return [...new Set([...lostEvents.flatMap(({ users }) => users), ...usersIn(rows)])].sort();
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
