/**
 * A log that has lost its end, and a provider that knows what happened: what is booked again, and what is
 * not.
 */
import { describe, expect, it } from '@jest/globals';
import { available, payouts } from '#contracts/plain/accounts';
import type { JournalEvent } from '#contracts/events/journal';
import { recorded } from '#log/event-log';
import { Journal } from '#ledger/journal/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import type {
  ListedPayment,
  ListedPayout,
  ListedReversal,
  ListedTransfer,
  ProviderHistory,
} from '#ledger/stripe/provider-history';
import { archiveOf } from '#test/support/log-archive';
import {
  AT,
  CARD,
  collect,
  collecting,
  contextOf,
  JUNO,
  MILO,
  open,
  openAccount,
  PAYOUT,
  payoutTransferred,
  requestPayout,
  settle,
  submit,
  submitPayout,
} from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { recoverFromProvider, type ProviderRecovery } from './provider-recovery.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const people = [openAccount(JUNO), openAccount(MILO)];
const SINCE = new Date('2026-02-28T00:00:00.000Z');

const charge = (chargeId: string, over: Partial<ListedPayment['charges'][number]> = {}) => ({
  chargeId,
  status: 'succeeded' as const,
  amountMinor: 2_000,
  currency: 'usd',
  createdAt: AT,
  failure: undefined,
  fee: {
    balanceTransactionId: `txn_${chargeId}`,
    amountMinor: 88,
    currency: 'usd',
    netMinor: 1_912,
    availableOn: AT,
    at: AT,
  },
  ...over,
});
/** A sealed payment of Milo's to Juno that was paid. */
const paid = (over: Partial<ListedPayment> = {}): ListedPayment => ({
  intentId: 'pi_pay_1',
  paymentId: 'pay_1',
  isSealed: true,
  at: AT,
  booking: {
    paymentId: 'pay_1',
    key: 'milo:key',
    payerId: MILO,
    recipientId: JUNO,
    method: 'card',
    amountMinor: 2_000,
    currency: 'usd',
  },
  savedCard: undefined,
  returnedByUs: [],
  canceled: undefined,
  charges: [charge('ch_pay_1')],
  refunds: [],
  disputes: [],
  ...over,
});
const foreign = (over: Partial<ListedPayment> = {}): ListedPayment =>
  paid({
    intentId: 'pi_theirs',
    isSealed: false,
    booking: undefined,
    charges: [charge('ch_theirs')],
    ...over,
  });
const transferred = (over: Partial<ListedTransfer> = {}): ListedTransfer => ({
  providerTransferId: `tr_${PAYOUT}`,
  connectAccountId: 'acct_1',
  amountMinor: 1_200,
  currency: 'usd',
  at: AT,
  payoutId: PAYOUT,
  booking: { payoutId: PAYOUT, key: 'juno:key', userId: JUNO, bankAccountId: 'ba_1', attempt: 1 },
  reversal: undefined,
  ...over,
});
const sent = (over: Partial<ListedPayout> = {}): ListedPayout => ({
  connectAccountId: 'acct_1',
  providerPayoutId: `po_${PAYOUT}`,
  payoutId: PAYOUT,
  isSealed: true,
  status: 'paid',
  failure: undefined,
  createdAt: AT,
  ...over,
});

interface Lists {
  readonly payments?: readonly ListedPayment[];
  readonly transfers?: readonly ListedTransfer[];
  readonly payouts?: readonly ListedPayout[];
  readonly reversals?: readonly ListedReversal[];
}
interface Recovered extends ProviderRecovery {
  readonly types: readonly string[];
  readonly balanceOf: (account: string) => number | undefined;
  readonly marked: boolean;
  /** The charges that settled payments. */
  readonly settledBy: readonly string[];
}

