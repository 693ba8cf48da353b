/** The seal on the provider's objects: what is ours is told from copies, edits and other ledgers' objects. */
import { describe, expect, it } from '@jest/globals';
import { AT, JUNO, MILO } from '#test/support/journal-spec';
import { OwnershipSeal, type PaymentBooking } from './ownership.js';

const KEY = 'ab'.repeat(32);
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
    expect(seal.isOurs({ ...metadata, note: 'added by hand' }, sum)).toBe(true);
  });

  it('is the same each time, so that a request made again is the same request', () =>
    expect(seal.ofPayment(booking, sum)).toEqual(seal.ofPayment(booking, sum)));

  it('does not hold after any edit, for another sum, ledger or master key', () => {
    const metadata = seal.ofPayment(booking, sum);
    for (const name of Object.keys(metadata)) {
      expect(seal.isOurs({ ...metadata, [name]: 'x' }, sum)).toBe(false);
      const { [name]: _, ...without } = metadata;
      expect(seal.isOurs(without, sum)).toBe(false);
    }
    expect(seal.isOurs(metadata, { ...sum, amountMinor: 2_001 })).toBe(false);
    expect(seal.isOurs(metadata, { ...sum, currency: 'eur' })).toBe(false);
    expect(new OwnershipSeal(KEY, () => 'led_two').isOurs(metadata, sum)).toBe(false);
    expect(new OwnershipSeal('cd'.repeat(32), () => 'led_one').isOurs(metadata, sum)).toBe(false);
    expect(new OwnershipSeal(KEY, () => undefined).isOurs({}, sum)).toBe(false);
    expect(seal.isOurs(null, sum)).toBe(false);
  });

  it('is not made before the ledger has an id', () =>
    expect(() => new OwnershipSeal(KEY, () => undefined).ofPayment(booking, sum)).toThrow('still starting'));
});
