/**
 * The rules of closing months of the books. A month holds the entries recorded in it, in the books' one time
 * zone. It is closed once, after its end, and in order; nothing is ever recorded in it afterwards, since an
 * entry's time is never before that of the entry before it.
 */
import type { JournalEvent } from '#contracts/events/journal';
import { DEFAULT_TIME_ZONE, monthAfter, monthOf, spanOfMonth } from '#contracts/plain/months';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { entry, type Case, type Decision } from './decision.js';
import type { Books, EntryPlace, MonthMark } from './state.js';

/** The time zone in which these books' months begin and end. */
const zoneOf = (books: Books): string => books.founding.get('ledger')?.timeZone ?? DEFAULT_TIME_ZONE;

/**
 * Closes a month with the figures that were read for it. Throws Rejected for a month that is not over, is
 * closed, is not the next one, or to whose end entries came after the figures were read.
 */
export function closeMonth({ month, figures, tree }: Command<'CloseMonth'>, { books, now }: Case): Decision {
  const timeZone = zoneOf(books);
  const first = books.months.get('first')?.month;
  const closed = books.months.get('closed')?.month;
  if (closed !== undefined && month <= closed) throw new Rejected('MonthClosedAlready', { month });
  if (first === undefined || month < first) throw new Rejected('MonthWithoutEntries', { month });
  const endMs = spanOfMonth(month, timeZone).untilMs;
  if (now < endMs) throw new Rejected('MonthNotOver', { month, end: new Date(endMs).toISOString() });
  const next = closed === undefined ? first : monthAfter(closed);
  if (month !== next) throw new Rejected('MonthOutOfOrder', { month, next });
  if (figures.throughRevision !== lastRevisionOf(month, books))
    throw new Rejected('MonthStillWritten', { month });
  const { totals, ...rest } = figures;
  const data = { month, timeZone, ...rest, totals: [...totals], ...tree };
  return entry(`month-closed:${month}`, { type: 'MonthClosed', data });
}

/** The last entry recorded before a month's end; -1 where there is none. */
function lastRevisionOf(month: string, books: Books): number {
  let last = -1;
  for (const [, mark] of books.months.all())
    if (mark.month <= month) last = Math.max(last, mark.lastRevision);
  return last;
}

/** Notes in which month an entry was recorded, and which months are closed. */
export function evolveMonths(event: JournalEvent, at: EntryPlace, books: Books): void {
  const present = books.months.get('present');
  if (present && at.recordedAtMs < present.endMs) {
    books.months.set('present', { ...present, lastRevision: at.revision });
  } else {
    const timeZone = zoneOf(books);
    const month = monthOf(at.recordedAtMs, timeZone);
    const mark: MonthMark = { month, lastRevision: at.revision, endMs: spanOfMonth(month, timeZone).untilMs };
    books.months.set('present', mark);
    if (present) books.months.set(present.month, present);
    else books.months.set('first', mark);
  }
  if (event.type !== 'MonthClosed') return;
  // What lies before the month that is closed now is in its last revision.
  for (const [key, mark] of [...books.months.all()])
    if (key === mark.month && mark.month < event.data.month) books.months.delete(key);
  const { month, throughRevision } = event.data;
  books.months.set('closed', { month, lastRevision: throughRevision, endMs: 0 });
}