/** Recovers a log of these entries twice over: the second run must write nothing. */
async function recovered(log: readonly JournalCommand[], lists: Lists): Promise<Recovered> {
  const memory = new MemoryLog();
  const journal = await Journal.open(memory, {
    archive: archiveOf(memory),
    window: { ms: Infinity, entries: Infinity },
  });
  for (const command of log) await journal.execute(command, contextOf(command));
  const before = memory.all.length;
  const asked: string[][] = [];
  const history: ProviderHistory = {
    payments: () => Promise.resolve(lists.payments ?? []),
    transfers: () => Promise.resolve(lists.transfers ?? []),
    reversals: () => Promise.resolve(lists.reversals ?? []),
    payouts: (accounts) => {
      asked.push([...accounts]);
      return Promise.resolve((lists.payouts ?? []).filter((it) => accounts.includes(it.connectAccountId)));
    },
    customers: () => Promise.resolve([]),
    accounts: () => Promise.resolve([]),
    unreadable: () => [],
  };
  const epoch = {
    hasBegun: false,
    begin: () => Promise.resolve(void (epoch.hasBegun = true)),
  };
  const report = await recoverFromProvider(journal, history, SINCE, epoch);
  const events = memory.all.slice(before).map(recorded);
  const again = await recoverFromProvider(journal, history, SINCE, epoch);
  expect(memory.all).toHaveLength(before + events.length);
  expect(again.entries.size).toBe(0);
  expect(Object.values(journal.trialBalance()).every((sum) => sum === 0)).toBe(true);
  await journal.close();
  return {
    ...report,
    types: events.map(({ type }) => type satisfies string as JournalEvent['type']),
    balanceOf: (account) => journal.balanceOf(account),
    settledBy: events.flatMap((event) => (event.type === 'PaymentSettled' ? [event.data.chargeId] : [])),
    marked: events.every(({ metadata }) => metadata.recovered === true),
  };
}

