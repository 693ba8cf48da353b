import { describe, expect, it } from '@jest/globals';
import type { ScheduledPayment } from '#contracts/api/scheduled-payments';
import type { Subscription } from '#contracts/api/subscriptions';
import { totalOf, upcoming } from './upcoming.js';

const common = {
  toUserId: 'odalys-1',
  toUsername: 'odalys.aerial',
  toFirstName: 'Odalys',
  toLastName: 'Ferrante',
  description: null,
  lastFailureReason: null,
  lastFailureFrom: null,
  failedDueAt: null,
  source: { from: 'balance_then_card', cardId: null } as const,
  nextTryAt: null,
  needsConfirmation: false,
  confirmPaymentId: null,
  confirmBy: null,
  isCollecting: false,
};
const MONTHLY: Subscription = {
  ...common,
  id: 'sub_1',
  amount: '45.10',
  frequency: 'monthly',
  status: 'active',
  nextPaymentDate: '2027-01-31T12:00:00.000Z',
  pauseReason: null,
  lastPaymentAt: null,
  createdAt: '2026-12-31T12:00:00.000Z',
};
const PLANNED: ScheduledPayment = {
  ...common,
  id: 'sch_1',
  amount: '12.20',
  scheduledDate: '2027-02-14T20:00:00.000Z',
  status: 'pending',
  completedAt: null,
  createdAt: '2026-12-31T12:00:00.000Z',
};
const NOW = new Date('2027-01-10T00:00:00.000Z');
const days = (payments: ReturnType<typeof upcoming>) =>
  payments.map(({ at }) => at.toISOString().slice(0, 10));

describe('the payments of the next 90 days', () => {
  it('are those of subscriptions and those that were planned, the soonest first, and add up to the cent', () => {
    const payments = upcoming([MONTHLY], [PLANNED], NOW);
    expect(days(payments)).toEqual(['2027-01-31', '2027-02-14', '2027-02-28', '2027-03-31']);
    expect(payments[0]).toMatchObject({
      recipient: 'Odalys Ferrante',
      amount: '45.10',
      frequency: 'monthly',
    });
    expect(totalOf(payments)).toBe('147.50');
  });

  it('end with the 90th day', () => {
    const daily: Subscription = {
      ...MONTHLY,
      frequency: 'daily',
      nextPaymentDate: '2027-01-10T12:00:00.000Z',
    };
    const payments = upcoming([daily], [], NOW);
    expect(payments).toHaveLength(90);
    expect(days(payments).at(-1)).toBe('2027-04-09');
  });

  it('leave out what is paused, cancelled or done', () => {
    expect(
      upcoming(
        [
          { ...MONTHLY, status: 'paused', nextPaymentDate: null },
          { ...MONTHLY, status: 'cancelled', nextPaymentDate: null },
        ],
        [
          { ...PLANNED, status: 'completed' },
          { ...PLANNED, status: 'cancelled' },
          { ...PLANNED, status: 'failed' },
        ],
        NOW,
      ),
    ).toEqual([]);
  });

  it('do not name what is held while its recipient is closing their account', () => {
    const heldBecause = 'They are closing their account.';
    expect(upcoming([{ ...MONTHLY, heldBecause }], [{ ...PLANNED, heldBecause }], NOW)).toEqual([]);
  });

  it('do not name what stands still', () => {
    const standsStill = 'This stands still: a record of it cannot be read.';
    expect(upcoming([{ ...MONTHLY, standsStill }], [{ ...PLANNED, standsStill }], NOW)).toEqual([]);
  });

  it('name one payment where a failed one would be tried again only as the next is due, and takes its place', () => {
    const daily: Subscription = {
      ...MONTHLY,
      frequency: 'daily',
      nextPaymentDate: '2027-01-11T12:00:00.000Z',
      nextTryAt: '2027-01-11T12:00:00.000Z',
    };
    const [first, second] = upcoming([daily], [], NOW);
    expect(first).toMatchObject({ at: new Date('2027-01-11T12:00:00.000Z'), isRetry: false });
    expect(second).toMatchObject({ at: new Date('2027-01-12T12:00:00.000Z'), isRetry: false });
  });

  it('name a failed one at the time at which it is tried again', () => {
    const payments = upcoming([{ ...MONTHLY, nextTryAt: '2027-01-11T12:00:00.000Z' }], [], NOW);
    expect(payments[0]).toMatchObject({ isRetry: true, amount: '45.10' });
    expect(days(payments)[0]).toBe('2027-01-11');
  });
});
