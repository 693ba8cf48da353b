/** The rules of payouts: what moves at which step, and that the money comes back exactly once. */
import { describe, expect, it } from '@jest/globals';
import { payouts, platform } from '#contracts/plain/accounts';
import { Rejected } from '#ledger/rejection';
import {
  booksAfter,
  completePayout,
  contextOf,
  failPayout,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  AT,
  open,
  openAccount,
  payoutTransferred,
  refund,
  requestPayout,
  returnPayout,
  settle,
  submitPayout,
} from '#test/support/journal-spec';
import { decide } from './books.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const earned = [openAccount(JUNO), openAccount(MILO), open(tip), settle(tip)];
const requested = [...earned, requestPayout('12.00')];
const transferred = [...requested, payoutTransferred()];
const submitted = [...transferred, submitPayout()];
const completed = [...submitted, completePayout()];

/** Everything that a payout moves, so that a step shows what it does and what it leaves alone. */
const money = (availableNow: string, onItsWay: string, card: string, connect: string, bank: string) => ({
  [JUNO_AVAILABLE]: availableNow,
  [payouts(JUNO)]: onItsWay,
  [platform('card-clearing')]: card,
  [platform('connect-clearing')]: connect,
  [platform('bank-clearing')]: bank,
});
const BACK = money('20.00', '0', '-20.00', '0', '0');

describe('requesting a payout', () => {
  it('holds the money on its way to the bank', () =>
    void given(...earned)
      .when(requestPayout('12.00'))
      .then('PayoutRequested', money('8.00', '12.00', '-20.00', '0', '0')));
  it('may take the last cent, and no cent more', () => {
    given(...earned)
      .when(requestPayout('20.00'))
      .then('PayoutRequested', { [JUNO_AVAILABLE]: '0' });
    given(...earned)
      .when(requestPayout('20.01'))
      .thenRejects('InsufficientFunds');
  });
  it('says what is there and what was asked', () => {
    const command = requestPayout('1234.50');
    expect(() => decide(command, contextOf(command), booksAfter(...earned), Date.parse(AT))).toThrow(
      'Your available balance is $20.00, which does not cover $1,234.50.',
    );
  });
  it('refuses whoever is in debt', () => {
    const indebted = [...earned, requestPayout('20.00', JUNO, 'out_0'), refund(tip, '5.00')];
    given(...indebted)
      .when(requestPayout('0.01'))
      .thenRejects('InsufficientFunds');
    const command = requestPayout('1.00');
    expect(() => decide(command, contextOf(command), booksAfter(...indebted), Date.parse(AT))).toThrow(
      Rejected,
    );
  });
  it('is quiet when repeated with the same key, and refused with another body', () => {
    given(...requested)
      .when(requestPayout('12.00'))
      .thenNothing();
    given(...earned, { command: requestPayout('12.00'), context: { fingerprint: 'twelve' } })
      .when({ command: requestPayout('13.00'), context: { fingerprint: 'thirteen' } })
      .thenRejects('KeyReused');
  });
  it('refuses a user that nobody knows', () =>
    given().when(requestPayout('1.00')).thenRejects('PayerNotFound'));
});

describe('a payout under way', () => {
  it('moves to the connected account, then towards the bank, and is owed no longer when the bank has it', () => {
    given(...requested)
      .when(payoutTransferred())
      .then('PayoutTransferred', money('8.00', '12.00', '-8.00', '-12.00', '0'));
    given(...transferred)
      .when(submitPayout())
      .then('PayoutSubmitted', money('8.00', '12.00', '-8.00', '0', '-12.00'));
    given(...submitted)
      .when(completePayout())
      .then('PayoutCompleted', money('8.00', '0', '-8.00', '0', '0'));
  });
  it('takes each step once', () => {
    given(...transferred)
      .when(payoutTransferred())
      .thenNothing();
    given(...submitted)
      .when(payoutTransferred())
      .thenNothing();
    given(...submitted)
      .when(submitPayout())
      .thenNothing();
    given(...completed)
      .when(submitPayout())
      .thenNothing();
    given(...completed)
      .when(completePayout())
      .thenNothing();
  });
  it('takes no step before the one in front of it', () => {
    given(...requested)
      .when(submitPayout())
      .thenRejects('PayoutNotTransferred');
    given(...transferred)
      .when(completePayout())
      .thenRejects('PayoutNotSubmitted');
    given(...transferred)
      .when(returnPayout())
      .thenRejects('PayoutNotSubmitted');
  });
  it('knows one transfer and one payout of the provider, and no other', () => {
    given(...transferred)
      .when({ ...payoutTransferred(), providerTransferId: 'tr_other' } as never)
      .thenRejects('OtherProviderId');
    for (const step of [submitPayout(), completePayout(), returnPayout()])
      given(...submitted)
        .when({ ...step, providerPayoutId: 'po_other' } as never)
        .thenRejects('OtherProviderId');
  });
  it('is refused where nobody asked for it', () => {
    for (const step of [payoutTransferred(), submitPayout(), completePayout(), returnPayout(), failPayout()])
      given(...earned)
        .when(step)
        .thenRejects('PayoutNotFound');
  });
});

describe('a payout that fails', () => {
  const returned = [...submitted, returnPayout()];
  const returnedLate = [...completed, returnPayout()];

  it('before anything was transferred gives the money back at once', () =>
    void given(...requested)
      .when(failPayout())
      .then('PayoutFailed', BACK));
  it('after the transfer gives it back only when the reversal is proven', () => {
    given(...transferred)
      .when(failPayout())
      .thenRejects('PayoutNotReversed');
    given(...transferred)
      .when(failPayout('trr_1'))
      .then('PayoutFailed', BACK);
  });
  it('at the bank is first back in the connected account, then with the user', () => {
    given(...submitted)
      .when(returnPayout())
      .then('PayoutReturned', money('8.00', '12.00', '-8.00', '-12.00', '0'));
    given(...submitted)
      .when(failPayout('trr_1'))
      .thenRejects('PayoutNotReversed');
    given(...returned)
      .when(failPayout('trr_1'))
      .then('PayoutFailed', BACK);
  });
  it('days after it was paid is owed to the user again, and comes back the same way', () => {
    const event = given(...completed)
      .when(returnPayout())
      .then('PayoutReturned', money('8.00', '12.00', '-8.00', '-12.00', '0'));
    expect(event.data).toMatchObject({ afterCompletion: true, reason: 'The bank account has been closed.' });
    given(...completed)
      .when(failPayout('trr_1'))
      .thenRejects('PayoutNotReversed');
    given(...returnedLate)
      .when(failPayout('trr_1'))
      .then('PayoutFailed', BACK);
  });
  it('gives the money back exactly once', () => {
    for (const way of [
      [...requested, failPayout()],
      [...returned, failPayout('trr_1')],
      [...returnedLate, failPayout('trr_1')],
    ])
      given(...way)
        .when(failPayout('trr_1'))
        .thenNothing();
    given(...returned)
      .when(returnPayout())
      .thenNothing();
  });
  it('does not go on: late word that it was paid or sent changes nothing', () => {
    const failed = [...returned, failPayout('trr_1')];
    for (const step of [payoutTransferred(), submitPayout(), completePayout(), returnPayout()])
      given(...failed)
        .when(step)
        .thenNothing();
    given(...returned)
      .when(completePayout())
      .thenNothing();
    given(...requested, failPayout())
      .when(payoutTransferred())
      .thenRejects('PayoutEnded');
  });
});
