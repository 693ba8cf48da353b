/**
 * What the bodies of subscriptions and scheduled payments take, and the sentence for each that is not taken.
 */
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { CreateScheduledPayment, PatchScheduledPayment } from './scheduled-payments.js';
import { CreateSubscription, PatchSubscription } from './subscriptions.js';

const MISSING = 'Please fill in all required fields';
const sentence = (schema: z.ZodType, body: unknown): string | undefined =>
  schema.safeParse(body).error?.issues[0]?.message;

const weekly = { toUserId: 'usr_juno', amount: '12.50', frequency: 'weekly', description: null };
const planned = {
  toUserId: 'usr_juno',
  amount: 20,
  scheduledDate: '2027-01-02T18:00:00-05:00',
  description: 'For the band',
};

describe('a subscription as it is asked for', () => {
  it('takes an amount as a number or as text, and an empty description as none', () => {
    expect(CreateSubscription.parse(weekly)).toEqual({ ...weekly, amount: 1250, description: undefined });
    expect(CreateSubscription.parse({ ...weekly, amount: 12.5, description: ' ' })).toMatchObject({
      amount: 1250,
    });
  });
  it('takes out of a description what would turn the text around it', () => {
    const description = '\u202eBravo\u202c \u2066שלום\u2069 \u{1f468}\u200d\u{1f3a4}';
    expect(CreateSubscription.parse({ ...weekly, description }).description).toBe(
      'Bravo שלום \u{1f468}\u200d\u{1f3a4}',
    );
    expect(CreateSubscription.parse({ ...weekly, description: '\u202e ' }).description).toBeUndefined();
  });
  it.each([
    ['nothing', undefined, 'Send the subscription as a JSON object.'],
    ['no amount', { ...weekly, amount: undefined }, MISSING],
    ['an empty amount', { ...weekly, amount: '' }, MISSING],
    ['no recipient', { ...weekly, toUserId: ' ' }, MISSING],
    [
      'a recipient whom nobody can look for',
      { ...weekly, toUserId: 'usr_\u0000' },
      'Recipient user not found',
    ],
    ['no frequency', { ...weekly, frequency: undefined }, MISSING],
    ['an empty frequency', { ...weekly, frequency: '' }, MISSING],
    ['another frequency', { ...weekly, frequency: 'yearly' }, 'The frequency is daily, weekly or monthly.'],
    ['zero', { ...weekly, amount: 0 }, 'Please enter a valid amount greater than 0.'],
    ['less than nothing', { ...weekly, amount: '-5' }, 'Please enter a valid amount greater than 0.'],
    [
      'an object',
      { ...weekly, amount: {} },
      'The amount must be a plain number of dollars, such as 20 or 12.50.',
    ],
    ['a long note', { ...weekly, description: 'x'.repeat(501) }, 'A description has at most 500 characters.'],
  ])('%s is refused in words', (_, body, words) => expect(sentence(CreateSubscription, body)).toBe(words));
  it('changes to a status that there is', () => {
    expect(PatchSubscription.parse({ status: 'paused' })).toEqual({ status: 'paused' });
    expect(sentence(PatchSubscription, { status: 'completed' })).toBe(
      'The status is active, paused or cancelled.',
    );
  });
});

describe('a scheduled payment as it is asked for', () => {
  it('takes a time with its offset, and keeps the moment', () =>
    expect(CreateScheduledPayment.parse(planned)).toEqual({
      ...planned,
      amount: 2000,
      scheduledDate: '2027-01-02T23:00:00.000Z',
    }));
  it.each([undefined, null, ''])('%p for a date is missing', (scheduledDate) =>
    expect(sentence(CreateScheduledPayment, { ...planned, scheduledDate })).toBe(MISSING),
  );
  it.each(['tomorrow', '2027-01-02', '2027-01-02T18:00', '2027-02-30T18:00:00Z', 5])(
    '%p is no date that we take',
    (scheduledDate) =>
      expect(sentence(CreateScheduledPayment, { ...planned, scheduledDate })).toMatch(
        /^The date must be a date and time/,
      ),
  );
  it('can only be cancelled', () =>
    expect(sentence(PatchScheduledPayment, { status: 'completed' })).toBe(
      'A scheduled payment can only be cancelled.',
    ));
});
