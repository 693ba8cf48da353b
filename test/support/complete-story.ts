/**
 * A small history in which everything happens that can happen to money: each type of journal entry that this
 * version writes, and beside the journal the streams that an entry refers to. It is right in every respect,
 * so whatever a spec changes in it is the only thing that is wrong.
 */
import { bankAccountsStream } from '#contracts/events/bank-account';
import { cardsStream } from '#contracts/events/cards';
import { payoutStream, type PayoutStep } from '#contracts/events/payout-process';
import type { z } from 'zod';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import { subscriptionStream } from '#contracts/events/subscription';
import { spanOfMonth } from '#contracts/plain/months';
import { dueTime } from '#contracts/plain/recurrence';
import { MonthFold } from '#ledger/month-end/month-figures';
import { carriedHash } from '#log/chain';
import { headOf } from '#test/tampering/head';
import {
  ADA,
  AT,
  cancel,
  CARD,
  closeDispute,
  closeWallet,
  collect,
  collecting,
  completePayout,
  decline,
  dispute,
  failPayout,
  failRefund,
  failUnapplied,
  fund,
  JUNO,
  MILO,
  minor,
  open,
  openAccount,
  openWallet,
  payoutTransferred,
  providerFee,
  refund,
  reinstateDisputed,
  renameWallet,
  requestPayout,
  returnPayout,
  returnUnapplied,
  settle,
  submit,
  submitPayout,
  transfer,
  withdraw,
  withdrawDisputed,
} from './journal-spec.js';
import { profileOf, sealedFor } from './plain-vault.js';
import { Story } from './story.js';

/** The payments of the story, by what becomes of them. */
export const TIPS = {
  /** Paid, refunded in parts; one refund fails. */
  refunded: { paymentId: 'pay_tip', amount: '20.00' },
  /** Paid, disputed, won. */
  disputed: { paymentId: 'pay_gift', amount: '300.00' },
  /** Settled by a charge of an unknown payment. */
  stray: { paymentId: 'pay_stray', amount: '4.00' },
  canceled: { paymentId: 'pay_left', amount: '7.00' },
  /** To somebody who leaves in debt. */
  leaving: { paymentId: 'pay_bob', amount: '50.00', to: 'usr_bob' },
  /** To somebody who leaves while their bank may still return a payout. */
  ada: { paymentId: 'pay_ada', amount: '40.00', to: ADA },
  /** Refunded in full after it was spent: a debt. */
  spent: { paymentId: 'pay_spent', amount: '6.00', from: JUNO, to: 'usr_cleo' },
} as const;

const BOB = 'usr_bob';
const CLEO = 'usr_cleo';
/** A payout that ends well, and one that the bank returns after its owner has left. */
export const PAYOUTS = { completed: 'out_2', ofWhoLeft: 'out_ada', failed: 'out_1' } as const;

/** Everything that can happen, once or more, in the order of time. */
export function completeStory(): Story {
  const story = new Story();
  story.command({ type: 'FoundLedger', providerAccountId: 'acct_platform', mode: 'test' });
  for (const [userId, name] of PEOPLE) {
    story.register(userId, profileOf(name));
    story.command(openAccount(userId));
  }
  tips(story);
  bankAccounts(story);
  payouts(story);
  schedules(story);
  wallets(story);
  disputes(story);
  platformMoney(story);
  leaving(story);
  monthEnd(story);
  epoch(story);
  return story;
}

const PEOPLE = [
  [JUNO, 'juno'],
  [MILO, 'milo'],
  [ADA, 'ada'],
  [BOB, 'bob'],
  [CLEO, 'cleo'],
] as const;

function tips(story: Story): void {
  const { refunded, canceled, stray } = TIPS;
  story.command(open(refunded), submit(refunded), decline(refunded), settle(refunded));
  story.command(settle(refunded, { chargeId: 'ch_again' }), returnUnapplied('ch_again', '20.00'));
  story.command(transfer('5.00', JUNO, MILO));
  story.command(refund(refunded, '12.00'), failRefund(refunded), refund(refunded, '10.00', 're_2'));
  story.command(open(canceled), submit(canceled), cancel(canceled));
  story.command(settle(stray), returnUnapplied('ch_pay_stray', '4.00'), failUnapplied('ch_pay_stray'));
  story.command(settle({ paymentId: 'pay_euro', amount: '9.00' }, { currency: 'eur' }));
  story.switch(JUNO, 'biometricEnabled', true);
  story.changeProfile(MILO, profileOf('milo', { lastName: 'Moon' }));
}

