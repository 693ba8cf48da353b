/**
 * What each payee received in a year, by month, as form 1099-K counts it: the gross amount of payments on the
 * day on which each was made, with no fee, refund or dispute taken from it. Those stand apart, and so do
 * transfers between balances, which no card paid.
 */
import { textFromMinor } from '../reconcile/amounts.js';
import { monthOf } from '#contracts/plain/months';
import { HOME_CURRENCY } from '../derivation/accounts.js';
import type { Entry } from '../derivation/entries.js';
import { csvOf } from './csv.js';
import { entriesUntil, type BooksSource } from './fold.js';
import { timeZoneOf, type Moment } from './moments.js';

/** A payee's month. Amounts are minor units. */
interface TaxMonth {
  readonly payeeId: string;
  readonly month: string;
  readonly currency: string;
  readonly payments: number;
  readonly grossMinor: number;
  /** What went back to payers in this month, whenever the payment was; less what came back of that. */
  readonly refundsMinor: number;
  /** What disputes took from the payee, less what they gave back. */
  readonly disputedMinor: number;
  /** What other users' balances paid them. */
  readonly transfersMinor: number;
}

interface TaxReport {
  readonly year: string;
  readonly timeZone: string;
  /** By payee and month, in that order. */
  readonly months: readonly TaxMonth[];
  readonly payees: readonly {
    readonly payeeId: string;
    readonly currency: string;
    readonly payments: number;
    readonly grossMinor: number;
    readonly refundsMinor: number;
  }[];
}

type Changing = { -readonly [K in keyof TaxMonth]: TaxMonth[K] };
type Part = Partial<
  Pick<TaxMonth, 'payments' | 'grossMinor' | 'refundsMinor' | 'disputedMinor' | 'transfersMinor'>
>;

/** What an entry adds: to whom, when it happened in the world, in which currency, and what. */
function partOf({
  type,
  data,
  recordedAt,
}: Entry): { payeeId: string; at: string; currency: string; part: Part } | undefined {
  switch (type) {
    case 'PaymentSettled': {
      const { recipientId: payeeId, occurredAt: at, currency, amountMinor } = data;
      return { payeeId, at, currency, part: { payments: 1, grossMinor: amountMinor } };
    }
    case 'TransferPosted': {
      const { recipientId: payeeId, currency, amountMinor } = data;
      return { payeeId, at: recordedAt, currency, part: { transfersMinor: amountMinor } };
    }
    case 'PaymentRefunded': {
      // What a dispute took of it before is refunded instead of disputed.
      const { recipientId: payeeId, occurredAt: at, amountMinor: refundsMinor, disputedMinor = 0 } = data;
      return { payeeId, at, currency: HOME_CURRENCY, part: { refundsMinor, disputedMinor: -disputedMinor } };
    }
    case 'RefundFailed': {
      // What a dispute took of it is disputed instead of refunded.
      const { recipientId: payeeId, occurredAt: at, amountMinor, disputedMinor = 0 } = data;
      return { payeeId, at, currency: HOME_CURRENCY, part: { refundsMinor: -amountMinor, disputedMinor } };
    }
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated': {
      const { recipientId: payeeId, occurredAt: at } = data;
      // What makes up for a debt that was given up is theirs all the same.
      const madeUpMinor = type === 'DisputeFundsReinstated' ? (data.madeUpMinor ?? 0) : 0;
      const borneMinor = data.recipientMinor + madeUpMinor;
      if (payeeId === undefined || borneMinor === 0) return undefined;
      const disputedMinor = type === 'DisputeFundsWithdrawn' ? borneMinor : -borneMinor;
      return { payeeId, at, currency: HOME_CURRENCY, part: { disputedMinor } };
    }
    default:
      return undefined;
  }
}

/**
 * A year's report. `until` is how much of the log counts: what is heard of a year later belongs to it all the
 * same.
 */
export async function taxReport(source: BooksSource, year: string, until: Moment): Promise<TaxReport> {
  if (!/^\d{4}$/.test(year)) throw new RangeError(`"${year}" is not a year, such as 2026.`);
  const timeZone = await timeZoneOf(source);
  const months = new Map<string, Changing>();
  for await (const entry of entriesUntil(source, until)) {
    const told = partOf(entry);
    if (!told) continue;
    const { payeeId, at, currency, part } = told;
    const month = monthOf(Date.parse(at), timeZone);
    if (!month.startsWith(`${year}-`)) continue;
    const key = `${payeeId} ${month} ${currency}`;
    const none = { payments: 0, grossMinor: 0, refundsMinor: 0, disputedMinor: 0, transfersMinor: 0 };
    const row = months.get(key) ?? { payeeId, month, currency, ...none };
    months.set(key, row);
    row.payments += part.payments ?? 0;
    row.grossMinor += part.grossMinor ?? 0;
    row.refundsMinor += part.refundsMinor ?? 0;
    row.disputedMinor += part.disputedMinor ?? 0;
    row.transfersMinor += part.transfersMinor ?? 0;
  }
  const sorted = [...months].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  return { year, timeZone, months: sorted, payees: payeesOf(sorted) };
}

function payeesOf(months: readonly TaxMonth[]): TaxReport['payees'] {
  const payees = new Map<
    string,
    { payeeId: string; currency: string; payments: number; grossMinor: number; refundsMinor: number }
  >();
  for (const { payeeId, currency, payments, grossMinor, refundsMinor } of months) {
    const key = `${payeeId} ${currency}`;
    const sum = payees.get(key) ?? { payeeId, currency, payments: 0, grossMinor: 0, refundsMinor: 0 };
    payees.set(key, sum);
    sum.payments += payments;
    sum.grossMinor += grossMinor;
    sum.refundsMinor += refundsMinor;
  }
  return [...payees.values()];
}

export const taxCsv = ({ months }: TaxReport): string =>
  csvOf(
    ['payee', 'month', 'currency', 'payments', 'gross', 'refunds', 'disputed', 'transfers'],
    months.map((row) => [
      row.payeeId,
      row.month,
      row.currency,
      row.payments,
      textFromMinor(row.grossMinor, row.currency),
      textFromMinor(row.refundsMinor, row.currency),
      textFromMinor(row.disputedMinor, row.currency),
      textFromMinor(row.transfersMinor, row.currency),
    ]),
  );

/** The report as lines for people: the year of each payee, with its months beneath. */
export function taxLines({ year, timeZone, months, payees }: TaxReport): string[] {
  if (payees.length === 0) return [`Nobody received anything in ${year}.`];
  return [
    `Received in ${year}, by the day of each payment (${timeZone}); refunds are not taken from gross`,
    ...payees.flatMap((payee) => [
      '',
      `${payee.payeeId}: gross ${textFromMinor(payee.grossMinor, payee.currency)} ${payee.currency} by ${payee.payments} payments, refunds ${textFromMinor(payee.refundsMinor, payee.currency)}`,
      ...months
        .filter(({ payeeId, currency }) => payeeId === payee.payeeId && currency === payee.currency)
        .map(
          (row) =>
            `  ${row.month}  gross ${textFromMinor(row.grossMinor, row.currency)}  payments ${row.payments}  refunds ${textFromMinor(row.refundsMinor, row.currency)}  disputed ${textFromMinor(row.disputedMinor, row.currency)}  transfers ${textFromMinor(row.transfersMinor, row.currency)}`,
        ),
    ]),
  ];
}
