/** A month as a CSV file. */
import type { Transaction } from '#contracts/api/payments';
import { isReceived, methodWord, nameOf } from '../transactions/transactions.js';
import { capitalised } from '../../shared/wording/people.js';

const HEAD = [
  'Date',
  'Type',
  'With',
  'Username',
  'Note',
  'Method',
  'Status',
  'Amount',
  'Refunded',
  'Taken back',
  'ID',
];

/**
 * Where a cell may begin, and a sign that begins a formula. Locales differ in what ends a cell, and one that
 * does not end it at a comma does not see the quotes around it either: each place behind a separator counts.
 * The wide and small forms are what spreadsheets of East Asia take for the plain ones.
 */
const BEGINS_FORMULA = /(^|[,;|])([\s"'\p{Default_Ignorable_Code_Point}]*)([=+\-@＝＋－＠﹦﹢﹣﹫−])/gu;

/** One cell on one line, quoted if needed. Text that a spreadsheet would run as a formula stays text. */
function cell(text: string): string {
  const oneLine = text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  const harmless = oneLine.replaceAll(BEGINS_FORMULA, "$1$2'$3");
  return /[",;|]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line per transaction, newest first; signed amounts with a decimal point. */
export function csvOf(rows: readonly Transaction[]): string {
  const lines = rows.map((row) => {
    const sign = isReceived(row) ? '' : '-';
    return [
      row.createdAt,
      isReceived(row) ? 'Received' : 'Sent',
      cell(nameOf(row) ?? ''),
      cell(row.counterpartyUsername ?? ''),
      cell(row.description ?? ''),
      methodWord(row),
      cell(capitalised(row.status)),
      `${sign}${row.amount}`,
      row.refundedAmount,
      row.disputedAmount,
      cell(row.id),
    ].join(',');
  });
  return [HEAD.join(','), ...lines, ''].join('\r\n');
}

/** Excel recognizes UTF-8 only by this byte order mark. */
const UTF8_MARK = '\uFEFF';

export function csvFile(rows: readonly Transaction[]): Blob {
  return new Blob([UTF8_MARK, csvOf(rows)], { type: 'text/csv;charset=utf-8' });
}
