/**
 * What a recovery does to the log itself: the archive's events first, then what the provider proves, and an
 * epoch where something is lost for good. Whatever of it was done already is a repeat: killed at any write,
 * it is run again and ends the same.
 */
import { JOURNAL, type JournalEventOf } from '#contracts/events/journal';
import type { DomainEvent } from '#contracts/events/index';
import type { Journal } from '#ledger/journal/journal';
import { recoverFromProvider, type ProviderRecovery } from '#ledger/recovery/provider-recovery';
import { lossAgainst, type KnownSource } from '#ledger/start-gate/known-events';
import { StreamRunner } from '#ledger/streams/runner';
import type { ProviderHistory, UnreadableObject } from '#ledger/stripe/provider-history';
import { bringBack, UnfitCopy, type BroughtBack } from '#log/bring-back';
import { recorded, type EventLog, type RawEvent } from '#log/event-log';
import type { LogRecovery } from '#log/log-recovery';
import { pauseSchedules, type PausedSchedule } from './pause-schedules.js';
import { openWhole } from './whole-journal.js';
import { winBackLinks, type LinksWonBack } from './win-back-links.js';

const DAY_MS = 24 * 3_600_000;
/** How far before its end a log may not have heard yet of what the provider did. */
const HEARD_LATE_MS = 30 * DAY_MS;
/**
 * How old the log's last entry may be for the workers to find by themselves what the log had not heard of
 * before it: when they start after the recovery they compare the provider's events of the last 30 days, which
 * then reach more than three weeks before that entry. Of an older log the recovery compares that time too, by
 * the provider's lists: it keeps no older events, and every object.
 */
const REACHED_BY_WORKERS_MS = 7 * DAY_MS;

const BY = { correlationId: 'recovery', recovered: true } as const;
/** Entries that are read at a time, from the end of the journal back. */
const READ_BACK_ENTRIES = 1_000;

/** There is nothing to go on from. The message says to an operator what to do. */
export class CannotWinBack extends Error {
  override readonly name = 'CannotWinBack';
}

/** What to do where the archive cannot be used. */
export const OTHER_COPY =
  'Run the recovery again with another copy of the archive; or with ENCORE_ARCHIVE unset, to go on without what only ' +
  'this one has.';
/** The seal on our objects at the provider names the ledger by its first entry. */
const EMPTY_LOG =
  'The log is empty, and nothing at the card provider can be told to be of a ledger of which not even the first entry is ' +
  'left. Restore any backup of the log, however old, or name its archive in ENCORE_ARCHIVE, and run the recovery again. ' +
  'Where both are gone for good, begin new books: encore operate found';

/** An event that the archive has and that has no place in the log any more. */
export interface LostEvent {
  readonly stream: string;
  readonly revision: number;
  readonly kind: string;
  readonly users: readonly string[];
}

/** A log that has lost its end, and who else knows of it. */
interface DamagedLog {
  readonly log: EventLog;
  /** The exported log; undefined where there is none. */
  readonly archive: AsyncIterable<RawEvent> | undefined;
  readonly row: Pick<LogRecovery, 'logRevision' | 'knownRevision' | 'knownHash' | 'knownFrom'>;
  readonly sources: readonly KnownSource[];
  /** The card provider's lists, and since when they are compared; refuses keys of another account. */
  readonly provider: (
    journal: Journal,
  ) => Promise<{ readonly history: ProviderHistory; readonly since: Date }>;
  /** Told how far it has come, a sentence at a time. */
  readonly tell: (line: string) => void;
}

export interface WonBack {
  /** Open, all of it in memory. */
  readonly journal: Journal;
  readonly archived: BroughtBack | undefined;
  readonly lostEvents: readonly LostEvent[];
  readonly provider: ProviderRecovery;
  readonly links: LinksWonBack;
  /** What the provider's lists had that could not be read. */
  readonly unreadable: readonly UnreadableObject[];
  readonly since: Date;
  /** Nothing is lost, as far as anybody knows: no epoch was begun, nobody is closed to anything. */
  readonly isVerbatim: boolean;
}

