import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { answering, JUNO, refusal, renderAt, SETTINGS } from '../../../testing/render.js';
import { hoursAgo, line } from '../../../testing/transactions.js';
import { greeting } from './Welcome.js';

afterEach(() => {
  jest.restoreAllMocks();
  localStorage.clear();
});

const RECENT = 'GET /api/transactions?limit=4';

describe('home', () => {
  it('shows the balance, and the ways to be paid and to pay', async () => {
    answering({ [RECENT]: [] });
    renderAt('/');
    expect(await screen.findByText('Available balance')).toBeVisible();
    await waitFor(() => expect(screen.getByText('$1,284.50')).toBeInTheDocument());
    const main = within(screen.getByRole('main'));
    expect(main.getByRole('link', { name: 'Manage Bank Accounts' })).toHaveAttribute(
      'href',
      '/bank-accounts',
    );
    expect(main.getByRole('link', { name: 'Receive Payment' })).toHaveAttribute('href', '/my-qr');
    expect(main.getByRole('link', { name: 'Send Payment' })).toHaveAttribute('href', '/payments');
    expect(main.getAllByRole('link', { name: 'My QR Code' })[0]).toHaveAttribute('href', '/my-qr');
    expect(main.getAllByRole('button', { name: 'Add to Apple Wallet' })[0]).toBeInTheDocument();
    expect(main.getByRole('form', { name: 'Tap to Pay' })).toBeVisible();
    expect(main.getByText('Verified Professional')).toBeVisible();
    expect(await main.findByRole('switch', { name: 'Privacy mode' })).toBeEnabled();
    expect(
      screen.getByRole('heading', { level: 1, name: /^Good (morning|afternoon|evening), Juno$/ }),
    ).toBeInTheDocument();
  });

  it.each([
    ['whoever only pays', { transactionCount: 3, totalEarnings: '0.00', earnings: '0.00' }, 'sending'],
    ['whoever receives', {}, 'receiving'],
    ['somebody new', { transactionCount: 0, totalEarnings: '0.00', earnings: '0.00' }, 'receiving'],
    ['a payer with a debt', { transactionCount: 3, totalEarnings: '0.00', earnings: '-5.00' }, 'receiving'],
  ])('of %s opens on what they do', async (_who, facts, opensOn) => {
    answering({ 'GET /api/auth/user': { ...JUNO, ...facts }, [RECENT]: [] });
    renderAt('/');
    const send = await screen.findByRole('link', { name: 'Send Payment' });
    const receive = screen.getByRole('link', { name: 'Receive Payment' });
    const [first] = opensOn === 'sending' ? [send, receive] : [receive, send];
    const second = first === send ? receive : send;
    expect(first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const form = screen.getByRole('form', { name: 'Tap to Pay' });
    const activity = screen.getByRole('heading', { name: 'Recent Activity' });
    const isFormFirst = (form.compareDocumentPosition(activity) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    expect(isFormFirst).toBe(opensOn === 'sending');
  });

  it.each([
    [4, 'Good evening'],
    [5, 'Good morning'],
    [11, 'Good morning'],
    [12, 'Good afternoon'],
    [17, 'Good afternoon'],
    [18, 'Good evening'],
  ])('greets at %i o’clock with %s', (hour, words) => expect(greeting(hour)).toBe(words));

  it('says how much of the balance can be paid out now, where card payments are on their way', async () => {
    answering({
      'GET /api/payouts/funds': { now: '1000.00', later: [], undated: '284.50' },
    });
    renderAt('/');
    expect(await screen.findByText('$1,000.00 can be paid out now. $284.50 has no date yet.')).toBeVisible();
  });

  it('lists the last three with what they are, and leads to all when there are more', async () => {
    answering({
      [RECENT]: [
        line('p1'),
        line('p2', {
          type: 'payment_sent',
          amount: '15.00',
          counterpartyUsername: 'odalys',
          counterpartyName: 'Odalys Ferrante',
          createdAt: hoursAgo(3),
        }),
        line('p3', { counterpartyUsername: null, amount: '1350.00', createdAt: hoursAgo(25) }),
        line('p4'),
      ],
    });
    renderAt('/');
    const rows = within(await screen.findByRole('list', { name: 'Recent Activity' })).getAllByRole(
      'listitem',
    );
    expect(rows.map((row) => row.textContent)).toEqual([
      'wrenLess than an hour ago+$20.00',
      'Odalys Ferrante3 hours ago-$15.00',
      'Payment receivedYesterday+$1,350.00',
    ]);
    expect(screen.getByRole('link', { name: 'wren' })).toHaveAttribute('href', '/history?receipt=p1');
    expect(screen.getByRole('link', { name: 'View All' })).toHaveAttribute('href', '/history');
  });

  it('asks for a short list by its path alone, as whoever stands in for the server may know it', async () => {
    const rows = ['p1', 'p2', 'p3', 'p4', 'p5'].map((id) => line(id));
    const server = answering({
      'GET /api/auth/user': { ...JUNO, transactionCount: rows.length },
      'GET /api/transactions': rows,
    });
    const { navigate } = renderAt('/');
    const recent = within(await screen.findByRole('list', { name: 'Recent Activity' }));
    expect(recent.getAllByRole('listitem')).toHaveLength(3);
    expect(screen.getByRole('link', { name: 'View All' })).toBeVisible();
    await navigate('/history');
    await waitFor(() => expect(screen.getAllByRole('link', { name: 'wren' })).toHaveLength(5));
    expect(server.calls('GET /api/transactions')).toHaveLength(2);
    expect(server.made.filter(({ call }) => call.includes('limit=50') || call.includes('limit=4'))).toEqual(
      [],
    );
  });

  it('opens a receipt over the history, which leads back home when it is closed', async () => {
    answering({ [RECENT]: [line('p1')], 'GET /api/transactions?limit=50': [line('p1')] });
    const { person, at } = renderAt('/');
    await person.click(await screen.findByRole('link', { name: 'wren' }));
    const receipt = await screen.findByRole('dialog', { name: 'Receipt' });
    expect(at()).toBe('/history?receipt=p1');
    await person.click(within(receipt).getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(at()).toBe('/'));
    expect(await screen.findByRole('list', { name: 'Recent Activity' })).toBeVisible();
  });

  it('has no link to more where three are all', async () => {
    answering({ [RECENT]: [line('p1'), line('p2'), line('p3')] });
    renderAt('/');
    await screen.findByRole('list', { name: 'Recent Activity' });
    expect(screen.queryByRole('link', { name: 'View All' })).toBeNull();
  });

  it('says what did not go well', async () => {
    answering({ [RECENT]: [line('p1', { status: 'failed', type: 'payment_sent' })] });
    renderAt('/');
    expect(await screen.findByText('Failed')).toBeVisible();
  });

  it('invites people without tips', async () => {
    answering({ [RECENT]: [] });
    renderAt('/');
    expect(await screen.findByText('No transactions yet')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Show My QR Code' })).toHaveAttribute('href', '/my-qr');
  });

  it('keeps its heading when the list cannot be read, and reads it again when asked', async () => {
    const server = answering({ [RECENT]: refusal(500, 'No.') });
    const { person } = renderAt('/');
    expect(await screen.findByText('Your recent activity could not be loaded.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Recent Activity' })).toBeVisible();
    server.answers[RECENT] = [line('p1')];
    await person.click(
      within(screen.getByRole('region', { name: 'Recent Activity' })).getByRole('button', {
        name: 'Try again',
      }),
    );
    expect(await screen.findByText('wren')).toBeVisible();
  });

  it('calls a debt one', async () => {
    answering({ 'GET /api/auth/user': { ...JUNO, earnings: '-12.50' }, [RECENT]: [] });
    renderAt('/');
    expect(await screen.findByText('You owe')).toBeVisible();
    expect(screen.getByText('$12.50')).toBeInTheDocument();
    expect(screen.queryByText('Available balance')).toBeNull();
  });

  it('hides amounts in privacy mode until they are asked for, and hides them again', async () => {
    answering({ 'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true }, [RECENT]: [line('p1')] });
    localStorage.setItem('encore.privacy', 'yes');
    const { person } = renderAt('/');
    await screen.findByText('wren');
    expect(screen.queryByText('$1,284.50')).toBeNull();
    expect(screen.queryByText('+$20.00')).toBeNull();
    expect(screen.queryByText('$18,406.75')).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Show amounts' }));
    await waitFor(() => expect(screen.getByText('$1,284.50')).toBeInTheDocument());
    expect(screen.getByText('+$20.00')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Hide amounts' }));
    await waitFor(() => expect(screen.queryByText('+$20.00')).toBeNull());
  });
});
