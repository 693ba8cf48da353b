import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { idempotent } from '../../shared/api/idempotency.js';
import { earlierKeys, forgetEarlierKeys, forgetPaymentKey, paymentKey } from './payment-key.js';

describe('the key of a payment', () => {
  const tip = { recipientId: 'juno-1', amount: '20', description: 'Gala', method: 'card' };
  beforeEach(() => sessionStorage.clear());

  it('is a UUIDv7, and the same one for the same payment however its amount is written', () => {
    const key = paymentKey(tip);
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(paymentKey({ ...tip, amount: '20.00', description: ' Gala ' })).toBe(key);
    expect(idempotent(key)).toEqual({ 'idempotency-key': key });
  });

  it('is another for another recipient, amount, note or method', () => {
    const keys = [
      tip,
      { ...tip, recipientId: 'milo' },
      { ...tip, amount: '21' },
      { ...tip, description: '' },
      { ...tip, method: 'cashapp' },
    ];
    expect(new Set(keys.map(paymentKey)).size).toBe(keys.length);
  });

  it('is the same one until the page is loaded anew, where the browser keeps nothing', () => {
    const storage = jest.spyOn(window, 'sessionStorage', 'get').mockReturnValue(null as never);
    const key = paymentKey(tip);
    expect(paymentKey(tip)).toBe(key);
    forgetPaymentKey(tip);
    expect(paymentKey(tip)).not.toBe(key);
    storage.mockRestore();
  });

  it('is another one after the payment was made', () => {
    const key = paymentKey(tip);
    forgetPaymentKey(tip);
    expect(paymentKey(tip)).not.toBe(key);
  });

  it('stays, where it was made after the other method was asked to end those of before', () => {
    const byCashApp = { ...tip, method: 'cashapp' };
    const endedByCard = earlierKeys(tip);
    // Its answer is late: meanwhile its payer went back, and on by Cash App.
    const key = paymentKey(byCashApp);
    forgetEarlierKeys(tip, endedByCard);
    expect(earlierKeys(tip)).toEqual([key]);
    forgetEarlierKeys(tip, earlierKeys(tip));
    expect(paymentKey(byCashApp)).not.toBe(key);
  });
});
