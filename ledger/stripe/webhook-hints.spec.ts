import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { subjectOf } from './webhook-hints.js';

const event = (type: string, object: object, previous?: object): Stripe.Event =>
  ({ type, data: { object, previous_attributes: previous } }) as unknown as Stripe.Event;
const intent = (over: object = {}) => ({
  object: 'payment_intent',
  id: 'pi_a',
  latest_charge: 'ch_a',
  metadata: { paymentId: 'pay_a' },
  ...over,
});
const charge = (over: object = {}) => ({
  object: 'charge',
  id: 'ch_a',
  payment_intent: 'pi_a',
  metadata: {},
  ...over,
});

describe('an event of the provider’s', () => {
  it.each([
    'payment_intent.created',
    'payment_intent.processing',
    'payment_intent.requires_action',
    'payment_intent.amount_capturable_updated',
  ])('asks for nothing while there is nothing to book: %s', (type) =>
    expect(subjectOf(event(type, intent()))).toBeUndefined(),
  );

  it.each([
    ['payment_intent.succeeded', intent(), 'paid', false],
    ['payment_intent.payment_failed', intent(), 'declined', false],
    ['charge.succeeded', charge(), 'paid', true],
    ['charge.failed', charge(), 'declined', true],
    ['charge.updated', charge(), 'fee', true],
  ] as const)('says which charge the log must hold: %s', (type, object, tells, isTwin) =>
    expect(subjectOf(event(type, object))).toMatchObject({
      about: 'payment',
      intentId: 'pi_a',
      chargeId: 'ch_a',
      tells,
      isTwin,
    }),
  );

  it('names the setup in which a card was declined that was to be saved', () =>
    expect(
      subjectOf({
        ...event('setup_intent.setup_failed', { object: 'setup_intent', id: 'seti_a' }),
        id: 'evt_a',
      }),
    ).toEqual({ about: 'setup', setupId: 'seti_a', eventId: 'evt_a' }));

  it.each(['refund.created', 'refund.updated', 'charge.dispute.created', 'charge.dispute.closed'])(
    'is always looked into where its object does not prove what it changed: %s',
    (type) =>
      expect(
        subjectOf(event(type, { object: 'refund', id: 're_a', charge: 'ch_a', payment_intent: 'pi_a' })),
      ).toEqual({
        about: 'payment',
        intentId: 'pi_a',
        chargeId: 'ch_a',
        tells: 'anything',
        isTwin: false,
        isMarked: undefined,
      }),
  );

  it('is known for somebody else’s by metadata that no ledger writes', () => {
    expect(subjectOf(event('charge.succeeded', charge()))).toMatchObject({ isMarked: false });
    expect(subjectOf(event('payment_intent.succeeded', intent()))).toMatchObject({ isMarked: true });
    expect(subjectOf(event('charge.succeeded', charge({ metadata: { mac: 'x' } })))).toMatchObject({
      isMarked: true,
    });
  });

  it('that names no payment and no customer is passed over', () => {
    expect(subjectOf(event('balance.available', { object: 'balance' }))).toBeUndefined();
    expect(subjectOf(event('charge.succeeded', charge({ payment_intent: null })))).toBeUndefined();
  });

  it('names whose saved cards it changed', () => {
    const card = { object: 'payment_method', id: 'pm_a', customer: null };
    expect(subjectOf(event('payment_method.detached', card, { customer: 'cus_a' }))).toEqual({
      about: 'cards',
      customerId: 'cus_a',
    });
  });
});
