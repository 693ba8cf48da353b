import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { answering, JUNO, refusal, renderAt, SETTINGS } from '../../../testing/render.js';
import { FakeStream } from '../../../testing/fake-stream.js';
import { dayKey } from '../../shared/wording/months.js';
import { barsUntil, beginsOf, earningsOf, totalOf, type Grain } from './earnings.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const now = new Date(2026, 10, 21, 18);
/** What the server answers: sums by the place of their bar. */
const summed = (grain: Grain, sums: Readonly<Record<number, string>>) => ({
  bars: barsUntil(now, grain).map((_, index) => sums[index] ?? '0.00'),
});

describe('what came in', () => {
  it('stands in the bars of the reader’s own days, to the cent', () => {
    const bars = earningsOf(summed('day', { 28: '5.00', 29: '0.30' }), now, 'day') ?? [];
    expect(bars.slice(-2).map(({ key, minor }) => [key, minor])).toEqual([
      ['2026-11-20', 500],
      ['2026-11-21', 30],
    ]);
    expect(totalOf(bars)).toBe('5.30');
    // Of fewer sums than bars nobody knows whose they are.
    expect(earningsOf({ bars: ['5.00'] }, now, 'day')).toBeUndefined();
  });

  it('is shown for thirty days, or for twelve months over the end of the year', () => {
    const keys = (grain: 'day' | 'month') => barsUntil(now, grain).map(({ key }) => key);
    expect([keys('day').length, keys('day')[0], keys('day').at(-1)]).toEqual([
      30,
      '2026-10-23',
      '2026-11-21',
    ]);
    expect([keys('month').length, keys('month')[0], keys('month').at(-1)]).toEqual([
      12,
      '2025-12',
      '2026-11',
    ]);
    const begins = beginsOf('2026-11-21', 'month').split(',');
    expect([begins.length, begins[0]]).toEqual([12, new Date(2025, 11, 1).toISOString()]);
  });
});

describe('the chart on home', () => {
  const asked = (grain: Grain): string =>
    `GET /api/transactions/earnings?${new URLSearchParams({ begins: beginsOf(dayKey(new Date()), grain) })}`;

  it('is summed up by the server, once more for each change, however many payments there are', async () => {
    FakeStream.install();
    try {
      const server = answering({
        'GET /api/transactions?limit=4': [],
        [asked('day')]: summed('day', { 29: '20.00' }),
      });
      renderAt('/');
      await screen.findByRole('table', { name: 'Earnings by day' });
      server.answers[asked('day')] = summed('day', { 29: '45.00' });
      await FakeStream.stands();
      await FakeStream.last.says({ topics: ['user', 'transactions'] });
      await waitFor(() => expect(screen.getAllByText('$45.00').length).toBeGreaterThan(0));
      expect(server.calls(asked('day'))).toHaveLength(2);
      expect(server.made.filter(({ call }) => call.includes('payment_received'))).toEqual([]);
    } finally {
      FakeStream.remove();
    }
  });

  it('does not tell one day from another where amounts are hidden', async () => {
    const sums = summed('day', { 27: '300.00', 29: '20.00' });
    const heights = async () => {
      await screen.findByRole('table', { name: 'Earnings by day' });
      return [...document.querySelectorAll('rect[data-is="some"]')].map((bar) => bar.getAttribute('height'));
    };
    answering({ 'GET /api/transactions?limit=4': [], [asked('day')]: sums });
    const { unmount } = renderAt('/');
    expect(new Set(await heights()).size).toBe(2);
    unmount();
    answering({
      'GET /api/transactions?limit=4': [],
      [asked('day')]: sums,
      'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true },
    });
    renderAt('/');
    await screen.findByRole('button', { name: 'Show amounts' });
    const [first, second] = await heights();
    expect(second).toBe(first);
  });

  it('is a table for who listens, by day and by month', async () => {
    answering({
      'GET /api/transactions?limit=4': [],
      [asked('day')]: summed('day', { 29: '20.00' }),
      [asked('month')]: summed('month', { 11: '50.00' }),
    });
    const { person } = renderAt('/');
    const days = within(await screen.findByRole('table', { name: 'Earnings by day' })).getAllByRole('row');
    expect(days).toHaveLength(31);
    expect(days.at(-1)).toHaveTextContent('$20.00');
    await person.click(screen.getByRole('button', { name: 'Months' }));
    const months = within(await screen.findByRole('table', { name: 'Earnings by month' })).getAllByRole(
      'row',
    );
    expect(months).toHaveLength(13);
    expect(months.at(-1)).toHaveTextContent('$50.00');
  });

  it('is hidden until the first payment is received', async () => {
    answering({
      'GET /api/auth/user': { ...JUNO, totalEarnings: '0.00' },
      'GET /api/transactions?limit=4': [],
    });
    renderAt('/');
    await screen.findByText('No transactions yet');
    expect(screen.queryByRole('heading', { name: 'Earnings' })).toBeNull();
  });

  it('says that it could not be read, under its heading, and reads again when asked', async () => {
    const server = answering({ 'GET /api/transactions?limit=4': [], [asked('day')]: refusal(500, 'No.') });
    const { person } = renderAt('/');
    expect(await screen.findByText('Your earnings could not be loaded.')).toBeVisible();
    server.answers[asked('day')] = summed('day', { 29: '20.00' });
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('table', { name: 'Earnings by day' })).toBeInTheDocument();
  });
});
