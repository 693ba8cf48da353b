// Answers that hold what spec.md §3 and §7 name and nothing else: each page is drawn from them, and says
// nothing false.
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { CONFIGURATION, intentThat, provider, resetProvider } from '../../testing/card-provider.js';
import { renderAt, toast } from '../../testing/render.js';
import { hoursAgo } from '../../testing/transactions.js';

afterEach(() => {
  jest.restoreAllMocks();
});

/** As `written` writes an amount: a number, or a decimal text. */
const answers = (written: (amount: number) => unknown): Readonly<Record<string, unknown>> => ({
  '/api/auth/user': {
    id: 'juno-1',
    email: 'juno@valastro.example',
    username: 'junoplays',
    firstName: 'Juno',
    lastName: 'Valastro',
    isVerified: true,
    totalEarnings: written(18406.75),
    earnings: written(1284.5),
    transactionCount: 3,
  },
  '/api/settings': {},
  '/api/transactions': [
    { id: 't1', type: 'payment_received', amount: written(20), status: 'completed', createdAt: hoursAgo(1) },
    { id: 't2', type: 'payment_sent', amount: written(7.5), status: 'completed', createdAt: hoursAgo(30) },
    { id: 't3', type: 'tip', amount: written(9), status: 'pending', createdAt: hoursAgo(90) },
  ],
  '/api/subscriptions': [
    {
      id: 's1',
      toUserId: 'wren-1',
      amount: written(12),
      frequency: 'weekly',
      status: 'active',
      nextPaymentDate: hoursAgo(-48),
    },
    { id: 's2', toUserId: 'wren-2', amount: written(5), frequency: 'daily', status: 'paused' },
    {
      id: 's3',
      toUserId: 'wren-3',
      amount: written(5),
      frequency: 'monthly',
      description: null,
      status: 'cancelled',
      nextPaymentDate: null,
    },
  ],
  '/api/scheduled-payments': [
    { id: 'p1', toUserId: 'wren-1', amount: written(30), scheduledDate: hoursAgo(-48), status: 'pending' },
    { id: 'p2', toUserId: 'wren-2', amount: written(31), scheduledDate: hoursAgo(48), status: 'completed' },
    {
      id: 'p3',
      toUserId: 'wren-3',
      amount: written(32),
      scheduledDate: hoursAgo(48),
      description: null,
      status: 'cancelled',
    },
  ],
  '/api/bank-accounts': [
    {
      id: 'b1',
      bankName: 'First Stage Bank',
      accountHolderName: 'Juno Valastro',
      accountNumber: '000123456789',
      routingNumber: '110000000',
      accountType: 'checking',
      isPrimary: true,
      isVerified: true,
    },
    {
      id: 'b2',
      bankName: 'Second Stage Bank',
      accountHolderName: 'Juno Valastro',
      accountNumber: '000123454321',
      routingNumber: '110000000',
      accountType: 'savings',
      isPrimary: false,
      isVerified: false,
    },
  ],
  '/api/payouts': [
    {
      id: 'o1',
      amount: written(40),
      status: 'completed',
      createdAt: hoursAgo(90),
      completedAt: hoursAgo(40),
    },
    { id: 'o2', amount: written(41), status: 'processing', createdAt: hoursAgo(90) },
    { id: 'o3', amount: written(42), status: 'failed', createdAt: hoursAgo(90), failureReason: 'Closed.' },
    { id: 'o4', amount: written(43), status: 'pending', createdAt: hoursAgo(90), completedAt: null },
  ],
  '/api/treasury/wallets': [
    { id: 'w1', displayName: 'Tour', balance: written(100), currency: 'USD', status: 'active' },
    { id: 'w2', displayName: 'Gear', balance: written(50.5), currency: 'usd', status: 'frozen' },
  ],
  '/api/treasury/transactions': [
    { id: 'x1', type: 'credit', amount: written(60), status: 'completed', createdAt: hoursAgo(3) },
    {
      id: 'x2',
      type: 'fee',
      description: null,
      amount: written(1),
      status: 'pending',
      createdAt: hoursAgo(9),
    },
  ],
  '/api/users/wren-1': { id: 'wren-1', email: 'wren@oakes.example', username: 'wren' },
  'POST /api/create-payment-intent': { clientSecret: 'pi_1_secret_x' },
  '/api/config': CONFIGURATION,
});

/** Only calls of the specification are answered; of the others none is there, or each has nothing in it. */
function answeringPlainly(named: Readonly<Record<string, unknown>>, others?: unknown): void {
  resetProvider();
  globalThis.fetch = jest.fn(async (input: RequestInfo | URL, { method = 'GET' }: RequestInit = {}) => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input), 'http://localhost');
    const call = method === 'GET' ? pathname : `${method} ${pathname}`;
    const answer = Object.hasOwn(named, call) ? named[call] : others;
    if (answer instanceof Response) return Promise.resolve(answer.clone());
    return Promise.resolve(answer === undefined ? new Response('', { status: 404 }) : Response.json(answer));
  });
}

