import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { act } from '@testing-library/react';
import { answering, refusal, renderAt, runUntilShown, SIGNED_OUT } from '../../../testing/render.js';
import { currentUser } from '../../features/account/current-user.js';
import { settings } from '../../features/account/settings.js';
import { makeStore } from '../../app/store.js';
import { ANSWER_WITHIN_MS, call, isUnauthorized, sentenceFor } from './call.js';
import { idempotent } from './idempotency.js';

// Pages are loaded by the real clock.
beforeAll(async () => {
  await import('../../features/home/HomePage.js');
  await import('../../features/bank-accounts/BankAccountsPage.js');
  await import('../../features/treasury/TreasuryPage.js');
  await import('../../features/schedules/ScheduledPaymentsPage.js');
});

describe('a call', () => {
  it('that is refused says the status and the body, and has the sentence of the server', async () => {
    const body = { message: 'Insufficient funds.' };
    answering({ 'PUT /api/settings': refusal(422, body.message) });
    const { error } = await makeStore().dispatch(
      settings.endpoints.changeSetting.initiate({ privacyModeEnabled: true }),
    );
    expect(error).toEqual({ status: 422, message: `422: ${JSON.stringify(body)}`, sentence: body.message });
    expect(sentenceFor(error, 'Failed')).toBe('Insufficient funds.');
  });

  it.each([
    ['in plain text has it as its sentence', new Response('Not enough.', { status: 400 }), 'Not enough.'],
    [
      'in JSON that is called plain text has its message',
      new Response('{"message":"Not enough."}', { status: 400 }),
      'Not enough.',
    ],
    ['by a server that failed has none', new Response('no healthy upstream', { status: 503 }), undefined],
    [
      'by a page has none',
      new Response('<p>No</p>', { status: 403, headers: { 'content-type': 'text/html' } }),
      undefined,
    ],
    ['at length has none', new Response('No. '.repeat(100), { status: 400 }), undefined],
  ])('that is refused %s', async (_how, answer, sentence) => {
    answering({ 'PUT /api/settings': answer });
    const { error } = await makeStore().dispatch(
      settings.endpoints.changeSetting.initiate({ privacyModeEnabled: true }),
    );
    expect(error).toMatchObject({ status: answer.status, sentence });
  });

  it('that is refused without a body says the status in words', async () => {
    answering({ 'PUT /api/settings': new Response('', { status: 502, statusText: 'Bad Gateway' }) });
    const { error } = await makeStore().dispatch(
      settings.endpoints.changeSetting.initiate({ privacyModeEnabled: true }),
    );
    expect(error).toEqual({ status: 502, message: '502: Bad Gateway', sentence: undefined });
    expect(sentenceFor(error, 'Failed to do it')).toBe('Failed to do it');
  });

  it.each([
    ['in plain text is done', new Response('OK'), undefined],
    [
      'by a page is not: it comes from something else',
      new Response('<p>Log in to the club’s network</p>', { headers: { 'content-type': 'text/html' } }),
      200,
    ],
  ])('that commands and is answered %s', async (_how, answer, status) => {
    answering({ 'PUT /api/settings': answer });
    const { error } = await makeStore().dispatch(
      settings.endpoints.changeSetting.initiate({ privacyModeEnabled: true }),
    );
    expect((error as { status?: number } | undefined)?.status).toBe(status);
  });

  it('that reads and is answered in plain text has failed', async () => {
    answering({ 'GET /api/auth/user': new Response('OK') });
    const { isError } = await makeStore().dispatch(currentUser.endpoints.currentUser.initiate());
    expect(isError).toBe(true);
  });

  it('that reads and is answered 401 has no data, and has not failed', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    const { data, isError } = await makeStore().dispatch(currentUser.endpoints.currentUser.initiate());
    expect([data, isError]).toEqual([null, false]);
  });

  it('that commands and is answered 401 says that the session has ended', async () => {
    answering({ 'PUT /api/settings': SIGNED_OUT });
    const { error } = await makeStore().dispatch(
      settings.endpoints.changeSetting.initiate({ privacyModeEnabled: true }),
    );
    expect(isUnauthorized(error)).toBe(true);
  });

  it('that reaches no server fails once: nothing is tried again by itself', async () => {
    answering({});
    globalThis.fetch = jest.fn<typeof fetch>().mockRejectedValue(new TypeError('Failed to fetch'));
    const { error } = await makeStore().dispatch(currentUser.endpoints.currentUser.initiate());
    expect(error).toMatchObject({ status: 0, message: '0: Failed to fetch' });
    expect(globalThis.fetch).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['/', 'Available balance'],
    ['/bank-accounts', 'No payouts yet'],
    ['/treasury', 'No treasury transactions yet'],
    ['/scheduled-payments', 'No scheduled payments yet'],
  ])(
    'that read %s is not made again by a returning focus or network, nor by an hour',
    async (path, shown) => {
      jest.useFakeTimers();
      try {
        const empty = [
          'bank-accounts',
          'payouts',
          'treasury/wallets',
          'treasury/transactions',
          'scheduled-payments',
        ];
        const server = answering({
          'GET /api/transactions?limit=4': [],
          ...Object.fromEntries(empty.map((list) => [`GET /api/${list}`, []])),
        });
        renderAt(path);
        await runUntilShown(shown);
        await act(() => jest.advanceTimersByTimeAsync(100));
        const read = server.made.map(({ call: made }) => made);
        expect(read).toContain('GET /api/auth/user');
        for (const [target, event] of [
          [window, 'blur'],
          [window, 'focus'],
          [document, 'visibilitychange'],
          [window, 'offline'],
          [window, 'online'],
        ] as const)
          act(() => void target.dispatchEvent(new Event(event)));
        await act(() => jest.advanceTimersByTimeAsync(3_600_000));
        expect(server.made.map(({ call: made }) => made)).toEqual(read);
      } finally {
        jest.useRealTimers();
      }
    },
  );

  it('that is not answered is given up after half a minute', async () => {
    jest.useFakeTimers();
    try {
      answering({});
      globalThis.fetch = jest.fn<typeof fetch>(
        (_path, { signal } = {}) =>
          new Promise((_answer, refuse) =>
            signal?.addEventListener('abort', () => refuse(new TypeError('Given up'))),
          ),
      );
      const asked = makeStore().dispatch(currentUser.endpoints.currentUser.initiate());
      await jest.advanceTimersByTimeAsync(ANSWER_WITHIN_MS - 1);
      const early = await Promise.race([asked, Promise.resolve('waits')]);
      await jest.advanceTimersByTimeAsync(1);
      expect([early, (await asked).error]).toEqual(['waits', expect.objectContaining({ status: 0 })]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('with a key whose answer is lost does not say that nothing was done', async () => {
    answering({});
    globalThis.fetch = jest.fn<typeof fetch>().mockRejectedValue(new TypeError('Failed to fetch'));
    const command = { path: '/api/payouts', method: 'POST', body: {} } as const;
    const sentenceOf = async (headers?: Record<string, string>) => {
      const context = { signal: new AbortController().signal } as Parameters<typeof call>[1];
      return (await call({ ...command, headers }, context, {})).error?.sentence;
    };
    const notReached = 'The server cannot be reached. Check your connection and try again.';
    expect(await sentenceOf()).toBe(notReached);
    expect(await sentenceOf(idempotent('key'))).toBe(
      'No answer came, so this may have been done or not. Try again: it is never done twice.',
    );
    const online = jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    expect(await sentenceOf(idempotent('key'))).toBe(notReached);
    online.mockRestore();
  });

  it('sends the cookies along', async () => {
    answering({});
    await makeStore().dispatch(currentUser.endpoints.currentUser.initiate());
    expect(globalThis.fetch).toHaveBeenCalledWith(
      '/api/auth/user',
      expect.objectContaining({ credentials: 'include' }),
    );
  });
});
