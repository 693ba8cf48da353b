/** No money rests on a closed account, and a debt that nobody pays is the platform’s loss, by an entry. */
import { describe, expect, it } from '@jest/globals';
import { available, payouts, platform } from '#contracts/plain/accounts';
import type { JournalCommand } from '#ledger/journal/commands';
import { decide } from '#ledger/journal/books';
import { Rejected } from '#ledger/rejection';
import {
  apply,
  AT,
  booksAfter,
  closeDispute,
  closeWallet,
  completePayout,
  contextOf,
  dispute,
  failPayout,
  failRefund,
  fund,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  minor,
  open,
  openAccount,
  openWallet,
  payoutTransferred,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  settle,
  submit,
  submitPayout,
  transfer,
  trialBalance,
  withdrawDisputed,
  type Tip,
} from '#test/support/journal-spec';
import { sealedFor } from '#test/support/plain-vault';
import { Dice } from '#test/simulator/dice';

const LOSSES = platform('losses');
const UNCLAIMED = platform('unclaimed');
const tip = { paymentId: 'pay_1', amount: '20.00' };
const accounts = [openAccount(JUNO), openAccount(MILO)];
const close: JournalCommand = { type: 'CloseAccount', userId: JUNO };
const paid = [...accounts, open(tip), settle(tip)];
const paidOut = [...paid, requestPayout('20.00'), payoutTransferred(), submitPayout(), completePayout()];
const closed = [...paidOut, close];
const writeOff = (writeOffId = 'wo_1'): JournalCommand => ({
  type: 'WriteOffDebt',
  userId: JUNO,
  writeOffId,
  because: sealedFor(JUNO, 'Gone without a word'),
});
const pay = (itemId: string, amount: string, reference = 'wire 17'): JournalCommand => ({
  type: 'PayUnclaimed',
  itemId,
  amountMinor: minor(amount),
  reference,
});

describe('what happens to a closed account', () => {
  it('a payment that settles late is its payer’s, and waits to go back', () => {
    const late = { paymentId: 'pay_late', amount: '5.00' };
    const event = given(...paidOut, open(late), submit(late), close)
      .when(settle(late))
      .then('UnappliedReceived', { [JUNO_AVAILABLE]: '0', [platform('unapplied')]: '5.00' });
    expect(event.data).toMatchObject({ reason: 'account-closed', paymentId: 'pay_late' });
    given(...paidOut, open(late), submit(late), close, settle(late))
      .when(settle(late))
      .thenNothing();
  });

  it('a payout that its bank returns is unclaimed at once, and stays so when its transfer is reversed', () => {
    given(...closed)
      .when(returnPayout())
      .then('PayoutReturned', { [payouts(JUNO)]: '0', [UNCLAIMED]: '20.00' });
    given(...closed, returnPayout())
      .when(failPayout('trr_1'))
      .then('PayoutFailed', {
        [JUNO_AVAILABLE]: '0',
        [UNCLAIMED]: '20.00',
        [platform('connect-clearing')]: '0',
      });
  });

  it('a refund is the platform’s loss, and made up for when it fails', () => {
    given(...closed)
      .when(refund(tip, '20.00'))
      .then('PaymentRefunded', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-20.00' });
    given(...closed, refund(tip, '20.00'))
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
  });

  it('a refund of before that fails is unclaimed', () =>
    void given(...paid, refund(tip, '20.00'), close)
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [UNCLAIMED]: '20.00' }));

  it('a dispute is the platform’s loss, and its money when it is won', () => {
    given(...closed, dispute(tip))
      .when(withdrawDisputed(tip))
      .then('DisputeFundsWithdrawn', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-20.00' });
    given(...closed, dispute(tip), withdrawDisputed(tip), closeDispute(tip, 'won'))
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
  });

  it('what makes up for more than was lost is unclaimed', () =>
    void given(...closed, refund(tip, '5.00', 're_small'))
      .when(returnPayout())
      .then('PayoutReturned', { [LOSSES]: '0', [UNCLAIMED]: '15.00', [payouts(JUNO)]: '0' }));
});

