/** The tip page's line about an outage: it goes once the server marks its answers no longer. */
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { STALE_HEADER } from '#contracts/plain/headers';
import { watchOutage } from './page.js';

let marked: boolean;
const asked = jest.fn(() =>
  Promise.resolve({ ok: true, headers: new Headers(marked ? { [STALE_HEADER]: 'true' } : {}) } as Response),
);
const before = globalThis.fetch;
beforeEach(() => {
  marked = true;
  jest.useFakeTimers();
  asked.mockClear();
  globalThis.fetch = asked as typeof fetch;
});
afterEach(() => {
  jest.useRealTimers();
  globalThis.fetch = before;
});

it('stands as long as the answers are marked, and goes then', async () => {
  document.body.innerHTML = '<p id="out-of-date">Payments may have to wait.</p>';
  watchOutage();
  await jest.advanceTimersByTimeAsync(11_000);
  expect(asked).toHaveBeenCalledTimes(2);
  expect(document.getElementById('out-of-date')).not.toBeNull();
  marked = false;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(document.getElementById('out-of-date')).toBeNull();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveBeenCalledTimes(3);
});

it('asks for nothing where there is no outage', async () => {
  document.body.innerHTML = '';
  watchOutage();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).not.toHaveBeenCalled();
});
