/**
 * What entries say of each other and of other streams. Each relation is followed through the whole log in the
 * order in which it was written, and says what does not hold: where, what stands there, and what should.
 */
import type { JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import type { Check } from '../report.js';

export type JournalEntry = RecordedEvent<JournalEvent>;

/** One relation, followed event by event. */
export interface Relation {
  /** Takes an event of a stream other than the journal. */
  other?(event: RecordedEvent): void;
  /** Takes an entry, before its postings are in the balances. */
  entry(entry: JournalEntry): void;
  check(): Check;
}

/** Where an event stands, as findings say it. */
export const whereOf = ({
  stream,
  revision,
}: {
  readonly stream: string;
  readonly revision: number;
}): string => `${stream} at revision ${revision}`;

/** What a field says and what it should say, where they differ. */
export const differing = (field: string, said: unknown, due: unknown): string[] =>
  said === due ? [] : [`${field} is ${shown(said)} and should be ${shown(due)}`];

export const shown = (value: unknown): string =>
  value === undefined ? 'absent' : typeof value === 'string' ? `"${value}"` : String(value);

/** An entry that was written by a recovery of the log: what once allowed it may be lost. */
export const isRecovered = ({ metadata }: JournalEntry): boolean => metadata.recovered === true;
