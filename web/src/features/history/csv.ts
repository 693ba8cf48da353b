/** A month as a file for a spreadsheet. */
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

/** Quoted where it must be; a text that a spreadsheet would take for a formula stays a text. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * One line for each, newest first; amounts have the sign of the balance they changed, and a point for the
 * cents.
 */
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

/** Excel takes a file for what it is only by its first bytes. */
const UTF8_MARK = '\uFEFF';

export function csvFile(rows: readonly Transaction[]): Blob {
  return new Blob([UTF8_MARK, csvOf(rows)], { type: 'text/csv;charset=utf-8' });
}
