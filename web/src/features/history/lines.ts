/**
 * The list as it is drawn: a heading for each month and each day of the reader's own calendar, and the rows.
 * Pure.
 */
import type { Transaction } from '#contracts/api/payments';
import { dayTitle } from '../../shared/wording/days.js';
import { dayKey, monthKey } from '../../shared/wording/months.js';
import { monthOf } from '../../shared/wording/time.js';

export interface MonthLine {
  readonly kind: 'month';
  readonly key: string;
  /** `2026-11`. */
  readonly month: string;
  readonly title: string;
  readonly rows: readonly Transaction[];
  /** Whether it is the last one that was read: more of it may follow. */
  readonly isLast: boolean;
}
export interface DayLine {
  readonly kind: 'day';
  readonly key: string;
  readonly day: string;
  readonly title: string;
}
export interface RowLine {
  readonly kind: 'row';
  readonly key: string;
  readonly day: string;
  readonly row: Transaction;
  /** From 1. */
  readonly position: number;
  readonly isFirstOfDay: boolean;
  readonly isLastOfDay: boolean;
}
export type HistoryLine = MonthLine | DayLine | RowLine;

/** The same row is asked about again with each page that is added. */
const DAYS = new WeakMap<Transaction, string>();
function dayOf(row: Transaction): string {
  const known = DAYS.get(row);
  if (known !== undefined) return known;
  const day = dayKey(new Date(row.createdAt));
  DAYS.set(row, day);
  return day;
}

/** Rows that stand newest first, under the headings of their months and days. */
export function linesOf(rows: readonly Transaction[], nowMs: number): readonly HistoryLine[] {
  const lines: HistoryLine[] = [];
  const days = rows.map(dayOf);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]!;
    const day = days[index]!;
    const [before, after] = [days[index - 1], days[index + 1]];
    const month = day.slice(0, 7);
    if (before?.slice(0, 7) !== month) {
      let end = index + 1;
      while (days[end]?.startsWith(month)) end += 1;
      lines.push({
        kind: 'month',
        key: month,
        month: monthKey(new Date(row.createdAt)),
        title: monthOf(row.createdAt),
        rows: rows.slice(index, end),
        isLast: end === rows.length,
      });
    }
    if (before !== day)
      lines.push({ kind: 'day', key: day, day, title: dayTitle(day, row.createdAt, nowMs) });
    lines.push({
      kind: 'row',
      key: row.id,
      day,
      row,
      position: index + 1,
      isFirstOfDay: before !== day,
      isLastOfDay: after !== day,
    });
  }
  return lines;
}