describe('a payment at the provider', () => {
  it('is booked again whole where the log lost all of it, its people’s accounts too', async () => {
    const { types, balanceOf, marked, paymentsWonBack } = await recovered([], { payments: [paid()] });
    expect(types).toEqual([
      'AccountOpened',
      'AccountOpened',
      'PaymentOpened',
      'PaymentSubmitted',
      'PaymentSettled',
      'ProviderFeeBooked',
    ]);
    expect(balanceOf(available(JUNO))).toBe(2_000);
    expect(marked).toBe(true);
    expect(paymentsWonBack).toBe(1);
  });

  it.each([
    ['opened', [...people, open(tip)], ['PaymentSubmitted', 'PaymentSettled', 'ProviderFeeBooked']],
    ['submitted', [...people, open(tip), submit(tip)], ['PaymentSettled', 'ProviderFeeBooked']],
    ['settled', [...people, open(tip), submit(tip), settle(tip)], ['ProviderFeeBooked']],
  ])('goes on from where the log ends: %s', async (_, log, expected) => {
    const { types, balanceOf, marked } = await recovered(log, { payments: [paid()] });
    expect(types).toEqual(expected);
    expect(balanceOf(available(JUNO))).toBe(2_000);
    // The log had lost nothing: its webhook was late, as on any day.
    expect(marked).toBe(false);
  });

  it('is left alone where it is somebody else’s, whatever payment its metadata name', async () => {
    const { types, foreign: count } = await recovered([...people, open(tip), submit(tip)], {
      payments: [
        foreign(),
        foreign({ intentId: 'pi_other', charges: [charge('ch_other')], paymentId: 'pay_9' }),
      ],
    });
    expect(types).toEqual([]);
    expect(count).toBe(2);
  });

  it('is not booked where its payment has another object: its metadata may be a copy', async () => {
    const copy = paid({ intentId: 'pi_copy', charges: [charge('ch_copy')] });
    for (const log of [[...people, open(tip), submit(tip)], people]) {
      const { balanceOf, unbooked } = await recovered(log, { payments: [paid(), copy] });
      expect(balanceOf(available(JUNO))).toBe(2_000);
      expect(unbooked).toEqual([{ object: 'pi_copy', names: 'pay_1', why: 'second-object' }]);
    }
  });

  it.each([
    ['of the first', 'ch_pay_1', 'ch_later'],
    ['of the second', 'ch_later', 'ch_pay_1'],
  ])(
    'that was charged twice is settled by the charge that we did not give back: one %s stays unapplied',
    async (_, returned, settling) => {
      const refund = {
        refundId: 're_ours',
        chargeId: returned,
        status: 'given' as const,
        isFinal: true,
        amountMinor: 2_000,
        currency: 'usd',
        createdAt: AT,
        failureReason: undefined,
      };
      const charges = [
        charge('ch_pay_1'),
        charge('ch_later', { createdAt: '2026-03-02T20:00:00.000Z', fee: undefined }),
      ];
      const twice = paid({ charges, refunds: [refund], returnedByUs: [returned] });
      const { balanceOf, settledBy, types } = await recovered(people, { payments: [twice] });
      expect(settledBy).toEqual([settling]);
      expect(types).toContain('UnappliedRefunded');
      expect(types).not.toContain('PaymentRefunded');
      expect(balanceOf(available(JUNO))).toBe(2_000);
    },
  );

  it('is its own before an unpaid copy of its metadata, however many charges are to be looked up first', async () => {
    const copy = paid({ intentId: 'pi_copy', charges: [] });
    const { balanceOf, unbooked } = await recovered([], { payments: [paid(), copy] });
    expect(balanceOf(available(JUNO))).toBe(2_000);
    expect(unbooked).toEqual([{ object: 'pi_copy', names: 'pay_1', why: 'second-object' }]);
  });

  it('brings its refund and its dispute, also those of a charge that is older than the lists', async () => {
    const refunds = [
      {
        refundId: 're_1',
        chargeId: 'ch_pay_1',
        status: 'given' as const,
        isFinal: true,
        amountMinor: 500,
        currency: 'usd',
        createdAt: AT,
        failureReason: undefined,
      },
    ];
    const late = paid({ booking: undefined, isSealed: false, paymentId: undefined, charges: [], refunds });
    for (const [log, listed] of [
      [people, paid({ refunds })],
      [[...people, open(tip), submit(tip), settle(tip)], late],
      // Of before intents were recorded: the charge alone says whose refund it is.
      [[...people, open(tip), settle(tip, { intentId: 'pi_before' })], late],
    ] as const) {
      const { balanceOf, types } = await recovered(log, { payments: [listed] });
      expect(types).toContain('PaymentRefunded');
      expect(balanceOf(available(JUNO))).toBe(1_500);
    }
  });

  it('decides its occurrence again, with the card that it was charged to', async () => {
    const occurrence = {
      occurrenceId: 'occ_1',
      kind: 'subscription',
      scheduleId: 'sub_1',
      dueAt: AT,
      attempt: 2,
    } as const;
    const savedCard = { customerId: 'cus_1', paymentMethodId: 'pm_1' };
    const { booking } = paid();
    const collected = paid({ savedCard, booking: { ...booking!, key: 'occurrence:occ_1:2', occurrence } });
    const copy = {
      ...collected,
      intentId: 'pi_copy',
      charges: [],
      savedCard: { ...savedCard, customerId: 'cus_theirs' },
    };
    const { types, unbooked, paidWith } = await recovered(people, { payments: [collected, copy] });
    expect(types).toContain('PaymentSettled');
    expect(unbooked).toEqual([{ object: 'pi_copy', names: 'pay_1', why: 'second-object' }]);
    expect([...paidWith]).toEqual([[MILO, 'cus_1']]);
  });

  const first = collecting('20.00', 1);
  const second = collecting('20.00', 2);
  const sealedSecond = paid({
    intentId: 'pi_2',
    paymentId: second.paymentId,
    savedCard: CARD,
    booking: {
      ...paid().booking!,
      paymentId: second.paymentId,
      key: 'occurrence:occ_1:2',
      occurrence: {
        occurrenceId: 'occ_1',
        kind: 'subscription',
        scheduleId: 'sub_1',
        dueAt: AT,
        attempt: 2,
      },
    },
  });
  it.each([
    [
      'was canceled at the provider, which lists that without a booking',
      [submit(first)],
      [
        paid({
          intentId: `pi_${first.paymentId}`,
          isSealed: false,
          booking: undefined,
          charges: [],
          canceled: { reason: 'abandoned', at: AT },
        }),
      ],
    ],
    ['never came to the provider', [], []],
  ])('ends the attempt before it first, where that one %s', async (_, log, listed) => {
    const { types, unbooked } = await recovered(
      [...people, collect('20.00', 1, { savedCard: CARD }), ...log],
      {
        payments: [sealedSecond, ...listed],
      },
    );
    expect(types.slice(0, 2)).toEqual(['PaymentCanceled', 'PaymentOpened']);
    expect(unbooked).toEqual([]);
  });
});

