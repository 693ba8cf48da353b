import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { TreasuryTransaction, TreasuryWallet } from '#contracts/api/treasury';
import { FakeStream } from '../../../testing/fake-stream.js';
import {
  answering,
  pageBefore,
  refusal,
  renderAt,
  runUntilShown,
  SIGNED_OUT,
  toast,
  watchLeaving,
} from '../../../testing/render.js';
import { sumOf } from './sum.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const TOURING: TreasuryWallet = {
  id: 'wal_1',
  displayName: 'Touring fund',
  description: 'Vans, hotels, strings',
  balance: '4300.10',
  currency: 'USD',
  status: 'active',
};
const TAXES: TreasuryWallet = {
  ...TOURING,
  id: 'wal_2',
  displayName: 'Taxes 2026',
  description: null,
  balance: '2620.20',
};
const SPLIT: TreasuryTransaction = {
  id: 'wtx_1',
  walletId: 'wal_1',
  walletName: 'Touring fund',
  type: 'credit',
  amount: '175.00',
  status: 'completed',
  description: 'Door split',
  createdAt: '2026-11-19T12:00:00.000Z',
};

async function openTreasury(answers: Record<string, unknown> = {}) {
  const server = answering({
    'GET /api/treasury/wallets': [TOURING, TAXES],
    'GET /api/treasury/transactions': [SPLIT],
    ...answers,
  });
  const app = renderAt('/treasury');
  await screen.findByRole('heading', { name: 'Treasury' });
  await waitFor(() => expect(screen.queryByLabelText('Loading your wallets')).not.toBeInTheDocument());
  return { server, ...app };
}

/**
 * A press that is refused because the session has ended is told, and half a second later the browser is at
 * sign-in.
 */
async function sendsToSignIn(press: HTMLElement): Promise<void> {
  const goTo = watchLeaving();
  jest.useFakeTimers();
  try {
    fireEvent.click(press);
    // The clock stands while the answer comes.
    await runUntilShown('Unauthorized', 0);
    expect(screen.getByText('You are logged out. Logging in again...')).toBeVisible();
    await act(() => jest.advanceTimersByTimeAsync(499));
    expect(goTo).not.toHaveBeenCalled();
    await act(() => jest.advanceTimersByTimeAsync(1));
    expect(goTo.mock.calls).toEqual([['/api/login?returnTo=%2Ftreasury']]);
  } finally {
    jest.useRealTimers();
  }
}

