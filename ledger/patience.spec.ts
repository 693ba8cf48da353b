/** How long somebody waits for an event store that is away, and when nobody waits at all. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogUnavailable, OutcomeUnknown } from '#log/event-log';
import { StoreHealth } from '#log/store-health';
import { Patience, READ_WAITS_MS, WRITE_WAITS_MS } from './patience.js';
import { Rejected, StoreAway } from './rejection.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A store that is away from now on, and what somebody asks of it. */
function outage() {
  const store = new StoreHealth(() => performance.now());
  const patience = new Patience(store);
  const log = { isThere: false, asked: 0 };
  const work = (): Promise<string> => {
    log.asked += 1;
    return log.isThere ? Promise.resolve('done') : Promise.reject(new LogUnavailable('14 UNAVAILABLE'));
  };
  store.unanswered();
  return { store, patience, log, work };
}

/** What becomes of a promise, and after how many milliseconds. */
function seen<T>(promise: Promise<T>) {
  const from = performance.now();
  const end: { value?: T; error?: unknown; ms?: number } = {};
  void promise.then(
    (value) => Object.assign(end, { value, ms: performance.now() - from }),
    (error: unknown) => Object.assign(end, { error, ms: performance.now() - from }),
  );
  return end;
}

describe('a write while the event store is away', () => {
  it('waits, and is done when the store is back within eight seconds', async () => {
    const { patience, log, work } = outage();
    const end = seen(patience.for(work));
    await jest.advanceTimersByTimeAsync(5_600);
    expect(end).toEqual({});
    log.isThere = true;
    await jest.advanceTimersByTimeAsync(200);
    expect(end.value).toBe('done');
  });

  it('is told to come back after eight seconds', async () => {
    const { patience, work } = outage();
    const end = seen(patience.for(work));
    await jest.advanceTimersByTimeAsync(WRITE_WAITS_MS - 1);
    expect(end).toEqual({});
    await jest.advanceTimersByTimeAsync(1);
    expect(end.error).toBeInstanceOf(StoreAway);
    expect((end.error as StoreAway).answer).toEqual({
      status: 503,
      message:
        'This could not be finished right now. Nothing is lost, and nothing is done twice: please try again in a moment.',
      code: 'outage',
      retryAfterSeconds: 5,
    });
  });

  it('is told so too where the store says nothing at all', async () => {
    const { patience } = outage();
    const end = seen(patience.for(() => new Promise(() => undefined)));
    await jest.advanceTimersByTimeAsync(WRITE_WAITS_MS);
    expect(end.error).toBeInstanceOf(StoreAway);
  });

  it('is told at once where the outage has lasted so long, and asks nothing of the store', async () => {
    const { patience, log, work } = outage();
    await jest.advanceTimersByTimeAsync(WRITE_WAITS_MS);
    const end = seen(patience.for(work));
    await jest.advanceTimersByTimeAsync(0);
    expect([end.ms, end.error, log.asked]).toEqual([0, expect.any(StoreAway), 0]);
  });

  it('is not told at once while writes are open, however long ago the outage was', async () => {
    const { store, patience, log, work } = outage();
    await jest.advanceTimersByTimeAsync(60_000);
    store.appended();
    log.isThere = true;
    await expect(patience.for(work)).resolves.toBe('done');
  });

  it('is sent again where its outcome is unknown, and hears a rule’s no at once', async () => {
    const { patience } = outage();
    const no = new Rejected('InsufficientFunds', { available: 0, asked: 1 });
    const answers: unknown[] = [new OutcomeUnknown('lost'), no];
    const end = seen(patience.for(() => Promise.reject(answers.shift())));
    await jest.advanceTimersByTimeAsync(200);
    expect([answers, end.error]).toEqual([[], no]);
  });

  it('asks no more once its caller was told', async () => {
    const { patience, log, work } = outage();
    seen(patience.for(work));
    await jest.advanceTimersByTimeAsync(WRITE_WAITS_MS);
    const { asked } = log;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(log.asked).toBe(asked);
  });
});

describe('a call that must not wait long', () => {
  const silent = (): Promise<unknown> => new Promise(() => undefined);

  it('is given up after a second and a half, if the store is known to be away by then', async () => {
    const store = new StoreHealth(() => performance.now());
    const end = seen(new Patience(store).unlessAway('reads', silent));
    await jest.advanceTimersByTimeAsync(800);
    store.unanswered();
    await jest.advanceTimersByTimeAsync(READ_WAITS_MS - 801);
    expect(end).toEqual({});
    await jest.advanceTimersByTimeAsync(1);
    expect(end.error).toBeInstanceOf(StoreAway);
  });

  it('waits on for whatever else it needs, until the store is known to be away', async () => {
    const store = new StoreHealth(() => performance.now());
    const end = seen(new Patience(store).unlessAway('reads', silent));
    await jest.advanceTimersByTimeAsync(20_000);
    expect(end).toEqual({});
    store.unanswered();
    await jest.advanceTimersByTimeAsync(0);
    expect(end.error).toBeInstanceOf(StoreAway);
  });

  it('is carried out when the store is away for a moment', async () => {
    const { store, patience, log, work } = outage();
    const end = seen(patience.unlessAway('reads', () => patience.for(work)));
    await jest.advanceTimersByTimeAsync(500);
    log.isThere = true;
    store.appended();
    await jest.advanceTimersByTimeAsync(200);
    expect(end.value).toBe('done');
  });

  it('is not begun when the outage has already lasted that long', async () => {
    const { patience, log, work } = outage();
    await jest.advanceTimersByTimeAsync(READ_WAITS_MS);
    await expect(patience.unlessAway('reads', work)).rejects.toBeInstanceOf(StoreAway);
    expect(log.asked).toBe(0);
  });

  it('reads while only writes are closed', async () => {
    const { store, patience, log, work } = outage();
    store.answered();
    log.isThere = true;
    await jest.advanceTimersByTimeAsync(READ_WAITS_MS);
    await expect(patience.unlessAway('reads', work)).resolves.toBe('done');
    await expect(patience.unlessAway('writes', work)).rejects.toBeInstanceOf(StoreAway);
  });
});
