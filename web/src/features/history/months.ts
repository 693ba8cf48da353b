/** The list by months of the reader's own calendar. */
import type { Transaction } from '#contracts/api/payments';
import { monthKey } from '../../shared/wording/months.js';
import { monthOf } from '../../shared/wording/time.js';

export interface Month {
  readonly key: string;
  readonly title: string;
  readonly rows: readonly Transaction[];
}

/** Rows that stand newest first, in their months. */
export function byMonth(rows: readonly Transaction[]): readonly Month[] {
  const months = new Map<string, Transaction[]>();
  for (const row of rows) {
    const key = monthKey(new Date(row.createdAt));
    const month = months.get(key);
    if (month) month.push(row);
    else months.set(key, [row]);
  }
  return [...months].map(([key, of]) => ({ key, title: monthOf(of[0]?.createdAt ?? ''), rows: of }));
}