describe('a debt', () => {
  const owing = [...paidOut, refund(tip, '20.00')];
  it('is written off when its account is closed', () => {
    const event = given(...owing)
      .when(close)
      .then('AccountClosed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-20.00' });
    expect(event.data).toMatchObject({ writtenOffMinor: 2000 });
  });
  it('is written off by an operator, whole', () =>
    void given(...owing)
      .when(writeOff())
      .then('DebtWrittenOff', { [JUNO_AVAILABLE]: '0', [LOSSES]: '-20.00' }));
  it('is written off once: where nothing is owed, nobody is told that it was', () => {
    given(...owing, writeOff())
      .when(writeOff())
      .thenNothing();
    given(...owing, writeOff())
      .when(writeOff('wo_2'))
      .thenRejects('NothingOwed');
    given(...paid)
      .when(writeOff())
      .thenRejects('NothingOwed');
  });
  it('is not written off while money in a wallet or on its way to a bank would pay it', () => {
    const inWallet = [...paid, openWallet(), fund('15.00'), refund(tip, '20.00')];
    given(...inWallet)
      .when(writeOff())
      .thenRejects('DebtCovered');
    given(...paid, requestPayout('15.00'), refund(tip, '20.00'))
      .when(writeOff())
      .thenRejects('DebtCovered');
    given(...inWallet, closeWallet())
      .when(writeOff())
      .thenRejects('NothingOwed');
  });
  it('that was written off is made up for first, where the refund that made it fails after all', () => {
    const { data } = given(...owing, writeOff())
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
    expect(data).toMatchObject({ amountMinor: 2000, recipientMinor: 0, madeUpMinor: 2000 });
    // Of a debt of a part, that part: the rest is the recipient's, as if the refund had never been.
    const half = [
      ...paid,
      requestPayout('5.00'),
      payoutTransferred(),
      submitPayout(),
      completePayout(),
      refund(tip, '20.00'),
      writeOff(),
    ];
    given(...half)
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '15.00', [LOSSES]: '0' });
  });
  it('is made up for once, and not by a refund of a later time', () => {
    const twice = [
      ...paidOut,
      refund(tip, '12.00', 're_1'),
      refund(tip, '8.00', 're_2'),
      writeOff(),
      failRefund(tip, 're_1'),
    ];
    given(...twice)
      .when(failRefund(tip, 're_2'))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
    const later = { paymentId: 'pay_later', amount: '9.00' };
    const { data } = given(
      ...owing,
      writeOff(),
      open(later),
      settle(later),
      refund(later, '9.00', 're_later'),
    )
      .when(failRefund(later, 're_later'))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '9.00', [LOSSES]: '-20.00' });
    expect(Object.keys(data)).not.toContain('madeUpMinor');
  });
  it('that was written off is made up for first, where the dispute that made it is won on appeal', () => {
    const lost = [...paidOut, dispute(tip), withdrawDisputed(tip), closeDispute(tip, 'lost'), writeOff()];
    const { data } = given(...lost)
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
    expect(data).toMatchObject({ amountMinor: 2000, recipientMinor: 0, madeUpMinor: 2000 });
    // It is taken and won once more: nothing was given up for the second time.
    const again = [reinstateDisputed(tip, '20.00', '0.00', 1), withdrawDisputed(tip, '20.00', '0.00', 2)];
    given(...lost, ...again)
      .when(reinstateDisputed(tip, '20.00', '0.00', 3))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
  });
  it('of a part is made up for by that part of a dispute that is won, and not by a dispute of a later time', () => {
    const half = [...paid, requestPayout('5.00'), payoutTransferred(), submitPayout(), completePayout()];
    given(...half, dispute(tip), withdrawDisputed(tip), closeDispute(tip, 'lost'), writeOff())
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '15.00', [LOSSES]: '0' });
    const later = { paymentId: 'pay_later', amount: '9.00' };
    const { data } = given(
      ...owing,
      writeOff(),
      open(later),
      settle(later),
      dispute(later),
      withdrawDisputed(later),
    )
      .when(reinstateDisputed(later))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '9.00', [LOSSES]: '-20.00' });
    expect(Object.keys(data)).not.toContain('madeUpMinor');
  });
  it('that a refund and a dispute made together is made up for once, whichever of them is undone first', () => {
    const told = [dispute(tip), withdrawDisputed(tip, '20.00', '0.00')];
    // The refund first: the dispute was the platform's. It is the recipient's once the refund fails, and won
    // after that.
    given(...owing, ...told, closeDispute(tip, 'lost'), writeOff(), failRefund(tip))
      .when(reinstateDisputed(tip))
      .then('DisputeFundsReinstated', {
        [JUNO_AVAILABLE]: '0',
        [LOSSES]: '0',
        [platform('dispute-losses')]: '0',
      });
    // The dispute first: the refund is told of after the debt was given up, and fails after the dispute was
    // won.
    const late = [...paidOut, ...told, closeDispute(tip, 'lost'), writeOff(), refund(tip, '20.00')];
    given(...late, reinstateDisputed(tip))
      .when(failRefund(tip))
      .then('RefundFailed', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0', [platform('dispute-losses')]: '0' });
  });
  it('that was written off in parts is made up for whole, whichever of what made it is undone first', () => {
    const gone = (of: Tip, payoutId: string): JournalCommand[] => [
      ...[open(of), settle(of), requestPayout(of.amount, JUNO, payoutId), payoutTransferred(payoutId)],
      ...[submitPayout(payoutId), completePayout(payoutId), dispute(of), withdrawDisputed(of)],
      ...[closeDispute(of, 'lost'), writeOff(`wo_${payoutId}`)],
    ];
    const other = { paymentId: 'pay_2', amount: '30.00' };
    const twice = [...accounts, ...gone(tip, 'out_1'), ...gone(other, 'out_2')];
    for (const [first, second] of [
      [tip, other],
      [other, tip],
    ] as const)
      given(...twice, reinstateDisputed(first))
        .when(reinstateDisputed(second))
        .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '0', [LOSSES]: '0' });
    // What was taken before both makes up for the first one, and for as much of the second as it can.
    given(...twice, reinstateDisputed(tip), returnPayout('out_1'), failPayout('trr_1', 'out_1'))
      .when(reinstateDisputed(other))
      .then('DisputeFundsReinstated', { [JUNO_AVAILABLE]: '20.00', [LOSSES]: '0' });
  });
  it('that was written off is made up for first, where a payout of before comes back from its bank', () => {
    // Had it not been on its way when the refund came, nothing would have been owed.
    const { data } = given(...owing, writeOff(), returnPayout())
      .when(failPayout('trr_1'))
      .then('PayoutFailed', {
        [JUNO_AVAILABLE]: '0',
        [payouts(JUNO)]: '0',
        [LOSSES]: '0',
        [platform('connect-clearing')]: '0',
      });
    expect(data).toMatchObject({ amountMinor: 2000, madeUpMinor: 2000 });
  });
  it('is not made up for by a payout of money that came after it was given up', () => {
    const later = { paymentId: 'pay_later', amount: '9.00' };
    const out = [
      requestPayout('9.00', JUNO, 'out_2'),
      payoutTransferred('out_2'),
      submitPayout('out_2'),
      returnPayout('out_2'),
    ];
    const { data } = given(...owing, writeOff(), open(later), settle(later), ...out)
      .when(failPayout('trr_2', 'out_2'))
      .then('PayoutFailed', { [JUNO_AVAILABLE]: '9.00', [LOSSES]: '-20.00' });
    expect(Object.keys(data)).not.toContain('madeUpMinor');
  });
  it('of nobody is not written off', () => given().when(writeOff()).thenRejects('PayerNotFound'));
});

