/**
 * What the journal says of one payment, payout, occurrence or charge, without a command. Whatever was written
 * before the question was asked is in the answer, by whichever ledger. What is resident is answered from
 * memory; the archive is asked about the rest.
 */
import { JOURNAL } from '#contracts/events/journal';
import { LogUnavailable, NO_STREAM, type EventLog } from '#log/event-log';
import { StoreAway, Unavailable } from '../rejection.js';
import type { ArchiveReader } from './archive.js';
import { intentKey } from './keys.js';
import type { Layer } from './layer.js';
import { occurrenceFrom } from './occurrence-rules.js';
import { paymentFrom, unappliedFrom } from './payment-state.js';
import { payoutFrom } from './payout-rules.js';
import { TRY_AGAIN } from './queue.js';
import type { Residency } from './residency.js';
import { findEntry, findItem, isQuestion } from './find.js';
import {
  type Books,
  type KeptEntry,
  type NonResident,
  type Occurrence,
  type PastEntry,
  type Payment,
  type Payout,
  type UnappliedCharge,
} from './state.js';

/** What can be looked up, by its id; unapplied money by its charge's. */
export interface Subjects {
  readonly payment: Payment;
  readonly payout: Payout;
  readonly occurrence: Occurrence;
  readonly unapplied: UnappliedCharge;
}

type Kinds = {
  readonly [K in keyof Subjects]: {
    readonly items: (books: Books) => Layer<string, Subjects[K] | NonResident>;
    readonly fold: (past: readonly PastEntry[]) => Subjects[K] | undefined;
  };
};

const KINDS: Kinds = {
  payment: { items: ({ payments }) => payments, fold: paymentFrom },
  payout: { items: ({ payouts }) => payouts, fold: payoutFrom },
  occurrence: { items: ({ occurrences }) => occurrences, fold: occurrenceFrom },
  unapplied: { items: ({ unapplied }) => unapplied, fold: unappliedFrom },
};

/** A look-up that waits until the journal has been read up to a revision. */
interface WaitingLookup {
  readonly revision: number;
  readonly answerBy: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Whether the journal was read for it already; the next reading is then the regular one. */
  isRead: boolean;
}

interface LookupParts {
  readonly log: EventLog;
  readonly residency: Residency;
  readonly archive: ArchiveReader;
  readonly clock: () => Date;
  readonly answerWithinMs: number;
  /** A look-up waits: the writer is to read on. */
  readonly waits: () => void;
}

export class Lookup {
  #waiting: WaitingLookup[] = [];

  constructor(private readonly parts: LookupParts) {}

  /** Undefined where there is no such thing. Throws Unavailable. */
  async look<K extends keyof Subjects>(
    kind: K,
    id: string,
    atLeast: number | undefined,
  ): Promise<Subjects[K] | undefined> {
    const { residency, archive } = this.parts;
    await this.#read(atLeast ?? (await this.#endOfLog()));
    const { items, fold }: Kinds[K] = KINDS[kind];
    const found = findItem<Subjects[K]>(id, items(residency.books), fold, residency);
    if (!isQuestion(found)) return found;
    const { subjects } = await archive.answer(found, undefined);
    return fold(subjects.get(id) ?? []);
  }

  /**
   * The payment that the journal recorded an object of the provider for; undefined where no entry names it.
   * Logs of before recorded a payment's intent under another key: theirs is found while it is resident.
   */
  async paymentOfIntent(intentId: string): Promise<string | undefined> {
    // What an object was recorded for never changes: only one that is not known here needs all of the log.
    const known = this.parts.residency.books.intents.get(intentId);
    if (known !== undefined) return known;
    await this.readToEnd();
    const resident = this.parts.residency.books.intents.get(intentId);
    return resident ?? (await this.#entryUnder(intentKey(intentId)))?.subject;
  }

  /**
   * What the journal booked a charge to: a payment, or unapplied money; undefined where it never booked it.
   */
  async bookedCharge(chargeId: string): Promise<{ readonly paymentId: string | undefined } | undefined> {
    await this.readToEnd();
    const settled = await this.#entryUnder(`settle:${chargeId}`);
    if (settled) return { paymentId: settled.subject };
    return (await this.#entryUnder(`unapplied:${chargeId}`)) && { paymentId: undefined };
  }

  /** Whether an entry stands under this key, up to and including a revision that has been read. */
  async hasEntry(key: string, throughRevision: number): Promise<boolean> {
    const entry = await this.#entryUnder(key);
    return entry !== undefined && entry.revision <= throughRevision;
  }

  async #entryUnder(key: string): Promise<KeptEntry | undefined> {
    const { residency, archive } = this.parts;
    const found = findEntry(key, residency);
    if (!isQuestion(found)) return found;
    return (await archive.answer(found, undefined)).entries.get(key);
  }

  /** Waits until the journal has been read to its present end. Throws Unavailable or LogUnavailable. */
  async readToEnd(): Promise<void> {
    await this.#read(await this.#endOfLog());
  }

  /** How many look-ups wait for the journal to be read. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether the journal is to be read for a look-up; asked once, since the regular reading follows. */
  takeTurn(): boolean {
    const unread = this.#waiting.filter(({ isRead }) => !isRead);
    for (const lookup of unread) lookup.isRead = true;
    return unread.length > 0;
  }

  /** Lets those go on whose revision has been read. */
  answer(): void {
    const { revision } = this.parts.residency.tip;
    for (const lookup of this.#waiting) if (lookup.revision <= revision) lookup.resolve();
    this.#waiting = this.#waiting.filter((lookup) => lookup.revision > revision);
  }

  /** Tells whoever has waited too long to come back. */
  expire(): void {
    const now = this.parts.clock().getTime();
    for (const lookup of this.#waiting) if (lookup.answerBy <= now) lookup.reject(new StoreAway());
    this.#waiting = this.#waiting.filter(({ answerBy }) => answerBy > now);
  }

  refuseAll(error: Error): void {
    for (const lookup of this.#waiting.splice(0)) lookup.reject(error);
  }

  async #endOfLog(): Promise<number> {
    try {
      const witness = this.parts.log.witness();
      const [last] = await Promise.all([this.parts.log.lastOf(JOURNAL), witness.confirm()]);
      return last?.revision ?? NO_STREAM;
    } catch (error) {
      throw error instanceof LogUnavailable ? error : new Unavailable(TRY_AGAIN, { cause: error });
    }
  }

  async #read(revision: number): Promise<void> {
    const { residency, clock, answerWithinMs, waits } = this.parts;
    if (residency.tip.revision >= revision) return;
    await new Promise<void>((resolve, reject) => {
      const answerBy = clock().getTime() + answerWithinMs;
      this.#waiting.push({ revision, answerBy, resolve, reject, isRead: false });
      waits();
    });
  }
}
