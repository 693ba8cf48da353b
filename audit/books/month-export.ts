/**
 * A closed month as one file: a JSON object a line, with ids only. The head says what was closed, then comes
 * every entry of the month with its derived postings, then every balance at its end. Nothing that is recorded
 * later, no forgetting and no other version of the reader changes a byte of it.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { JournalEventOf } from '#contracts/events/journal';
import { spanOfMonth } from '#contracts/plain/months';
import { recorded } from '#log/event-log';
import { Derivation } from '../derivation/derivation.js';
import { causeOf, subjectOf } from './causes.js';
import { entriesUntil, type BooksSource } from './fold.js';
import { THE_END } from './moments.js';

type Closing = JournalEventOf<'MonthClosed'>['data'];

/** A month that cannot be exported; the message says why, and what to do. */
export class MonthNotClosed extends Error {
  override readonly name = 'MonthNotClosed';
}

/** The entry that closed a month. Throws {@link MonthNotClosed}. */
async function closingOf(
  source: BooksSource,
  month: string,
): Promise<{ readonly revision: number; readonly hash: string; readonly closing: Closing }> {
  for await (const raw of source.readStream(JOURNAL, 0)) {
    if (raw.type !== 'MonthClosed') continue;
    const event = recorded(raw);
    if (event.type === 'MonthClosed' && event.data.month === month)
      return { revision: event.revision, hash: event.metadata.hash, closing: event.data };
  }
  throw new MonthNotClosed(`${month} is not closed. Close it first: encore audit close --month ${month}.`);
}

/**
 * The file's lines, each ended by a newline. Throws {@link MonthNotClosed}, and RangeError for what is no
 * month.
 */
export async function* exportedMonth(source: BooksSource, month: string): AsyncGenerator<string> {
  const { revision, hash, closing } = await closingOf(source, month);
  const { fromMs, untilMs } = spanOfMonth(month, closing.timeZone);
  const line = (value: object): string => `${JSON.stringify(value)}\n`;
  yield line({ format: 'encore-month-1', closedBy: { revision, hash }, ...closing });
  const derivation = new Derivation();
  for await (const entry of entriesUntil(source, { ...THE_END, beforeMs: untilMs }, derivation)) {
    if (Date.parse(entry.recordedAt) < fromMs) continue;
    yield line({
      revision: entry.revision,
      recordedAt: entry.recordedAt,
      type: entry.type,
      id: entry.id,
      hash: entry.hash,
      subject: subjectOf(entry),
      postings: entry.postings,
      ...causeOf(entry),
    });
  }
  for (const [account, balanceMinor] of derivation.balances.sorted())
    if (balanceMinor !== 0) yield line({ account, balanceMinor });
}
