/** What a process knows of its event store: since when it is away, and since when nothing is written. */
import { describe, expect, it } from '@jest/globals';
import { StoreHealth } from './store-health.js';

function healthAt() {
  const clock = { now: 1_000 };
  const health = new StoreHealth(() => clock.now);
  let changes = 0;
  const stop = health.onChange(() => (changes += 1));
  return { clock, health, stop, changes: () => changes };
}

describe('the health of the event store', () => {
  it('is away, and closed for writes, from the first call that was not answered', () => {
    const { clock, health, changes } = healthAt();
    health.unanswered(900);
    clock.now = 5_000;
    health.unanswered();
    expect([health.awaySince, health.writesClosedSince, health.writesClosedForMs]).toEqual([900, 900, 4_100]);
    expect(changes()).toBe(1);
  });

  it('keeps writes closed when reads are answered again, until an append has succeeded', () => {
    const { health, changes } = healthAt();
    health.unanswered();
    health.answered();
    expect([health.awaySince, health.writesClosedSince]).toEqual([undefined, 1_000]);
    health.appended();
    expect([health.awaySince, health.writesClosedForMs]).toEqual([undefined, 0]);
    expect(changes()).toBe(3);
  });

  it('answers reads though an append was not answered', () => {
    const { health } = healthAt();
    health.appendUnanswered(200);
    expect([health.awaySince, health.writesClosedSince]).toEqual([undefined, 200]);
  });

  it('is not closed again by a call that was sent before an append succeeded, and broke off after it', () => {
    const { clock, health } = healthAt();
    health.unanswered();
    clock.now = 9_000;
    health.appended();
    health.unanswered(8_000);
    health.appendUnanswered(8_999);
    expect([health.awaySince, health.writesClosedForMs]).toEqual([undefined, 0]);
    health.appendUnanswered(9_001);
    expect(health.writesClosedSince).toBe(9_001);
  });

  it('tells nobody of what has not changed, nor whoever no longer listens', () => {
    const { health, stop, changes } = healthAt();
    health.answered();
    health.appended();
    expect(changes()).toBe(0);
    stop();
    health.unanswered();
    expect(changes()).toBe(0);
  });
});
