/** The seal on the provider's objects: what is ours is told from copies, edits and other ledgers' objects. */
import { describe, expect, it } from '@jest/globals';
import { ADA, AT, JUNO, MILO } from '#test/support/journal-spec';
import { OwnershipSeal, type PaymentBooking } from './ownership.js';

const KEY = Buffer.alloc(32, 'ab');
const seal = new OwnershipSeal(KEY, () => 'led_one');
const sum = { amountMinor: 2_000, currency: 'usd' };
const booking: PaymentBooking = {
  paymentId: 'pay_1',
  key: `${MILO}:019d0000-0000-7000-8000-000000000001`,
  payerId: MILO,
  recipientId: JUNO,
  method: 'card',
  occurrence: { occurrenceId: 'occ_1', kind: 'subscription', scheduleId: 'sub_1', dueAt: AT, attempt: 2 },
};

describe('the seal on an object at the provider', () => {
  it('stands beside all that is needed to book the payment again, and holds no more', () => {
    const metadata = seal.ofPayment(booking, sum);
    expect(metadata).toEqual({
      paymentId: 'pay_1',
      ledger: 'led_one',
      key: booking.key,
      payerId: MILO,
      recipientId: JUNO,
      method: 'card',
      occurrenceId: 'occ_1',
      scheduleKind: 'subscription',
      scheduleId: 'sub_1',
      dueAt: AT,
      attempt: '2',
      mac: expect.any(String),
    });
    // The provider's limits on metadata.
    for (const [name, value] of Object.entries(metadata)) {
      expect(name.length).toBeLessThanOrEqual(40);
      expect(value.length).toBeLessThanOrEqual(500);
    }
    expect(seal.isOurs('payment', { ...metadata, note: 'added by hand' }, sum)).toBe(true);
  });

  it('is the same each time, so that a request made again is the same request', () =>
    expect(seal.ofPayment(booking, sum)).toEqual(seal.ofPayment(booking, sum)));

  it('does not hold after any edit, for another sum, ledger or master key', () => {
    const metadata = seal.ofPayment(booking, sum);
    for (const name of Object.keys(metadata)) {
      expect(seal.isOurs('payment', { ...metadata, [name]: 'x' }, sum)).toBe(false);
      const { [name]: _, ...without } = metadata;
      expect(seal.isOurs('payment', without, sum)).toBe(false);
    }
    expect(seal.isOurs('payment', metadata, { ...sum, amountMinor: 2_001 })).toBe(false);
    expect(seal.isOurs('payment', metadata, { ...sum, currency: 'eur' })).toBe(false);
    expect(new OwnershipSeal(KEY, () => 'led_two').isOurs('payment', metadata, sum)).toBe(false);
    expect(new OwnershipSeal(Buffer.alloc(32, 'cd'), () => 'led_one').isOurs('payment', metadata, sum)).toBe(
      false,
    );
    expect(new OwnershipSeal(KEY, () => undefined).isOurs('payment', {}, sum)).toBe(false);
    expect(seal.isOurs('payment', null, sum)).toBe(false);
  });

  it('gives back what is needed to book the payment again, and nothing of an edited one', () => {
    const metadata = seal.ofPayment(booking, sum);
    expect(seal.paymentIn({ ...metadata, note: 'added by hand' }, sum)).toEqual(booking);
    expect(seal.paymentIn({ ...metadata, recipientId: ADA }, sum)).toBeUndefined();
    const { occurrence: _, ...plain } = booking;
    expect(seal.paymentIn(seal.ofPayment(plain, sum), sum)).toEqual(plain);
  });

  it('gives back a payout, from its transfer and from what was sent to the bank, and takes neither for the other', () => {
    const payout = { payoutId: 'out_1', key: 'k', userId: JUNO, bankAccountId: 'bnk_1', attempt: 2 };
    const transfer = seal.ofPayout('transfer', payout, 'acct_1', sum);
    expect(transfer).toMatchObject({ destination: 'acct_1', attempt: '2', userId: JUNO });
    expect(seal.payoutIn('transfer', transfer, sum, 'acct_1')).toEqual(payout);
    expect(seal.payoutIn('payout', transfer, sum, 'acct_1')).toBeUndefined();
    expect(seal.payoutIn('payout', seal.ofPayout('payout', payout, 'ba_1', sum), sum, 'ba_1')).toEqual(
      payout,
    );
    expect(seal.payoutIn('transfer', { ...transfer, destination: 'acct_2' }, sum, 'acct_2')).toBeUndefined();
  });

  it('gives back no payout from a copy on a transfer that goes to somebody else', () => {
    const payout = { payoutId: 'out_1', key: 'k', userId: JUNO, bankAccountId: 'bnk_1', attempt: 1 };
    const copy = seal.ofPayout('transfer', payout, 'acct_1', sum);
    expect(seal.payoutIn('transfer', copy, sum, 'acct_theirs')).toBeUndefined();
    expect(seal.payoutIn('transfer', copy, sum, undefined)).toBeUndefined();
  });

  it('stands on customers, accounts, refunds and saved cards too, each by its own kind', () => {
    const customer = seal.of('customer', { userId: JUNO });
    expect(seal.isOurs('customer', customer)).toBe(true);
    expect(seal.isOurs('account', customer)).toBe(false);
    expect(seal.isOurs('customer', { ...customer, userId: MILO })).toBe(false);
    const refund = seal.of('refund', { chargeId: 'ch_1', attempt: '0' }, sum);
    expect(seal.isOurs('refund', refund, { ...sum, amountMinor: 1 })).toBe(false);
    // Made before objects of this kind were sealed: nothing speaks against it.
    expect(seal.mayBeOurs('customer', { userId: JUNO })).toBe(true);
    expect(seal.mayBeOurs('customer', { ...customer, userId: MILO })).toBe(false);
  });

  it('is not made before the ledger has an id', () =>
    expect(() => new OwnershipSeal(KEY, () => undefined).ofPayment(booking, sum)).toThrow('still starting'));
});
