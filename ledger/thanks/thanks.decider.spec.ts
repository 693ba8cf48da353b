/** A payer is thanked once. */
import { describe, expect, it } from '@jest/globals';
import type { ThanksEvent } from '#contracts/events/thanks';
import type { Thanks } from '#contracts/plain/thanks';
import { Rejected } from '../rejection.js';
import { thanksRules } from './thanks.decider.js';

const paid = { paymentId: 'pay_1', payerId: 'usr_milo', recipientId: 'usr_juno' };
const thanked = (thanks: Thanks): ThanksEvent => ({ type: 'PayerThanked', data: { ...paid, thanks } });
const thank = (thanks: Thanks, ...history: ThanksEvent[]) =>
  thanksRules.decide(
    { type: 'ThankPayer', ...paid, thanks },
    history.reduce(thanksRules.evolve, thanksRules.initial),
  );

describe('thanks for a payment', () => {
  it('reach the payer', () => expect(thank('thank_you')).toEqual([thanked('thank_you')]));
  it('sent again say nothing new', () => expect(thank('see_you', thanked('see_you'))).toEqual([]));
  it('are not sent a second time in other words', () =>
    expect(() => thank('see_you', thanked('thank_you'))).toThrow(new Rejected('AlreadyThanked')));
});