describe('unclaimed money', () => {
  it('is paid by an operator, out of the platform’s own funds, once', () => {
    const event = given(...closed, returnPayout())
      .when(pay('out_1', '20.00'))
      .then('UnclaimedPaid', { [UNCLAIMED]: '0', [platform('own-funds')]: '20.00' });
    expect(event.data).toMatchObject({
      itemId: 'out_1',
      userId: JUNO,
      amountMinor: 2000,
      reference: 'wire 17',
    });
    given(...closed, returnPayout(), pay('out_1', '20.00'))
      .when(pay('out_1', '20.00'))
      .thenNothing();
  });
  it('that one operator has paid is not booked as another’s payment, who is told by which it was', () => {
    const second = given(...closed, returnPayout(), pay('out_1', '20.00'));
    second.when(pay('out_1', '20.00', 'wire 18')).thenRejects('UnclaimedPaidAlready');
  });
  it('is paid whole, and booked as no other amount than is left of it', () => {
    for (const amount of ['19.99', '20.01'])
      given(...closed, returnPayout())
        .when(pay('out_1', amount))
        .thenRejects('UnclaimedAmountDiffers');
    given(...closed, returnPayout(), pay('out_1', '20.00'))
      .when(pay('out_1', '19.99'))
      .thenRejects('UnclaimedPaidOtherwise');
  });
  it('that there is none of is not paid', () =>
    given(...closed)
      .when(pay('out_1', '20.00'))
      .thenRejects('UnclaimedNotFound'));
  it('is what an older version had left on a closed account', () => {
    const clear: JournalCommand = { type: 'ClearClosedAccount', userId: JUNO, clearingId: 'clr_1' };
    given(...accounts)
      .when(clear)
      .thenRejects('AccountOpen');
    given(...closed)
      .when(clear)
      .thenNothing();
    const books = booksAfter(...closed);
    books.accounts.set(available(JUNO), 700);
    const decision = decide(clear, contextOf(clear), books, Date.parse(AT));
    if (decision.kind !== 'entry') throw new Error('Expected an entry');
    apply(books, decision, 100);
    expect([books.balanceOf(available(JUNO)), books.balanceOf(UNCLAIMED)]).toEqual([0, 700]);
  });
});

