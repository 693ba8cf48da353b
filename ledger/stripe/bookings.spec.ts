import { describe, expect, it } from '@jest/globals';
import type { ProviderCharge, ProviderDispute, ProviderPayment, ProviderRefund } from './provider-payment.js';
import { attemptsToBook, endingsToBook, type ChargeOwners } from './bookings.js';

const at = (minute: number): string => `2026-03-10T12:${String(minute).padStart(2, '0')}:00.000Z`;
const charge = (chargeId: string, minute: number, over: Partial<ProviderCharge> = {}): ProviderCharge => ({
  chargeId,
  status: 'succeeded',
  amountMinor: 2_000,
  currency: 'usd',
  createdAt: at(minute),
  failure: undefined,
  fee: undefined,
  ...over,
});
const declined = (chargeId: string, minute: number): ProviderCharge =>
  charge(chargeId, minute, {
    status: 'failed',
    failure: { code: 'insufficient_funds', reason: 'Your card has insufficient funds.' },
  });
const refund = (refundId: string, chargeId: string, over: Partial<ProviderRefund> = {}): ProviderRefund => ({
  refundId,
  chargeId,
  status: 'given',
  isFinal: true,
  amountMinor: 500,
  currency: 'usd',
  createdAt: at(30),
  failureReason: undefined,
  ...over,
});
const seen = (over: Partial<ProviderPayment>): ProviderPayment => ({
  intentId: 'pi_a',
  paymentId: 'pay_a',
  isSealed: true,
  canceled: undefined,
  charges: [],
  refunds: [],
  disputes: [],
  ...over,
});
const types = (commands: readonly { type: string }[]) => commands.map(({ type }) => type);
const none: ChargeOwners = new Map();
const ofPayment: ChargeOwners = new Map([['ch_a', { paymentId: 'pay_a' }]]);
const unapplied = (...chargeIds: string[]): ChargeOwners =>
  new Map(chargeIds.map((chargeId) => [chargeId, 'unapplied'] as const));

