/**
 * The rules of a log that is won back: what is booked again, and who may not use their money until it is
 * looked at.
 */
import { describe, expect, it } from '@jest/globals';
import { payouts } from '#contracts/plain/accounts';
import {
  ADA,
  apply,
  AT,
  booksAfter,
  collect,
  contextOf,
  fund,
  given,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  open,
  openAccount,
  openWallet,
  payoutTransferred,
  PAYOUT,
  requestPayout,
  settle,
  transfer,
} from '#test/support/journal-spec';
import { decide } from './books.js';
import type { Command, JournalCommand } from './commands.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const people = [openAccount(JUNO), openAccount(MILO)];
const earned = [...people, open(tip), settle(tip)];
const suspend = (userId: string): JournalCommand => ({ type: 'SuspendDebits', userId });
const resume = (userId: string): JournalCommand => ({ type: 'ResumeDebits', userId });
const recovered = (other: Partial<Command<'RecoverPayment'>> = {}): JournalCommand => ({
  type: 'RecoverPayment',
  paymentId: 'pay_1',
  payerId: MILO,
  recipientId: JUNO,
  amountMinor: 2000,
  currency: 'usd',
  method: 'card',
  ...other,
});
const recoveredPayout: JournalCommand = {
  type: 'RecoverPayout',
  payoutId: PAYOUT,
  userId: JUNO,
  bankAccountId: 'ba_1',
  amountMinor: 1200,
  currency: 'usd',
};
const epoch = (commonRevision: number): JournalCommand => ({
  type: 'BeginEpoch',
  commonRevision,
  commonHash: 'h',
  lostRevision: 9,
});

describe('a payment that the log has lost', () => {
  it('is opened again under the key that it had, and then settles as any other', () => {
    const step = { command: recovered(), context: { key: 'k1' } };
    const event = given(...people)
      .when(step)
      .then('PaymentOpened');
    expect(event.data).toMatchObject({ paymentId: 'pay_1', payerId: MILO, recipientId: JUNO });
    given(...people, step)
      .when(settle(tip))
      .then('PaymentSettled', { [JUNO_AVAILABLE]: '20.00' });
  });
  it('is opened once, however often the recovery is run', () =>
    given(...people, recovered())
      .when(recovered())
      .thenNothing());
  it('is left as it is where the log has it', () =>
    given(...earned)
      .when(recovered())
      .thenNothing());
  it('answers the request that opened it: its body is that of whoever made the key', () => {
    const key = 'spec:again';
    given(...people, { command: recovered(), context: { key } })
      .when({ command: open(tip), context: { key, fingerprint: 'body' } })
      .thenNothing();
  });
  it('decides the attempt at its occurrence: no other route is taken', () => {
    const occurrence = {
      occurrenceId: 'occ_1',
      kind: 'subscription',
      scheduleId: 'sub_1',
      dueAt: AT,
      attempt: 1,
    } as const;
    given(...people, { command: recovered({ occurrence }), context: { key: 'occurrence:occ_1:1' } })
      .when(collect('20.00'))
      .thenNothing();
  });
  it('needs the accounts of both', () =>
    given(openAccount(JUNO)).when(recovered()).thenRejects('PayerNotFound'));
});

describe('a payout that the log has lost', () => {
  it('takes the money again that the provider proves to have left, into debt where nothing covers it', () => {
    given(...people)
      .when(recoveredPayout)
      .then('PayoutRequested', { [JUNO_AVAILABLE]: '-12.00', [payouts(JUNO)]: '12.00' });
    given(...people, recoveredPayout)
      .when(payoutTransferred())
      .then('PayoutTransferred');
  });
  it('is requested once', () => {
    given(...people, recoveredPayout)
      .when(recoveredPayout)
      .thenNothing();
    given(...earned, requestPayout('12.00'))
      .when(recoveredPayout)
      .thenNothing();
  });
});

describe('an epoch', () => {
  it('is begun once after one common entry', () => {
    given(...people)
      .when(epoch(1))
      .then('EpochBegun');
    given(...people, epoch(1))
      .when(epoch(1))
      .thenNothing();
    given(...people, epoch(1))
      .when(epoch(2))
      .then('EpochBegun');
  });
});

describe('a user of whom something is lost', () => {
  const suspended = [...earned, openWallet(), suspend(JUNO)];
  it('moves no money of theirs', () => {
    for (const command of [transfer('1.00', JUNO, MILO), requestPayout('1.00'), fund('1.00')])
      given(...suspended)
        .when(command)
        .thenRejects('DebitsSuspended');
    given(...suspended)
      .when(collect('1.00', 1, { payerId: JUNO, recipientId: MILO }))
      .thenRejects('DebitsSuspended');
  });
  it('is paid all the same', () =>
    void given(...suspended, openAccount(ADA))
      .when(open({ paymentId: 'pay_2', amount: '5.00', from: ADA }))
      .then('PaymentOpened'));
  it('moves it again once an operator has said so, and not again after the next loss', () => {
    given(...suspended, resume(JUNO))
      .when(transfer('1.00', JUNO, MILO))
      .then('TransferPosted');
    given(...suspended, resume(JUNO), suspend(JUNO))
      .when(transfer('1.00', JUNO, MILO))
      .thenRejects('DebitsSuspended');
  });
  it('is suspended and resumed once each', () => {
    given(...suspended)
      .when(suspend(JUNO))
      .thenNothing();
    given(...people)
      .when(resume(JUNO))
      .thenNothing();
  });
  it('has entries under different keys however often it goes to and fro', () => {
    const books = booksAfter(...people);
    const keys = [suspend(JUNO), resume(JUNO), suspend(JUNO), resume(JUNO)].map((command, n) => {
      const decision = decide(command, contextOf(command), books, Date.parse(AT));
      if (decision.kind !== 'entry') throw new Error('No entry');
      apply(books, decision, 10 + n);
      return decision.key;
    });
    expect(new Set(keys).size).toBe(4);
  });
});
