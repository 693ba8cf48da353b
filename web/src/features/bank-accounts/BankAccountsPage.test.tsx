import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { BankAccount } from '#contracts/api/bank-accounts';
import type { Payout } from '#contracts/api/payouts';
import {
  answering,
  JUNO,
  pageBefore,
  refusal,
  renderAt,
  SETTINGS,
  SIGNED_OUT,
  toast,
  watchLeaving,
} from '../../../testing/render.js';

beforeEach(() => {
  sessionStorage.clear();
});
afterEach(() => {
  jest.restoreAllMocks();
});

const HARBOR: BankAccount = {
  id: 'ba_1',
  bankName: 'Harbor Union Bank',
  accountHolderName: 'Juno Valastro',
  accountNumber: '••••4417',
  routingNumber: '••••0000',
  accountType: 'checking',
  isPrimary: true,
  isVerified: true,
  needsOnboarding: false,
  error: null,
};
const NORTHLIGHT: BankAccount = {
  ...HARBOR,
  id: 'ba_2',
  bankName: 'Northlight Credit Union',
  accountNumber: '••••0982',
  accountType: 'savings',
  isPrimary: false,
  isVerified: false,
};
const PAYOUT: Payout = {
  id: 'po_1',
  amount: '95.00',
  status: 'pending',
  statusReason: null,
  expectedOn: null,
  bankAccountId: 'ba_1',
  createdAt: '2026-11-20T12:00:00.000Z',
  arrivesOn: null,
  completedAt: null,
  failureReason: null,
  madeUp: null,
};

async function openBank(answers: Record<string, unknown> = {}, path = '/bank-accounts') {
  const server = answering({
    'GET /api/bank-accounts': [HARBOR, NORTHLIGHT],
    'GET /api/payouts': [],
    ...answers,
  });
  const app = renderAt(path);
  await screen.findByRole('heading', { name: 'Bank Accounts & Payouts' });
  await waitFor(() =>
    expect(screen.queryByRole('status', { name: 'Loading your bank accounts' })).not.toBeInTheDocument(),
  );
  return { server, ...app };
}

describe('the lists', () => {
  it('are asked for once where they cannot be read, also when the accounts come later', async () => {
    const server = answering({
      'GET /api/payouts': refusal(500, 'Soon.'),
      'GET /api/bank-accounts': async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return [];
      },
    });
    renderAt('/bank-accounts');
    expect(await screen.findByText('No bank accounts added yet')).toBeVisible();
    expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
    expect(server.calls('GET /api/payouts')).toHaveLength(1);
  });

  it('have shapes in their places until they are read, the accounts and the payouts', async () => {
    const server = answering({
      'GET /api/bank-accounts': () => new Promise(() => undefined),
      'GET /api/payouts': () => new Promise(() => undefined),
    });
    renderAt('/bank-accounts');
    expect(await screen.findByRole('status', { name: 'Loading your bank accounts' })).toBeVisible();
    expect(screen.getByRole('status', { name: 'Loading your payouts' })).toBeVisible();
    expect(screen.queryByText('No payouts yet')).not.toBeInTheDocument();
    expect(server.calls('GET /api/payouts')).toHaveLength(1);
  });
});

