import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import type { AccountEntry, Statement, StatementSummary } from '#contracts/api/statements';
import { FakeStream } from '../../../testing/fake-stream.js';
import {
  answering,
  pageBefore,
  refusal,
  renderAt,
  SIGNED_OUT,
  toast,
  watchLeaving,
} from '../../../testing/render.js';
import { line } from '../../../testing/transactions.js';
import { wordsOf } from './entry-words.js';

/** At an hour of a day of November, by the reader's own clock. */
const at = (day: number, hour: number): string => new Date(2025, 10, day, hour, 44).toISOString();

const entry = (id: string, more: Partial<AccountEntry> = {}): AccountEntry => ({
  id,
  type: 'PaymentSettled',
  account: 'available',
  recordedAt: at(14, 21),
  amount: '10.00',
  balance: '1284.50',
  counterpartyUsername: 'wren',
  counterpartyName: 'Wren Achebe',
  description: null,
  paymentId: null,
  payoutId: null,
  bankAccountLabel: null,
  walletId: null,
  walletName: null,
  ...more,
});
const month = (key: string, more: Partial<StatementSummary> = {}): StatementSummary => ({
  month: key,
  opening: '612.40',
  received: '1355.90',
  sent: '1070.80',
  closing: '897.50',
  entryCount: 15,
  isClosed: true,
  ...more,
});
const ENTRIES = 'GET /api/account-entries?account=available&limit=50';
const WALLETS = 'GET /api/treasury/wallets';

afterEach(() => {
  FakeStream.remove();
  jest.restoreAllMocks();
});

describe('everything', () => {
  it('lists each entry with its note and the balance after it, under days with their sums', async () => {
    answering({
      [ENTRIES]: [
        entry('9-0', { description: 'For the encore', paymentId: 'pay_1' }),
        entry('8-0', {
          type: 'WalletFunded',
          amount: '-70.00',
          balance: '1102.50',
          counterpartyName: null,
          counterpartyUsername: null,
          walletId: 'w1',
          walletName: 'Tax wallet',
        }),
        entry('7-0', { recordedAt: at(13, 9), amount: '-15.00', type: 'TransferPosted', balance: '822.50' }),
      ],
    });
    const { person, at: place } = renderAt('/history?account=available');
    const day = within(await screen.findByRole('list', { name: 'Fri Nov 14' }));
    expect(screen.getByRole('heading', { name: 'Fri Nov 14' }).nextSibling).toHaveTextContent(
      '+$10.00-$70.00',
    );
    expect(day.getByText('“For the encore”')).toBeVisible();
    expect(day.getAllByRole('listitem').map((row) => row.textContent)).toEqual([
      'Wren Achebe9:44 PM“For the encore”+$10.00Balance $1,284.50',
      'To Tax wallet9:44 PMYour own wallet-$70.00Balance $1,102.50',
    ]);
    expect(screen.getByText('Every move of your available balance')).toBeVisible();
    await person.click(day.getByRole('link', { name: 'Wren Achebe' }));
    expect(place()).toBe('/history?account=available&receipt=pay_1');
  });

  it('is reached from the list of payments, and leads back to it', async () => {
    answering({ 'GET /api/transactions?limit=50': [line('p1')], [ENTRIES]: [entry('9-0')] });
    const { person } = renderAt('/history');
    await screen.findByText('wren');
    await person.click(screen.getByRole('button', { name: 'Everything' }));
    expect(await screen.findByText('Every move of your available balance')).toBeVisible();
    expect(screen.queryByRole('textbox', { name: 'Search' })).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Payments' }));
    expect(await screen.findByRole('textbox', { name: 'Search' })).toBeVisible();
  });

  it('shows another account when it is chosen', async () => {
    const wallet = {
      id: 'w1',
      displayName: 'Tax wallet',
      description: null,
      balance: '70.00',
      currency: 'USD',
      status: 'active',
    };
    answering({
      [ENTRIES]: [entry('9-0')],
      [WALLETS]: [wallet],
      'GET /api/account-entries?account=w1&limit=50': [
        entry('8-1', { type: 'WalletFunded', account: 'w1', walletId: 'w1', walletName: 'Tax wallet' }),
      ],
    });
    const { person, at: place } = renderAt('/history?account=available');
    await screen.findByRole('option', { name: 'Tax wallet' });
    await person.selectOptions(screen.getByRole('combobox', { name: 'Account' }), 'Tax wallet');
    expect(await screen.findByText('From your available balance')).toBeVisible();
    expect(screen.getByText('Every move of Tax wallet')).toBeVisible();
    expect(place()).toBe('/history?account=w1');
  });

  it('reads on when asked, and says no sum of a day that may have more entries', async () => {
    answering({
      [ENTRIES]: pageBefore('9-0', [entry('9-0')]),
      'GET /api/account-entries?account=available&limit=100&cursor=9-0': [
        entry('8-0', { counterpartyName: 'Milo' }),
      ],
    });
    const { person } = renderAt('/history?account=available');
    const heading = await screen.findByRole('heading', { name: 'Fri Nov 14' });
    expect(heading.nextSibling).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Show earlier' }));
    expect(await screen.findByText('Milo')).toBeVisible();
    expect(heading.nextSibling).toHaveTextContent('+$20.00');
  });

  it('draws of many entries what is near the window, and tells how many there are', async () => {
    answering({ [ENTRIES]: Array.from({ length: 400 }, (_, n) => entry(`${500 - n}-0`)) });
    renderAt('/history?account=available');
    const rows = within(await screen.findByRole('list', { name: 'Fri Nov 14' })).getAllByRole('listitem');
    expect(rows.length).toBeLessThan(80);
    expect(rows[0]).toHaveAttribute('aria-posinset', '1');
    expect(rows[0]).toHaveAttribute('aria-setsize', '400');
  });

  it('keeps what was read further down when money comes in, and asks for the newest only', async () => {
    FakeStream.install();
    const earlier = 'GET /api/account-entries?account=available&limit=100&cursor=9-0';
    const server = answering({
      [ENTRIES]: pageBefore('9-0', [entry('9-0')]),
      [earlier]: [entry('8-0', { counterpartyName: 'Milo' })],
    });
    const { person } = renderAt('/history?account=available');
    await person.click(await screen.findByRole('button', { name: 'Show earlier' }));
    await screen.findByText('Milo');
    await FakeStream.stands();
    server.answers[ENTRIES] = pageBefore('9-0', [
      entry('10-0', { counterpartyName: 'Odalys' }),
      entry('9-0'),
    ]);
    await FakeStream.last.says({ topics: ['user', 'transactions'] });
    expect(await screen.findByText('Odalys')).toBeVisible();
    expect(screen.getByText('Milo')).toBeVisible();
    expect(server.calls(earlier)).toHaveLength(1);
  });

  it('is read again when it could not be', async () => {
    const server = answering({ [ENTRIES]: refusal(500, 'No.') });
    const { person } = renderAt('/history?account=available');
    expect(await screen.findByText('The entries could not be loaded.')).toBeVisible();
    server.answers[ENTRIES] = [];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Nothing has moved yet')).toBeVisible();
  });
});