/**
 * Since when the provider's lists are compared: a day before the log's last entry, since clocks differ.
 * Further back where only the provider knew of the loss, and nobody knows when the log's own history ended;
 * and for a backup so old that the workers could not look for what the log heard of late.
 */
export function comparedSince(lastEntryMs: number, nowMs: number, knownFrom: LogRecovery['knownFrom']): Date {
  const isFar = knownFrom === 'provider' || nowMs - lastEntryMs > REACHED_BY_WORKERS_MS;
  return new Date(lastEntryMs - (isFar ? HEARD_LATE_MS : DAY_MS));
}

/**
 * Why a time that an operator named is none to compare from, given when the log last heard of anything; else
 * undefined.
 */
export function sinceTooLate(asked: Date | undefined, heardMs: number | undefined): string | undefined {
  if (asked === undefined || heardMs === undefined || asked.getTime() <= heardMs) return undefined;
  return (
    `--since ${asked.toISOString()} is later than the log’s last entry of its own, ${new Date(heardMs).toISOString()}: ` +
    'what the card provider did in between would be in no entry. Name an earlier time, or leave --since out.'
  );
}

/**
 * When the last entry up to a revision was recorded that no recovery wrote: one that a recovery wrote tells
 * of earlier days, and a log may have lost the end of a recovery. Undefined where there is none. Throws
 * LogUnavailable.
 */
export async function lastHeardMs(
  log: Pick<EventLog, 'readStream'>,
  revision: number,
): Promise<number | undefined> {
  for (let last = revision; last >= 0; last -= READ_BACK_ENTRIES) {
    const first = Math.max(0, last - READ_BACK_ENTRIES + 1);
    let heardMs: number | undefined;
    for await (const raw of log.readStream(JOURNAL, first, last - first + 1)) {
      const { recordedAt, recovered } = recorded(raw).metadata;
      if (!recovered) heardMs = Date.parse(recordedAt);
    }
    if (heardMs !== undefined) return heardMs;
  }
  return undefined;
}

/**
 * Wins back what the log lacks. May be run again. Throws {@link CannotWinBack}, LogUnavailable,
 * OutcomeUnknown, Unavailable, ProviderRefused and what `provider` throws.
 */
export async function winBack(damaged: DamagedLog): Promise<WonBack> {
  const { log, archive, tell } = damaged;
  const lostEvents: LostEvent[] = [];
  const archived = archive && (await broughtBack(archive, log, lostEvents));
  if (archived) tell(`The archive had ${archived.appended} events that the log lacked.`);
  const journal = await openWhole(log);
  if (journal.tip.revision < 0) throw new CannotWinBack(EMPTY_LOG);
  const epoch = new EpochOnce(journal, damaged, lostEvents);
  const { history, since } = await damaged.provider(journal);
  if (lostEvents.length > 0 || !(await isKnownWhole(damaged))) await epoch.begin();
  const provider = await recoverFromProvider(journal, history, since, epoch, tell);
  const links = await winBackLinks({
    streams: new StreamRunner(log),
    history,
    since,
    paidOutTo: provider.paidOutTo,
    paidWith: provider.paidWith,
    provenance: { correlationId: BY.correlationId, recovered: epoch.hasBegun ? true : undefined },
  });
  tell(`${links.customers} customers and ${links.accounts} accounts for payouts are known again.`);
  const unreadable = history.unreadable();
  return { journal, archived, lostEvents, provider, links, unreadable, since, isVerbatim: !epoch.hasBegun };
}

async function broughtBack(
  archive: AsyncIterable<RawEvent>,
  log: EventLog,
  lostEvents: LostEvent[],
): Promise<BroughtBack> {
  try {
    return await bringBack(archive, log, (event) => lostEvents.push(lostEventOf(event)));
  } catch (error) {
    if (error instanceof UnfitCopy)
      throw new CannotWinBack(`${error.message} ${OTHER_COPY}`, { cause: error });
    throw error;
  }
}

type ProviderAccountOf = Pick<JournalEventOf<'LedgerFounded'>['data'], 'providerAccountId' | 'mode'>;

