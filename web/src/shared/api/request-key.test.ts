import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { renderHook } from '@testing-library/react';
import { spendKey, useRequestKey, type RequestKey } from './request-key.js';

const PAYOUT = { amount: '95', bankAccountId: 'ba_1' };
/** A form that was opened; another call is the next time it is opened. */
const opened = (name?: string) => renderHook(() => useRequestKey(name)).result.current;
const lost = { status: 0, message: '0: Failed to fetch', sentence: undefined, code: undefined };

describe('the key of a request', () => {
  beforeEach(() => sessionStorage.clear());
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('is the same for the same content, and another for another', () => {
    const form = opened();
    const key = form.keyFor(PAYOUT);
    expect(form.keyFor({ ...PAYOUT })).toBe(key);
    expect(form.keyFor({ ...PAYOUT, amount: '95.00' })).toBe(key);
    expect(form.keyFor({ ...PAYOUT, amount: '96' })).not.toBe(key);
  });

  it('is spent once the server has taken the request, or refused it for good', () => {
    for (const spend of [
      (form: RequestKey) => form.end(),
      (form: RequestKey) => form.endIfRefused({ ...lost, status: 422 }),
    ]) {
      const form = opened('payout');
      const key = form.keyFor(PAYOUT);
      for (const status of [0, 503]) form.endIfRefused({ ...lost, status });
      expect(form.keyFor(PAYOUT)).toBe(key);
      spend(form);
      expect(opened('payout').keyFor(PAYOUT)).not.toBe(key);
    }
  });

  it.each([401, 429])('is kept where a %i says nothing of what was sent before', (status) => {
    const form = opened('payout');
    const key = form.keyFor(PAYOUT);
    form.endIfRefused({ ...lost, status });
    expect(opened('payout').keyFor(PAYOUT)).toBe(key);
  });

  it('that has a name outlives the form while nobody knows what came of it, for a quarter of an hour', () => {
    jest.useFakeTimers();
    const key = opened('payout').keyFor(PAYOUT);
    expect(opened('payout').keyFor(PAYOUT)).toBe(key);
    expect(opened('treasury').keyFor(PAYOUT)).not.toBe(key);
    jest.advanceTimersByTime(15 * 60_000);
    expect(opened('payout').keyFor(PAYOUT)).not.toBe(key);
  });

  it('is not ended by the late answer to another request, whose form was closed', () => {
    const closed = opened('payout');
    closed.keyFor(PAYOUT);
    const another = { ...PAYOUT, amount: '20' };
    const key = opened('payout').keyFor(another);
    closed.end();
    expect(opened('payout').keyFor(another)).toBe(key);
  });

  it('lives as long as its form where the browser keeps nothing', () => {
    jest.spyOn(window, 'sessionStorage', 'get').mockReturnValue(null as never);
    const form = opened('payout');
    const key = form.keyFor(PAYOUT);
    expect(form.keyFor(PAYOUT)).toBe(key);
    spendKey(key);
    form.end();
    expect(form.keyFor(PAYOUT)).not.toBe(key);
  });

  it('without a name leaves nothing behind: what was sent may be nobody’s business', () => {
    const key = opened().keyFor({ accountNumber: '000123456789' });
    expect(opened().keyFor({ accountNumber: '000123456789' })).not.toBe(key);
    expect(sessionStorage).toHaveLength(0);
  });
});