describe('a payment read at the provider', () => {
  it('tells of every attempt in the order of time, whatever the order of the list', () => {
    const commands = attemptsToBook(
      seen({ charges: [charge('ch_c', 3), declined('ch_b', 2), declined('ch_a', 1)] }),
    );
    expect(types(commands)).toEqual(['RecordFailedAttempt', 'RecordFailedAttempt', 'SettlePayment']);
    expect(commands[0]).toMatchObject({ attemptId: 'ch_a', code: 'insufficient_funds', occurredAt: at(1) });
  });

  it('tells of an attempt that the provider made no charge of, unless it is paid', () => {
    const attemptWithoutCharge = {
      attemptId: 'pi_a-authentication_required',
      code: 'authentication_required',
      reason: 'This transaction requires authentication.',
      at: at(1),
    };
    expect(attemptsToBook(seen({ attemptWithoutCharge }))).toMatchObject([
      { type: 'SubmitPayment' },
      {
        type: 'RecordFailedAttempt',
        attemptId: attemptWithoutCharge.attemptId,
        code: attemptWithoutCharge.code,
        occurredAt: at(1),
      },
    ]);
    expect(types(attemptsToBook(seen({ attemptWithoutCharge, charges: [charge('ch_a', 1)] })))).toEqual([
      'SettlePayment',
    ]);
  });

  it('settles with what the provider took, and by each charge that it took', () =>
    expect(
      attemptsToBook(
        seen({ charges: [charge('ch_a', 1), charge('ch_b', 2, { amountMinor: 1_999, currency: 'eur' })] }),
      ),
    ).toEqual([
      {
        type: 'SettlePayment',
        paymentId: 'pay_a',
        intentId: 'pi_a',
        chargeId: 'ch_a',
        amountMinor: 2_000,
        currency: 'usd',
        occurredAt: at(1),
      },
      {
        type: 'SettlePayment',
        paymentId: 'pay_a',
        intentId: 'pi_a',
        chargeId: 'ch_b',
        amountMinor: 1_999,
        currency: 'eur',
        occurredAt: at(2),
      },
    ]));

  it('books money that names no payment, and nothing else of it', () =>
    expect(
      types(
        attemptsToBook(seen({ paymentId: undefined, charges: [declined('ch_a', 1), charge('ch_b', 2)] })),
      ),
    ).toEqual(['SettlePayment']));

  it('says nothing of a charge that is still under way', () =>
    expect(types(attemptsToBook(seen({ charges: [charge('ch_a', 1, { status: 'pending' })] })))).toEqual([
      'SubmitPayment',
    ]));

  it('is canceled when the provider says so', () =>
    expect(endingsToBook(seen({ canceled: { reason: 'abandoned', at: at(9) } }), none)).toEqual([
      { type: 'CancelPayment', paymentId: 'pay_a', intentId: 'pi_a', reason: 'abandoned', occurredAt: at(9) },
    ]));

  it('is refunded as soon as the money has left us, and no more when that failed, which makes room for the next one', () =>
    expect(
      endingsToBook(
        seen({
          refunds: [
            refund('re_a', 'ch_a', { isFinal: false }),
            refund('re_b', 'ch_a', {
              status: 'failed',
              isFinal: false,
              failureReason: 'lost_or_stolen_card',
            }),
          ],
        }),
        ofPayment,
      ),
    ).toEqual([
      {
        type: 'FailRefund',
        paymentId: 'pay_a',
        refundId: 're_b',
        reason: 'lost_or_stolen_card',
        occurredAt: at(30),
      },
      {
        type: 'RefundPayment',
        paymentId: 'pay_a',
        chargeId: 'ch_a',
        refundId: 're_a',
        amountMinor: 500,
        currency: 'usd',
        occurredAt: at(30),
      },
    ]));

  it('never takes the refund of an unapplied charge from the payment', () =>
    expect(
      endingsToBook(
        seen({
          refunds: [
            refund('re_a', 'ch_b', { amountMinor: 2_000 }),
            refund('re_b', 'ch_c', { isFinal: false }),
          ],
        }),
        unapplied('ch_b', 'ch_c'),
      ),
    ).toEqual([
      {
        type: 'RefundUnapplied',
        chargeId: 'ch_b',
        refundId: 're_a',
        amountMinor: 2_000,
        currency: 'usd',
        occurredAt: at(30),
      },
    ]));
});

