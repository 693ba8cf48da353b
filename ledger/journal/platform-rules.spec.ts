/**
 * The rules of the platform's own money: top-ups, payouts to its bank, and what the provider charges by
 * itself.
 */
import { describe, expect, it } from '@jest/globals';
import { platform } from '#contracts/plain/accounts';
import {
  AT,
  given,
  minor,
  openAccount,
  open,
  settle,
  dispute,
  providerFee,
  withdrawDisputed,
  JUNO,
  MILO,
} from '#test/support/journal-spec';
import type { Command } from './commands.js';

const CLEARING = platform('card-clearing');
const OWN = platform('own-funds');
const FEES = platform('fees');
const ADJUSTMENTS = platform('adjustments');

const signed = (decimal: string): number =>
  decimal.startsWith('-') ? -minor(decimal.slice(1)) : minor(decimal);
const moved = (
  providerType: string,
  amount: string,
  over: Partial<Command<'BookPlatformMoney'>> = {},
): Command<'BookPlatformMoney'> => ({
  type: 'BookPlatformMoney',
  balanceTransactionId: `txn_${providerType}`,
  providerType,
  sourceId: 'po_own',
  amountMinor: amount === '0' ? 0 : signed(amount),
  feeMinor: 0,
  currency: 'usd',
  occurredAt: AT,
  ...over,
});
const topUp = moved('topup', '500.00');

describe('money of the platform’s own', () => {
  it('that it brings along is its own funds', () =>
    void given()
      .when(topUp)
      .then('PlatformFunded', { [CLEARING]: '-500.00', [OWN]: '500.00' }));
  it('is booked once by its balance transaction, however often it is told', () =>
    given(topUp).when(topUp).thenNothing());
  it('is taken back where a top-up is reversed', () =>
    void given(topUp)
      .when(moved('topup_reversal', '-500.00'))
      .then('PlatformFundingReversed', { [CLEARING]: '0', [OWN]: '0' }));
  it('leaves for its own bank, with what the provider takes for that', () =>
    void given(topUp)
      .when(moved('payout', '-200.00', { feeMinor: 150 }))
      .then('PlatformPaidOut', { [OWN]: '300.00', [FEES]: '-1.50', [CLEARING]: '-298.50' }));
  it.each(['payout_failure', 'payout_cancel'])(
    'comes back by a %s',
    (type) =>
      void given(topUp, moved('payout', '-200.00'))
        .when(moved(type, '200.00'))
        .then('PlatformPayoutReturned', { [OWN]: '500.00', [CLEARING]: '-500.00' }),
  );
  it('may go below zero: the provider takes what it takes', () =>
    void given()
      .when(moved('payout', '-1.00'))
      .then('PlatformPaidOut', { [OWN]: '-1.00' }));
});

describe('what the provider charges by itself', () => {
  it('is a fee of the platform’s', () =>
    void given(topUp)
      .when(moved('stripe_fee', '-2.00', { sourceId: undefined }))
      .then('ProviderCharged', { [FEES]: '-2.00', [CLEARING]: '-498.00' }));
  it('is a fee also where the whole of it stands as the transaction’s fee', () => {
    const event = given(topUp)
      .when(moved('stripe_fee', '0', { feeMinor: 200 }))
      .then('ProviderCharged', { [FEES]: '-2.00', [CLEARING]: '-498.00' });
    expect(event.data).toMatchObject({ amountMinor: 200, feeMinor: 0 });
  });
  it('comes back as one', () =>
    void given(topUp, moved('stripe_fee', '-2.00'))
      .when(moved('stripe_fee', '2.00', { balanceTransactionId: 'txn_back' }))
      .then('ProviderChargeReturned', { [FEES]: '0', [CLEARING]: '-500.00' }));
  it.each(['adjustment', 'a_type_of_tomorrow'])(
    'is an adjustment where it is of type %s',
    (type) =>
      void given(topUp)
        .when(moved(type, '-3.00'))
        .then('ProviderCharged', { [ADJUSTMENTS]: '-3.00', [CLEARING]: '-497.00' }),
  );
  it('is kept apart in another currency', () =>
    void given()
      .when(moved('adjustment', '-3.00', { currency: 'eur' }))
      .then('ProviderCharged', { [platform('adjustments', 'eur')]: '-3.00' }));
});

describe('a balance transaction that is not the platform’s own', () => {
  it.each(['charge', 'payment', 'refund', 'refund_failure', 'transfer', 'transfer_refund'])(
    'is refused as one where it is of type %s: its payment or payout books it',
    (type) => given().when(moved(type, '20.00')).thenRejects('NotPlatformMoney'),
  );
  it('is refused where it moved nothing', () =>
    given().when(moved('adjustment', '0')).thenRejects('NotPlatformMoney'));
  it('is refused where a dispute or a fee of a payment booked it', () => {
    const tip = { paymentId: 'pay_1', amount: '20.00' };
    given(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip), providerFee(tip, '0.88'))
      .when(moved('adjustment', '-0.88', { balanceTransactionId: 'txn_fee_pay_1' }))
      .thenRejects('NotPlatformMoney');
  });
  it('is that for good: no fee and no dispute is booked from it afterwards', () => {
    const tip = { paymentId: 'pay_1', amount: '20.00' };
    const paid = [openAccount(JUNO), openAccount(MILO), open(tip), settle(tip)];
    given(...paid, moved('adjustment', '-0.88', { balanceTransactionId: 'txn_fee_pay_1' }))
      .when(providerFee(tip, '0.88'))
      .thenRejects('OtherProviderId');
    given(...paid, dispute(tip), moved('adjustment', '-20.00', { balanceTransactionId: 'txn_out_pay_1_1' }))
      .when(withdrawDisputed(tip))
      .thenRejects('OtherProviderId');
  });
});