describe('an entry in words', () => {
  const bank = { payoutId: 'po_1', bankAccountLabel: 'Harbor & Main ••6789' };
  it.each([
    [{ type: 'PaymentRefunded', amount: '-10.00' }, 'Refund, Wren Achebe'],
    [{ type: 'DisputeFundsWithdrawn', amount: '-10.00' }, 'Taken back, Wren Achebe'],
    [{ type: 'DisputeFundsReinstated' }, 'Given back to you, Wren Achebe'],
    [{ type: 'RefundFailed' }, 'Refund came back, Wren Achebe'],
    [{ type: 'PayoutRequested', amount: '-10.00', ...bank }, 'Payout to ••6789'],
    [{ type: 'PayoutSubmitted', amount: '-10.00', ...bank }, 'Sent to ••6789'],
    [{ type: 'PayoutFailed', ...bank }, 'Payout failed'],
    [{ type: 'WalletWithdrawn', walletId: 'w1', walletName: 'Tax wallet' }, 'From Tax wallet'],
    [
      { type: 'WalletWithdrawn', walletId: 'w1', account: 'w1', amount: '-1.00' },
      'To your available balance',
    ],
    [{ counterpartyName: null, counterpartyUsername: null }, 'Payment received'],
    [{ type: 'DebtWrittenOff' }, 'Debt written off'],
  ])('%j is called %s', (more, title) => {
    expect(wordsOf(entry('1-0', more)).title).toBe(title);
  });
});

