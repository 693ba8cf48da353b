import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { call } from '../api/call.js';
import { LEAVING_MS, noticeLeaving, unlessLeaving } from './leaving.js';

let stop: () => void = () => undefined;
beforeEach(() => {
  jest.useFakeTimers();
  stop = noticeLeaving(window);
});
afterEach(() => {
  stop();
  jest.advanceTimersByTime(LEAVING_MS);
  jest.useRealTimers();
});

const leave = () => window.dispatchEvent(new Event('beforeunload'));
const failure = new TypeError('Failed to fetch');
/** What is told of something that fails now. */
function told(work: () => Promise<unknown>) {
  const seen: unknown[] = [];
  work().then(
    (value) => seen.push(value),
    (error: unknown) => seen.push(error),
  );
  return seen;
}
const settled = async () => jest.advanceTimersByTimeAsync(0);

describe('what fails', () => {
  const load = async () => Promise.reject(failure).catch(unlessLeaving);
  const ask = async () => call('/api/settings', { signal: new AbortController().signal } as never, {});
  beforeEach(() => {
    globalThis.fetch = jest.fn(async () => Promise.reject(failure));
  });

  it('is told at once on a page that stays', async () => {
    const [part, answer] = [told(load), told(ask)];
    await settled();
    expect(part).toEqual([failure]);
    expect(answer).toMatchObject([{ error: { status: 0 } }]);
  });

  it('because the page is being left is not told', async () => {
    leave();
    const [part, answer] = [told(load), told(ask)];
    await jest.advanceTimersByTimeAsync(LEAVING_MS - 1);
    expect([part, answer]).toEqual([[], []]);
  });

  it('is told after all on a page that was not left in the end', async () => {
    leave();
    const [part, answer] = [told(load), told(ask)];
    await jest.advanceTimersByTimeAsync(LEAVING_MS);
    expect(part).toEqual([failure]);
    expect(answer).toMatchObject([{ error: { status: 0 } }]);
    const later = told(load);
    await settled();
    expect(later).toEqual([failure]);
  });
});