function bankAccounts(story: Story): void {
  for (const [userId, bankAccountId, connectAccountId] of [
    [JUNO, 'ba_1', 'acct_1'],
    [ADA, 'ba_ada', 'acct_ada'],
  ] as const) {
    const stream = bankAccountsStream(userId);
    story.write(
      stream,
      {
        type: 'BankAccountSubmitted',
        data: {
          userId,
          bankAccountId,
          accountType: 'checking',
          details: sealedFor(userId, 'Ferry Bank'),
          numberFingerprint: 'n',
          requestFingerprint: 'r',
          submittedAt: AT,
        },
      },
      { actorId: userId },
    );
    story.write(stream, { type: 'PayoutAccountOpened', data: { userId, connectAccountId } });
    story.write(stream, {
      type: 'BankAccountAdded',
      data: { userId, bankAccountId, externalAccountId: `ext_${bankAccountId}` },
    });
    story.write(stream, { type: 'PrimaryBankAccountChosen', data: { userId, bankAccountId } });
  }
}

function step(story: Story, payoutId: string, userId: string, step: z.infer<typeof PayoutStep>): void {
  const connectAccountId = userId === ADA ? 'acct_ada' : 'acct_1';
  const bankAccountId = userId === ADA ? 'ba_ada' : 'ba_1';
  const where = step === 'send' ? { externalAccountId: `ext_${bankAccountId}` } : {};
  story.write(payoutStream(payoutId), {
    type: 'PayoutStepBegun',
    data: { payoutId, userId, step, attempt: 1, connectAccountId, ...where, begunAt: AT },
  });
}

function payouts(story: Story): void {
  const { disputed } = TIPS;
  const { failed, completed } = PAYOUTS;
  story.command(open(disputed), submit(disputed), settle(disputed), providerFee(disputed, '9.00'));
  for (const payoutId of [failed, completed]) {
    story.command(requestPayout('15.00', JUNO, payoutId));
    step(story, payoutId, JUNO, 'transfer');
    story.command(payoutTransferred(payoutId));
    step(story, payoutId, JUNO, 'send');
    story.command(submitPayout(payoutId));
  }
  story.command(returnPayout(failed));
  step(story, failed, JUNO, 'reverse');
  story.command(failPayout('trr_1', failed), completePayout(completed));
}

/**
 * The subscription's due times, all of them past when they are collected, and a fourth one that nobody
 * begins.
 */
const FIRST_DUE = '2025-12-01T20:00:00.000Z';
const dueNumber = (n: number): string => dueTime(new Date(FIRST_DUE), 'monthly', n).toISOString();
export const DUE = {
  occ_1: FIRST_DUE,
  occ_2: dueNumber(1),
  occ_3: dueNumber(2),
  occ_4: dueNumber(3),
} as const;