describe('the statements', () => {
  const LIST = 'GET /api/statements';
  it('are months under their years, with what came in and went out, the newest year on the stage', async () => {
    answering({
      [LIST]: {
        timeZone: 'UTC',
        months: [
          month('2026-01', {
            received: '10.00',
            sent: '5.50',
            closing: '902.00',
            isClosed: false,
            entryCount: 1,
          }),
          month('2025-12'),
          month('2025-11', { received: '100.10', sent: '0.00' }),
        ],
      },
    });
    renderAt('/history/statements');
    const year = within(await screen.findByRole('region', { name: '2025' }));
    expect(year.getByRole('heading').nextSibling).toHaveTextContent('+$1,456.00-$1,070.80');
    expect(year.getByRole('link', { name: 'December 2025' })).toHaveAttribute(
      'href',
      '/history/statements?month=2025-12',
    );
    expect(screen.getByText('1 entry, not closed yet')).toBeVisible();
    const stage = screen.getByRole('heading', { name: '2026, balance so far' }).parentElement;
    expect(stage).toHaveTextContent('$902.00At the beginning$612.40In+$10.00Out-$5.50');
    expect(
      screen.getByText('A month begins and ends at midnight in UTC. A closed month never changes.'),
    ).toBeVisible();
  });

  it('are none before money moves', async () => {
    answering({ [LIST]: { timeZone: 'UTC', months: [] } });
    renderAt('/history/statements');
    expect(await screen.findByText('No statements yet')).toBeVisible();
  });

  it('are read again when they could not be', async () => {
    const server = answering({ [LIST]: refusal(500, 'No.') });
    const { person } = renderAt('/history/statements');
    expect(await screen.findByText('Your statements could not be loaded.')).toBeVisible();
    server.answers[LIST] = { timeZone: 'Europe/Lisbon', months: [month('2025-11')] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(/at midnight in Europe\/Lisbon/)).toBeVisible();
  });
});

describe('a month’s statement', () => {
  const ONE = 'GET /api/statements/2025-11';
  const { entryCount: _, ...figures } = month('2025-11');
  const statement = (more: Partial<Statement> = {}): Statement => ({
    ...figures,
    account: 'available',
    timeZone: 'UTC',
    lines: [
      entry('8-0', { balance: '622.40' }),
      entry('9-0', { counterpartyName: 'Milo', balance: '632.40' }),
    ],
    isCut: false,
    ...more,
  });

  it('has the balances at both ends and every entry between, and is had as a PDF', async () => {
    const saved = jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    const pdf = new Blob(['%PDF'], { type: 'application/pdf' });
    Object.assign(URL, { createObjectURL: jest.fn(() => 'blob:1'), revokeObjectURL: jest.fn() });
    answering({ [ONE]: statement(), [`${ONE}/pdf`]: () => new Response(pdf) });
    const { person } = renderAt('/history/statements?month=2025-11');
    expect(await screen.findByRole('heading', { name: 'November 2025' })).toBeVisible();
    const aside = within(await screen.findByRole('complementary', { name: 'The month’s figures' }));
    expect(aside.getByText('Closing balance').parentElement).toHaveTextContent(
      '$897.50Opening balance$612.40In+$1,355.90Out-$1,070.80',
    );
    const rows = screen.getAllByRole('listitem').map((row) => row.textContent);
    expect(rows.filter((text) => text?.includes('Balance'))).toEqual([
      'Milo9:44 PMPayment received+$10.00Balance $632.40',
      'Wren Achebe9:44 PMPayment received+$10.00Balance $622.40',
    ]);
    expect(screen.getByText(/This month is closed: its entries never change\./)).toBeVisible();
    await person.click(aside.getByRole('button', { name: 'Download PDF of November 2025' }));
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
  });

  it('says what went wrong when there is no PDF', async () => {
    answering({
      [ONE]: statement(),
      [`${ONE}/pdf`]: refusal(503, 'The books are being read. Try again soon.'),
    });
    const { person } = renderAt('/history/statements?month=2025-11');
    await person.click(await screen.findByRole('button', { name: 'Download PDF of November 2025' }));
    await toast('Error', 'The books are being read. Try again soon.');
  });

  it('is not had as a PDF once the session has ended, which is said as everywhere', async () => {
    watchLeaving();
    const server = answering({ [ONE]: statement(), [`${ONE}/pdf`]: SIGNED_OUT });
    const { person } = renderAt('/history/statements?month=2025-11');
    const button = await screen.findByRole('button', { name: 'Download PDF of November 2025' });
    server.answers['GET /api/auth/user'] = SIGNED_OUT;
    await person.click(button);
    await toast('Unauthorized', 'You are logged out. Logging in again...');
  });

  it('says that it is not closed yet, and where more entries stand', async () => {
    answering({ [ONE]: statement({ isClosed: false, isCut: true }) });
    renderAt('/history/statements?month=2025-11');
    expect(await screen.findByText('Balance so far')).toBeVisible();
    expect(screen.getByText(/not closed yet: more may come/)).toBeVisible();
    const link = screen.getByRole('link', { name: 'the list of everything' });
    expect(link.parentElement).toHaveTextContent(
      'The month has more entries than stand here. The PDF holds 3,000 of them at most; the list of everything has them all.',
    );
    expect(link).toHaveAttribute('href', '/history?account=available');
  });

  it('of a month without entries says that nothing moved', async () => {
    answering({ [ONE]: statement({ lines: [] }) });
    renderAt('/history/statements?month=2025-11');
    expect(await screen.findByText('Nothing moved in this month')).toBeVisible();
  });
});
