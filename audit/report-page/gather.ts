/**
 * Collects from a log what its report shows: balances and money over time by the audit's own derivation, and
 * the entries that the page opens. What an entry is worth is never read from the postings that it carries.
 */
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import { positionText, type RecordedEvent } from '#contracts/log';
import { recorded, type LogSource, type RawEvent } from '#log/event-log';
import { ACCOUNT_KINDS, HOME_CURRENCY, natureOf } from '../derivation/accounts.js';
import { Derivation } from '../derivation/derivation.js';
import { entryOf, type Entry } from '../derivation/entries.js';
import type { Check } from '../report.js';
import type { Anchor } from '../transparency/anchor.js';
import { ourEvents, treeOf } from '../transparency/log-tree.js';
import { proverOf } from './inclusion.js';
import { doubtedRevisions } from './page.js';
import type { AuditReport, DayEnd, ReportBalance, ReportEntry } from './report.js';
import { capitalised } from './words.js';

/** So many of the newest entries can be opened in the page: about 2 kB each. */
export const ENTRIES_SHOWN = 200;

const DAY_MS = 24 * 3_600_000;

/** What an entry is about: the first of these that it names. */
const SUBJECTS: readonly (readonly [field: string, label: string])[] = [
  ['paymentId', 'Payment'],
  ['payoutId', 'Payout'],
  ['disputeId', 'Dispute'],
  ['transferId', 'Transfer'],
  ['movementId', 'Wallet move'],
  ['chargeId', 'Charge'],
  ['walletId', 'Wallet'],
  ['scheduleId', 'Schedule'],
  ['userId', 'User'],
];

const PEOPLE: readonly (readonly [kind: string, label: string, search: string])[] = [
  ['user available', 'Available', '/available'],
  ['user payouts', 'On the way to banks', '/payouts'],
  ['wallet', 'Wallets', 'wallet/'],
];

interface ReportRequest {
  /** The log as {@link AuditReport} tells of it. */
  readonly source: LogSource;
  readonly checks: readonly Check[];
  /** When the audit began, in milliseconds. */
  readonly startedMs: number;
  /** The clock. */
  readonly nowMs: () => number;
  /** A signed head, by which the entries are proven. */
  readonly anchor?: Anchor | undefined;
}

/** Reads the log once. Throws LogUnavailable. */
export async function gather({
  source,
  checks,
  startedMs,
  nowMs,
  anchor,
}: ReportRequest): Promise<AuditReport> {
  const journal = new JournalReader(doubtedRevisions(checks));
  let events = 0;
  let readTo = 'the beginning';
  const seen = (raw: RawEvent): void => {
    if (raw.stream === JOURNAL) journal.next(raw, events);
    events += 1;
    readTo = positionText(raw.position).split('/')[0]!;
  };
  // A tree keeps 32 bytes of each event: only for proofs.
  const tree = anchor && (await treeOf(source, seen));
  if (!tree) for await (const raw of ourEvents(source)) seen(raw);
  const prove = tree && (await proverOf(tree, anchor));
  const entries: ReportEntry[] = [];
  for (const { entry, index } of journal.shown())
    entries.push({ ...entry, proof: await prove?.(index, entry.hash) });
  return { checks, events, readTo, ...journal.figures(), entries, ...times(startedMs, nowMs()) };
}

/** An entry, and its place among all events of the log. */
interface Placed {
  readonly entry: ReportEntry;
  readonly index: number;
}

const times = (startedMs: number, nowMs: number): Pick<AuditReport, 'madeAt' | 'tookMs'> => ({
  madeAt: new Date(nowMs).toISOString(),
  tookMs: Math.max(0, nowMs - startedMs),
});

class JournalReader {
  readonly #derivation = new Derivation();
  readonly #newest: Placed[] = [];
  readonly #named = new Map<number, Placed>();
  readonly #days: DayEnd[] = [];
  #heldMinor = 0;
  #count = 0;
  #from: string | undefined;
  #to: string | undefined;
  #hash: string | undefined;

  constructor(private readonly doubted: ReadonlySet<number>) {}

