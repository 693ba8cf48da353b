import { describe, expect, it } from '@jest/globals';
import { commandForPayment, LOOKED_AT_MS } from './payment-sweep.js';
import { FURTHEST_BACK_MS, FURTHEST_MARK_MS, OVERLAP_MS, stretchesSince } from './reconciliation.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = new Date('2026-03-10T12:00:00.000Z');
const ago = (ms: number): Date => new Date(NOON.getTime() - ms);

describe('reconciliation', () => {
  it('goes on from the last pass, with an overlap', () =>
    expect(stretchesSince(ago(HOUR), NOON)).toEqual([
      { since: ago(HOUR + OVERLAP_MS).toISOString(), until: NOON.toISOString() },
    ]));

  it('goes 30 days back, a day at a time, when the last pass is forgotten', () => {
    const stretches = stretchesSince(undefined, NOON);
    expect(stretches).toHaveLength(30);
    expect(stretches[0]?.since).toBe(ago(FURTHEST_BACK_MS).toISOString());
    expect(stretches.at(-1)?.until).toBe(NOON.toISOString());
  });

  it('leaves no gap between stretches', () => {
    const stretches = stretchesSince(ago(3.3 * DAY), NOON);
    stretches.slice(1).forEach((stretch, n) => expect(stretch.since).toBe(stretches[n]?.until));
  });

  it('goes on from the last pass however long it is past: the provider still lists what was made since', () => {
    expect(stretchesSince(ago(45 * DAY), NOON)[0]?.since).toBe(ago(45 * DAY + OVERLAP_MS).toISOString());
    expect(stretchesSince(new Date(0), NOON)[0]?.since).toBe(ago(FURTHEST_MARK_MS).toISOString());
  });

  it('does not trust a mark in the future', () =>
    expect(stretchesSince(new Date(NOON.getTime() + DAY), NOON)).toHaveLength(30));
});

describe('the sweep of open payments', () => {
  const submitted = (age: number) => ({ id: 'pay_a', intentId: 'pi_a', openedAt: ago(age) });
  const lost = (age: number) => ({ id: 'pay_a', intentId: null, openedAt: ago(age) });
  const aMinuteAgo = ago(MINUTE);

  it('leaves a payer the time to pay', () =>
    expect(commandForPayment(submitted(MINUTE), undefined, NOON)).toBeUndefined());

  it('asks about a submitted one that stays open', () =>
    expect(commandForPayment(submitted(3 * MINUTE), aMinuteAgo, NOON)).toEqual({
      type: 'SyncPayment',
      intentId: 'pi_a',
    }));

  it('takes one to the provider that never reached it', () =>
    expect(commandForPayment(lost(3 * MINUTE), aMinuteAgo, NOON)).toEqual({
      type: 'ResumePayment',
      paymentId: 'pay_a',
    }));

  it('asks once at each age, and not at every pass', () => {
    let asked = 0;
    for (let minute = 0; minute < 24 * 60; minute++) {
      const now = new Date(ago(0).getTime() + minute * MINUTE);
      if (
        commandForPayment(
          { id: 'pay_a', intentId: 'pi_a', openedAt: NOON },
          new Date(now.getTime() - MINUTE),
          now,
        )
      )
        asked++;
    }
    expect(asked).toBe(LOOKED_AT_MS.length);
  });

  it('asks once after passes were missed', () =>
    expect(commandForPayment(submitted(5 * HOUR), ago(4 * HOUR), NOON)).toEqual({
      type: 'SyncPayment',
      intentId: 'pi_a',
    }));

  it('looks at everything of age once after Redis was flushed', () => {
    expect(commandForPayment(submitted(20 * MINUTE), undefined, NOON)).toEqual({
      type: 'SyncPayment',
      intentId: 'pi_a',
    });
    expect(commandForPayment(lost(2 * DAY), undefined, NOON)).toEqual({
      type: 'CancelAbandoned',
      paymentId: 'pay_a',
    });
  });

  it('cancels after a day, whatever was known of it', () => {
    expect(commandForPayment(submitted(DAY), aMinuteAgo, NOON)).toEqual({
      type: 'CancelAbandoned',
      paymentId: 'pay_a',
    });
    expect(commandForPayment(lost(DAY), aMinuteAgo, NOON)).toEqual({
      type: 'CancelAbandoned',
      paymentId: 'pay_a',
    });
  });

  it('tries again every hour where the provider would not cancel', () => {
    expect(commandForPayment(submitted(DAY + 30 * MINUTE), aMinuteAgo, NOON)).toBeUndefined();
    expect(commandForPayment(submitted(DAY + HOUR), aMinuteAgo, NOON)).toEqual({
      type: 'CancelAbandoned',
      paymentId: 'pay_a',
    });
  });
});
