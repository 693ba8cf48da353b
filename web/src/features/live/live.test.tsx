import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { FakeStream } from '../../../testing/fake-stream.js';
import { answering, JUNO, pageBefore, renderAt, SETTINGS, SIGNED_OUT } from '../../../testing/render.js';
import { line } from '../../../testing/transactions.js';
import { monthKey, spanOfMonth } from '../../shared/wording/months.js';
import { pauseMs, readEvent, type StreamListener } from './event-stream.js';
import { paced } from './pace.js';

const RECENT = 'GET /api/transactions?limit=4';
const tip = {
  kind: 'payment_received',
  amount: '20.00',
  counterpartyUsername: 'wren',
  counterpartyName: 'Wren Achebe',
} as const;

beforeEach(() => FakeStream.install());
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  FakeStream.remove();
});

/** A tip comes in while privacy mode hides amounts, and is told of. */
async function toldInPrivacyMode(): Promise<void> {
  answering({ [RECENT]: [], 'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true } });
  renderAt('/');
  await screen.findByText('No transactions yet');
  await waitFor(() => expect(screen.getByRole('switch', { name: 'Privacy mode' })).toBeChecked());
  await FakeStream.stands();
  await FakeStream.last.says({ alerts: [tip] });
  await waitFor(() => expect(screen.getByText('From Wren Achebe')).toBeVisible());
}

describe('live lists', () => {
  it('show a tip that comes in, tell of it, and count the balance', async () => {
    const server = answering({ [RECENT]: [line('p1', { counterpartyUsername: 'imani' })] });
    const { person } = renderAt('/');
    await screen.findByText('imani');
    Object.assign(server.answers, {
      [RECENT]: [
        line('p2', { counterpartyName: 'Wren Achebe' }),
        line('p1', { counterpartyUsername: 'imani' }),
      ],
      'GET /api/auth/user': { ...JUNO, earnings: '1304.50' },
    });
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['user', 'transactions'], alerts: [tip] });
    expect(screen.getByText('Payment received')).toBeVisible();
    expect(screen.getByText('+$20.00 from Wren Achebe')).toBeVisible();
    const row = (await screen.findByRole('link', { name: 'Wren Achebe' })).closest('li');
    expect(row).toHaveAttribute('data-arrived', 'true');
    expect(screen.getByText('imani').closest('li')).toHaveAttribute('data-arrived', 'false');
    expect(await screen.findByText('$1,304.50')).toBeInTheDocument();

    await person.click(screen.getByRole('button', { name: 'Menu, new notifications' }));
    const told = within(await screen.findByRole('list', { name: 'Notifications' }));
    expect(told.getByText('Wren Achebe')).toBeVisible();
    expect(told.getByText('+$20.00')).toBeVisible();
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Menu', hidden: true })).toBeInTheDocument(),
    );
  });

  it('tell what the payer wrote, in the toast and in the notifications', async () => {
    answering({ [RECENT]: [] });
    const { person } = renderAt('/');
    await screen.findByText('No transactions yet');
    await FakeStream.stands();
    await FakeStream.last.says({
      topics: ['user', 'transactions'],
      alerts: [{ ...tip, note: 'That last waltz' }],
    });
    expect(screen.getByText('+$20.00 from Wren Achebe: “That last waltz”')).toBeVisible();
    await person.click(await screen.findByRole('button', { name: 'Menu, new notifications' }));
    const told = within(await screen.findByRole('list', { name: 'Notifications' }));
    expect(told.getByText('“That last waltz”')).toBeVisible();
  });

  it('tell the beginning of a long note, and cut no sign of it in two', async () => {
    answering({ [RECENT]: [] });
    renderAt('/');
    await screen.findByText('No transactions yet');
    await FakeStream.stands();
    const note = `${'a'.repeat(79)}👏👏`;
    await FakeStream.last.says({ topics: ['user', 'transactions'], alerts: [{ ...tip, note }] });
    expect(screen.getByText(`+$20.00 from Wren Achebe: “${'a'.repeat(79)}👏…”`)).toBeVisible();
  });

  it('tell of a tip without its figure where the browser keeps nothing, too', async () => {
    for (const act of ['getItem', 'setItem', 'removeItem'] as const)
      jest.spyOn(Storage.prototype, act).mockImplementation(() => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      });
    await toldInPrivacyMode();
    expect(screen.queryByText(/\$20\.00/)).not.toBeInTheDocument();
  });

  it('tell of a tip without its figure where amounts are hidden', async () => {
    await toldInPrivacyMode();
    await FakeStream.last.says({ alerts: [tip, tip] });
    await waitFor(() => expect(screen.getByText('2 payments received')).toBeVisible());
    expect(screen.queryByText(/^[+]\$/)).not.toBeInTheDocument();
  });

  it('read a line again that stands far below the newest, and none that no list shows', async () => {
    const first = Array.from({ length: 50 }, (_, n) => line(`p${n}`));
    const earlier = 'GET /api/transactions?limit=100&cursor=5-7';
    const server = answering({
      'GET /api/transactions?limit=50': pageBefore('5-7', first),
      [earlier]: [line('p50', { counterpartyName: 'Odalys Ferrante' })],
      'GET /api/transactions/p50': line('p50', {
        counterpartyName: 'Odalys Ferrante',
        status: 'refunded',
        refundedAmount: '20.00',
      }),
    });
    const { person } = renderAt('/history');
    await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
    const row = (await screen.findByRole('link', { name: 'Odalys Ferrante' })).closest('li');
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['user', 'transactions'], lines: ['p50', 'p3', 'elsewhere'] });
    await waitFor(() => expect(row).toHaveTextContent('Refunded'));
    const calls = server.made.map(({ call }) => call);
    expect(calls.filter((call) => /transactions\/(p\d+|elsewhere)/.test(call))).toEqual([
      'GET /api/transactions/p50',
    ]);
    expect(server.calls(earlier)).toHaveLength(1);
  });

  it('read every line again that they show, where the message names none', async () => {
    const first = Array.from({ length: 50 }, (_, n) => line(`p${n}`));
    const server = answering({
      'GET /api/transactions?limit=50': pageBefore('5-7', first),
      'GET /api/transactions?limit=100&cursor=5-7': [line('p50', { counterpartyName: 'Odalys Ferrante' })],
      'GET /api/transactions?limit=51': [
        ...first,
        line('p50', { counterpartyName: 'Odalys Ferrante', status: 'refunded', refundedAmount: '20.00' }),
      ],
    });
    const { person } = renderAt('/history');
    await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
    const row = (await screen.findByRole('link', { name: 'Odalys Ferrante' })).closest('li');
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['user', 'transactions'] });
    await waitFor(() => expect(row).toHaveTextContent('Refunded'));
    // Once: after it the newest are enough again.
    await FakeStream.last.says({ topics: ['user', 'transactions'], lines: ['p0'] });
    await waitFor(() => expect(server.calls('GET /api/transactions?limit=50')).toHaveLength(2));
    expect(server.calls('GET /api/transactions?limit=51')).toHaveLength(1);
    expect(row).toHaveTextContent('Refunded');
  });

  it('do not read a month again that was taken away as a file', async () => {
    const span = spanOfMonth(monthKey(new Date()));
    const month = `GET /api/transactions?${new URLSearchParams({ limit: '1000', ...span })}`;
    const server = answering({
      'GET /api/transactions?limit=50': [line('p1')],
      [`GET /api/transactions/totals?${new URLSearchParams(span)}`]: {
        received: '20.00',
        sent: '0.00',
        net: '20.00',
        count: 1,
        lines: 1,
      },
      [month]: [line('p1')],
    });
    const saved = jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    Object.assign(URL, { createObjectURL: () => 'blob:month', revokeObjectURL: () => undefined });
    const { person } = renderAt('/history');
    await person.click(await screen.findByRole('button', { name: 'Months' }));
    const csv = (await screen.findAllByRole('button', { name: /as CSV$/ }))[0]!;
    await waitFor(() => expect(csv).toBeEnabled());
    await person.click(csv);
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
    expect(server.calls(month)).toHaveLength(1);
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['user', 'transactions'], lines: ['p1'] });
    await waitFor(() => expect(server.calls('GET /api/transactions?limit=50')).toHaveLength(2));
    expect(server.calls(month)).toHaveLength(1);
  });

  it('are silent where there is no alert, and sum up several', async () => {
    answering({ [RECENT]: [] });
    renderAt('/');
    await screen.findByText('No transactions yet');
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['transactions'] });
    expect(screen.queryByText('Payment received')).toBeNull();
    await FakeStream.last.says({ alerts: [tip, { ...tip, amount: '5.10' }] });
    expect(await screen.findByText('2 payments received')).toBeVisible();
    expect(screen.getByText('+$25.10 in all')).toBeVisible();
    await FakeStream.last.says({ alerts: [{ ...tip, counterpartyName: 'A guest' }] });
    expect(screen.getByText('+$20.00 from a guest')).toBeVisible();
  });

  it('are read only a few times while a whole room tips, and no tip is left out', async () => {
    const server = answering({ [RECENT]: [] });
    jest.useFakeTimers();
    renderAt('/');
    await screen.findByText('No transactions yet');
    await FakeStream.stands();
    const before = server.made.length;
    for (let tips = 0; tips < 30; tips += 1) {
      await FakeStream.last.says({ topics: ['user', 'transactions'], lines: [`p${tips}`], alerts: [tip] });
      await act(() => jest.advanceTimersByTimeAsync(200));
    }
    await act(() => jest.advanceTimersByTimeAsync(2_000));
    expect(server.calls('GET /api/auth/user').length).toBeGreaterThan(5);
    // Eight seconds of a limit of 600 reads a minute, and there may be a second device.
    expect(server.made.length - before).toBeLessThan(45);
    jest.useRealTimers();
    const told = await screen.findByRole('button', { name: 'Menu, new notifications' });
    act(() => told.click());
    expect(
      within(await screen.findByRole('list', { name: 'Notifications' })).getAllByRole('listitem').length,
    ).toBeGreaterThan(9);
  });

  it('read again what a topic is about, and nothing else', async () => {
    const server = answering({ [RECENT]: [] });
    renderAt('/');
    await screen.findByText('No transactions yet');
    await screen.findByRole('switch', { name: 'Privacy mode' });
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['settings'] });
    await waitFor(() => expect(server.calls('GET /api/settings')).toHaveLength(2));
    expect(server.calls(RECENT)).toHaveLength(1);
    expect(server.calls('GET /api/auth/user')).toHaveLength(1);
  });

  it('show a passkey that was added elsewhere, on the open page and on one that is opened again', async () => {
    const passkey = (id: string, label: string) => ({ id, label, createdAt: '2026-11-20T12:00:00.000Z' });
    const server = answering({ 'GET /api/passkeys': [passkey('pk_1', 'Passkey on iPhone')] });
    const { navigate } = renderAt('/profile');
    const section = within((await screen.findByRole('heading', { name: 'Passkeys' })).closest('section')!);
    await section.findByText('Passkey on iPhone');
    const phoneAndMac = [passkey('pk_1', 'Passkey on iPhone'), passkey('pk_2', 'Passkey on Mac')];
    server.answers['GET /api/passkeys'] = phoneAndMac;
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['settings'] });
    expect(await section.findByText('Passkey on Mac')).toBeVisible();

    await navigate('/history');
    await screen.findByRole('heading', { level: 1, name: /History$/ });
    server.answers['GET /api/passkeys'] = [...phoneAndMac, passkey('pk_3', 'Passkey on Windows')];
    await navigate('/profile');
    expect(await screen.findByText('Passkey on Windows')).toBeVisible();
  });

  it('open no stream for a visitor', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    renderAt('/');
    await screen.findByRole('button', { name: 'Get Started' });
    expect(FakeStream.opened).toEqual([]);
  });

  it('close the stream when the session has ended', async () => {
    const server = answering({ [RECENT]: [] });
    renderAt('/');
    await screen.findByText('No transactions yet');
    server.answers['GET /api/auth/user'] = SIGNED_OUT;
    await FakeStream.stands();
    await FakeStream.last.says({ topics: ['user'] });
    await waitFor(() => expect(FakeStream.last.isClosed).toBe(true));
  });

  it('come back after a break, from where they were, and find out who is signed in when they cannot', async () => {
    const server = answering({ [RECENT]: [] });
    const { settled } = renderAt('/');
    await screen.findByText('No transactions yet');
    await FakeStream.stands();
    await settled();
    jest.useFakeTimers();
    await FakeStream.last.says({ position: '41' });
    const count = FakeStream.opened.length;
    await FakeStream.last.breaks();
    expect(FakeStream.last.isClosed).toBe(true);
    await act(() => jest.advanceTimersByTimeAsync(1000));
    expect(FakeStream.opened).toHaveLength(count + 1);
    expect(FakeStream.last.url).toBe('/api/events?lastEventId=41');
    expect(server.calls('GET /api/auth/user')).toHaveLength(1);
    await FakeStream.last.breaks();
    await act(() => jest.advanceTimersByTimeAsync(0));
    expect(server.calls('GET /api/auth/user')).toHaveLength(2);
    // The network is back: nothing is waited for.
    act(() => void window.dispatchEvent(new Event('online')));
    expect(FakeStream.opened).toHaveLength(count + 2);
  });

  it('ask nobody who is signed in where no stream ever stood, however often the window is looked at', async () => {
    const server = answering({ [RECENT]: [] });
    renderAt('/');
    await screen.findByText('No transactions yet');
    jest.useFakeTimers();
    await FakeStream.stands();
    for (let looks = 0; looks < 3; looks += 1) {
      for (let breaks = 0; breaks < 3; breaks += 1) {
        await FakeStream.last.breaks();
        await act(() => jest.advanceTimersByTimeAsync(4000));
      }
      act(() => void document.dispatchEvent(new Event('visibilitychange')));
    }
    expect(FakeStream.opened.length).toBeGreaterThan(6);
    expect(server.calls('GET /api/auth/user')).toHaveLength(1);
  });

  it('are all read again when the first stream could not be opened: nobody was told of changes meanwhile', async () => {
    answering({ [RECENT]: [] });
    renderAt('/');
    await screen.findByText('No transactions yet');
    jest.useFakeTimers();
    await FakeStream.stands();
    expect(FakeStream.last.url).toMatch(/^\/api\/events\?loadingForMs=\d+$/);
    await FakeStream.last.breaks();
    await act(() => jest.advanceTimersByTimeAsync(1000));
    expect(FakeStream.last.url).toBe('/api/events?lastEventId=none');
  });
});

