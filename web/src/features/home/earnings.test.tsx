import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { answering, JUNO, refusal, renderAt, SETTINGS } from '../../../testing/render.js';
import { hoursAgo, line } from '../../../testing/transactions.js';
import { dayKey } from '../../shared/wording/months.js';
import { barsUntil, earningsOf, filterFor, totalOf } from './earnings.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const now = new Date(2026, 10, 21, 18);
const at = (month: number, day: number, hour = 12): string =>
  new Date(2026, month - 1, day, hour).toISOString();

describe('what came in', () => {
  it('counts by the reader’s own day, to the cent, without failed, refunded and sent payments', () => {
    const rows = [
      line('p1', { createdAt: at(11, 21, 0), amount: '0.10' }),
      line('p2', { createdAt: at(11, 21, 17), amount: '0.20' }),
      line('p3', { createdAt: at(11, 20, 23), amount: '5.00' }),
      line('p4', { createdAt: at(11, 21), status: 'failed' }),
      line('p5', { createdAt: at(11, 21), status: 'refunded', refundedAmount: '20.00' }),
      line('p6', { createdAt: at(11, 21), type: 'payment_sent' }),
    ];
    const bars = earningsOf(rows, now, 'day');
    expect(bars.slice(-2).map(({ key, minor }) => [key, minor])).toEqual([
      ['2026-11-20', 500],
      ['2026-11-21', 30],
    ]);
    expect(totalOf(bars)).toBe('5.30');
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
    expect(filterFor('2026-11-21', 'month')).toEqual({
      type: 'payment_received',
      from: new Date(2025, 11, 1).toISOString(),
    });
  });
});

describe('the chart on home', () => {
  const asked = (grain: 'day' | 'month'): string => {
    const { type = '', from = '' } = filterFor(dayKey(new Date()), grain);
    return `GET /api/transactions?${new URLSearchParams({ limit: '1000', type, from })}`;
  };

  it('does not tell one day from another where amounts are hidden', async () => {
    const rows = [line('p1'), line('p2', { amount: '300.00', createdAt: hoursAgo(48) })];
    const heights = async () => {
      await screen.findByRole('table', { name: 'Earnings by day' });
      return [...document.querySelectorAll('rect[data-is="some"]')].map((bar) => bar.getAttribute('height'));
    };
    answering({ 'GET /api/transactions?limit=4': [], [asked('day')]: rows });
    const { unmount } = renderAt('/');
    expect(new Set(await heights()).size).toBe(2);
    unmount();
    answering({
      'GET /api/transactions?limit=4': [],
      [asked('day')]: rows,
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
      [asked('day')]: [line('p1')],
      [asked('month')]: [line('p1'), line('p2', { amount: '30.00' })],
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
    server.answers[asked('day')] = [line('p1')];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('table', { name: 'Earnings by day' })).toBeInTheDocument();
  });
});
