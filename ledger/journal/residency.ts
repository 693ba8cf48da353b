/**
 * What a process holds of the journal in memory: the books, the end of the journal that they stand at, and
 * the window of entries whose keys and subjects are still resident.
 */
import { subjectsOf, type JournalEvent } from '#contracts/events/journal';
import { Metadata, type RecordedEvent } from '#contracts/log';
import { GENESIS } from '#log/chain';
import { NO_STREAM } from '#log/event-log';
import type { Tip } from '#log/record';
import type { Batch } from './batch.js';
import { evolve } from './books.js';
import { keyTimeMs } from './keys.js';
import { Books, isUnderWay } from './state.js';
import { forgetOldTips } from './tip-rules.js';

/** An entry in the window: what to forget when it leaves. */
interface WindowEntry {
  readonly key: string | undefined;
  readonly subjects: readonly string[];
  readonly revision: number;
  readonly recordedAtMs: number;
}

const REFUNDS_KEPT_MS = 3_600_000;
const EVICT_EVERY = 1_000;
/** What was tipped in a day is looked through so often for what is older. */
const TIPS_SWEPT_EVERY_MS = 3_600_000;

export class Residency {
  readonly books = new Books();
  tip: Tip = { revision: NO_STREAM, hash: GENESIS, recordedAtMs: 0 };
  /** The hash of the journal's first entry; undefined as long as there is none. */
  firstHash: string | undefined;
  /** Entries in the order of the journal, for eviction; a ring would save little. */
  #window: WindowEntry[] = [];
  #windowStart = 0;
  #tipsSweptMs = 0;
  /** Unapplied money that went back lately: what we give back in an hour is capped. */
  #refunds: { readonly chargeId: string; readonly atMs: number }[] = [];

  constructor(
    private readonly clock: () => Date,
    private readonly limits: { readonly ms: number; readonly entries: number },
  ) {}

  /** Takes over a batch of this process that is durable. */
  absorb({ draft, tip, events, entries }: Batch): void {
    this.books.absorb(draft);
    if (entries[0]?.revision === 0) this.firstHash = Metadata.parse(events[0]?.metadata).hash;
    this.tip = tip;
    for (const { event, key, revision, recordedAtMs } of entries) {
      this.#window.push({ key, subjects: subjectsOf(event), revision, recordedAtMs });
      this.#noteRefund(event, recordedAtMs);
    }
    this.evict();
  }

  /** Takes in the journal's next entry, as read from the log and verified; `hash` is the chain's at it. */
  take(event: RecordedEvent<JournalEvent>, hash: string): void {
    const { revision, position, metadata } = event;
    const { key, fingerprint, recordedAt } = metadata;
    const recordedAtMs = Date.parse(recordedAt);
    evolve(event, { revision, key, fingerprint, recordedAtMs, landing: { position } }, this.books);
    this.tip = { revision, hash, recordedAtMs };
    if (revision === 0) this.firstHash = hash;
    this.#noteRefund(event, recordedAtMs);
    this.#window.push({ key, subjects: subjectsOf(event), revision, recordedAtMs });
    if (revision % EVICT_EVERY === 0) this.evict();
  }

  /** The charges whose unapplied money went back in the last so many milliseconds, an hour at most. */
  refundedWithin(ms: number): ReadonlySet<string> {
    const from = this.clock().getTime() - Math.min(ms, REFUNDS_KEPT_MS);
    return new Set(this.#refunds.flatMap(({ chargeId, atMs }) => (atMs >= from ? [chargeId] : [])));
  }

  #noteRefund(event: JournalEvent, atMs: number): void {
    if (event.type !== 'UnappliedRefunded') return;
    const oldestMs = this.clock().getTime() - REFUNDS_KEPT_MS;
    this.#refunds = this.#refunds.filter((refund) => refund.atMs >= oldestMs);
    if (atMs >= oldestMs) this.#refunds.push({ chargeId: event.data.chargeId, atMs });
  }

  /** Drops what has left the window: keys, and what has ended and no later entry touched. */
  evict(): void {
    const { residency, keys } = this.books;
    const nowMs = this.clock().getTime();
    if (nowMs - this.#tipsSweptMs > TIPS_SWEPT_EVERY_MS) {
      forgetOldTips(this.books, nowMs);
      this.#tipsSweptMs = nowMs;
    }
    const oldestMs = nowMs - this.limits.ms;
    let entry = this.#window[this.#windowStart];
    while (
      entry &&
      (this.#window.length - this.#windowStart > this.limits.entries || entry.recordedAtMs < oldestMs)
    ) {
      if (entry.key !== undefined) {
        keys.delete(entry.key);
        residency.floorKeyMadeMs = Math.max(residency.floorKeyMadeMs, keyTimeMs(entry.key) ?? -Infinity);
      }
      for (const subject of entry.subjects) this.books.release(subject, entry.revision);
      residency.floor = entry.revision + 1;
      entry = this.#window[++this.#windowStart];
    }
    if (this.#windowStart > 10_000 && this.#windowStart > this.#window.length / 2) {
      this.#window = this.#window.slice(this.#windowStart);
      this.#windowStart = 0;
    }
  }

  /** How much is held: grows with accounts and open items, not with history. */
  count(): { accounts: number; openPayments: number; openPayouts: number; closed: number; keys: number } {
    const { payments, payouts, unapplied, occurrences, accounts, keys } = this.books;
    const open = (items: Iterable<[string, Parameters<typeof isUnderWay>[0]]>): number =>
      [...items].filter(([, item]) => isUnderWay(item)).length;
    const openPayments = open(payments.entries());
    const openPayouts = open(payouts.entries());
    const items = payments.size + payouts.size + unapplied.size + occurrences.size;
    return {
      accounts: accounts.size,
      openPayments,
      openPayouts,
      closed: items - openPayments - openPayouts - open(unapplied.entries()),
      keys: keys.size,
    };
  }
}