describe('the treasury', () => {
  it('shows what all wallets hold together, and each of them', async () => {
    await openTreasury();
    expect(screen.getByText('Total Treasury Balance')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Recent Treasury Transactions' })).toBeVisible();
    expect(screen.getByText('$6,920.30')).toBeInTheDocument();
    const [touring, taxes] = within(screen.getByRole('list', { name: 'Wallets' })).getAllByRole('listitem');
    expect(touring).toHaveTextContent('Touring fund');
    expect(touring).toHaveTextContent('Vans, hotels, strings');
    expect(touring).toHaveTextContent('Active');
    expect(touring).toHaveTextContent('$4,300.10');
    expect(touring).toHaveTextContent('USD');
    expect(taxes).toHaveTextContent('Taxes 2026');
  });

  it('shows the status of each wallet; an unknown one is drawn as inactive', async () => {
    const statuses = ['active', 'pending', 'inactive', 'failed', 'frozen', 'processing', 'completed'];
    await openTreasury({
      'GET /api/treasury/wallets': statuses.map((status, n) => ({ ...TOURING, id: `wal_${n}`, status })),
    });
    const labels = ['Active', 'Pending', 'Inactive', 'Failed', 'Frozen', 'Processing', 'Completed'];
    const list = within(screen.getByRole('list', { name: 'Wallets' }));
    const tones = labels.map((label) =>
      list.getByText(label).closest('[data-tone]')?.getAttribute('data-tone'),
    );
    expect(tones).toEqual(['success', 'warning', 'quiet', 'error', 'quiet', 'quiet', 'quiet']);
  });

  it('adds balances up that are written with more decimals, and says so where it cannot', async () => {
    const withBalances = (...balances: unknown[]) => ({
      'GET /api/treasury/wallets': balances.map((balance, n) => ({ ...TOURING, id: `wal_${n}`, balance })),
    });
    const { unmount } = await openTreasury(withBalances('4300.100000', '20.5'));
    expect(screen.getByText('$4,320.60')).toBeInTheDocument();
    unmount();
    await openTreasury(withBalances('4300.10', 'much'));
    expect(screen.getByLabelText('Unknown')).toBeVisible();
  });

  it('adds amounts up in cents', () => {
    expect(sumOf(['0.10', '0.20', '1000000.00'])).toBe('1000000.30');
    expect(sumOf([])).toBe('0.00');
    expect(sumOf(['1.00', 'much'])).toBeUndefined();
  });

  it('shows what moved: in with a plus, anything else with a minus, and the default description', async () => {
    await openTreasury({
      'GET /api/treasury/transactions': [
        SPLIT,
        { ...SPLIT, id: 'wtx_2', type: 'debit', amount: '240.00', description: null, status: 'pending' },
      ],
    });
    const rows = within(await screen.findByRole('list', { name: 'Treasury transactions' })).getAllByRole(
      'listitem',
    );
    expect(rows[0]).toHaveTextContent('Door splitNov 19, 2026 · Touring fund+$175.00Completed');
    expect(rows[1]).toHaveTextContent('Treasury TransactionNov 19, 2026 · Touring fund-$240.00Pending');
  });

  it('draws what moved in green, and anything else in red', async () => {
    await openTreasury({
      'GET /api/treasury/transactions': [
        SPLIT,
        { ...SPLIT, id: 'wtx_2', type: 'debit', amount: '240.00' },
        { ...SPLIT, id: 'wtx_3', type: 'adjustment', amount: '8.00' },
      ],
    });
    await screen.findByRole('list', { name: 'Treasury transactions' });
    const tones = ['+$175.00', '-$240.00', '-$8.00'].map((amount) =>
      screen.getByText(amount).getAttribute('data-tone'),
    );
    expect(tones).toEqual(['in', 'debit', 'debit']);
  });

  it('shows what moved on the pages after the first as well, when it is asked for', async () => {
    const lines = Array.from({ length: 11 }, (_, n) => ({ ...SPLIT, id: `wtx_${n}` }));
    const { person } = await openTreasury({
      'GET /api/treasury/transactions': pageBefore('7', lines),
      'GET /api/treasury/transactions?cursor=7': [{ ...SPLIT, id: 'wtx_old', description: 'The first gig' }],
    });
    await person.click(await screen.findByRole('button', { name: 'Show More' }));
    const list = screen.getByRole('list', { name: 'Treasury transactions' });
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(12));
    expect(within(list).getByText('The first gig')).toBeVisible();
  });

  it('that is empty says how to begin, and has the button for it', async () => {
    const { person } = await openTreasury({
      'GET /api/treasury/wallets': [],
      'GET /api/treasury/transactions': [],
    });
    expect(await screen.findByText('No treasury transactions yet')).toBeVisible();
    expect(screen.getByText('Create a wallet and add funds to get started')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Create a Wallet' }));
    expect(await screen.findByRole('dialog', { name: 'New Wallet' })).toBeVisible();
  });

  it('keeps its headings when nothing can be read', async () => {
    const { person, server } = await openTreasury({
      'GET /api/treasury/wallets': refusal(500, 'No.'),
      'GET /api/treasury/transactions': refusal(500, 'No.'),
    });
    expect(await screen.findByText('Your wallets could not be loaded.')).toBeVisible();
    expect(await screen.findByText('Your treasury transactions could not be loaded.')).toBeVisible();
    server.answers['GET /api/treasury/wallets'] = [TOURING];
    await person.click(screen.getAllByRole('button', { name: 'Try again' })[0]!);
    expect(await screen.findByText('Touring fund')).toBeVisible();
  });
});

describe('a new wallet', () => {
  async function openForm(answers: Record<string, unknown> = {}) {
    const app = await openTreasury(answers);
    await app.person.click(screen.getByRole('button', { name: 'New Wallet' }));
    const form = within(await screen.findByRole('dialog', { name: 'New Wallet' }));
    return { ...app, form };
  }

  it('is opened with its name and what it is for', async () => {
    const { person, server, form } = await openForm({
      'POST /api/treasury/wallets': { ...TOURING, id: 'wal_3' },
    });
    await person.click(form.getByLabelText('Wallet name'));
    await person.paste('  Festival float ');
    await person.click(form.getByRole('button', { name: 'Create Wallet' }));
    await toast('Treasury Wallet Created', 'Your new treasury wallet has been created successfully.');
    expect(server.calls('POST /api/treasury/wallets')).toEqual([
      { displayName: 'Festival float', description: '' },
    ]);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await waitFor(() => expect(server.calls('GET /api/treasury/wallets')).toHaveLength(2));
  });

  it('needs a name that is more than blanks', async () => {
    const { person, server, form } = await openForm();
    await person.click(form.getByLabelText('Wallet name'));
    await person.paste('   ');
    await person.click(form.getByRole('button', { name: 'Create Wallet' }));
    await toast('Error', 'Please enter a wallet name.');
    await waitFor(() => expect(form.getByText('Please enter a wallet name.')).toBeVisible());
    expect(server.calls('POST /api/treasury/wallets')).toHaveLength(0);
  });

  it('that the server cannot open shows the specified sentence, with its reason in the dialog', async () => {
    const { person, form } = await openForm({
      'POST /api/treasury/wallets': refusal(422, 'You have too many wallets.'),
    });
    await person.click(form.getByLabelText('Wallet name'));
    await person.paste('Taxes');
    await person.click(form.getByRole('button', { name: 'Create Wallet' }));
    await toast('Error', 'Failed to create treasury wallet. Please try again.');
    expect(form.getByRole('alert')).toHaveTextContent('You have too many wallets.');
  });

  it('sends to sign in after 500 ms when the session has ended', async () => {
    const { person, form } = await openForm({ 'POST /api/treasury/wallets': SIGNED_OUT });
    await person.click(form.getByLabelText('Wallet name'));
    await person.paste('Taxes');
    await sendsToSignIn(form.getByRole('button', { name: 'Create Wallet' }));
  });
});

describe.each([
  {
    act: 'Add Funds',
    opener: 'Add Funds to Touring fund',
    call: 'POST /api/treasury/transfer',
    done: { title: 'Transfer Initiated', sentence: 'Your fund transfer has been initiated.' },
    failed: 'Failed to initiate transfer. Please try again.',
    short: 'Your available balance is $1,284.50, which does not cover $5,000.00.',
  },
  {
    act: 'Withdraw',
    opener: 'Withdraw from Touring fund',
    call: 'POST /api/treasury/withdraw',
    done: { title: 'Funds Withdrawn', sentence: 'They are back in your available balance.' },
    failed: 'Failed to withdraw funds. Please try again.',
    short: 'This wallet holds $4,300.10, which does not cover $5,000.00.',
  },
])('$act', ({ act, opener, call, done, failed, short }) => {
  async function openForm(answers: Record<string, unknown> = {}) {
    const app = await openTreasury(answers);
    await app.person.click(screen.getByRole('button', { name: opener }));
    const form = within(await screen.findByRole('dialog', { name: act }));
    const enter = async (amount: string) => {
      await app.person.click(form.getByLabelText('Amount'));
      await app.person.paste(amount);
      await app.person.click(form.getByRole('button', { name: act }));
    };
    return { ...app, form, enter };
  }

  it('moves the amount, reads wallets, transactions and balance again, and closes', async () => {
    const { server, form, enter } = await openForm({ [call]: { id: 'wtx_9', walletId: 'wal_1' } });
    expect(form.getByLabelText('Amount')).toHaveAttribute('min', '0');
    expect(form.getByLabelText('Amount')).toHaveAttribute('step', '0.01');
    await enter('12.5');
    await toast(done.title, done.sentence);
    expect(server.calls(call)).toEqual([{ walletId: 'wal_1', amount: '12.5', description: '' }]);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    for (const read of ['GET /api/treasury/wallets', 'GET /api/treasury/transactions', 'GET /api/auth/user'])
      await waitFor(() => expect(server.calls(read)).toHaveLength(2));
  });

  it.each(['', '0', '-3'])('refuses “%s” as an amount', async (amount) => {
    const { server, form, enter } = await openForm();
    await enter(amount);
    await toast('Error', 'Please enter a valid amount.');
    await waitFor(() => expect(form.getByText('Please enter a valid amount.')).toBeVisible());
    expect(server.calls(call)).toHaveLength(0);
  });

  it('takes any amount, however large', async () => {
    const { server, enter } = await openForm({ [call]: { id: 'wtx_9', walletId: 'wal_1' } });
    await enter('999999999.99');
    await toast(done.title, done.sentence);
    expect(server.calls(call)).toEqual([{ walletId: 'wal_1', amount: '999999999.99', description: '' }]);
  });

  it('says at the button that there is not enough', async () => {
    const { form, enter } = await openForm({ [call]: refusal(422, short) });
    await enter('5000');
    await toast('Error', failed);
    expect(form.getByRole('alert')).toHaveTextContent(short);
  });

  it('sends to sign in after 500 ms when the session has ended', async () => {
    const { person, form } = await openForm({ [call]: SIGNED_OUT });
    await person.click(form.getByLabelText('Amount'));
    await person.paste('12.5');
    await sendsToSignIn(form.getByRole('button', { name: act }));
  });
});

describe('a wallet that is there', () => {
  async function choose(act: 'Rename Wallet' | 'Close Wallet', answers: Record<string, unknown> = {}) {
    const app = await openTreasury(answers);
    await app.person.click(screen.getByRole('button', { name: 'More for Touring fund' }));
    await app.person.click(await screen.findByRole('menuitem', { name: act }));
    return app;
  }

  it('is renamed: the form begins with what it is called', async () => {
    const { person, server } = await choose('Rename Wallet', {
      'PATCH /api/treasury/wallets/wal_1': { ...TOURING, displayName: 'Touring 2027' },
    });
    const form = within(await screen.findByRole('dialog', { name: 'Rename Wallet' }));
    expect(form.getByLabelText('Wallet name')).toHaveValue('Touring fund');
    expect(form.getByLabelText('Description (optional)')).toHaveValue('Vans, hotels, strings');
    await person.clear(form.getByLabelText('Wallet name'));
    await person.click(form.getByLabelText('Wallet name'));
    await person.paste('Touring 2027');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await toast('Wallet Renamed', 'It has its new name in your history, too.');
    expect(server.calls('PATCH /api/treasury/wallets/wal_1')).toEqual([
      { displayName: 'Touring 2027', description: 'Vans, hotels, strings' },
    ]);
    await waitFor(() => expect(server.calls('GET /api/treasury/wallets')).toHaveLength(2));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('keeps the description that another device gives it while it is renamed here', async () => {
    FakeStream.install();
    try {
      const { person, server } = await choose('Rename Wallet', {
        'PATCH /api/treasury/wallets/wal_1': { ...TOURING, displayName: 'Touring 2027' },
      });
      const form = within(await screen.findByRole('dialog', { name: 'Rename Wallet' }));
      await FakeStream.stands();
      await person.type(form.getByLabelText('Wallet name'), '!');
      server.answers['GET /api/treasury/wallets'] = [{ ...TOURING, description: 'Vans only' }, TAXES];
      await FakeStream.last.says({ topics: ['treasury'] });
      await waitFor(() => expect(form.getByLabelText('Description (optional)')).toHaveValue('Vans only'));
      await person.click(form.getByRole('button', { name: 'Save' }));
      await toast('Wallet Renamed');
      expect(server.calls('PATCH /api/treasury/wallets/wal_1')).toEqual([
        { displayName: 'Touring fund!', description: 'Vans only' },
      ]);
    } finally {
      FakeStream.remove();
    }
  });

  it('is closed after a question that says where its money goes', async () => {
    const { person, server } = await choose('Close Wallet', { 'DELETE /api/treasury/wallets/wal_1': null });
    const question = within(await screen.findByRole('dialog', { name: 'Close this wallet?' }));
    expect(question.getByText(/\$4,300\.10/)).toBeVisible();
    expect(question.getByText(/go back to your available balance/)).toBeVisible();
    await person.click(question.getByRole('button', { name: 'Close Wallet' }));
    await toast('Wallet Closed', 'What was in it is in your available balance.');
    expect(server.calls('DELETE /api/treasury/wallets/wal_1')).toHaveLength(1);
    for (const read of ['GET /api/treasury/wallets', 'GET /api/treasury/transactions', 'GET /api/auth/user'])
      await waitFor(() => expect(server.calls(read)).toHaveLength(2));
  });

  it('that is empty is closed with other words, and kept on second thoughts', async () => {
    const { person, server } = await choose('Close Wallet', {
      'GET /api/treasury/wallets': [{ ...TOURING, balance: '0.00' }],
    });
    const question = within(await screen.findByRole('dialog', { name: 'Close this wallet?' }));
    expect(question.getByText(/Touring fund is empty/)).toBeVisible();
    await person.click(question.getByRole('button', { name: 'Keep It' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.calls('DELETE /api/treasury/wallets/wal_1')).toHaveLength(0);
  });

  it('that cannot be closed says why at the button', async () => {
    const { person } = await choose('Close Wallet', {
      'DELETE /api/treasury/wallets/wal_1': refusal(404, 'Wallet not found'),
    });
    const question = within(await screen.findByRole('dialog', { name: 'Close this wallet?' }));
    await person.click(question.getByRole('button', { name: 'Close Wallet' }));
    expect(await question.findByRole('alert')).toHaveTextContent('Wallet not found');
  });
});