/** Why these keys say nothing of this ledger’s money; undefined where they are of its account and mode. */
export function otherAccount(
  founding: ProviderAccountOf | undefined,
  keys: ProviderAccountOf,
): string | undefined {
  const named = ({ providerAccountId, mode }: ProviderAccountOf): string =>
    `the card provider’s account ${providerAccountId} (${mode} mode)`;
  const isSame =
    !founding || (founding.providerAccountId === keys.providerAccountId && founding.mode === keys.mode);
  return isSame
    ? undefined
    : `The keys are of ${named(keys)}, and this ledger was founded over ${named(founding)}. Set the keys of that account.`;
}

/** What is closed after a recovery that was not verbatim. */
interface ToClose {
  /** Users who may be paid and nothing more until an operator has looked at them. */
  readonly suspended: readonly string[];
  readonly paused: readonly PausedSchedule[];
  readonly now: Date;
}

/**
 * Closes whom a loss concerns, and tells schedules what is proven of them. Answers those whose stream is
 * parked. May be run again.
 */
export async function closeConcerned(
  log: EventLog,
  { journal, provider }: Pick<WonBack, 'journal' | 'provider'>,
  { suspended, paused, now }: ToClose,
): Promise<readonly string[]> {
  for (const userId of suspended) await journal.execute({ type: 'SuspendDebits', userId }, BY);
  const streams = new StreamRunner(log);
  return pauseSchedules({ log, streams, journal, now }, paused, provider.occurrences);
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

/** Whether everything that anybody has seen is in the log: word for word, as far as anybody can tell. */
async function isKnownWhole({ log, row, sources }: DamagedLog): Promise<boolean> {
  const { knownRevision: revision, knownHash: hash } = row;
  const ofRow: KnownSource = {
    from: row.knownFrom,
    known: () => Promise.resolve(revision === undefined ? [] : [{ stream: JOURNAL, revision, hash }]),
  };
  for (const source of [ofRow, ...sources]) if (await lossAgainst(log, source)) return false;
  return true;
}

/**
 * The epoch of this recovery, begun once: at once where something is known to be lost, else when the provider
 * shows it.
 */
class EpochOnce {
  #hasBegun: boolean;
  #begun: Promise<void> | undefined;

  constructor(
    private readonly journal: Journal,
    private readonly damaged: DamagedLog,
    private readonly lost: readonly LostEvent[],
  ) {
    // Of a recovery that was killed: what it has begun is this one's.
    const { epoch } = journal;
    this.#hasBegun = epoch !== undefined && epoch.commonRevision >= damaged.row.logRevision;
  }

  /** Whether its entry is in the log: from then on entries are marked as recovered. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  async begin(): Promise<void> {
    if (this.#hasBegun) return;
    this.#begun ??= this.#write();
    await this.#begun;
  }

  async #write(): Promise<void> {
    const { revision, hash } = this.journal.tip;
    const { row, sources, tell } = this.damaged;
    const known = (await Promise.all(sources.map((source) => source.known()))).flat();
    const { knownRevision, knownHash } = row;
    // Of entries that the log has as well nobody misses anything: another stream had lost its end.
    const heads = [
      ...known.filter(({ stream }) => stream === JOURNAL),
      ...(knownRevision === undefined ? [] : [{ revision: knownRevision, hash: knownHash }]),
      ...this.lost.filter(({ stream }) => stream === JOURNAL),
    ]
      .filter((known) => known.revision > revision)
      .sort((a, b) => b.revision - a.revision || ('hash' in b && b.hash ? 1 : -1));
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
    this.#hasBegun = true;
    tell(`A new epoch begins behind revision ${revision} of the journal.`);
  }
}

const USER = /usr_[0-9A-Za-z]+/g;

/** The users whom ids name, wherever they stand. */
export const usersIn = (value: unknown): readonly string[] => [
  ...new Set(JSON.stringify(value, (key, part: unknown) => (isSealed(part) ? undefined : part)).match(USER)),
];
const isSealed = (part: unknown): boolean => typeof part === 'string' && part.startsWith('sealed:');
