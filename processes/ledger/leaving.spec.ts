/** For how long a ledger that is to end still answers. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Callers } from './leaving.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

async function leavingAfter(askEveryMs: number | undefined, forMs: number, route = '/api/settings') {
  const callers = new Callers(() => Date.now());
  const began = Date.now();
  const asking =
    askEveryMs === undefined ? undefined : setInterval(() => callers.answered(route), askEveryMs);
  setTimeout(() => clearInterval(asking), forMs);
  let goneAfterMs: number | undefined;
  void callers.gone().then(() => (goneAfterMs = Date.now() - began));
  await jest.advanceTimersByTimeAsync(10_000);
  clearInterval(asking);
  return goneAfterMs;
}

describe('a ledger that is to end', () => {
  it('leaves after a moment when nobody asks', async () =>
    expect(await leavingAfter(undefined, 0)).toBeLessThanOrEqual(300));

  it('answers until the proxy has noticed and sends nothing more', async () => {
    const goneAfterMs = await leavingAfter(20, 1_400);
    expect(goneAfterMs).toBeGreaterThanOrEqual(1_600);
    expect(goneAfterMs).toBeLessThanOrEqual(1_800);
  });

  it('waits for no health check', async () =>
    expect(await leavingAfter(20, 10_000, '/readyz')).toBeLessThanOrEqual(300));

  it('leaves after three seconds whoever goes on asking', async () =>
    expect(await leavingAfter(20, 10_000)).toBeLessThanOrEqual(3_100));
});
