/** How many payments a payer may start without paying them. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS } from '#contracts/limits';
import {
  AT,
  booksAfter,
  cancel,
  contextOf,
  JUNO,
  MILO,
  open,
  openAccount,
  settle,
} from '#test/support/journal-spec';
import { decide } from './books.js';
import type { Books } from './state.js';

const HOUR_MS = 3_600_000;
const limits = { ...DEFAULT_LIMITS, 'unpaid-payments': 3 };
const accounts = [openAccount(JUNO), openAccount(MILO)];
const tips = [1, 2, 3].map((n) => ({ paymentId: `pay_${n}`, amount: '0.50' }));
const fourth = open({ paymentId: 'pay_4', amount: '0.50' });
const ask = (books: Books, nowMs = Date.parse(AT)) =>
  decide(fourth, contextOf(fourth), books, nowMs, undefined, limits);

describe('a payer who starts payments and does not pay them', () => {
  const started = [...accounts, ...tips.map((tip) => open(tip))];

  it('is refused the next one, and told when to come again', () => {
    expect(() => ask(booksAfter(...started))).toThrow(
      'You have started 3 payments within an hour and not paid them. Please start the next one in 65 minutes.',
    );
    expect(ask(booksAfter(...started), Date.parse(AT) + HOUR_MS + HOUR_MS / 12)).toMatchObject({
      kind: 'entry',
    });
  });
  it('has room again as soon as one is paid, and pays as often as they like', () => {
    expect(ask(booksAfter(...started, settle(tips[1]!)))).toMatchObject({ kind: 'entry' });
    const many = Array.from({ length: 300 }, (_, n) => ({ paymentId: `pay_paid_${n}`, amount: '5.00' }));
    const books = booksAfter(...accounts, ...many.flatMap((tip) => [open(tip), settle(tip)]));
    expect(ask(books)).toMatchObject({ kind: 'entry' });
    expect(books.unpaid.get(MILO)).toBeUndefined();
  });
  it('has none where one was canceled: it was tried all the same', () =>
    expect(() => ask(booksAfter(...started, cancel(tips[0]!)))).toThrow('not paid them'));
  it('is answered a repeat as before', () => {
    const books = booksAfter(...accounts, ...tips.slice(1).map((tip) => open(tip)), fourth);
    expect(ask(books)).toMatchObject({ kind: 'repeat' });
  });
});
