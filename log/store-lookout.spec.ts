/**
 * Looking at the event store: an outage and its end are known though this process asks nothing of the store.
 */
import { describe, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import { MemoryLog } from '#test/support/memory-log';
import { StoreLookout } from './store-lookout.js';

/** A store that can be frozen: it takes what it is asked, and says nothing until it goes on. */
class FreezingLog extends MemoryLog {
  asked = 0;
  #goesOn: Promise<void> | undefined;

  freeze(): () => void {
    let goOn = (): void => undefined;
    this.#goesOn = new Promise((resolve) => (goOn = resolve));
    return () => {
      this.#goesOn = undefined;
      goOn();
    };
  }

  override async lastOf(stream: string): ReturnType<MemoryLog['lastOf']> {
    this.asked += 1;
    await this.#goesOn;
    return super.lastOf(stream);
  }
}

function lookoutOn(log: MemoryLog) {
  const ends: (Position | undefined)[] = [];
  return { ends, lookout: new StoreLookout(log, (end) => ends.push(end), 20) };
}

describe('the lookout', () => {
  it('tells where the journal ends, and writes nothing while the store is well', async () => {
    const log = new MemoryLog();
    const { ends, lookout } = lookoutOn(log);
    await lookout.look();
    log.put(JOURNAL, { id: crypto.randomUUID(), type: 'X', data: {}, metadata: {} });
    await lookout.look();
    expect(ends).toEqual([undefined, log.all.at(-1)!.position]);
    expect(log.timesTold).toBe(0);
  });

  it('knows of a store that is gone, and opens writes when an append of its own has succeeded', async () => {
    const log = new MemoryLog();
    const { lookout } = lookoutOn(log);
    log.setReachable(false);
    await lookout.look();
    expect([log.health.awaySince, log.health.writesClosedSince]).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    log.setReachable(true);
    expect(log.health.writesClosedSince).toEqual(expect.any(Number));
    await lookout.look();
    expect([log.health.awaySince, log.health.writesClosedSince, log.timesTold]).toEqual([
      undefined,
      undefined,
      1,
    ]);
  });

  it('knows of a store that is silent, and opens writes by its late answer: it may only be slow', async () => {
    const log = new FreezingLog();
    const { lookout } = lookoutOn(log);
    const goOn = log.freeze();
    await lookout.look();
    expect(log.health.awaySince).toEqual(expect.any(Number));
    goOn();
    while (log.health.awaySince !== undefined) await new Promise((resolve) => setImmediate(resolve));
    while (log.health.writesClosedSince !== undefined) await new Promise((resolve) => setImmediate(resolve));
    expect([log.asked, log.timesTold]).toEqual([1, 1]);
  });

  it('keeps writes closed while the store answers reads and takes no append', async () => {
    const log = new MemoryLog();
    const { lookout } = lookoutOn(log);
    log.health.appendUnanswered();
    log.storeTime = () => Promise.reject(new Error('Server Is Not Ready'));
    await lookout.look();
    expect([log.health.awaySince, log.health.writesClosedSince]).toEqual([undefined, expect.any(Number)]);
  });
});
