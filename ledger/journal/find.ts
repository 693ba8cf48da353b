/**
 * How a rule finds what a command is about: in the books, or in what the archive said. Where neither knows,
 * it answers the question that would tell.
 */
import { subjectsOf, type JournalEvent } from '#contracts/events/journal';
import { namesProviderObject } from './keys.js';
import type { Layer } from './layer.js';
import { isElsewhere, type Books, type NonResident, type KeptEntry, type PastEntry } from './state.js';

/**
 * What the archive (a read model and the log) said about a command's past, up to and including a revision.
 */
export interface History {
  readonly throughRevision: number;
  /** By key; undefined where it knows of none. */
  readonly entries: ReadonlyMap<string, KeptEntry | undefined>;
  /** All entries about a payment, payout, occurrence or charge, by its id and in order. */
  readonly subjects: ReadonlyMap<string, readonly PastEntry[]>;
}

/** What is to be asked of the archive, and how far it must have read for its "no" to count. */
export type Question = { readonly throughRevision: number } & (
  | { readonly key: string }
  | { readonly subject: string }
);

/** What a rule can know: the books, and what the archive said of what is no longer in them. */
export interface Known {
  readonly books: Books;
  readonly history?: History | undefined;
}

export const isQuestion = (found: object | undefined): found is Question =>
  found !== undefined && 'throughRevision' in found;

/**
 * The item, undefined when there is none, or the question that would tell. `fold` makes it from its past
 * entries.
 */
export function findItem<T extends { readonly status: string; readonly last: KeptEntry }>(
  id: string,
  items: Layer<string, T | NonResident>,
  fold: (past: readonly PastEntry[]) => T | undefined,
  { books, history }: Known,
): T | Question | undefined {
  const resident = items.get(id);
  if (resident && !isElsewhere(resident)) return resident;
  if (!resident && books.residency.floor === 0) return undefined;
  const throughRevision = resident ? resident.last.revision : books.residency.floor - 1;
  const past = history && history.throughRevision >= throughRevision ? history.subjects.get(id) : undefined;
  return past ? fold(past) : { subject: id, throughRevision };
}

/**
 * What is known about when a key can first have been used; the archive need not be asked about one that is
 * younger than the window.
 */
interface KeyAge {
  /** When a user's client made it. */
  readonly madeMs?: number | undefined;
}

/** The entry with this key, undefined when there is none, or the question that would tell. */
export function findEntry(
  key: string,
  { books, history }: Known,
  age: KeyAge = {},
): KeptEntry | Question | undefined {
  const resident = books.keys.get(key);
  if (resident) return resident;
  const { floor, floorKeyMadeMs } = books.residency;
  if (floor === 0) return undefined;
  if (age.madeMs !== undefined && age.madeMs > floorKeyMadeMs) return undefined;
  const throughRevision = floor - 1;
  if (history && history.throughRevision >= throughRevision && history.entries.has(key))
    return history.entries.get(key);
  return { key, throughRevision };
}

/**
 * The entry that an entry about to be written would repeat by its key. A key that names something of ours is
 * judged by what that has become; one that names an object of the provider may stand in an entry about
 * anything, so the archive is asked where the window does not answer.
 */
export function findWritten(
  key: string,
  event: JournalEvent,
  known: Known,
): KeptEntry | Question | undefined {
  const resident = known.books.keys.get(key);
  // Whenever the provider says that it happened: it may say another time than it did before.
  return resident || !namesProviderObject(key) ? resident : findEntry(key, known);
}

/** Kinds of keys that name objects of one kind: what stands under one of them stands under no other. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  refund: ['unapplied-refund'],
  'unapplied-refund': ['refund'],
  // Each is a balance transaction of the provider's. Its own money asks for itself, and is not booked then.
  fee: ['dispute-funds', 'balance'],
  'dispute-funds': ['fee', 'balance'],
};

/**
 * The entry that books the same object of the provider as something else of another charge, undefined when
 * there is none, or the question that would tell. A dispute's money and its fee may stand in one balance
 * transaction.
 */
export function findOtherBooking(
  key: string,
  event: JournalEvent,
  known: Known,
): KeptEntry | Question | undefined {
  const colon = key.indexOf(':');
  for (const alike of ALIKE[key.slice(0, colon)] ?? []) {
    const other = findEntry(`${alike}${key.slice(colon)}`, known);
    if (isQuestion(other)) return other;
    if (other && !subjectsOf(event).includes(other.subject ?? '')) return other;
  }
  return undefined;
}
