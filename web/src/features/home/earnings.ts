/** Earnings by days and months of the reader's own calendar. */
import type { Earnings } from '#contracts/api/payments';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import { api } from '../../shared/api/api.js';
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

/** When each of the bars begins, for the server to sum up. The same all day, so that it is one read. */
export const beginsOf = (today: string, grain: Grain): string =>
  barsUntil(beginningOf(today) ?? new Date(), grain)
    .map(({ begins }) => begins.toISOString())
    .join();

/** The bars with what the server summed up; undefined where it answered no sum of each. */
export function earningsOf(answer: Earnings, now: Date, grain: Grain): readonly Bar[] | undefined {
  const bars = barsUntil(now, grain);
  if (!Array.isArray(answer.bars) || answer.bars.length !== bars.length) return undefined;
  return bars.map(({ key, begins }, index) => ({ key, begins, minor: minorOf(answer.bars[index] ?? '0') }));
}

// Summed up by the server: the rows of an evening are thousands, and each tip changes the sum.
export const { useEarningsQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    earnings: build.query<Earnings | null, string>({
      query: (begins) => `/api/transactions/earnings?${new URLSearchParams({ begins })}`,
      // Tomorrow it is another one.
      keepUnusedDataFor: 300,
      providesTags: ['Transactions'],
    }),
  }),
});

export const totalOf = (bars: readonly Bar[]): string =>
  decimalFromMinor(bars.reduce((sum, { minor }) => sum + minor, 0));
