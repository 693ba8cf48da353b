/**
 * Compares what this ledger made at the card provider with the log, once after each start. Until that is done
 * nothing is paid out, refunded, or charged in its payer's absence: an object of ours that the log does not
 * know says that the log has lost something, and whatever it says is due may have been done already.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { EventLog } from '#log/event-log';
import type { Journal } from '../journal/journal.js';
import { StoreAway } from '../rejection.js';
import type { SealedObject } from '../stripe/sealed-objects.js';
import type { LostEntries } from './lost-entries.js';

const DAY_MS = 24 * 3_600_000;
/** The provider's clock and ours may differ, and an object is made a moment after its entry. */
const ENTRIES_BEFORE_MS = 3_600_000;
const NOT_YET =
  'Payouts, refunds, and payments by saved cards go on once the card provider’s records have been compared. Please try again in a moment.';

/** Money is not moved by ourselves yet. It is no try of anything. */
export class NotCompared extends StoreAway {
  override readonly name = 'NotCompared';
  constructor() {
    super(undefined, NOT_YET);
  }
}

interface ProviderComparisonParts {
  readonly log: Pick<EventLog, 'readStream' | 'lastOf'>;
  readonly journal: Pick<Journal, 'look'>;
  readonly objects: { since(since: Date): Promise<readonly SealedObject[]> };
  readonly lost: LostEntries;
  /** Notes since when is to be compared; answers since when it really is. */
  readonly due: (since: Date) => Promise<Date>;
  readonly done: (since: Date) => Promise<void>;
}

export class ProviderComparison {
  #isDone = false;
  #since: Date | undefined;

  constructor(private readonly parts: ProviderComparisonParts) {}

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Throws {@link NotCompared} until it is done. */
  assertDone(): void {
    if (!this.#isDone) throw new NotCompared();
  }

  /** It has to be done again: the log may have become another one. */
  reset(): void {
    if (this.#since !== undefined) this.#isDone = false;
  }

  /**
   * Notes that it is due. Called before this process appends anything, with the time of the journal's last
   * entry: what was lost was written after that, or shortly before it. Over an empty journal there is nothing
   * to compare: what has been made there under another one is not ours.
   */
  async begin(lastEntryMs: number | undefined): Promise<void> {
    if (lastEntryMs === undefined) this.#isDone = true;
    else this.#since = await this.parts.due(new Date(lastEntryMs - DAY_MS));
  }

  /**
   * One attempt; answers how many objects were looked at. Throws WritesClosed where the log has lost
   * something, Unavailable and LogUnavailable: try again.
   */
  async attempt(): Promise<number> {
    const since = this.#since;
    if (since === undefined) return 0;
    const { log, objects, journal, lost, done } = this.parts;
    const [made, opened] = await Promise.all([
      objects.since(since),
      openedSince(log, since.getTime() - ENTRIES_BEFORE_MS),
    ]);
    for (const { kind, objectId, subjectId, madeAt } of made) {
      if (opened.has(subjectId)) continue;
      const known = await journal.look(kind === 'payment' ? 'payment' : 'payout', subjectId);
      if (known === undefined) await lost.found(kind, objectId, madeAt);
    }
    await done(since);
    this.#isDone = true;
    return made.length;
  }
}

const OPENS: ReadonlySet<string> = new Set(['PaymentOpened', 'PayoutRequested']);

/**
 * The payments and payouts that the journal opened since a time: read in one go, not asked for one by one.
 */
async function openedSince(
  log: Pick<EventLog, 'readStream' | 'lastOf'>,
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  const opened = new Set<string>();
  const last = await log.lastOf(JOURNAL);
  if (!last) return opened;
  for await (const { type, data } of log.readStream(JOURNAL, await revisionAt(log, last.revision, sinceMs))) {
    if (!OPENS.has(type)) continue;
    const { paymentId, payoutId } = data.value as { paymentId?: string; payoutId?: string };
    const id = paymentId ?? payoutId;
    if (id !== undefined) opened.add(id);
  }
  return opened;
}

/** The first entry that was recorded at a time or later, found by halves: times never fall. */
async function revisionAt(
  log: Pick<EventLog, 'readStream'>,
  lastRevision: number,
  sinceMs: number,
): Promise<number> {
  let [low, high] = [0, lastRevision];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    let recordedAtMs = Number.NaN;
    for await (const { metadata } of log.readStream(JOURNAL, middle, 1))
      recordedAtMs = Date.parse((metadata.value as { recordedAt?: string }).recordedAt ?? '');
    if (recordedAtMs < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
