/** How much a person tips in a day without a proof. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS } from '#contracts/limits';
import {
  AT,
  booksAfter,
  contextOf,
  JUNO,
  MILO,
  open,
  openAccount,
  settle,
  transfer,
} from '#test/support/journal-spec';
import { decide } from './books.js';
import type { JournalCommand } from './commands.js';
import type { Books } from './state.js';
import { forgetOldTips } from './tip-rules.js';

const DAY_MS = 24 * 3_600_000;
const earned = { paymentId: 'pay_1', amount: '500.00' };
const rich = [openAccount(JUNO), openAccount(MILO), open(earned), settle(earned)];
const unproven = (command: JournalCommand): JournalCommand =>
  ({ ...command, unproven: true }) as JournalCommand;
const fromBalance = (amount: string, id: string): JournalCommand =>
  unproven(transfer(amount, JUNO, MILO, id));
const byCard = (amount: string, id: string): JournalCommand =>
  ({
    ...unproven(open({ paymentId: id, amount })),
    payerId: JUNO,
    recipientId: MILO,
    savedCard: { customerId: 'cus_1', paymentMethodId: 'pm_1' },
  }) as JournalCommand;
const ask = (command: JournalCommand, books: Books, nowMs = Date.parse(AT), limits = DEFAULT_LIMITS) =>
  decide(command, contextOf(command), books, nowMs, undefined, limits);

describe('tips without a proof', () => {
  const tipped = [...rich, fromBalance('20.00', 'trf_1'), byCard('29.99', 'pay_2')];

  it('go up to $50 a day together, by card and from the balance, to the cent', () => {
    expect(ask(fromBalance('0.01', 'trf_3'), booksAfter(...tipped))).toMatchObject({
      kind: 'entry',
      event: { data: { unproven: true } },
    });
    for (const more of [fromBalance('0.02', 'trf_3'), byCard('0.50', 'pay_3')])
      expect(() => ask(more, booksAfter(...tipped))).toThrow('Please confirm this first.');
    expect(() => ask(fromBalance('50.01', 'trf_1'), booksAfter(...rich))).toThrow('confirm');
  });
  it('are none where so many cards were declined that the payer is asked first; a repeat is not asked again', () => {
    const challenged = { ...byCard('1.00', 'pay_2'), isChallenged: true } as JournalCommand;
    expect(() => ask(challenged, booksAfter(...rich))).toThrow('Please confirm this first.');
    expect(ask(challenged, booksAfter(...rich, byCard('1.00', 'pay_2')))).toMatchObject({ kind: 'repeat' });
    const proven = { ...challenged, unproven: undefined } as JournalCommand;
    const taken = ask(proven, booksAfter(...rich));
    expect(taken.kind === 'entry' && taken.event.data).not.toHaveProperty('isChallenged');
  });
  it('are as many as the setting says', () => {
    const limits = { ...DEFAULT_LIMITS, 'tips-without-proof': 1 };
    expect(ask(fromBalance('1.00', 'trf_1'), booksAfter(...rich), Date.parse(AT), limits).kind).toBe('entry');
    expect(() => ask(fromBalance('1.01', 'trf_1'), booksAfter(...rich), Date.parse(AT), limits)).toThrow();
  });
  it('with a proof are not counted, nor payments by a newly typed card', () => {
    const books = booksAfter(
      ...rich,
      transfer('400.00', JUNO, MILO, 'trf_1'),
      open({ paymentId: 'pay_9', amount: '90.00' }),
    );
    expect(ask(fromBalance('50.00', 'trf_2'), books).kind).toBe('entry');
    expect(books.tips.size).toBe(0);
  });
  it('have room again a day later, and are then forgotten', () => {
    const books = booksAfter(...tipped);
    const later = Date.parse(AT) + DAY_MS + DAY_MS / 12;
    expect(ask(fromBalance('50.00', 'trf_3'), books, later).kind).toBe('entry');
    forgetOldTips(books, Date.parse(AT) + DAY_MS);
    expect(books.tips.size).toBe(1);
    forgetOldTips(books, later);
    expect(books.tips.size).toBe(0);
  });
  it('are paid once: a repeat is answered as before, however much was tipped since', () =>
    expect(ask(fromBalance('20.00', 'trf_1'), booksAfter(...tipped, fromBalance('0.01', 'trf_3'))).kind).toBe(
      'repeat',
    ));
});
