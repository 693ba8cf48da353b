/** Earnings by days and months of the reader's own calendar. */
import type { Transaction } from '#contracts/api/payments';
import { decimalFromMinor } from '#contracts/plain/money';
import { countedMinor, isReceived, type TransactionFilter } from '../transactions/transactions.js';
import { beginningOf, dayKey, monthKey } from '../../shared/wording/months.js';

export type Grain = 'day' | 'month';

export interface Bar {
  readonly key: string;
  readonly begins: Date;
  readonly minor: number;
}

const DAYS = 30;
const MONTHS = 12;

/** The days or months up to now, oldest first. */
export function barsUntil(
  now: Date,
  grain: Grain,
): readonly { readonly key: string; readonly begins: Date }[] {
  const count = grain === 'day' ? DAYS : MONTHS;
  return Array.from({ length: count }, (_, index) => {
    const back = count - 1 - index;
    const begins =
      grain === 'day'
        ? new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
        : new Date(now.getFullYear(), now.getMonth() - back, 1);
    return { key: grain === 'day' ? dayKey(begins) : monthKey(begins), begins };
  });
}

/** The filter of the list to read. It is the same all day, so that it is read once. */
export function filterFor(today: string, grain: Grain): TransactionFilter {
  const [first] = barsUntil(beginningOf(today) ?? new Date(), grain);
  return { type: 'payment_received', from: first?.begins.toISOString() };
}

/** Received money per day or month, exact to the cent; failed payments and refunds are left out. */
export function earningsOf(rows: readonly Transaction[], now: Date, grain: Grain): readonly Bar[] {
  const sums = new Map<string, number>();
  for (const row of rows) {
    if (!isReceived(row)) continue;
    const at = new Date(row.createdAt);
    const key = grain === 'day' ? dayKey(at) : monthKey(at);
    sums.set(key, (sums.get(key) ?? 0) + countedMinor(row));
  }
  return barsUntil(now, grain).map(({ key, begins }) => ({ key, begins, minor: sums.get(key) ?? 0 }));
}

export const totalOf = (bars: readonly Bar[]): string =>
  decimalFromMinor(bars.reduce((sum, { minor }) => sum + minor, 0));