describe('what became of the money, read at the provider', () => {
  const withdrawn = {
    balanceTransactionId: 'txn_out',
    kind: 'withdrawn' as const,
    amountMinor: 2_000,
    currency: 'usd',
    feeMinor: 1_500,
    feeCurrency: 'usd',
    at: at(40),
  };
  const reinstated = {
    ...withdrawn,
    balanceTransactionId: 'txn_in',
    kind: 'reinstated' as const,
    feeMinor: 0,
    at: at(50),
  };
  const dispute = (over: Partial<ProviderDispute> = {}): ProviderDispute => ({
    disputeId: 'dp_a',
    chargeId: 'ch_a',
    amountMinor: 2_000,
    currency: 'usd',
    reason: 'fraudulent',
    openedAt: at(39),
    movements: [withdrawn],
    fees: [],
    outcome: undefined,
    ...over,
  });

  it('tells of the fee of each charge that succeeded, once it is known, whatever the journal booked it to', () => {
    const fee = {
      balanceTransactionId: 'txn_fee',
      amountMinor: 88,
      currency: 'usd',
      netMinor: 1912,
      availableOn: at(48),
      at: at(2),
    };
    const charges = [charge('ch_a', 1, { fee }), charge('ch_b', 2), { ...declined('ch_c', 3), fee }];
    expect(endingsToBook(seen({ charges }), ofPayment)).toEqual([
      {
        type: 'BookProviderFee',
        paymentId: 'pay_a',
        chargeId: 'ch_a',
        balanceTransactionId: 'txn_fee',
        amountMinor: 88,
        currency: 'usd',
        netMinor: 1912,
        availableOn: at(48),
        occurredAt: at(2),
      },
    ]);
    expect(types(endingsToBook(seen({ paymentId: undefined, charges }), unapplied('ch_a')))).toEqual([
      'BookProviderFee',
    ]);
  });

  it('tells a dispute from its beginning, after the refunds that left the recipient less to lose', () => {
    const won = dispute({ movements: [withdrawn, reinstated], outcome: 'won' });
    const commands = endingsToBook(seen({ disputes: [won], refunds: [refund('re_a', 'ch_a')] }), ofPayment);
    expect(types(commands)).toEqual([
      'RefundPayment',
      'OpenDispute',
      'WithdrawDisputed',
      'ReinstateDisputed',
      'CloseDispute',
    ]);
    expect(commands[2]).toEqual({
      type: 'WithdrawDisputed',
      disputeId: 'dp_a',
      paymentId: 'pay_a',
      chargeId: 'ch_a',
      balanceTransactionId: 'txn_out',
      amountMinor: 2_000,
      currency: 'usd',
      feeMinor: 1_500,
      feeCurrency: 'usd',
      occurredAt: at(40),
    });
    expect(commands[4]).toMatchObject({ outcome: 'won', occurredAt: at(50) });
  });

  it('tells of a fee that stands apart from the money: taken for its charge, returned to the platform', () => {
    const fee = { providerType: 'adjustment', currency: 'usd', at: at(41) };
    const fees = [
      { ...fee, balanceTransactionId: 'txn_taken', feeMinor: 1_500 },
      { ...fee, balanceTransactionId: 'txn_returned', feeMinor: -1_500 },
    ];
    const commands = endingsToBook(seen({ disputes: [dispute({ fees, outcome: 'lost' })] }), ofPayment);
    expect(types(commands)).toEqual([
      'OpenDispute',
      'WithdrawDisputed',
      'BookProviderFee',
      'BookPlatformMoney',
      'CloseDispute',
    ]);
    expect(commands.slice(2, 4)).toMatchObject([
      { paymentId: 'pay_a', chargeId: 'ch_a', balanceTransactionId: 'txn_taken', amountMinor: 1_500 },
      { balanceTransactionId: 'txn_returned', amountMinor: 0, feeMinor: -1_500, sourceId: 'dp_a' },
    ]);
  });

  it('leaves a dispute open that is, and one that has taken no money without any', () => {
    expect(types(endingsToBook(seen({ disputes: [dispute()] }), ofPayment))).toEqual([
      'OpenDispute',
      'WithdrawDisputed',
    ]);
    expect(types(endingsToBook(seen({ disputes: [dispute({ movements: [] })] }), ofPayment))).toEqual([
      'OpenDispute',
    ]);
    expect(types(endingsToBook(seen({ disputes: [dispute({ outcome: 'lost' })] }), ofPayment)).at(-1)).toBe(
      'CloseDispute',
    );
  });

  it('takes the refund of an unapplied charge back when it failed after all', () =>
    expect(
      endingsToBook(
        seen({
          refunds: [
            refund('re_a', 'ch_b', {
              status: 'failed',
              isFinal: false,
              failureReason: 'lost_or_stolen_card',
            }),
            refund('re_b', 'ch_b', { amountMinor: 300 }),
          ],
        }),
        unapplied('ch_b'),
      ),
    ).toEqual([
      {
        type: 'FailUnappliedRefund',
        chargeId: 'ch_b',
        refundId: 're_a',
        reason: 'lost_or_stolen_card',
        occurredAt: at(30),
      },
      {
        type: 'RefundUnapplied',
        chargeId: 'ch_b',
        refundId: 're_b',
        amountMinor: 300,
        currency: 'usd',
        occurredAt: at(30),
      },
    ]));

  it('belongs to what the journal booked its charge to, whatever payment the metadata names by now', () => {
    const fee = {
      balanceTransactionId: 'txn_fee',
      amountMinor: 88,
      currency: 'usd',
      netMinor: 1912,
      availableOn: at(48),
      at: at(2),
    };
    const edited = seen({
      paymentId: 'pay_edited',
      charges: [charge('ch_a', 1, { fee })],
      refunds: [refund('re_a', 'ch_a')],
      disputes: [dispute()],
    });
    for (const command of endingsToBook(edited, ofPayment))
      expect(command).toMatchObject({ paymentId: 'pay_a' });
    expect(endingsToBook(edited, none)).toEqual([]);
  });
});
