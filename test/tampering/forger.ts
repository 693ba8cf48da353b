/**
 * Somebody with every right in the event store: changes a log in memory byte by byte, and, where told to,
 * makes its chain hold again as the writer would have made it.
 */
import { JOURNAL, journalEvents, type JournalEvent } from '#contracts/events/journal';
import { isOurStream } from '#contracts/events/our-streams';
import { GENESIS, hashOf } from '#log/chain';
import { spanOfMonth } from '#contracts/plain/months';
import { MonthFold } from '#ledger/month-end/month-figures';
import type { RawEvent } from '#log/event-log';
import { StoredContent } from '#log/stored-content';
import { keyFrom } from '#audit/relations/keys';
import { MemoryLog } from '#test/support/memory-log';
import { headOf } from './head.js';

type Fields = Record<string, unknown>;

/** What a forged event says; the rest is made up so that it looks like the one before it. */
interface Forgery {
  readonly stream?: string;
  readonly type: string;
  readonly data: Fields;
  readonly metadata?: Fields;
}

/** What a closed month says of itself; not true of one that was tampered with. */
interface ClosedMonth {
  readonly month: string;
  readonly timeZone: string;
  readonly treeSize?: number;
}

/** The tree that a month would have named, had the log before it been like this. */
function treeOf(before: readonly RawEvent[], { treeSize }: ClosedMonth): Fields {
  if (treeSize === undefined) return {};
  const { size, root } = headOf(before, treeSize);
  return { treeSize: size, root };
}

/**
 * What a month comes to by the postings that entries carry; nothing is mended where it or one of them cannot
 * be read.
 */
function figuresOf(journal: readonly RawEvent[], { month, timeZone }: ClosedMonth): Fields {
  try {
    const fold = new MonthFold(spanOfMonth(month, timeZone));
    for (const raw of journal) if (!fold.take(raw)) break;
    return { ...fold.figures };
  } catch {
    return {};
  }
}

export class Forger {
  readonly log: MemoryLog;
  /** What was there before, by what it holds. */
  readonly #honest: ReadonlySet<StoredContent>;
  #made = 0;

  /** Works on a copy of `all`. */
  constructor(all: readonly RawEvent[]) {
    this.#honest = new Set(all.map(({ data }) => data));
    this.log = new MemoryLog();
    this.log.all.push(...all);
    this.log.reindex();
  }

  get all(): RawEvent[] {
    return this.log.all;
  }

  /** The place of the n-th event of a type, from 0. Throws where there is none: the story has changed. */
  at(type: string, n = 0): number {
    const places = this.all.flatMap((event, index) => (event.type === type ? [index] : []));
    const place = places[n];
    if (place === undefined) throw new Error(`The story has no ${type} number ${n}`);
    return place;
  }

  dataOf(place: number): Fields {
    return structuredClone(this.all[place]!.data.value) as Fields;
  }

  /** Changes what an event says; nothing else. */
  data(place: number, change: Fields): this {
    return this.put(place, { data: StoredContent.of({ ...this.dataOf(place), ...change }) });
  }

  /** Changes metadata; the hash stays last, as the writer has it. */
  metadata(place: number, change: Fields): this {
    const { hash, ...metadata } = this.all[place]!.metadata.value as Fields;
    return this.put(place, { metadata: StoredContent.of({ ...metadata, ...change, hash }) });
  }

  put(place: number, change: Partial<RawEvent>): this {
    this.all[place] = { ...this.all[place]!, ...change };
    return this;
  }

  /** Removes every event but these. */
  keep(isKept: (event: RawEvent) => boolean): this {
    this.all.splice(0, Infinity, ...this.all.filter(isKept));
    return this;
  }

  remove(place: number, count = 1): this {
    this.all.splice(place, count);
    return this;
  }