  next(raw: RawEvent, index: number): void {
    this.#count += 1;
    const entry = entryIn(raw, this.#derivation);
    // What cannot be read or derived is a finding of its own, and moves nothing here.
    if (!entry) return;
    this.#day(entry.recordedAt);
    this.#from ??= entry.recordedAt;
    this.#to = entry.recordedAt;
    for (const { debit, credit, amountMinor } of entry.postings) {
      if (isPeoples(debit)) this.#heldMinor -= amountMinor;
      if (isPeoples(credit)) this.#heldMinor += amountMinor;
    }
    this.#keep({ entry: shownOf(entry, this.#hash), index });
    this.#hash = entry.hash;
  }

  /** Newest first. */
  shown(): readonly Placed[] {
    const shown = new Map([
      ...this.#named,
      ...this.#newest.map((each) => [each.entry.revision, each] as const),
    ]);
    return [...shown.values()].sort((one, other) => other.entry.revision - one.entry.revision);
  }

  figures(): Pick<AuditReport, 'from' | 'to' | 'days' | 'entryCount' | 'people' | 'outside'> {
    const days =
      this.#to === undefined ? [] : [...this.#days, { day: this.#to.slice(0, 10), minor: this.#heldMinor }];
    return { from: this.#from, to: this.#to, days, entryCount: this.#count, ...this.#balances() };
  }

  #keep(placed: Placed): void {
    const { revision } = placed.entry;
    if (this.doubted.has(revision)) this.#named.set(revision, placed);
    this.#newest.push(placed);
    if (this.#newest.length > ENTRIES_SHOWN) this.#newest.shift();
  }

  /** A day without entries ends as the one before it. */
  #day(recordedAt: string): void {
    if (this.#to === undefined) return;
    const today = Date.parse(recordedAt.slice(0, 10));
    for (let day = Date.parse(this.#to.slice(0, 10)); day < today; day += DAY_MS)
      this.#days.push({ day: new Date(day).toISOString().slice(0, 10), minor: this.#heldMinor });
  }

  #balances(): { people: ReportBalance[]; outside: ReportBalance[] } {
    const people = new Map<string, number>(PEOPLE.map(([kind]) => [kind, 0]));
    const outside: ReportBalance[] = [];
    for (const [account, minor] of this.#derivation.balances.sorted()) {
      const nature = natureOf(account);
      if (nature && people.has(nature.kind)) people.set(nature.kind, people.get(nature.kind)! + minor);
      else if (minor !== 0) outside.push({ ...outsideLine(account), minor, search: account });
    }
    return {
      people: PEOPLE.map(([kind, label, search]) => ({ label, minor: people.get(kind)!, search })),
      outside: outside.sort((one, other) => place(one.search) - place(other.search)),
    };
  }
}

/** Clearing accounts first, in the order of the derivation's own list. */
const place = (account: string): number => {
  const kind = natureOf(account)?.kind;
  return kind === undefined ? Number.POSITIVE_INFINITY : Object.keys(ACCOUNT_KINDS).indexOf(kind);
};

function outsideLine(account: string): Pick<ReportBalance, 'label' | 'currency'> {
  const nature = natureOf(account);
  if (!nature) return { label: account };
  const label = capitalised(nature.kind.replace(/-/g, ' '));
  return nature.currency === HOME_CURRENCY ? { label } : { label, currency: nature.currency };
}

const isPeoples = (account: string): boolean => {
  const nature = natureOf(account);
  return nature !== undefined && PEOPLE.some(([kind]) => kind === nature.kind);
};

function entryIn(raw: RawEvent, derivation: Derivation): Entry | undefined {
  try {
    return entryOf(recorded(raw) as RecordedEvent<JournalEvent>, derivation);
  } catch {
    return undefined;
  }
}

function shownOf(entry: Entry, previousHash: string | undefined): ReportEntry {
  const { revision, id, type, recordedAt, metadata, hash, postings } = entry;
  const data: Readonly<Record<string, unknown>> = entry.data;
  const subject = SUBJECTS.find(([field]) => typeof data[field] === 'string');
  return {
    revision,
    id,
    type,
    recordedAt,
    subject: subject && { label: subject[1], id: String(data[subject[0]]) },
    actorId: metadata.actorId,
    hash,
    previousHash,
    postings,
  };
}