function schedules(story: Story): void {
  const stream = subscriptionStream('sub_1');
  const own = { subscriptionId: 'sub_1', payerId: MILO };
  story.write(
    stream,
    {
      type: 'SubscriptionCreated',
      data: {
        ...own,
        recipientId: JUNO,
        amountMinor: minor('2.00'),
        currency: 'usd',
        frequency: 'monthly',
        firstDueAt: FIRST_DUE,
        fingerprint: 'f',
        at: AT,
      },
    },
    { actorId: MILO },
  );
  const due = (occurrenceId: keyof typeof DUE, attempt = 1) => ({
    scheduleKind: 'subscription' as const,
    scheduleId: 'sub_1',
    payerId: MILO,
    occurrenceId,
    dueAt: DUE[occurrenceId],
    attempt,
    at: DUE[occurrenceId],
  });
  story.write(stream, { type: 'OccurrenceClaimed', data: due('occ_1') });
  const [posted] = story.command(collect('2.00', 1, { dueAt: DUE.occ_1 }));
  story.write(stream, {
    type: 'OccurrenceCollected',
    data: { ...due('occ_1'), paidBy: 'balance', transactionId: transferIdOf(posted) },
  });
  story.command(transfer('2.50', MILO, JUNO, 'trf_poor'));
  const customer = { userId: MILO, customerId: CARD.customerId };
  story.write(cardsStream(MILO), { type: 'CardCustomerOpened', data: customer }, { actorId: MILO });
  story.write(stream, { type: 'OccurrenceClaimed', data: due('occ_2') });
  story.command(collect('2.00', 1, { occurrenceId: 'occ_2', dueAt: DUE.occ_2, savedCard: CARD }));
  const byCard = collecting('2.00', 1, 'occ_2');
  story.command(submit(byCard), settle(byCard));
  story.write(stream, {
    type: 'OccurrenceCollected',
    data: { ...due('occ_2'), paidBy: 'card', transactionId: byCard.paymentId },
  });
  story.write(stream, { type: 'OccurrenceClaimed', data: due('occ_3') });
  story.command(collect('2.00', 1, { occurrenceId: 'occ_3', dueAt: DUE.occ_3, savedCard: 'none' }));
  const why = { code: 'no_funding', reason: 'There was neither balance nor card.' };
  story.write(stream, { type: 'OccurrenceFailed', data: { ...due('occ_3'), ...why } });
  for (const changed of [
    { type: 'SubscriptionAmountChanged', data: { ...own, amountMinor: minor('2.50'), at: AT } },
    { type: 'SubscriptionSourceChosen', data: { ...own, source: { from: 'balance' }, at: AT } },
  ] as const)
    story.write(stream, changed, { actorId: MILO });

  const later = scheduledPaymentStream('sch_1');
  story.write(
    later,
    {
      type: 'PaymentScheduled',
      data: {
        scheduleId: 'sch_1',
        payerId: JUNO,
        recipientId: MILO,
        amountMinor: minor('0.75'),
        currency: 'usd',
        dueAt: AT,
        fingerprint: 'f',
        at: AT,
      },
    },
    { actorId: JUNO },
  );
  const once = {
    scheduleKind: 'scheduled-payment' as const,
    scheduleId: 'sch_1',
    payerId: JUNO,
    occurrenceId: 'occ_once',
    dueAt: AT,
    attempt: 1,
    at: AT,
  };
  const schedule = { scheduleId: 'sch_1', payerId: JUNO, at: AT };
  for (const changed of [
    { type: 'ScheduledPaymentAmountChanged', data: { ...schedule, amountMinor: minor('1.00') } },
    { type: 'ScheduledPaymentSourceChosen', data: { ...schedule, source: { from: 'balance' } } },
    { type: 'ScheduledPaymentMoved', data: { ...schedule, dueAt: AT } },
  ] as const)
    story.write(later, changed, { actorId: JUNO });
  story.write(later, { type: 'OccurrenceClaimed', data: once });
  const [paid] = story.command(
    collect('1.00', 1, {
      occurrenceId: 'occ_once',
      scheduleKind: 'scheduled-payment',
      scheduleId: 'sch_1',
      payerId: JUNO,
      recipientId: MILO,
    }),
  );
  story.write(later, {
    type: 'OccurrenceCollected',
    data: { ...once, paidBy: 'balance', transactionId: transferIdOf(paid) },
  });
}

function transferIdOf(event: { readonly type: string; readonly data: object } | undefined): string {
  if (event?.type !== 'TransferPosted' || !('transferId' in event.data))
    throw new Error('The occurrence was not collected from the balance');
  return String(event.data.transferId);
}

function wallets(story: Story): void {
  story.command(openWallet(), fund('9.00'), withdraw('3.00'), renameWallet('Autumn tour'), closeWallet());
  story.command(openWallet(JUNO, 'wal_2'), fund('8.00', 'wtx_in_2', JUNO, 'wal_2'));
}

