/**
 * What is taken from somebody whose account is closed is taken first from what waits unclaimed for them, and
 * what comes back makes up first for what the platform lost by them: in any order, nobody gains or loses a
 * cent.
 */
import { describe, expect, it } from '@jest/globals';
import { available, platform } from '#contracts/plain/accounts';
import type { JournalEvent, JournalEventOf } from '#contracts/events/journal';
import { Rejected } from '#ledger/rejection';
import {
  apply,
  AT,
  booksAfter,
  closeDispute,
  completePayout,
  contextOf,
  dispute,
  failPayout,
  failRefund,
  given,
  JUNO,
  MILO,
  minor,
  open,
  openAccount,
  payoutTransferred,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  settle,
  snapshot,
  submitPayout,
  transfer,
  trialBalance,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { Dice } from '#test/simulator/dice';
import { decide } from './books.js';
import type { JournalCommand } from './commands.js';
import type { Decision } from './decision.js';
import type { Books } from './state.js';

const LOSSES = platform('losses');
const UNCLAIMED = platform('unclaimed');
const big = { paymentId: 'pay_big', amount: '50.00' };
const small = { paymentId: 'pay_small', amount: '40.00' };
const close: JournalCommand = { type: 'CloseAccount', userId: JUNO };
const out = (amount: string, payoutId: string): JournalCommand[] => [
  requestPayout(amount, JUNO, payoutId),
  payoutTransferred(payoutId),
  submitPayout(payoutId),
  completePayout(payoutId),
];
const pay = (itemId: string, amount: string, reference = 'wire 17'): JournalCommand => ({
  type: 'PayUnclaimed',
  itemId,
  amountMinor: minor(amount),
  reference,
});
/** Both tips were paid out, by two payouts, and their owner has left. */
const left = [
  ...[openAccount(JUNO), openAccount(MILO), open(big), settle(big), open(small), settle(small)],
  ...[...out('50.00', 'out_1'), ...out('40.00', 'out_2'), close],
];
/** $50 wait since the bank returned the first one. */
const waiting = [...left, returnPayout('out_1')];
const taken = [...waiting, dispute(small), withdrawDisputed(small, '40.00', '0')];

const messageOf = (commands: readonly JournalCommand[], command: JournalCommand): string => {
  try {
    decide(command, contextOf(command), booksAfter(...commands), Date.parse(AT));
  } catch (error) {
    if (error instanceof Rejected) return error.message;
    throw error;
  }
  throw new Error('It was not refused.');
};

describe('what is taken from somebody for whom money waits unclaimed', () => {
  it('is taken from that: a dispute', () => {
    const { data } = given(...waiting, dispute(small))
      .when(withdrawDisputed(small, '40.00', '15.00'))
      .then('DisputeFundsWithdrawn', {
        [UNCLAIMED]: '10.00',
        [LOSSES]: '0',
        [platform('dispute-losses')]: '-15.00',
      });
    expect(data).toMatchObject({ recipientMinor: 4000, drawn: [{ itemId: 'out_1', amountMinor: 4000 }] });
  });

  it('is taken from that: a refund, and what exceeds it is the platform’s loss', () => {
    const { data } = given(...taken)
      .when(refund(big, '25.00'))
      .then('PaymentRefunded', { [UNCLAIMED]: '0', [LOSSES]: '-15.00' });
    expect(data).toMatchObject({ amountMinor: 2500, drawn: [{ itemId: 'out_1', amountMinor: 1000 }] });
  });

  it('is taken from the oldest item first', () => {
    const { data } = given(...taken, returnPayout('out_2'))
      .when(refund(big, '25.00'))
      .then('PaymentRefunded', { [UNCLAIMED]: '25.00', [LOSSES]: '0' });
    expect(data).toMatchObject({
      drawn: [
        { itemId: 'out_1', amountMinor: 1000 },
        { itemId: 'out_2', amountMinor: 1500 },
      ],
    });
  });

  it('is the platform’s loss where nothing waits, or what waited was paid, and its entry draws nothing', () => {
    for (const before of [left, [...waiting, pay('out_1', '50.00')]]) {
      const { data } = given(...before)
        .when(refund(small, '40.00'))
        .then('PaymentRefunded', { [UNCLAIMED]: '0', [LOSSES]: '-40.00' });
      expect(Object.keys(data)).not.toContain('drawn');
    }
  });

  it('is never taken from what waits for somebody else', () => {
    const milos = { paymentId: 'pay_milo', amount: '30.00', from: JUNO, to: MILO };
    const before = [
      ...[openAccount(JUNO), openAccount(MILO), open(milos), settle(milos), open(big), settle(big)],
      ...[...out('50.00', 'out_1'), transfer('30.00', MILO, JUNO), ...out('30.00', 'out_2'), close],
      ...[{ type: 'CloseAccount', userId: MILO } as const, returnPayout('out_1')],
    ];
    given(...before)
      .when(refund(milos, '30.00'))
      .then('PaymentRefunded', { [UNCLAIMED]: '50.00', [LOSSES]: '-30.00' });
  });

  it('waits again once it comes back, whatever became of the item meanwhile', () => {
    given(...taken, closeDispute(small, 'won'))
      .when(reinstateDisputed(small, '40.00', '0', 2))
      .then('DisputeFundsReinstated', { [UNCLAIMED]: '50.00', [LOSSES]: '0' });
    const lost = [...taken, closeDispute(small, 'lost'), pay('out_1', '10.00')];
    given(...lost)
      .when(reinstateDisputed(small, '40.00', '0', 2))
      .then('DisputeFundsReinstated', { [UNCLAIMED]: '40.00', [LOSSES]: '0' });
    given(...waiting, refund(small, '40.00'))
      .when(failRefund(small))
      .then('RefundFailed', { [UNCLAIMED]: '50.00', [LOSSES]: '0' });
    // Of what the platform bore a part, that part makes up for it.
    given(...taken, refund(big, '25.00'))
      .when(reinstateDisputed(small, '40.00', '0', 2))
      .then('DisputeFundsReinstated', { [UNCLAIMED]: '25.00', [LOSSES]: '0' });
  });

  it('is not taken twice for one refund or balance transaction', () => {
    given(...taken)
      .when(withdrawDisputed(small, '40.00', '0'))
      .thenNothing();
    given(...waiting, refund(small, '40.00'))
      .when(refund(small, '40.00'))
      .thenNothing();
  });

  it('pays what an older version left as a debt on the closed account', () => {
    const clear: JournalCommand = { type: 'ClearClosedAccount', userId: JUNO, clearingId: 'clr_1' };
    const books = booksAfter(...waiting);
    books.accounts.set(available(JUNO), -6_000);
    const decision = decide(clear, contextOf(clear), books, Date.parse(AT));
    if (decision.kind !== 'entry') throw new Error('Expected an entry');
    expect(decision.event).toMatchObject({
      type: 'DebtWrittenOff',
      data: { amountMinor: 6000, drawn: [{ itemId: 'out_1', amountMinor: 5000 }] },
    });
    apply(books, decision, 100);
    expect([available(JUNO), UNCLAIMED, LOSSES].map((account) => books.balanceOf(account))).toEqual([
      0, 0, -1000,
    ]);
  });

  it('was all the platform’s by an older version, and is followed so: what waits stays whole', () => {
    const books = booksAfter(...waiting);
    const command = refund(small, '40.00');
    const decision = decide(command, contextOf(command), books, Date.parse(AT));
    if (decision.kind !== 'entry' || decision.event.type !== 'PaymentRefunded') throw new Error('A refund');
    const { drawn: _, postings, ...data } = decision.event.data;
    const borne = postings.map((posting) => ({ ...posting, debit: LOSSES }));
    const older: JournalEvent = { type: 'PaymentRefunded', data: { ...data, postings: borne } };
    apply(books, { ...decision, event: older }, 100);
    expect([books.unclaimed.get('out_1')?.amountMinor, books.losses.get(JUNO)]).toEqual([5000, 4000]);
    const next = refund(big, '20.00');
    expect(decide(next, contextOf(next), books, Date.parse(AT))).toMatchObject({
      event: { data: { drawn: [{ itemId: 'out_1', amountMinor: 2000 }] } },
    });
  });
});

describe('unclaimed money of which some was taken', () => {
  it('is paid as far as it is left, and booked as no more than that', () => {
    given(...taken)
      .when(pay('out_1', '10.00'))
      .then('UnclaimedPaid', { [UNCLAIMED]: '0', [platform('own-funds')]: '10.00' });
    given(...taken)
      .when(pay('out_1', '50.00'))
      .thenRejects('UnclaimedAmountDiffers');
    given(...taken, pay('out_1', '10.00'))
      .when(pay('out_1', '10.00'))
      .thenNothing();
  });

  it('is refused in a sentence that says how much is left, or how it was booked', () => {
    expect(messageOf(taken, pay('out_1', '50.00'))).toBe(
      'Only $10.00 is left of this money, not $50.00: the rest went for what was taken from its owner later. Nothing was booked. If more than that was sent, get the rest back.',
    );
    expect(messageOf(taken, pay('out_1', '5.00'))).toBe(
      '$10.00 is left of this money, not $5.00, and it is paid whole. Nothing was booked.',
    );
    expect(messageOf([...taken, refund(big, '10.00')], pay('out_1', '50.00'))).toBe(
      'Nothing is left of this money: what was taken from its owner later has used it up. Nothing was booked. If it was sent, get it back.',
    );
    expect(messageOf([...taken, pay('out_1', '10.00')], pay('out_1', '50.00'))).toBe(
      'This money is booked as paid already, by this reference: $10.00 of it, and not $50.00. Nothing was booked now.',
    );
  });
});

/** What an entry brings somebody whose account is closed, or takes from them, by its own words. */
function bringsOf(event: JournalEvent): number {
  switch (event.type) {
    case 'PayoutReturned':
      return event.data.afterCompletion ? event.data.amountMinor : 0;
    case 'RefundFailed':
    case 'DisputeFundsReinstated':
      return event.data.recipientMinor ?? 0;
    case 'PaymentRefunded':
      return -(event.data.recipientMinor ?? event.data.amountMinor);
    case 'DisputeFundsWithdrawn':
      return -event.data.recipientMinor;
    case 'UnclaimedPaid':
      return -event.data.amountMinor;
    default:
      return 0;
  }
}

type Entry = Extract<Decision, { kind: 'entry' }> & { readonly revision: number };
const isDrawing = ({ event }: Entry): boolean => 'drawn' in event.data && event.data.drawn !== undefined;

/** Everything that a provider, a bank and operators may do, before and after somebody leaves. */
function livedFrom(seed: number): { books: Books; entries: Entry[] } {
  const dice = new Dice(seed);
  const tips = [1, 2, 3, 4].map((n) => ({ paymentId: `pay_${n}`, amount: `${n}0.00` }));
  const outs = ['out_1', 'out_2', 'out_3', 'out_4'];
  const books = booksAfter(
    openAccount(JUNO),
    openAccount(MILO),
    ...tips.map((tip) => open(tip)),
    ...tips.map((tip) => settle(tip)),
  );
  const amount = (): string => `${dice.between(1, 30)}.00`;
  /** What an operator has read of it, perhaps some time ago. */
  const seen = new Map<string, number>();
  const any: readonly ((n: number) => JournalCommand)[] = [
    (n) => refund(dice.one(tips), amount(), `re_${n % 20}`),
    () => failRefund(dice.one(tips), `re_${dice.below(20)}`),
    () => dispute(dice.one(tips)),
    (n) => withdrawDisputed(dice.one(tips), amount(), dice.one(['0', '15.00']), n % 40),
    (n) => reinstateDisputed(dice.one(tips), amount(), '0', n % 40),
    () => closeDispute(dice.one(tips), dice.one(['won', 'lost'] as const)),
    () => requestPayout(amount(), JUNO, dice.one(outs)),
    () => payoutTransferred(dice.one(outs)),
    () => submitPayout(dice.one(outs)),
    () => completePayout(dice.one(outs)),
    () => returnPayout(dice.one(outs)),
    () => failPayout('trr_1', dice.one(outs)),
    () => {
      const has = Math.max(100, books.balanceOf(available(JUNO)) ?? 0);
      return transfer(`${Math.floor(has / 100)}.00`, JUNO, MILO, `trf_${dice.below(500)}`);
    },
    (n) => ({ type: 'WriteOffDebt', userId: JUNO, writeOffId: `wo_${n}` }),
    () => {
      const [itemId, amountMinor] = dice.maybe([...seen]) ?? ['out_1', 100];
      return { type: 'PayUnclaimed', itemId, amountMinor, reference: 'wire 17' };
    },
    () => close,
    () => close,
  ];
  const entries: Entry[] = [];
  let net: number | undefined;
  for (let n = 0; n < 250; n += 1) {
    if (dice.chance(0.2))
      for (const [id, { amountMinor }] of books.unclaimed.entries())
        if (amountMinor > 0) seen.set(id, amountMinor);
    const command = dice.one(any)(n);
    const before = snapshot(books);
    const decided = (): Decision | Rejected => {
      try {
        return decide(command, contextOf(command), books, Date.parse(AT));
      } catch (error) {
        if (error instanceof Rejected) return error;
        throw error;
      }
    };
    const decision = decided();
    if (decision instanceof Rejected || decision.kind !== 'entry') continue;
    apply(books, decision, 100 + n);
    entries.push({ ...decision, revision: 100 + n });
    // Told once more, it changes nothing.
    expect(decided()).not.toMatchObject({ kind: 'entry' });
    if (decision.event.type === 'AccountClosed') net = -(books.losses.get(JUNO) ?? 0);
    else if (net !== undefined) net += bringsOf(decision.event);
    expect(trialBalance(books)).toBe(0);
    const items = [...books.unclaimed.entries()].map(([, item]) => item.amountMinor);
    const held = {
      unclaimed: books.balanceOf(UNCLAIMED) ?? 0,
      losses: books.losses.get(JUNO) ?? 0,
      items: items.reduce((sum, each) => sum + each, 0),
    };
    if (net === undefined) continue;
    const due = { unclaimed: Math.max(0, net), losses: Math.max(0, -net), items: Math.max(0, net) };
    expect({ seed, n, event: decision.event, before, ...held }).toEqual({
      ...{ seed, n, event: decision.event, before },
      ...due,
    });
  }
  return { books, entries };
}

describe('any history of somebody who leaves', () => {
  const seeds = Array.from({ length: Number(process.env['HISTORIES'] ?? 150) }, (_, n) => n + 1);

  it('leaves unclaimed what they would have, or the platform what they would owe, and never both', () => {
    const reached = { drawn: 0, several: 0, paidRest: 0, again: 0 };
    for (const seed of seeds) {
      const { books, entries } = livedFrom(seed);
      const drawing = entries.filter(isDrawing);
      reached.drawn += drawing.length;
      for (const { event } of drawing)
        reached.several += Number((event.data as { drawn: readonly unknown[] }).drawn.length > 1);
      const drawnOf = new Set(
        drawing.flatMap(({ event }) =>
          (event as JournalEventOf<'PaymentRefunded'>).data.drawn!.map(({ itemId }) => itemId),
        ),
      );
      reached.paidRest += entries.filter(
        ({ event }) => event.type === 'UnclaimedPaid' && drawnOf.has(event.data.itemId),
      ).length;
      const first = entries.findIndex(isDrawing);
      reached.again += entries
        .slice(first)
        .filter(({ event }) => first >= 0 && event.type === 'DisputeFundsReinstated').length;
      // Whoever reads the log afterwards holds the same.
      const read = booksAfter(
        ...[openAccount(JUNO), openAccount(MILO)],
        ...[1, 2, 3, 4].map((n) => open({ paymentId: `pay_${n}`, amount: `${n}0.00` })),
        ...[1, 2, 3, 4].map((n) => settle({ paymentId: `pay_${n}`, amount: `${n}0.00` })),
      );
      for (const entry of entries) apply(read, entry, entry.revision);
      expect(snapshot(read)).toEqual(snapshot(books));
      expect([...read.unclaimed.entries()]).toEqual([...books.unclaimed.entries()]);
      expect([...read.unclaimedOf.entries()]).toEqual([...books.unclaimedOf.entries()]);
    }
    expect(Object.entries(reached).filter(([, times]) => times === 0)).toEqual([]);
  });
});