describe('the notice of what may be out of date', () => {
  const NOTICE = 'What you see may be out of date, and payments may have to wait. Nothing is lost.';
  const STALE = { 'x-encore-stale': 'true' };
  const CLOSED = { ...STALE, 'x-encore-closed': 'true' };
  /** A server that marks every answer, as a real one does, for as long as `marks` says so. */
  const marking = (answers: Record<string, unknown>, marks: Readonly<Record<string, string>>) => {
    const server = Object.assign(answering({ 'GET /api/config': {}, ...answers }), { marks });
    const unmarked = globalThis.fetch;
    globalThis.fetch = async (...call) => {
      const answer = await unmarked(...call);
      for (const [name, value] of Object.entries(server.marks)) answer.headers.set(name, value);
      return answer;
    };
    return server;
  };
  // An answer that was on its way may still have the mark; what is asked next has not.
  const isGone = async (words: string) =>
    waitFor(() => expect(screen.queryByText(words)).not.toBeInTheDocument());

  it('stands while the server marks its answers, and the lists are read again when it no longer does', async () => {
    const server = marking({ [RECENT]: [] }, STALE);
    renderAt('/');
    expect(await screen.findByText(NOTICE)).toBeVisible();
    expect(await screen.findByText('No transactions yet')).toBeInTheDocument();
    server.answers[RECENT] = [line('p1', { counterpartyUsername: 'imani' })];
    server.marks = {};
    await FakeStream.stands();
    await FakeStream.last.says({ stale: false });
    expect(await screen.findByText('imani')).toBeInTheDocument();
    await isGone(NOTICE);
  });

  it('comes and goes on an open page by what the stream says', async () => {
    const server = marking({ [RECENT]: [] }, {});
    renderAt('/');
    await screen.findByText('No transactions yet');
    await FakeStream.stands();
    server.marks = STALE;
    await FakeStream.last.says({ stale: true });
    expect(await screen.findByText(NOTICE)).toBeVisible();
    server.marks = {};
    await FakeStream.last.says({ stale: false });
    await isGone(NOTICE);
  });

  it('says that payments are closed while the server does', async () => {
    const CLOSED_NOTICE =
      'Payments and changes are closed for now, while records are put in order. What you see may be out of date.';
    const server = marking({ [RECENT]: [] }, CLOSED);
    renderAt('/');
    expect(await screen.findByText(CLOSED_NOTICE)).toBeVisible();
    await FakeStream.stands();
    server.marks = STALE;
    await FakeStream.last.says({ stale: true, closed: false });
    await isGone(CLOSED_NOTICE);
    expect(await screen.findByText(NOTICE)).toBeVisible();
    server.marks = CLOSED;
    await FakeStream.last.says({ stale: true, closed: true });
    expect(await screen.findByText(CLOSED_NOTICE)).toBeVisible();
    server.marks = {};
    await FakeStream.last.says({ stale: false, closed: false });
    await isGone(CLOSED_NOTICE);
  });

  it('is there for a visitor too, who has no stream, and asks until it is over', async () => {
    const server = answering({
      'GET /api/auth/user': () => Response.json({ message: 'Unauthorized' }, { status: 401, headers: STALE }),
      'GET /api/config': () => Response.json({ message: 'Unauthorized' }, { status: 401, headers: STALE }),
    });
    jest.useFakeTimers();
    renderAt('/');
    await act(() => jest.advanceTimersByTimeAsync(1_000));
    expect(await screen.findByText(NOTICE)).toBeVisible();
    await act(() => jest.advanceTimersByTimeAsync(7_000));
    expect(screen.getByText(NOTICE)).toBeVisible();
    // A proxy that reaches no server knows nothing of that.
    server.answers['GET /api/config'] = () =>
      Response.json({ message: 'Encore cannot be reached.' }, { status: 503 });
    await act(() => jest.advanceTimersByTimeAsync(3_000));
    expect(screen.getByText(NOTICE)).toBeVisible();
    server.answers['GET /api/auth/user'] = SIGNED_OUT;
    server.answers['GET /api/config'] = SIGNED_OUT;
    await act(() => jest.advanceTimersByTimeAsync(3_000));
    expect(screen.queryByText(NOTICE)).not.toBeInTheDocument();
  });
});