function disputes(story: Story): void {
  const { disputed } = TIPS;
  story.command(dispute(disputed), withdrawDisputed(disputed), reinstateDisputed(disputed));
  story.command(closeDispute(disputed, 'won'));
  // A dispute of more than the payment: the platform bears what exceeds it.
  const euro = { paymentId: 'pay_spent', amount: '6.00', from: JUNO, to: CLEO };
  story.command(open(euro), submit(euro), settle(euro), transfer('6.00', CLEO, MILO, 'trf_cleo'));
  story.command(dispute(euro), withdrawDisputed(euro, '7.50'), closeDispute(euro, 'lost'));
  story.command({ type: 'WriteOffDebt', userId: CLEO, writeOffId: 'wo_1' });
}

function platformMoney(story: Story): void {
  const moved = (
    id: string,
    providerType: string,
    amountMinor: number,
    feeMinor = 0,
    currency = 'usd',
  ): void =>
    void story.command({
      type: 'BookPlatformMoney',
      balanceTransactionId: id,
      providerType,
      sourceId: `src_${id}`,
      amountMinor,
      feeMinor,
      currency,
      occurredAt: AT,
    });
  moved('txn_up', 'topup', 50_000);
  moved('txn_up_2', 'topup', 1_000);
  moved('txn_up_back', 'topup_reversal', -1_000);
  moved('txn_out', 'payout', -20_000, 150);
  moved('txn_out_back', 'payout_failure', 20_000, -150);
  moved('txn_fee', 'stripe_fee', -200);
  moved('txn_fee_back', 'stripe_fee', 50);
  moved('txn_adjust', 'adjustment', -300, 0, 'eur');
  moved('txn_adjust_back', 'adjustment', 100, 0, 'eur');
}

/** Two leave: one in debt, one whose bank returns a payout afterwards. */
function leaving(story: Story): void {
  const { leaving: bobs, ada } = TIPS;
  const payoutId = PAYOUTS.ofWhoLeft;
  story.command(open(bobs), submit(bobs), settle(bobs), transfer('45.00', BOB, JUNO, 'trf_bob'));
  story.command(refund(bobs, '20.00'), dispute(bobs));
  story.command({ type: 'CloseAccount', userId: BOB });
  story.forget(BOB);
  story.command(failRefund(bobs), withdrawDisputed(bobs, '10.00'), reinstateDisputed(bobs, '10.00'));
  story.command(open(ada), submit(ada), settle(ada));
  story.command({ ...requestPayout('40.00', ADA, payoutId), bankAccountId: 'ba_ada' } as never);
  step(story, payoutId, ADA, 'transfer');
  story.command({ ...payoutTransferred(payoutId), connectAccountId: 'acct_ada' } as never);
  step(story, payoutId, ADA, 'send');
  story.command(submitPayout(payoutId), completePayout(payoutId));
  story.command({ type: 'CloseAccount', userId: ADA });
  story.forget(ADA);
  story.command(returnPayout(payoutId), failPayout('trr_ada', payoutId));
  // What is taken from her later is taken from that, and what is left is paid.
  story.command(refund(ada, '15.00'));
  story.command({ type: 'PayUnclaimed', itemId: payoutId, amountMinor: 2_500, reference: 'wire 17' });
}

/** Its first month is over, and closed. */
function monthEnd(story: Story): void {
  const month = AT.slice(0, 7);
  const span = spanOfMonth(month, 'UTC');
  story.nowMs = Math.max(story.nowMs, span.untilMs);
  const fold = new MonthFold(span);
  story.log.all.filter(({ stream }) => stream === 'journal').every((raw) => fold.take(raw));
  const { size: treeSize, root } = headOf(story.log.all);
  story.command({ type: 'CloseMonth', month, figures: fold.figures, tree: { treeSize, root } });
}

/** The log was won back once, and an operator let Milo use his money again. */
function epoch(story: Story): void {
  const common = story.log.all.findLast(({ stream }) => stream === 'journal')!;
  story.command(
    {
      type: 'BeginEpoch',
      commonRevision: common.revision,
      commonHash: carriedHash(common),
      lostRevision: common.revision + 4,
    },
    { type: 'SuspendDebits', userId: MILO },
    { type: 'ResumeDebits', userId: MILO },
    transfer('1.00', MILO, JUNO, 'trf_last'),
  );
}