describe('the accounts', () => {
  it('say whose they are, of which kind, and which is paid first; only another one can be made primary', async () => {
    await openBank();
    const rows = within(await screen.findByRole('list', { name: 'Bank accounts' })).getAllByRole('listitem');
    const [harbor, northlight] = rows.map((row) => within(row));
    expect(harbor!.getByText('Harbor Union Bank')).toBeVisible();
    expect(harbor!.getByText('Checking ••••4417')).toBeVisible();
    expect(harbor!.getByText('Juno Valastro')).toBeVisible();
    expect(harbor!.getByText('Primary')).toBeVisible();
    expect(harbor!.getByText('Verified')).toBeVisible();
    expect(harbor!.queryByRole('button', { name: /Set Primary/ })).not.toBeInTheDocument();
    expect(northlight!.getByText('Savings ••••0982')).toBeVisible();
    expect(northlight!.queryByText('Primary')).not.toBeInTheDocument();
    expect(northlight!.queryByText('Verified')).not.toBeInTheDocument();
    expect(
      northlight!.getByRole('button', { name: 'Set Primary: Northlight Credit Union ••••0982' }),
    ).toBeVisible();
  });

  it('are read again once another one is primary', async () => {
    const { person, server } = await openBank({
      'PUT /api/bank-accounts/ba_2/primary': () => new Response(null, { status: 204 }),
    });
    server.answers['GET /api/bank-accounts'] = [
      { ...HARBOR, isPrimary: false },
      { ...NORTHLIGHT, isPrimary: true },
    ];
    await person.click(await screen.findByRole('button', { name: /Set Primary: Northlight/ }));
    await toast('Primary Account Updated');
    expect(await screen.findByRole('button', { name: /Set Primary: Harbor/ })).toBeVisible();
  });

  it('stay as they are when the server cannot change which is primary', async () => {
    const { person } = await openBank({
      'PUT /api/bank-accounts/ba_2/primary': () => Response.json({}, { status: 500 }),
    });
    await person.click(await screen.findByRole('button', { name: /Set Primary: Northlight/ }));
    await toast('Error', 'Failed to update primary account');
  });

  it('go only after one has been asked once more', async () => {
    const { person, server } = await openBank({
      'DELETE /api/bank-accounts/ba_2': () => new Response(null, { status: 204 }),
    });
    await person.click(
      await screen.findByRole('button', { name: 'Remove Northlight Credit Union ••••0982' }),
    );
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove this account?' }));
    await person.click(dialog.getByRole('button', { name: 'Keep Account' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(server.calls('DELETE /api/bank-accounts/ba_2')).toHaveLength(0);
    server.answers['GET /api/bank-accounts'] = [HARBOR];
    await person.click(screen.getByRole('button', { name: 'Remove Northlight Credit Union ••••0982' }));
    await person.click(await screen.findByRole('button', { name: 'Remove Account' }));
    await toast('Bank Account Removed');
    await waitFor(() => expect(screen.queryByText('Northlight Credit Union')).not.toBeInTheDocument());
  });

  it('say in their dialog why one cannot go', async () => {
    const { person } = await openBank({
      'DELETE /api/bank-accounts/ba_2': () => Response.json({}, { status: 500 }),
    });
    await person.click(await screen.findByRole('button', { name: /^Remove Northlight/ }));
    await person.click(await screen.findByRole('button', { name: 'Remove Account' }));
    await toast('Error', 'Failed to delete bank account');
    expect(within(screen.getByRole('dialog')).getByRole('alert')).toHaveTextContent(
      'Failed to delete bank account',
    );
  });

  it('keep their heading when they cannot be read, and no payout can be asked for', async () => {
    const { person, server } = await openBank({ 'GET /api/bank-accounts': refusal(500, 'No.') });
    expect(await screen.findByText('Your bank accounts could not be loaded.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Accounts' })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Request Payout' })).toBeDisabled();
    server.answers['GET /api/bank-accounts'] = [HARBOR];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Harbor Union Bank')).toBeVisible();
  });

  it('that are none say so, offer the first, and why no payout can be asked for', async () => {
    const { person } = await openBank({ 'GET /api/bank-accounts': [] });
    expect(await screen.findByText('No bank accounts added yet')).toBeVisible();
    expect(await screen.findByText('No payouts yet')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Request Payout' })).toBeDisabled();
    expect(screen.getByText('Add a bank account to request payouts')).toBeVisible();
    expect(screen.getByText('Payouts typically process within 1-2 business days.')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Add Your First Account' }));
    expect(await screen.findByRole('dialog', { name: 'Add Bank Account' })).toBeVisible();
  });

  it('that are not verified yet lead to the provider’s page', async () => {
    const goTo = watchLeaving();
    const { person } = await openBank({
      'GET /api/bank-accounts': [{ ...HARBOR, isVerified: false, needsOnboarding: true }],
      'POST /api/payouts/onboarding': { onboardingUrl: 'https://connect.example/setup/1' },
    });
    await person.click(await screen.findByRole('button', { name: 'Finish Verification' }));
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('https://connect.example/setup/1'));
  });

  it('lead nobody there who has gone on to another page meanwhile', async () => {
    const goTo = watchLeaving();
    let answer: (page: unknown) => void = () => undefined;
    const { person, navigate, server } = await openBank({
      'GET /api/bank-accounts': [{ ...HARBOR, isVerified: false, needsOnboarding: true }],
      'POST /api/payouts/onboarding': () => new Promise((resolve) => (answer = resolve)),
    });
    await person.click(await screen.findByRole('button', { name: 'Finish Verification' }));
    await waitFor(() => expect(server.calls('POST /api/payouts/onboarding')).toHaveLength(1));
    await navigate('/payments');
    await screen.findByRole('form', { name: 'Tap to Pay' });
    await act(async () => answer({ onboardingUrl: 'https://connect.example/setup/1' }));
    expect(goTo).not.toHaveBeenCalled();
  });

  it('say that the verification page was open too long', async () => {
    await openBank(
      { 'GET /api/bank-accounts': [{ ...HARBOR, isVerified: false, needsOnboarding: true }] },
      '/bank-accounts?verification=expired',
    );
    expect(await screen.findByText(/The verification page was open for too long/)).toBeVisible();
  });

  it('are read again where nothing is left to verify', async () => {
    const { person, server } = await openBank({
      'GET /api/bank-accounts': [{ ...HARBOR, isVerified: false, needsOnboarding: true }],
      'POST /api/payouts/onboarding': { onboardingUrl: null },
    });
    server.answers['GET /api/bank-accounts'] = [HARBOR];
    await person.click(await screen.findByRole('button', { name: 'Finish Verification' }));
    await toast('Nothing Left to Verify');
    expect(await screen.findByText('Verified')).toBeVisible();
  });

  it('say what the provider found wrong with one', async () => {
    await openBank({
      'GET /api/bank-accounts': [{ ...HARBOR, isVerified: false, error: 'A payout to this account failed.' }],
    });
    expect(await screen.findByText('A payout to this account failed.')).toBeVisible();
  });
});

describe('adding an account', () => {
  async function openForm(answers: Record<string, unknown> = {}) {
    const app = await openBank(answers);
    await app.person.click(await screen.findByRole('button', { name: 'Add Account' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add Bank Account' });
    return { ...app, form: within(dialog) };
  }
  async function fill({ person, form }: Awaited<ReturnType<typeof openForm>>) {
    for (const [name, text] of [
      ['Account holder name', 'Juno Valastro'],
      ['Bank name', 'Harbor Union Bank'],
      ['Routing number', '110000000'],
      ['Account number', '000123454417'],
    ] as const) {
      await person.click(form.getByLabelText(name));
      await person.paste(text);
    }
  }

  it('sends all of it, under a key, and closes', async () => {
    const open = await openForm({ 'POST /api/bank-accounts': { ...HARBOR, onboardingUrl: null } });
    await fill(open);
    await open.person.click(open.form.getByRole('button', { name: 'Savings' }));
    await open.person.click(open.form.getByRole('button', { name: 'Add Account' }));
    await toast('Bank Account Added');
    expect(open.server.calls('POST /api/bank-accounts')).toEqual([
      {
        accountHolderName: 'Juno Valastro',
        bankName: 'Harbor Union Bank',
        routingNumber: '110000000',
        accountNumber: '000123454417',
        accountType: 'savings',
      },
    ]);
    const sent = open.server.made.find(({ call }) => call === 'POST /api/bank-accounts');
    expect(sent?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await waitFor(() => expect(open.server.calls('GET /api/bank-accounts')).toHaveLength(2));
  });

  it('begins as a checking account, and says that the numbers are safe', async () => {
    const { form } = await openForm();
    expect(form.getByRole('button', { name: 'Checking' })).toHaveAttribute('aria-pressed', 'true');
    expect(form.getByText('Your banking information is encrypted and secure')).toBeVisible();
  });

  it.each(['Account holder name', 'Bank name', 'Routing number', 'Account number'])(
    'needs the field “%s”',
    async (name) => {
      const open = await openForm();
      await fill(open);
      await open.person.clear(open.form.getByLabelText(name));
      await open.person.click(open.form.getByRole('button', { name: 'Add Account' }));
      await toast('Missing Information', 'Please fill in all required fields');
      await waitFor(() => expect(open.form.getByLabelText(name)).toBeInvalid());
      await waitFor(() => expect(open.form.getByLabelText(name)).toHaveFocus());
      expect(open.server.calls('POST /api/bank-accounts')).toHaveLength(0);
    },
  );

  it('that the server refuses stays open with what was typed, and says why', async () => {
    const sentence = 'The routing number is not a valid one. Please check its digits.';
    const open = await openForm({ 'POST /api/bank-accounts': refusal(400, sentence) });
    await fill(open);
    await open.person.click(open.form.getByRole('button', { name: 'Add Account' }));
    await toast('Error', sentence);
    await waitFor(() => expect(open.form.getByRole('alert')).toHaveTextContent(sentence));
    expect(open.form.getByLabelText('Account number')).toHaveValue('000123454417');
  });

  it('that failed shows the specified sentence, and sent again is the same request', async () => {
    const open = await openForm({ 'POST /api/bank-accounts': () => Response.json({}, { status: 500 }) });
    await fill(open);
    const press = () => open.person.click(open.form.getByRole('button', { name: 'Add Account' }));
    await press();
    await toast('Error', 'Failed to add bank account');
    await press();
    await waitFor(() => expect(open.server.calls('POST /api/bank-accounts')).toHaveLength(2));
    const keys = open.server.made
      .filter(({ call }) => call === 'POST /api/bank-accounts')
      .map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(1);
  });

  it('sends to sign in when the session has ended', async () => {
    const goTo = watchLeaving();
    const open = await openForm({ 'POST /api/bank-accounts': SIGNED_OUT });
    await fill(open);
    await open.person.click(open.form.getByRole('button', { name: 'Add Account' }));
    await toast('Unauthorized', 'You are logged out. Logging in again...');
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/api/login?returnTo=%2Fbank-accounts'));
  });
});

describe('a payout', () => {
  async function openForm(answers: Record<string, unknown> = {}) {
    const app = await openBank(answers);
    await app.person.click(await screen.findByRole('button', { name: 'Request Payout' }));
    const dialog = await screen.findByRole('dialog', { name: 'New Payout' });
    return { ...app, form: within(dialog) };
  }

  it('goes to the chosen account, to the cent, and closes', async () => {
    const { person, server, form } = await openForm({ 'POST /api/payouts': PAYOUT });
    expect(form.getByRole('radio', { name: /Harbor Union Bank/ })).toBeChecked();
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '95');
    await person.click(form.getByRole('radio', { name: /Northlight/ }));
    await waitFor(() =>
      expect(form.getByText('This account is not verified yet. The payout waits until it is.')).toBeVisible(),
    );
    server.answers['GET /api/payouts'] = [PAYOUT];
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Payout Requested', '$95.00 waits until Northlight Credit Union is verified.');
    expect(server.calls('POST /api/payouts')).toEqual([{ amount: '95', bankAccountId: 'ba_2' }]);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(await screen.findByText('Pending')).toBeVisible();
    // The balance has changed with it.
    await waitFor(() => expect(server.calls('GET /api/auth/user')).toHaveLength(2));
  });

  it('that is answered once its form was closed closes no form that was opened since', async () => {
    let answer: (payout: unknown) => void = () => undefined;
    const { person, form } = await openForm({
      'POST /api/payouts': () => new Promise((resolve) => (answer = resolve)),
    });
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '95');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await person.click(form.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await person.click(screen.getByRole('button', { name: 'Request Payout' }));
    const next = within(await screen.findByRole('dialog', { name: 'New Payout' }));
    await person.type(next.getByRole('spinbutton', { name: 'Amount' }), '20');
    await act(async () => answer(PAYOUT));
    await toast('Payout Requested');
    expect(next.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('20');
    expect(screen.getByRole('dialog', { name: 'New Payout' })).toBeVisible();
  });

  it('takes all of the balance with one press', async () => {
    const { person, server, form } = await openForm({ 'POST /api/payouts': PAYOUT });
    await person.click(form.getByRole('button', { name: 'Pay out all' }));
    expect(form.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('1284.50');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Payout Requested', '$95.00 is on its way to Harbor Union Bank ••••4417.');
    expect(server.calls('POST /api/payouts')).toEqual([{ amount: '1284.50', bankAccountId: 'ba_1' }]);
  });

  it('of nothing is not offered where there is nothing', async () => {
    const { form } = await openForm({ 'GET /api/auth/user': { ...JUNO, earnings: '0.00' } });
    expect(form.getByRole('spinbutton', { name: 'Amount' })).toBeVisible();
    expect(form.queryByRole('button', { name: 'Pay out all' })).not.toBeInTheDocument();
  });

  it('that has to wait for card payments says so, before and after', async () => {
    const { person, form } = await openForm({
      'GET /api/payouts/funds': {
        now: '50.00',
        later: [{ on: new Date(Date.now() + 48 * 3_600_000).toISOString(), amount: '100.00' }],
        undated: '0.00',
      },
      'POST /api/payouts': { ...PAYOUT, statusReason: 'The money is not available yet.' },
    });
    const amount = form.getByRole('spinbutton', { name: 'Amount' });
    await person.type(amount, '50');
    expect(form.getByText('Payouts typically process within 1-2 business days.')).toBeVisible();
    await person.type(amount, '.01');
    expect(
      form.getByText(/ It is sent on \w+ \d+, when the card payments in it are available\./),
    ).toBeVisible();
    await person.clear(amount);
    await person.type(amount, '150.01');
    expect(form.getByText(/ There is no date for that yet\./)).toBeVisible();
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Payout Requested', 'The money is not available yet.');
  });

  it('needs an amount', async () => {
    const { person, server, form } = await openForm();
    expect(screen.getByRole('heading', { name: 'New Payout' })).toBeVisible();
    expect(form.getByRole('spinbutton', { name: 'Amount' })).toHaveAttribute('step', '0.01');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Missing Information', 'Please enter an amount and select a bank account');
    await waitFor(() => expect(form.getByRole('spinbutton', { name: 'Amount' })).toHaveFocus());
    expect(server.calls('POST /api/payouts')).toHaveLength(0);
  });

  it('needs an account', async () => {
    const { person, server, form } = await openForm({
      'GET /api/bank-accounts': [{ ...HARBOR, isPrimary: false }],
    });
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '95');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Missing Information', 'Please enter an amount and select a bank account');
    await waitFor(() => expect(form.getByText('Choose a bank account.')).toBeVisible());
    expect(server.calls('POST /api/payouts')).toHaveLength(0);
  });

  it.each(['0', '-5', '0.00'])('of %s is refused at the field and in a toast', async (amount) => {
    const { person, server, form } = await openForm();
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), amount);
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Invalid Amount', 'Please enter a valid amount greater than 0');
    await waitFor(() => expect(form.getByText('Please enter a valid amount greater than 0')).toBeVisible());
    expect(server.calls('POST /api/payouts')).toHaveLength(0);
  });

  it('of what can be read in two ways is refused at its field', async () => {
    const { person, server, form } = await openForm();
    const field = form.getByRole('spinbutton', { name: 'Amount' });
    await person.type(field, '1.250,00');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    const sentence = 'Write thousands without a comma or point, such as 1250 or 1250.00.';
    await toast('Invalid Amount', sentence);
    await waitFor(() => expect(field).toBeInvalid());
    expect(field).toHaveAccessibleDescription(sentence);
    expect(server.calls('POST /api/payouts')).toHaveLength(0);
  });

  it('that the balance does not cover is refused in the server’s words, at the button', async () => {
    const sentence = 'Your available balance is $1,284.50, which does not cover $2,000.00.';
    const { person, form } = await openForm({ 'POST /api/payouts': refusal(422, sentence) });
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '2000');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Error', sentence);
    expect(form.getByRole('alert')).toHaveTextContent(sentence);
  });

  it('whose answer was lost is the same payout when it is sent again', async () => {
    const { person, server, form } = await openForm({
      'POST /api/payouts': () => Promise.reject(new TypeError('Failed to fetch')),
    });
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '95');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast(
      'Error',
      'No answer came, so this may have been done or not. Try again: it is never done twice.',
    );
    server.answers['POST /api/payouts'] = PAYOUT;
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Payout Requested');
    const keys = server.made
      .filter(({ call }) => call === 'POST /api/payouts')
      .map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('that failed shows the specified sentence', async () => {
    const { person, form } = await openForm({
      'POST /api/payouts': () => Response.json({}, { status: 500 }),
    });
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '95');
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    await toast('Error', 'Failed to create payout');
  });
});

describe('somebody in a hurry', () => {
  const bothMissing = { 'GET /api/bank-accounts': [{ ...HARBOR, isPrimary: false }] };
  const openPayout = async (answers: Record<string, unknown>) => {
    const app = await openBank(answers);
    await app.person.click(await screen.findByRole('button', { name: 'Request Payout' }));
    return { ...app, form: within(await screen.findByRole('dialog', { name: 'New Payout' })) };
  };

  it('writes on where they write, though the account is refused as well', async () => {
    const { person, form } = await openPayout(bothMissing);
    await person.click(form.getByRole('button', { name: 'Request Payout' }));
    const amount = form.getByRole('spinbutton', { name: 'Amount' });
    await waitFor(() => expect(amount).toHaveFocus());
    await person.keyboard('95');
    expect(amount).toHaveValue('95');
    await waitFor(() => expect(form.getByText('Choose a bank account.')).toBeVisible());
  });

  it('sends nothing twice by Enter', async () => {
    const { person, server, form } = await openPayout({
      'POST /api/payouts': () => new Promise(() => undefined),
    });
    await person.type(form.getByRole('spinbutton', { name: 'Amount' }), '95{Enter}');
    expect(await form.findByRole('button', { name: 'Processing' })).toBeVisible();
    await person.keyboard('{Enter}');
    expect(server.calls('POST /api/payouts')).toHaveLength(1);
  });

  it('keeps what they wrote about an account when the list arrives', async () => {
    let arrive: (accounts: unknown) => void = () => undefined;
    answering({
      'GET /api/bank-accounts': () => new Promise((answer) => (arrive = answer)),
      'GET /api/payouts': [],
    });
    const { person } = renderAt('/bank-accounts');
    await person.click(await screen.findByRole('button', { name: 'Add Account' }));
    const holder = await screen.findByRole('textbox', { name: 'Account holder name' });
    await person.click(holder);
    await person.paste('Juno Valastro');
    await act(async () => arrive([HARBOR]));
    expect(await screen.findByText('Harbor Union Bank')).toBeInTheDocument();
    expect(holder).toBeInTheDocument();
    expect(holder).toHaveValue('Juno Valastro');
  });

  it('still sees the list when it cannot be read again, and goes on at its heading when a row of it is gone', async () => {
    const { person, server } = await openBank({
      'DELETE /api/bank-accounts/ba_2': () => new Response(null, { status: 204 }),
    });
    server.answers['GET /api/bank-accounts'] = refusal(500, 'No.');
    await person.click(await screen.findByRole('button', { name: /^Remove Northlight/ }));
    await person.click(await screen.findByRole('button', { name: 'Remove Account' }));
    await toast('Bank Account Removed');
    await waitFor(() => expect(server.calls('GET /api/bank-accounts').length).toBeGreaterThan(1));
    expect(screen.getByText('Harbor Union Bank')).toBeVisible();
    expect(screen.queryByText('Your bank accounts could not be loaded.')).not.toBeInTheDocument();

    server.answers['GET /api/bank-accounts'] = [HARBOR];
    // Once the dialog that asked is gone.
    await person.click(await screen.findByRole('button', { name: /^Remove Northlight/ }));
    await person.click(await screen.findByRole('button', { name: 'Remove Account' }));
    await waitFor(() => expect(screen.queryByText('Northlight Credit Union')).not.toBeInTheDocument());
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Accounts' })).toHaveFocus());
  });

  it('goes on at the heading of the list when a row goes together with the dialog that asked about it', async () => {
    let choose: (answer: Response) => void = () => undefined;
    const { person, server } = await openBank({
      'PUT /api/bank-accounts/ba_2/primary': () => new Promise<Response>((answer) => (choose = answer)),
    });
    await person.click(await screen.findByRole('button', { name: /^Set Primary: Northlight/ }));
    await person.click(screen.getByRole('button', { name: /^Remove Northlight/ }));
    expect(await screen.findByRole('dialog', { name: 'Remove this account?' })).toBeVisible();
    server.answers['GET /api/bank-accounts'] = [HARBOR];
    await act(async () => choose(new Response(null, { status: 204 })));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Accounts' })).toHaveFocus());
  });

  it('shows no figure to others in privacy mode', async () => {
    const { form } = await openPayout({ 'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true } });
    expect(await form.findByText('Amount hidden')).toBeInTheDocument();
    expect(screen.queryByText(/1,284/)).not.toBeInTheDocument();
  });
});

describe('the payout history', () => {
  it('says nothing of what an answer leaves out, which is optional (spec.md §3)', async () => {
    const { id, amount, status, createdAt } = PAYOUT;
    await openBank({ 'GET /api/payouts': [{ id, amount, status, createdAt }] });
    const row = within(await screen.findByRole('list', { name: 'Payouts' })).getByRole('listitem');
    expect(row.textContent).toBe('$95.00PendingRequested Nov 20, 2026');
  });

  it('says what became of each: status, dates, and why one failed', async () => {
    await openBank({
      'GET /api/payouts': [
        { ...PAYOUT, statusReason: 'The payment provider is still checking your details.' },
        { ...PAYOUT, id: 'po_2', amount: '280.00', status: 'processing', arrivesOn: '2026-11-24' },
        {
          ...PAYOUT,
          id: 'po_3',
          amount: '1150.00',
          status: 'completed',
          completedAt: '2026-11-21T12:00:00.000Z',
        },
        {
          ...PAYOUT,
          id: 'po_4',
          amount: '60.00',
          status: 'failed',
          failureReason: 'The bank could not find this account.',
        },
        { ...PAYOUT, id: 'po_5', amount: '60.00', status: 'failed', madeUp: '60.00' },
        { ...PAYOUT, id: 'po_6', amount: '60.00', status: 'failed', madeUp: '12.00' },
      ],
    });
    const rows = within(await screen.findByRole('list', { name: 'Payouts' })).getAllByRole('listitem');
    const [pending, processing, completed, failed, madeUp, partlyMadeUp] = rows;
    expect(pending).toHaveTextContent(
      '$95.00PendingRequested Nov 20, 2026The payment provider is still checking your details.',
    );
    expect(processing).toHaveTextContent(
      '$280.00ProcessingRequested Nov 20, 2026 · Expected at your bank Tue, Nov 24',
    );
    expect(completed).toHaveTextContent('$1,150.00CompletedRequested Nov 20, 2026 · Completed Nov 21, 2026');
    expect(failed).toHaveTextContent(
      '$60.00FailedRequested Nov 20, 2026The bank could not find this account.The money is back in your balance.',
    );
    // A debt of theirs had been written off while the money was at the bank.
    expect(madeUp).toHaveTextContent(
      '$60.00FailedRequested Nov 20, 2026The money made up for what you owed, which had been written off.',
    );
    expect(partlyMadeUp).toHaveTextContent(
      'Some of it made up for what you owed, which had been written off. The rest is back in your balance.',
    );
  });

  it('draws what is completed in green, processing in blue, failed in red, and anything else in yellow', async () => {
    const statuses = ['completed', 'processing', 'failed', 'pending', 'held_back', 'cancelled', 'active'];
    await openBank({
      'GET /api/payouts': statuses.map((status, n) => ({ ...PAYOUT, id: `po_${n}`, status })),
    });
    const list = within(await screen.findByRole('list', { name: 'Payouts' }));
    const labels = ['Completed', 'Processing', 'Failed', 'Pending', 'Held back', 'Cancelled', 'Active'];
    const tones = labels.map((label) =>
      list.getByText(label).closest('[data-tone]')?.getAttribute('data-tone'),
    );
    expect(tones).toEqual(['success', 'info', 'error', 'warning', 'warning', 'warning', 'warning']);
  });

  it('shows the newest first and the rest on request, on however many pages it comes', async () => {
    const payouts = Array.from({ length: 12 }, (_, n) => ({ ...PAYOUT, id: `po_${n}` }));
    const { person } = await openBank({
      'GET /api/payouts': pageBefore('7', payouts.slice(0, 11)),
      'GET /api/payouts?cursor=7': payouts.slice(11),
    });
    const list = await screen.findByRole('list', { name: 'Payouts' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(10);
    await person.click(screen.getByRole('button', { name: 'Show More' }));
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(12));
    expect(screen.queryByRole('button', { name: 'Show More' })).not.toBeInTheDocument();
  });

  it('draws of a thousand payouts only those near the window', async () => {
    const payouts = Array.from({ length: 1_000 }, (_, n) => ({ ...PAYOUT, id: `po_${n}` }));
    const { person } = await openBank({ 'GET /api/payouts': payouts });
    const list = await screen.findByRole('list', { name: 'Payouts' });
    await person.click(screen.getByRole('button', { name: 'Show More' }));
    await waitFor(() => expect(within(list).getAllByRole('listitem').length).toBeGreaterThan(10));
    const drawn = within(list).getAllByRole('listitem');
    expect(drawn.length).toBeLessThan(100);
    expect(drawn[0]).toHaveAttribute('aria-setsize', '1000');
  });

  it('keeps its heading when it cannot be read', async () => {
    await openBank({ 'GET /api/payouts': refusal(500, 'No.') });
    expect(await screen.findByText('Your payouts could not be loaded.')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Payout History' })).toBeVisible();
  });
});

describe('a balance of which card payments are still on their way', () => {
  const soon = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const day = (iso: string): string =>
    new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' }).format(Date.parse(iso));

  it('says what can be paid out now, and from when on the rest', async () => {
    const [first, second] = [soon(2), soon(3)];
    await openBank({
      'GET /api/payouts/funds': {
        now: '1000.00',
        later: [
          { on: first, amount: '200.00' },
          { on: second, amount: '80.00' },
        ],
        undated: '4.50',
      },
    });
    expect(
      await screen.findByText(
        `$1,000.00 can be paid out now, $200.00 more from ${day(first)}, $80.00 more from ${day(second)}. $4.50 has no date yet.`,
      ),
    ).toBeVisible();
  });

  it('names three days, and when the last of it comes', async () => {
    const days = [1, 2, 3, 4, 5].map(soon);
    const later = days.map((on) => ({ on, amount: '1.00' }));
    await openBank({ 'GET /api/payouts/funds': { now: '0.00', later, undated: '0.00' } });
    const text = await screen.findByText(/can be paid out now/);
    expect(text).toHaveTextContent(`$0.00 can be paid out now, $1.00 more from ${day(days[0]!)}`);
    expect(text).toHaveTextContent(`Further card payments follow until ${day(days[4]!)}.`);
    expect(text).not.toHaveTextContent('no date');
  });

  it('says nothing where all of it can be paid out', async () => {
    const { server } = await openBank({
      'GET /api/payouts/funds': { now: '1284.50', later: [], undated: '0.00' },
      'GET /api/payouts': [PAYOUT],
    });
    await screen.findByText('$95.00');
    expect(server.calls('GET /api/payouts/funds')).toHaveLength(1);
    expect(screen.queryByText(/can be paid out now/)).toBeNull();
  });
});

describe('a payout that waits for money', () => {
  it('says until when', async () => {
    const statusReason =
      'The money for this payout is not available at the payment provider yet. It is expected on November 24, 2026 at 12:00 AM UTC, and the payout goes by itself then.';
    const expectedOn = '2026-11-24T00:00:00.000Z';
    await openBank({ 'GET /api/payouts': [{ ...PAYOUT, statusReason, expectedOn }] });
    expect(await screen.findByText(statusReason)).toBeVisible();
  });
});
