import { describe, expect, it } from '@jest/globals';
import { commandForPayment, LOOKED_AT_MS } from './payment-sweep.js';
import {
  FURTHEST_BACK_MS,
  FURTHEST_MARK_MS,
  markAfter,
  OVERLAP_MS,
  stretchesSince,
} from './reconciliation.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = new Date('2026-03-10T12:00:00.000Z');
const ago = (ms: number): Date => new Date(NOON.getTime() - ms);

describe('reconciliation', () => {
  it('goes on from its mark, which stays behind the present by an overlap', () => {
    expect(stretchesSince(ago(HOUR), NOON)).toEqual([
      { since: ago(HOUR).toISOString(), until: NOON.toISOString() },
    ]);
    expect(markAfter(NOON, NOON)).toEqual(ago(OVERLAP_MS));
    expect(markAfter(ago(HOUR), NOON)).toEqual(ago(HOUR));
  });

  it('goes a long way back a day at a time, without a gap', () => {
    const stretches = stretchesSince(ago(FURTHEST_BACK_MS), NOON);
    expect(stretches).toHaveLength(30);
    expect(stretches[0]?.since).toBe(ago(FURTHEST_BACK_MS).toISOString());
    expect(stretches.at(-1)?.until).toBe(NOON.toISOString());
    stretches.slice(1).forEach((stretch, n) => expect(stretch.since).toBe(stretches[n]?.until));
  });

  it('goes on from the last pass however long it is past: the provider still lists what was made since', () => {
    expect(stretchesSince(ago(45 * DAY), NOON)[0]?.since).toBe(ago(45 * DAY).toISOString());
    expect(stretchesSince(new Date(0), NOON)[0]?.since).toBe(ago(FURTHEST_MARK_MS).toISOString());
  });
});

describe('the sweep of open payments', () => {
  const submitted = (age: number) => ({ id: 'pay_a', intentId: 'pi_a', openedAt: ago(age) });
  const lost = (age: number) => ({ id: 'pay_a', intentId: null, openedAt: ago(age) });
  const asked = (payment: ReturnType<typeof submitted> | ReturnType<typeof lost>) =>
    commandForPayment(payment, NOON)?.command;

  it('leaves a payer the time to pay', () => expect(asked(submitted(MINUTE))).toBeUndefined());

  it('asks about a submitted one that stays open', () =>
    expect(asked(submitted(3 * MINUTE))).toEqual({ type: 'SyncPayment', intentId: 'pi_a' }));

  it('takes one to the provider that never reached it', () =>
    expect(asked(lost(3 * MINUTE))).toEqual({ type: 'ResumePayment', paymentId: 'pay_a' }));

  it('asks once at each age, whenever that is noticed', () => {
    const times = new Set<number>();
    for (let minute = 0; minute < 24 * 60; minute++) {
      const now = new Date(NOON.getTime() + minute * MINUTE);
      const due = commandForPayment({ id: 'pay_a', intentId: 'pi_a', openedAt: NOON }, now);
      if (due) times.add(due.times);
    }
    expect([...times]).toEqual(LOOKED_AT_MS.map((_, n) => n + 1));
  });

  it('cancels after a day, whatever was known of it', () => {
    for (const payment of [submitted(DAY), lost(DAY)])
      expect(asked(payment)).toEqual({ type: 'CancelAbandoned', paymentId: 'pay_a' });
  });

  it('tries again every hour where the provider would not cancel', () => {
    const times = (age: number) => commandForPayment(submitted(age), NOON)?.times;
    expect(times(DAY + 30 * MINUTE)).toBe(times(DAY));
    expect(times(DAY + HOUR)).toBe(times(DAY)! + 1);
  });
});
