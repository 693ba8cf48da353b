/**
 * What is made of an answer whose every field is of the right kind, and that says something that we do not
 * expect.
 */
import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { idIn } from './answers.js';
import { chargeOf } from './provider-charge.js';
import { wordsOf } from './provider-words.js';
import { all, readableOf } from './stripe-client.js';

const charge = (over: object): Stripe.Charge =>
  ({
    id: 'ch_1',
    amount: 2_000,
    amount_captured: 2_000,
    amount_refunded: 0,
    captured: true,
    created: 1_772_000_000,
    currency: 'usd',
    status: 'succeeded',
    ...over,
  }) as unknown as Stripe.Charge;

describe('a charge', () => {
  it('is money once it was taken, and none while the bank has only promised it', () => {
    expect(chargeOf(charge({})).status).toBe('succeeded');
    expect(chargeOf(charge({ captured: false, amount_captured: 0 })).status).toBe('pending');
  });

  it.each([-9e15, 9e15, 0.5])('is read although its money can be used at no time that there is: %d', (at) => {
    const transaction = { id: 'txn_1', fee: 88, net: 1_912, currency: 'usd', created: 1, available_on: at };
    expect(chargeOf(charge({ balance_transaction: transaction })).fee).toMatchObject({
      amountMinor: 88,
      availableOn: null,
    });
  });

  it('that was declined has words that every table takes, also where they were cut within a character', () => {
    const reason = `${'x'.repeat(399)}\u{1F4B3}`;
    const { failure } = chargeOf(
      charge({ status: 'failed', failure_message: reason, failure_code: 'a\ud83d\0' }),
    );
    expect(failure).toEqual({ code: 'a\uFFFD', reason: `${'x'.repeat(399)}\uFFFD` });
    expect(wordsOf('\u{1F4B3} declined')).toBe('\u{1F4B3} declined');
  });

  it('with an id of half a character cannot be read', () =>
    expect(() => chargeOf(charge({ id: 'ch_\udfff' }))).toThrow('cannot be read'));
});

describe('a list that says that there is more, and begins anew', () => {
  async function* endless(): AsyncGenerator<Stripe.Charge> {
    for (;;) yield* await Promise.resolve([charge({ id: 'ch_1' }), charge({ id: 'ch_2' })]);
  }

  it('cannot be read, and is not read for ever', async () => {
    await expect(all(endless())).rejects.toThrow('cannot be read');
    const read: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const { id } of readableOf('charge', endless(), () => undefined)) read.push(id);
    };
    await expect(reading()).rejects.toThrow('cannot be read');
    expect(read).toEqual(['ch_1', 'ch_2']);
  });
});

describe('metadata that people wrote', () => {
  it.each([
    { paymentId: 'a\0b' },
    { paymentId: '\ud83d' },
    { paymentId: 'x'.repeat(500) },
    { paymentId: '' },
    null,
  ])('name no payment where that can be no id: %j', (metadata) =>
    expect(idIn(metadata, 'paymentId')).toBeUndefined(),
  );
  it('name the payment that they name', () =>
    expect(idIn({ paymentId: 'pay_1' }, 'paymentId')).toBe('pay_1'));
});