describe('a payout at the provider', () => {
  it('is booked again whole, into debt where what had covered it is lost', async () => {
    const { types, balanceOf, payoutsWonBack } = await recovered(people, {
      transfers: [transferred()],
      payouts: [sent()],
    });
    expect(types).toEqual(['PayoutRequested', 'PayoutTransferred', 'PayoutSubmitted', 'PayoutCompleted']);
    expect([balanceOf(available(JUNO)), balanceOf(payouts(JUNO))]).toEqual([-1_200, 0]);
    expect(payoutsWonBack).toBe(1);
  });

  it('goes on from where the log ends, also where its transfer is older than the lists', async () => {
    const earned = [...people, open(tip), submit(tip), settle(tip), requestPayout('12.00')];
    const { types } = await recovered([...earned, payoutTransferred()], { payouts: [sent()] });
    expect(types).toEqual(['PayoutSubmitted', 'PayoutCompleted']);
    const rest = await recovered([...earned, payoutTransferred(), submitPayout()], { payouts: [sent()] });
    expect(rest.types).toEqual(['PayoutCompleted']);
  });

  it('gives the user the money back where the bank sent it back and the transfer was reversed', async () => {
    const failure = { code: 'account_closed', reason: 'The bank account has been closed.' };
    const { types, balanceOf } = await recovered(people, {
      transfers: [transferred({ reversal: { reversalId: 'trr_1', at: AT } })],
      payouts: [sent({ status: 'failed', failure })],
    });
    expect(types.slice(-2)).toEqual(['PayoutReturned', 'PayoutFailed']);
    expect(balanceOf(available(JUNO))).toBe(0);
  });

  it('ends where all of its money came back, though its transfer is older than the lists', async () => {
    const earned = [...people, open(tip), submit(tip), settle(tip), requestPayout('12.00')];
    const part = (n: number, amountMinor: number): ListedReversal => ({
      reversalId: `trr_${n}`,
      providerTransferId: `tr_${PAYOUT}`,
      amountMinor,
      at: AT,
    });
    const log = [...earned, payoutTransferred()];
    const { types, balanceOf } = await recovered(log, { reversals: [part(1, 700), part(2, 500)] });
    expect(types).toEqual(['PayoutFailed']);
    expect([balanceOf(available(JUNO)), balanceOf(payouts(JUNO))]).toEqual([2_000, 0]);
    // A part of it proves nothing, also where a list shows it twice.
    const rest = await recovered(log, { reversals: [part(1, 700), part(1, 700)] });
    expect(rest.types).toEqual([]);
    // The bank has sent it back as well, which the workers learn.
    const sentOn = await recovered([...log, submitPayout()], { reversals: [part(1, 1_200)] });
    expect([sentOn.types, sentOn.unbooked]).toEqual([[], []]);
  });

  it('has one transfer: another of the same seal is named, and moves nothing', async () => {
    const copy = transferred({ providerTransferId: 'tr_copy' });
    const { types, unbooked } = await recovered(people, { transfers: [transferred(), copy] });
    expect(types).toEqual(['PayoutRequested', 'PayoutTransferred']);
    expect(unbooked).toEqual([{ object: 'tr_copy', names: PAYOUT, why: 'second-object' }]);
  });

  it('is not completed by a copy of its metadata on a payout from another user’s account', async () => {
    const theirs = { payoutId: 'out_2', key: 'milo:key', userId: MILO, bankAccountId: 'ba_2', attempt: 1 };
    const { types, unbooked } = await recovered(people, {
      transfers: [
        transferred(),
        transferred({ providerTransferId: 'tr_2', connectAccountId: 'acct_2', booking: theirs }),
      ],
      payouts: [sent({ providerPayoutId: 'po_copy', connectAccountId: 'acct_2' })],
    });
    expect(types).not.toContain('PayoutCompleted');
    expect(unbooked).toEqual([{ object: 'po_copy', names: PAYOUT, why: 'second-object' }]);
  });

  it('is left alone where nothing says that it is ours', async () => {
    const { types, foreign: count } = await recovered(people, {
      transfers: [transferred({ booking: undefined })],
    });
    expect(types).toEqual([]);
    expect(count).toBe(1);
  });
});
