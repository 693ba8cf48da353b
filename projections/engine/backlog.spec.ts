import { beforeEach, describe, expect, it } from '@jest/globals';
import { Backlog } from './backlog.js';

describe('the projector’s backlog', () => {
  let nowMs = 0;
  let backlog: Backlog;
  beforeEach(() => {
    nowMs = 10_000;
    backlog = new Backlog(() => nowMs);
    backlog.subscribed();
  });

  it('is as late as the event that has waited longest, whatever the writers’ clocks say', () => {
    backlog.caughtUp();
    const yesterdayMs = -86_400_000;
    backlog.received(yesterdayMs);
    nowMs += 300;
    backlog.received(yesterdayMs + 300);
    nowMs += 100;
    expect(backlog.lateMs()).toBe(400);
    expect(backlog.ageMs(yesterdayMs + 1_000)).toBe(1_000);
    backlog.projected(1);
    expect(backlog.lateMs()).toBe(100);
    expect(backlog.ageMs(yesterdayMs + 1_000)).toBe(700);
    backlog.projected(1);
    expect([backlog.lateMs(), backlog.ageMs(0)]).toEqual([0, 0]);
  });

  it('is late since it was dropped, until it has caught up', () => {
    backlog.caughtUp();
    backlog.received(0);
    backlog.projected(1);
    nowMs += 5_000;
    backlog.dropped();
    nowMs += 200;
    expect(backlog.lateMs()).toBe(200);
    // The events that are missing are no older than the drop.
    expect(backlog.ageMs(60_000)).toBe(200);
    backlog.caughtUp();
    expect([backlog.lateMs(), backlog.ageMs(60_000)]).toEqual([0, 0]);
  });

  it('counts from the last drop while each subscription delivers something, and from the first where none does', () => {
    backlog.caughtUp();
    backlog.dropped();
    for (let n = 0; n < 20; n += 1) {
      backlog.received(n);
      backlog.projected(1);
      nowMs += 100;
      backlog.dropped();
    }
    expect(backlog.lateMs()).toBe(100);
    for (let n = 0; n < 20; n += 1) {
      nowMs += 100;
      backlog.dropped();
    }
    expect(backlog.lateMs()).toBe(2_100);
  });

  it('keeps the age of what was read ahead while a store is away, and forgets it when it is read again', () => {
    backlog.caughtUp();
    backlog.received(1_000);
    nowMs += 500;
    backlog.unsubscribed();
    expect(backlog.ageMs(4_000)).toBe(3_000);
    backlog.subscribed();
    nowMs += 500;
    expect(backlog.lateMs()).toBe(500);
  });
});