const FALSE_WORDS = /Payment Error|Tip Error|undefined|\bnull\b|NaN|Invalid Date|\[object|Navigation Error/;
const shown = (): string => document.body.textContent;

const PAGES: readonly (readonly [path: string, words: readonly string[]])[] = [
  ['/', ['$1,284', '+$20.00', '-$7.50', '-$9.00']],
  ['/payments', ['$5', '$50']],
  ['/subscriptions', ['wren-1', '$12.00', 'Weekly', '$5.00', 'Paused', 'Cancelled']],
  ['/scheduled-payments', ['wren-1', '$30.00', 'Pending', 'Completed', '14 payments']],
  ['/history', ['+$20.00', '-$7.50', '-$9.00', 'Pending']],
  ['/bank-accounts', ['First Stage Bank', 'Checking ••••6789', '$40.00', '$43.00', 'Closed.']],
  ['/treasury', ['$150', 'Tour', 'Frozen', '+$60.00', '-$1.00', 'Treasury Transaction']],
  ['/profile', ['Juno Valastro', 'Verified Professional', '$18,406.75']],
  ['/my-qr', ['junoplays', '/tip/juno-1']],
  ['/checkout?amount=20&recipientId=wren-1', ['$20.00', 'wren', 'Card Payment', 'Pay $20.00']],
  ['/tip/wren-1?amount=20', ['$20.00', 'wren', 'Card Payment']],
  ['/payment-success?payment_intent_client_secret=pi_1_secret_x', ['Payment Successful']],
];

describe.each([
  ['with amounts as text', (amount: number) => amount.toFixed(2), undefined],
  ['with amounts as numbers', (amount: number) => amount, undefined],
  ['and an empty list for every other call', (amount: number) => amount.toFixed(2), []],
  ['and an empty object for every other call', (amount: number) => amount.toFixed(2), {}],
])('a server that answers what the specification names, %s', (_how, written, others) => {
  it.each(PAGES)('has %s drawn', async (path, words) => {
    answeringPlainly(answers(written), others);
    if (path.startsWith('/payment-success'))
      provider.retrievePaymentIntent = async () => Promise.resolve(intentThat('succeeded'));
    renderAt(path);
    for (const each of words) await waitFor(() => expect(shown()).toContain(each));
    // What is read beside it is there a moment later.
    await act(async () => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(shown()).not.toMatch(FALSE_WORDS);
  });
});

const PLAIN = answers((amount) => amount.toFixed(2));

describe('a current user of whom the server says little', () => {
  const WHO = { id: 'juno-1', username: 'junoplays' };
  it.each([
    ['no more than id and username', WHO],
    ['nothing in all other fields', { ...WHO, earnings: null, totalEarnings: null, transactionCount: null }],
    ['nought as a number', { ...WHO, earnings: 0, totalEarnings: 0, transactionCount: 0 }],
  ])('%s, has home and profile all the same', async (_how, user) => {
    answeringPlainly({ ...PLAIN, '/api/auth/user': user });
    const { navigate } = renderAt('/');
    for (const words of ['Available balance', '$0.00', 'Standard User'])
      await waitFor(() => expect(shown()).toContain(words));
    expect(screen.queryByRole('heading', { name: 'Earnings' })).not.toBeInTheDocument();
    expect(shown()).not.toMatch(FALSE_WORDS);
    await navigate('/profile');
    await waitFor(() => expect(shown()).toContain('Standard User'));
    expect(shown()).not.toMatch(FALSE_WORDS);
  });
});

describe('a command that is answered without a word of what was done', () => {
  it.each([
    ['nothing', null],
    ['an empty object', {}],
  ])('%s, is told as done', async (_how, answer) => {
    const done = { 'PATCH /api/subscriptions/s1/status': answer, 'POST /api/payouts': answer };
    answeringPlainly({ ...PLAIN, ...done, 'POST /api/bank-accounts': answer });
    const { person, navigate } = renderAt('/subscriptions');
    await person.click(await screen.findByRole('button', { name: 'Pause the subscription to wren-1' }));
    await toast('Subscription Paused');

    await navigate('/bank-accounts');
    await person.click(await screen.findByRole('button', { name: 'Request Payout' }));
    const payout = within(await screen.findByRole('dialog', { name: 'New Payout' }));
    await person.click(payout.getByLabelText('Amount'));
    await person.paste('12.5');
    await person.click(payout.getByRole('button', { name: 'Request Payout' }));
    await toast('Payout Requested', '$12.50 is on its way to First Stage Bank ••••6789.');

    await person.click(await screen.findByRole('button', { name: 'Add Account' }));
    const form = within(await screen.findByRole('dialog', { name: 'Add Bank Account' }));
    for (const [field, text] of [
      ['Account holder name', 'Juno Valastro'],
      ['Bank name', 'Third Stage Bank'],
      ['Account number', '000123459999'],
      ['Routing number', '110000000'],
    ] as const) {
      await person.click(form.getByLabelText(field));
      await person.paste(text);
    }
    await person.click(form.getByRole('button', { name: 'Add Account' }));
    await toast('Bank Account Added', 'Third Stage Bank ••••9999 is on your list.');
    expect(shown()).not.toMatch(FALSE_WORDS);
  });
});

describe('a list that alone is answered 401', () => {
  it.each([
    ['/', 'transactions', 'Your recent activity could not be loaded.', 'Your earnings could not be loaded.'],
    ['/history', 'transactions', 'Your transactions could not be loaded.'],
    ['/scheduled-payments', 'subscriptions', 'Upcoming payments could not be worked out.'],
  ])('on %s is not shown as an empty one, nor loading for good', async (path, list, ...sentences) => {
    answeringPlainly({ ...PLAIN, [`/api/${list}`]: new Response('Unauthorized', { status: 401 }) });
    renderAt(path);
    for (const each of sentences) await waitFor(() => expect(shown()).toContain(each));
    expect(shown()).not.toContain('No transactions yet');
  });
});

describe('an address of the history that nobody would write', () => {
  it.each(['/history?account=', '/history?receipt=', `/history?q=${'a'.repeat(101)}`, '/history?q=a%00'])(
    '%s shows payments',
    async (path) => {
      answeringPlainly(PLAIN);
      renderAt(path);
      await waitFor(() => expect(shown()).toContain('+$20.00'));
      expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
      for (const [input] of jest.mocked(globalThis.fetch).mock.calls)
        expect(new URL(String(input), 'http://localhost').search).not.toMatch(/%00|a{101}/);
    },
  );
});