  /** Puts events at the end, or before a place. They are chained by {@link rechain}. */
  forge(forgery: Forgery, before = this.all.length): this {
    const { stream = 'journal', type, data, metadata } = forgery;
    const last = this.all.at(-1)!;
    const { recordedAt } = (this.all[before - 1] ?? last).metadata.value as Fields;
    this.#made += 1;
    const id = `00000000-0000-4000-8000-${String(this.#made).padStart(12, '0')}`;
    this.all.splice(before, 0, {
      ...last,
      id,
      stream,
      type,
      data: StoredContent.of(data),
      metadata: StoredContent.of({
        version: 1,
        recordedAt,
        correlationId: 'c',
        ...(stream === JOURNAL ? { key: this.#keyOf(forgery) ?? `forged:${this.#made}` } : {}),
        ...metadata,
        hash: '',
      }),
    });
    return this;
  }

  /** The key that a ledger would give such an entry; undefined where its asker chooses it. */
  #keyOf({ type, data }: Forgery): string | undefined {
    return type in journalEvents ? keyFrom({ type, data } as unknown as JournalEvent) : undefined;
  }

  /**
   * Counts revisions and positions anew, makes every chain hold, and mends what epochs and closed months
   * name.
   */
  rechain(mends = true): this {
    if (mends) this.#mendKeys();
    this.#chain(mends);
    if (mends && this.#mendMonths()) this.#chain(mends);
    return this.renumber();
  }

  /** Gives each entry that says something else now the key that a ledger would have given it. */
  #mendKeys(): void {
    this.all.forEach(({ stream, type, data, metadata }, index) => {
      if (stream !== JOURNAL || this.#honest.has(data)) return;
      const key = this.#keyOf({ type, data: data.value as Fields });
      const { hash, ...before } = metadata.value as Fields;
      if (key !== undefined && 'key' in before && before.key !== key)
        this.put(index, { metadata: StoredContent.of({ ...before, key, hash }) });
    });
  }

  /**
   * Lets closed months say what their entries come to now, as the ledger adds them up; whether any did not.
   */
  #mendMonths(): boolean {
    const journal = this.all.filter(({ stream }) => stream === JOURNAL);
    let mended = false;
    this.all.forEach((raw, index) => {
      if (raw.type !== 'MonthClosed') return;
      const before = JSON.stringify(raw.data.value);
      const month = raw.data.value as ClosedMonth;
      this.data(index, { ...figuresOf(journal, month), ...treeOf(this.all.slice(0, index), month) });
      mended ||= JSON.stringify(this.all[index]!.data.value) !== before;
    });
    return mended;
  }

  #chain(mendsEpochs: boolean): void {
    const tips = new Map<string, { revision: number; hash: string }>();
    this.all.forEach((found, index) => {
      if (!isOurStream(found.stream)) return;
      let event = found;
      const tip = tips.get(event.stream) ?? { revision: -1, hash: GENESIS };
      const revision = tip.revision + 1;
      if (event.type === 'EpochBegun' && mendsEpochs && tip.revision >= 0) {
        const named = { commonRevision: tip.revision, commonHash: tip.hash, lostRevision: tip.revision + 4 };
        const data = StoredContent.of({ ...(event.data.value as Fields), ...named });
        const { hash, ...before } = event.metadata.value as Fields;
        const key = this.#keyOf({ type: event.type, data: named });
        event = { ...event, data, metadata: StoredContent.of({ ...before, key, hash }) };
      }
      const { hash: _, ...metadata } = event.metadata.value as Fields;
      const { stream, id, type, data } = event;
      const stamped = JSON.stringify(metadata);
      const hash = hashOf(tip.hash, { stream, revision, id, type, data: data.bytes, metadata: stamped });
      tips.set(stream, { revision, hash });
      this.all[index] = { ...event, revision, metadata: StoredContent.of({ ...metadata, hash }) };
    });
  }

  /** Counts places in the whole log anew: what the store does by itself. */
  renumber(): this {
    this.all.forEach((event, index) => {
      const place = BigInt(index + 1) * 64n;
      this.all[index] = { ...event, position: { commit: place, prepare: place } };
    });
    return this;
  }
}
