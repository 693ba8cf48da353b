/**
 * Reads the file of balance transactions that the card provider exports: CSV, as its balance history and its
 * itemized reports have it, or JSON as its API answers lists. Files come from elsewhere: everything is
 * checked.
 */
import { z } from 'zod';
import { assertCountable, isCurrency, minorFromText } from './amounts.js';
import { MEBIBYTE, readBounded, UnreadableFile } from './bounded-file.js';
import { csvTable, type CsvRow } from './csv.js';
import { kindOfId, type MovementSource, type ProviderMovement } from './provider-movement.js';

const MOST_BYTES = 256 * MEBIBYTE;

/** Throws {@link UnreadableFile}, with the line where there is one. */
export const readProviderFile = (file: string): ProviderMovement[] =>
  providerMovements(readBounded(file, MOST_BYTES));

/** The movements of a file's text, in its order. Throws {@link UnreadableFile}. */
export function providerMovements(text: string): ProviderMovement[] {
  const start = text.trimStart()[0];
  const movements = start === '{' || start === '[' ? fromJson(text) : fromCsv(text);
  assertCountable(amountsOf(movements));
  return movements;
}

function* amountsOf(movements: readonly ProviderMovement[]): Generator<number> {
  for (const { grossMinor, feeMinor, netMinor } of movements) yield* [grossMinor, feeMinor, netMinor];
}

// ---- CSV

const ID = ['balance_transaction_id', 'id'] as const;
const IS_THIS_ONE = 'is this a file of balance transactions?';

function fromCsv(text: string): ProviderMovement[] {
  const { columns, rows } = csvTable(text);
  // A file of something else without a line would say that nothing ever moved.
  for (const names of [['currency'], ID])
    if (!names.some((name) => columns.has(name)))
      throw new UnreadableFile(`The header has no ${names.join(' or ')}: ${IS_THIS_ONE}`);
  return rows.map(fromRow);
}

function fromRow(row: CsvRow): ProviderMovement {
  const needed = (...columns: readonly string[]): string => {
    const written = row.get(...columns);
    if (written === undefined)
      throw new UnreadableFile(`Line ${row.line} has no ${columns.join(' or ')}: ${IS_THIS_ONE}`);
    return written;
  };
  const currency = needed('currency').toLowerCase();
  if (!isCurrency(currency)) throw new UnreadableFile(`Line ${row.line}: "${currency}" is no currency.`);
  const amount = (...columns: readonly string[]): number => {
    const written = needed(...columns);
    const minor = minorFromText(written, currency);
    if (minor === undefined)
      throw new UnreadableFile(`Line ${row.line}: "${written}" is no amount in ${currency}.`);
    return minor;
  };
  const sourceId = row.get('source_id', 'source');
  return {
    id: needed(...ID),
    type: needed('reporting_category', 'type'),
    grossMinor: amount('gross', 'amount'),
    feeMinor: amount('fee'),
    netMinor: amount('net'),
    currency,
    createdAt: timeFrom(needed('created_utc', 'created (utc)', 'created'), row.line),
    source: {
      kind: kindOfId(sourceId),
      id: sourceId,
      chargeId: row.get('charge_id'),
      intentId: row.get('payment_intent_id'),
      payoutId: row.get('transfer_group', 'transfer group'),
      paymentId: row.get('payment_metadata[paymentid]', 'paymentid (metadata)'),
    },
  };
}

const UTC_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?Z?$/;

/** The provider's files give times in UTC, with or without seconds. */
function timeFrom(written: string, line: number): string {
  const [, day, minutes, seconds = ':00'] = UTC_TIME.exec(written) ?? [];
  const time = new Date(day === undefined ? Number.NaN : `${day}T${minutes}${seconds}Z`);
  if (Number.isNaN(time.getTime())) throw new UnreadableFile(`Line ${line}: "${written}" is no time in UTC.`);
  return time.toISOString();
}

// ---- JSON

const Minor = z.number().int().refine(Number.isSafeInteger);
const Id = z.string().min(1);
const Named = z
  .union([Id, z.object({ id: Id })])
  .transform((named) => (typeof named === 'string' ? named : named.id));
const Source = z.object({
  id: Id,
  charge: Named.nullish(),
  payment_intent: Named.nullish(),
  transfer: Named.nullish(),
  transfer_group: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const Transaction = z.object({
  id: Id,
  type: z.string(),
  balance_type: z.string().nullish(),
  amount: Minor,
  fee: Minor,
  net: Minor,
  currency: z.string().toLowerCase().refine(isCurrency, 'no currency'),
  created: Minor.refine((seconds) => Number.isFinite(new Date(seconds * 1000).getTime()), 'no time'),
  source: z.union([Id, Source]).nullish(),
});
const List = z.object({ data: z.array(Transaction), has_more: z.boolean().optional() });

function fromJson(text: string): ProviderMovement[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnreadableFile('The file begins as JSON and is none.');
  }
  const list = List.safeParse(Array.isArray(value) ? { data: value } : value);
  if (!list.success)
    throw new UnreadableFile(`The file is no list of balance transactions. ${z.prettifyError(list.error)}`);
  if (list.data.has_more === true)
    throw new UnreadableFile(
      'The file has only the first page of a list: has_more is true. Export all pages.',
    );
  // The list has the account's other balances, too: what is held in reserve, of which the counterpart stands
  // by itself.
  const ofPayments = list.data.data.filter(
    ({ balance_type: balance }) => (balance ?? 'payments') === 'payments',
  );
  return ofPayments.map((transaction) => ({
    id: transaction.id,
    type: transaction.type,
    grossMinor: transaction.amount,
    feeMinor: transaction.fee,
    netMinor: transaction.net,
    currency: transaction.currency,
    createdAt: new Date(transaction.created * 1000).toISOString(),
    source: sourceOf(transaction.source),
  }));
}

function sourceOf(source: z.infer<typeof Transaction>['source']): MovementSource {
  if (source === null || source === undefined) return { kind: 'other' };
  if (typeof source === 'string') return { kind: kindOfId(source), id: source };
  return {
    kind: kindOfId(source.id),
    id: source.id,
    chargeId: source.charge ?? undefined,
    intentId: source.payment_intent ?? undefined,
    payoutId: source.transfer_group ?? undefined,
    transferId: source.transfer ?? undefined,
    paymentId: source.metadata?.['paymentId'],
  };
}