/**
 * Everything that a provider may say of somebody, before and after their account was closed, in any order.
 */
describe('any history', () => {
  const seeds = Array.from({ length: Number(process.env.HISTORIES ?? 40) }, (_, n) => n + 1);
  it.each(seeds)('leaves no money on a closed account (seed %i)', (seed) => {
    const dice = new Dice(seed);
    const tips = [1, 2, 3, 4].map((n) => ({ paymentId: `pay_${n}`, amount: `${n}0.00` }));
    const outs = ['out_1', 'out_2'];
    const books = booksAfter(...accounts, ...tips.map(open));
    const any: ((n: number) => JournalCommand)[] = [
      () => settle(dice.one(tips)),
      (n) => refund(dice.one(tips), `${dice.between(1, 9)}.00`, `re_${n}`),
      (n) => failRefund(dice.one(tips), `re_${dice.between(0, n)}`),
      () => dispute(dice.one(tips)),
      (n) => withdrawDisputed(dice.one(tips), undefined, undefined, n),
      (n) => reinstateDisputed(dice.one(tips), undefined, undefined, n),
      () => requestPayout('10.00', JUNO, dice.one(outs)),
      () => payoutTransferred(dice.one(outs)),
      () => submitPayout(dice.one(outs)),
      () => completePayout(dice.one(outs)),
      () => returnPayout(dice.one(outs)),
      () => failPayout('trr_1', dice.one(outs)),
      (n) => transfer('1.00', JUNO, MILO, `trf_${n}`),
      (n) => transfer(`${dice.between(1, 40)}.00`, JUNO, MILO, `trf_${n}`),
      (n) => writeOff(`wo_${n}`),
      () => {
        const itemId = dice.one([...books.unclaimed.entries()].map(([id]) => id).concat(outs));
        return {
          type: 'PayUnclaimed',
          itemId,
          amountMinor: books.unclaimed.get(itemId)?.amountMinor ?? 1_000,
          reference: 'wire 17',
        };
      },
      () => close,
    ];
    for (let n = 0; n < 200; n++) {
      const command = dice.one(any)(n);
      try {
        const decision = decide(command, contextOf(command), books, Date.parse(AT));
        if (decision.kind === 'entry') apply(books, decision, 100 + n);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
      expect(trialBalance(books)).toBe(0);
      if (books.closed.get(JUNO))
        expect({
          seed,
          n,
          command,
          left: [books.balanceOf(available(JUNO)), books.balanceOf(payouts(JUNO))],
        }).toEqual({
          seed,
          n,
          command,
          left: [0, 0],
        });
      // What waits for somebody bears what is taken from them: there is never both.
      expect(Math.min(books.balanceOf(UNCLAIMED) ?? 0, books.losses.get(JUNO) ?? 0)).toBeLessThanOrEqual(0);
      expect(books.balanceOf(UNCLAIMED) ?? 0).toBe(
        [...books.unclaimed.entries()].reduce((sum, [, { amountMinor }]) => sum + amountMinor, 0),
      );
    }
  });
});