describe('the pace at which changes are told', () => {
  const tell = jest.fn<StreamListener['changed']>();
  beforeEach(() => {
    jest.useFakeTimers();
    tell.mockReset();
  });

  it('is each by itself where they are few, and at once again after a quiet moment', () => {
    const { changed } = paced(tell);
    for (let times = 0; times < 2; times += 1) {
      for (let n = 0; n < 5; n += 1) changed(['user'], [], undefined);
      expect(tell).toHaveBeenCalledTimes(5);
      tell.mockReset();
      jest.advanceTimersByTime(10_000);
    }
  });

  it('is together where they are many: every topic, alert and line once, none lost', () => {
    const { changed } = paced(tell);
    for (let n = 0; n < 5; n += 1) changed(['user'], [], undefined);
    changed(['transactions', 'user'], [tip], ['p1']);
    changed(['treasury'], [], undefined);
    changed(['transactions'], [tip], ['p2', 'p1']);
    expect(tell).toHaveBeenCalledTimes(5);
    jest.advanceTimersByTime(2_000);
    expect(tell).toHaveBeenCalledTimes(6);
    expect(tell).toHaveBeenLastCalledWith(['transactions', 'user', 'treasury'], [tip, tip], ['p1', 'p2']);
  });

  it('names no line if one of the merged changes named none', () => {
    const { changed } = paced(tell);
    for (let n = 0; n < 5; n += 1) changed(['user'], [], undefined);
    changed(['transactions'], [], ['p1']);
    changed(['transactions'], [], undefined);
    jest.advanceTimersByTime(2_000);
    expect(tell).toHaveBeenLastCalledWith(['transactions'], [], undefined);
  });

  it('tells nothing more once its page is left', () => {
    const { changed, stop } = paced(tell);
    for (let n = 0; n < 7; n += 1) changed(['user'], [], undefined);
    stop();
    jest.advanceTimersByTime(60_000);
    expect(tell).toHaveBeenCalledTimes(5);
  });
});

describe('the pause before another try', () => {
  it('doubles up to a minute, and is half of that at least', () => {
    expect([0, 1, 2, 3].map((failures) => pauseMs(failures, 1))).toEqual([1000, 2000, 4000, 8000]);
    expect(pauseMs(0, 0)).toBe(500);
    expect([pauseMs(10, 1), pauseMs(1000, 1)]).toEqual([60_000, 60_000]);
  });
});

describe('a message of the stream', () => {
  it.each(['', '{', 'null', '[]', '{"topics":"all","alerts":[]}', '{"topics":[]}'])('is not %j', (data) =>
    expect(readEvent(data)).toBeUndefined(),
  );
  it('keeps what is understood of it', () =>
    expect(
      readEvent(
        JSON.stringify({ topics: ['user', 1], alerts: [tip, { kind: 'else' }, { ...tip, amount: 5 }] }),
      ),
    ).toEqual({
      topics: ['user'],
      alerts: [tip],
    }));
});
