/** How many schedules a payer may have, and how much they may schedule ahead. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS } from '#contracts/limits';
import { StreamStory } from '#test/support/stream-spec';
import { payer, type CountSchedule, type Place } from './payer.decider.js';

const MILO = 'usr_milo';
const limits = { ...DEFAULT_LIMITS, subscriptions: 2, 'scheduled-payments': 3, 'scheduled-dollars': 1_000 };
const story = () => new StreamStory(payer).at('2026-03-01T12:00:00.000Z');
const count =
  (scheduleKind: Place['scheduleKind'], scheduleId: string, dollars = 5, own: Partial<CountSchedule> = {}) =>
  (now: Date): CountSchedule => ({
    type: 'CountSchedule',
    userId: MILO,
    scheduleId,
    scheduleKind,
    amountMinor: dollars * 100,
    existing: [],
    ended: [],
    limits,
    now,
    ...own,
  });
const subscribe = (id: string, own: Partial<CountSchedule> = {}) => count('subscription', id, 5, own);
const schedule = (id: string, dollars?: number, own: Partial<CountSchedule> = {}) =>
  count('scheduled-payment', id, dollars, own);
const old = (scheduleId: string): Place => ({
  scheduleId,
  scheduleKind: 'subscription',
  amountMinor: 500,
  at: new Date(0),
});

describe('a payer’s schedules', () => {
  it('are counted once each, and refused above the limit of their kind', () => {
    story()
      .then(subscribe('sub_1'), 'ScheduleCounted')
      .thenNothing(subscribe('sub_1'))
      .then(subscribe('sub_2'), 'ScheduleCounted')
      .thenRejects(subscribe('sub_3'), 'TooManySubscriptions')
      .then(schedule('sch_1'), 'ScheduleCounted')
      .then(schedule('sch_2'), 'ScheduleCounted')
      .then(schedule('sch_3'), 'ScheduleCounted')
      .thenRejects(schedule('sch_4'), 'TooManyScheduledPayments')
      .thenNothing(schedule('sch_3'));
  });

  it('make room when they are found to have ended', () => {
    story()
      .do(subscribe('sub_1'), subscribe('sub_2'))
      .then(subscribe('sub_3', { ended: ['sub_1', 'sub_of_nobody'] }), 'ScheduleUncounted', 'ScheduleCounted')
      .thenRejects(subscribe('sub_4', { ended: ['sub_1'] }), 'TooManySubscriptions');
  });

  it('are counted again with another amount, under the same limit', () => {
    story()
      .do(schedule('sch_1', 400), schedule('sch_2', 400))
      .thenNothing(schedule('sch_1', 400))
      .then(schedule('sch_1', 600), 'ScheduleCounted')
      .thenRejects(schedule('sch_2', 400.01), 'ScheduledTooMuch')
      .then(schedule('sch_1', 100), 'ScheduleCounted')
      .then(schedule('sch_2', 900), 'ScheduleCounted');
  });

  it('are scheduled ahead up to a sum, to the cent', () => {
    const payers = story().do(schedule('sch_1', 999.5));
    payers
      .thenRejects(schedule('sch_2', 0.51), 'ScheduledTooMuch')
      .then(schedule('sch_2', 0.5), 'ScheduleCounted');
    expect(() => payer.decide(schedule('sch_3', 0.5)(new Date()), payers.state)).toThrow(
      'You can schedule $1,000.00 ahead at most, and $1,000.00 is scheduled already. Choose a smaller amount, or cancel a payment first.',
    );
  });

  it('let sixty payments of $999,999.99 be one', () => {
    const many = story();
    let refused = 0;
    for (let n = 0; n < 60; n++)
      try {
        many.do(schedule(`sch_${n}`, 999_999.99, { limits: DEFAULT_LIMITS }));
      } catch {
        refused++;
      }
    expect(refused).toBe(59);
  });

  it('of the time before any was counted are counted with the first new one, and keep what they have', () => {
    const existing = [old('sub_a')];
    story()
      .then(subscribe('sub_b', { existing }), 'ScheduleCounted', 'ScheduleCounted')
      .thenRejects(subscribe('sub_c', { existing: [] }), 'TooManySubscriptions');
    story().thenRejects(
      subscribe('sub_d', { existing: [old('sub_a'), old('sub_b'), old('sub_c')] }),
      'TooManySubscriptions',
    );
  });
});
