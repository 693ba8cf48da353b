import { describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { Message, MessagesSummary } from '#contracts/api/messages';
import { FakeStream } from '../../../testing/fake-stream.js';
import { answering, pageBefore, refusal, renderAt, SETTINGS, toast } from '../../../testing/render.js';
import { daysOf } from './days.js';

const HOUR_MS = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();
let made = 0;
const message = (over: Partial<Message>): Message => ({
  id: `msg_${(made += 1)}`,
  kind: 'receipt',
  title: 'Payment sent',
  text: 'You paid $5.00 to Juno Valastro.',
  at: ago(0),
  isRead: false,
  note: null,
  amount: null,
  actions: [{ label: 'See it in your history', href: '/history' }],
  ...over,
});
const failed = message({
  kind: 'payment_failed',
  title: 'Payment failed',
  text: '$9.00 to Odalys Ferrante did not go through: Your card has expired. You have not been charged.',
  actions: [
    { label: 'Change card', href: '/profile' },
    { label: 'Open subscriptions', href: '/subscriptions' },
  ],
});
const arrived = message({
  kind: 'payout_paid',
  title: 'Payout arrived',
  text: '$240.00 is at Harbor & Main ••6789.',
  isRead: true,
  at: ago(30),
});
const tip = (amount: string, isRead: boolean, at = ago(0)): Message =>
  message({
    kind: 'tip_received',
    title: 'Payment received',
    text: `Milo paid you $${amount}.`,
    amount,
    isRead,
    at,
  });
const SUMMARY: MessagesSummary = { unread: 2, away: { amount: '182.00', tips: 14, named: 9 } };

describe('a payment received', () => {
  it('is told with the note that came with it', async () => {
    await openMessages({
      'GET /api/messages?limit=100': [{ ...tip('13.00', true), note: 'That last waltz' }],
    });
    expect(await screen.findByText('“That last waltz”')).toBeVisible();
  });
});

async function openMessages(answers: Record<string, unknown> = {}) {
  const server = answering({
    'GET /api/messages?limit=100': [failed, tip('13.00', false), arrived],
    'GET /api/messages/summary': SUMMARY,
    'POST /api/messages/read': null,
    ...answers,
  });
  const app = renderAt('/messages');
  await screen.findByRole('heading', { level: 1, name: 'Messages' });
  await waitFor(() => expect(screen.queryByLabelText('Loading your messages')).not.toBeInTheDocument());
  return { server, ...app };
}

describe('the messages', () => {
  it('show what came while nobody looked, and what needs an answer with its buttons', async () => {
    await openMessages();
    expect(await screen.findByText('While you were away')).toBeVisible();
    expect(screen.getByText('14 tips, 9 with a name')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Read the notes' })).toHaveAttribute('href', '/history');
    const rows = within(screen.getByRole('list', { name: 'Today' })).getAllByRole('listitem');
    // The tip stands on the stage.
    expect(rows).toHaveLength(1);
    expect(rows[0]).toHaveTextContent('Payment failed');
    expect(rows[0]).toHaveTextContent('You have not been charged.');
    expect(within(screen.getByText('Today').parentElement!).getByText('1 new')).toBeVisible();
    expect(within(rows[0]!).getByRole('link', { name: 'Change card' })).toHaveAttribute('href', '/profile');
    const [payout] = screen.getAllByText('Payout arrived');
    expect(within(payout!.closest('li')!).queryByRole('link')).not.toBeInTheDocument();
  });

  it('show payments in their days when they could not be summed up', async () => {
    const { server, person } = await openMessages({ 'GET /api/messages/summary': refusal(503, 'No.') });
    const today = within(await screen.findByRole('list', { name: 'Today' }));
    expect(today.getByText('Milo paid you $13.00.')).toBeVisible();
    expect(screen.queryByText('While you were away')).not.toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Mark all as read' }));
    await waitFor(() => expect(server.calls('POST /api/messages/read')).toEqual([{ through: failed.id }]));
  });

  it('are counted in the menu while unread, each time it opens', async () => {
    const server = answering({ 'GET /api/messages/summary': SUMMARY });
    const { person } = renderAt('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    await person.click(screen.getByRole('button', { name: 'Menu' }));
    expect(await screen.findByRole('link', { name: 'Messages 2 new' })).toHaveAttribute('href', '/messages');
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Menu' })).not.toBeInTheDocument());
    server.answers['GET /api/messages/summary'] = { unread: 0, away: null };
    await person.click(screen.getByRole('button', { name: 'Menu' }));
    expect(await screen.findByRole('link', { name: 'Messages' })).toBeVisible();
  });

  it('are marked as read as far as they were seen', async () => {
    const { server, person } = await openMessages();
    server.answers['GET /api/messages/summary'] = { unread: 0, away: null };
    server.answers['GET /api/messages?limit=100'] = [
      { ...failed, isRead: true },
      tip('13.00', true),
      arrived,
    ];
    await person.click(await screen.findByRole('button', { name: 'Mark all as read' }));
    await waitFor(() => expect(screen.queryByText('While you were away')).not.toBeInTheDocument());
    expect(server.made).toContainEqual(
      expect.objectContaining({ call: 'POST /api/messages/read', body: { through: failed.id } }),
    );
    expect(screen.queryByRole('button', { name: 'Mark all as read' })).not.toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Change card' })).not.toBeInTheDocument();
  });

  it('are marked as read when their link is followed', async () => {
    const { server, person } = await openMessages();
    await person.click(await screen.findByRole('link', { name: 'Change card' }));
    await waitFor(() =>
      expect(server.made).toContainEqual(
        expect.objectContaining({ call: 'POST /api/messages/read', body: { ids: [failed.id] } }),
      ),
    );
  });

  it('that cannot be marked say so and stay as they are', async () => {
    const { person } = await openMessages({
      'POST /api/messages/read': refusal(503, 'Try again in a moment.'),
    });
    await person.click(await screen.findByRole('button', { name: 'Mark all as read' }));
    await toast('Update Failed', 'Try again in a moment.');
    expect(screen.getByText('While you were away')).toBeVisible();
  });

  it('show no amounts while amounts are hidden', async () => {
    await openMessages({ 'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true } });
    expect(await screen.findByText(/\$•••• to Odalys Ferrante/)).toBeVisible();
    expect(screen.queryByText(/240\.00/)).not.toBeInTheDocument();
  });

  it('that are none say what comes here', async () => {
    await openMessages({
      'GET /api/messages?limit=100': [],
      'GET /api/messages/summary': { unread: 0, away: null },
    });
    expect(await screen.findByText('No messages yet')).toBeVisible();
  });

  it('that cannot be loaded say so', async () => {
    await openMessages({ 'GET /api/messages?limit=100': refusal(503, 'Not now') });
    expect(await screen.findByText('Your messages could not be loaded.')).toBeVisible();
  });
});

describe('a thousand messages', () => {
  const of = (days: number, from: number): Message[] =>
    Array.from({ length: days * 10 }, (_, n) =>
      message({ id: `msg_${from + n}`, at: ago(30 + 24 * Math.floor((from + n) / 10)), isRead: true }),
    );

  it('are drawn near the window only, and read page by page', async () => {
    const { server, person } = await openMessages({
      'GET /api/messages?limit=100': pageBefore('7', of(100, 0)),
      'GET /api/messages?limit=100&cursor=7': of(1, 1_000),
    });
    await screen.findAllByText('Payment sent');
    expect(screen.getAllByRole('listitem').length).toBeLessThan(100);
    expect(server.calls('GET /api/messages?limit=100&cursor=7')).toHaveLength(0);
    await person.click(screen.getByRole('button', { name: 'Show earlier' }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Show earlier' })).not.toBeInTheDocument(),
    );
    expect(server.calls('GET /api/messages?limit=100&cursor=7')).toHaveLength(1);
    expect(screen.getAllByRole('listitem').length).toBeLessThan(100);
  });

  it('are read on once what is read again is there', async () => {
    const observed: (() => void)[] = [];
    const ends = jest.fn();
    class Observer {
      constructor(seen: (entries: object[]) => void) {
        observed.push(() => seen([{ isIntersecting: true }]));
      }
      observe(): void {}
      disconnect(): void {
        ends();
      }
    }
    Object.assign(globalThis, { IntersectionObserver: Observer });
    try {
      let answerAgain: () => void = () => undefined;
      const page = pageBefore('7', of(100, 0));
      const { server, person } = await openMessages({
        'GET /api/messages?limit=100': page,
        'GET /api/messages?limit=100&cursor=7': of(1, 1_000),
        'POST /api/messages/read': null,
      });
      await screen.findByRole('button', { name: 'Show earlier' });
      // Another read of what is there is under way as the end comes into view.
      server.answers['GET /api/messages?limit=100'] = () =>
        new Promise((resolve) => (answerAgain = () => resolve(page())));
      await person.click(await screen.findByRole('button', { name: 'Mark all as read' }));
      await waitFor(() => expect(ends).toHaveBeenCalled());
      await waitFor(() =>
        expect(screen.queryByRole('button', { name: 'Show earlier' })).not.toBeInTheDocument(),
      );
      const count = observed.length;
      await act(async () => answerAgain());
      await waitFor(() => expect(observed.length).toBeGreaterThan(count));
      act(() => observed.at(-1)!());
      await waitFor(() =>
        expect(server.calls('GET /api/messages?limit=100&cursor=7').length).toBeGreaterThan(0),
      );
    } finally {
      Reflect.deleteProperty(globalThis, 'IntersectionObserver');
    }
  });

  it('are not all read again by each tip that comes in: the newest page is', async () => {
    FakeStream.install();
    try {
      const { server, person } = await openMessages({
        'GET /api/messages?limit=100': pageBefore('7', of(10, 0)),
        'GET /api/messages?limit=100&cursor=7': of(10, 100),
      });
      await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
      await waitFor(() =>
        expect(screen.queryByRole('button', { name: 'Show earlier' })).not.toBeInTheDocument(),
      );
      const [newest, earlier] = ['GET /api/messages?limit=100', 'GET /api/messages?limit=100&cursor=7'];
      const before = server.calls(newest!).length;
      server.answers[newest!] = pageBefore('8', [message({ title: 'Payout sent' }), ...of(10, 0)]);
      await FakeStream.stands();
      await FakeStream.last.says({ topics: ['user', 'transactions'] });
      expect(await screen.findByText('Payout sent')).toBeVisible();
      expect(server.calls(newest!)).toHaveLength(before + 1);
      expect(server.calls(earlier!)).toHaveLength(1);
      // What was read further down is still there: nothing follows it.
      expect(screen.queryByRole('button', { name: 'Show earlier' })).not.toBeInTheDocument();
    } finally {
      FakeStream.remove();
    }
  });

  it('below an evening of tips that nobody looked at are reached by large pages', async () => {
    const unread = (count: number) => Array.from({ length: count }, () => tip('5.00', false));
    const { server } = await openMessages({
      'GET /api/messages?limit=100': pageBefore('7', unread(100)),
      'GET /api/messages?limit=1000&cursor=7': [...unread(20), arrived],
    });
    expect(await screen.findByText('Payout arrived')).toBeVisible();
    expect(server.calls('GET /api/messages?limit=1000&cursor=7')).toHaveLength(1);
  });

  it('that were marked as read stay so further down, too', async () => {
    const earlier = [{ ...failed, id: 'msg_earlier', at: ago(24 * 20) }];
    const { server, person } = await openMessages({
      'GET /api/messages?limit=100': pageBefore('7', of(2, 0)),
      'GET /api/messages?limit=100&cursor=7': earlier,
    });
    await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
    expect(await screen.findByRole('link', { name: 'Change card' })).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Mark all as read' }));
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Change card' })).not.toBeInTheDocument());
    expect(server.calls('GET /api/messages?limit=100&cursor=7')).toHaveLength(1);
  });

  it('of which earlier ones cannot be read say so, and are asked for again', async () => {
    const { server, person } = await openMessages({
      'GET /api/messages?limit=100': pageBefore('7', of(10, 0)),
      'GET /api/messages?limit=100&cursor=7': refusal(503, 'Not now'),
    });
    await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
    expect(await screen.findByText('Earlier messages could not be loaded.')).toBeVisible();
    server.answers['GET /api/messages?limit=100&cursor=7'] = of(1, 1_000);
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() =>
      expect(screen.queryByText('Earlier messages could not be loaded.')).not.toBeInTheDocument(),
    );
  });
});

describe('the days of messages', () => {
  it('fold the payments received of a day into one row, to the cent', () => {
    const now = Date.parse('2026-11-23T20:00:00Z');
    const at = '2026-11-23T18:00:00Z';
    const days = daysOf(
      [failed, tip('20.50', true, at), tip('0.55', true, at)].map((one) => ({ ...one, at })),
      now,
    );
    expect(days).toMatchObject([
      {
        title: 'Today',
        unread: 1,
        messages: [
          { kind: 'payment_failed' },
          { title: '2 payments received', text: '$21.05 in all. It is in your balance.' },
        ],
      },
    ]);
  });

  it('are called by their names', () => {
    const now = Date.parse('2026-11-23T20:00:00Z');
    const on = (at: string) => daysOf([message({ at })], now)[0]?.title;
    expect([on('2026-11-23T19:00:00Z'), on('2026-11-22T19:00:00Z'), on('2026-11-14T19:00:00Z')]).toEqual([
      'Today',
      'Yesterday',
      'Sat Nov 14',
    ]);
  });
});
