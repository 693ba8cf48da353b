import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import type { Subscription } from '#contracts/api/subscriptions';
import { CONFIGURATION, intentThat, provider, resetProvider } from '../../../testing/card-provider.js';
import { answering, pageBefore, refusal, renderAt } from '../../../testing/render.js';

const SECRET = 'GET /api/payments/pay_7/client-secret';
const CONFIRM = 'POST /api/payments/pay_7/confirm';
const OPEN = 'POST /api/create-payment-intent';
const SUBSCRIPTION: Subscription = {
  id: 'sub_1',
  toUserId: 'odalys-1',
  toUsername: 'odalys.aerial',
  toFirstName: 'Odalys',
  toLastName: 'Ferrante',
  amount: '20.00',
  frequency: 'weekly',
  description: 'Gala',
  status: 'active',
  nextPaymentDate: '2026-12-21T20:00:00.000Z',
  pauseReason: null,
  lastPaymentAt: null,
  createdAt: '2026-11-01T20:00:00.000Z',
  lastFailureReason: null,
  lastFailureFrom: null,
  failedDueAt: null,
  source: { from: 'balance_then_card', cardId: null },
  nextTryAt: null,
  needsConfirmation: true,
  confirmPaymentId: 'pay_7',
  confirmBy: null,
  isCollecting: false,
};
const ANSWERS = {
  'GET /api/users/odalys-1': {
    id: 'odalys-1',
    firstName: 'Odalys',
    lastName: 'Ferrante',
    username: 'odalys.aerial',
  },
  'GET /api/config': CONFIGURATION,
  'GET /api/transactions': [],
  'GET /api/subscriptions': [SUBSCRIPTION],
  'GET /api/scheduled-payments': [],
  [SECRET]: { clientSecret: 'pi_1_secret_x', paymentId: 'pay_7' },
  [CONFIRM]: { id: 'pay_7', status: 'action_required', clientSecret: 'pi_1_secret_x', failureReason: null },
};
const paid = { id: 'pay_7', status: 'completed', clientSecret: null, failureReason: null };
const keysOf = ({ made }: ReturnType<typeof answering>) =>
  made.filter(({ call }) => call === CONFIRM).map(({ headers }) => headers.get('idempotency-key'));
const asked = async () =>
  Promise.resolve({
    paymentIntent: {
      id: 'pi_1',
      client_secret: 'pi_1_secret_x',
      status: 'requires_payment_method',
      amount: 2000,
    },
  });

beforeEach(() => {
  sessionStorage.clear();
  resetProvider();
  provider.retrievePaymentIntent = asked;
});

describe('a payment that the bank asks about', () => {
  it('is confirmed at the checkout from its list, with the card that is saved, and the list knows', async () => {
    const server = answering(ANSWERS);
    const { person, at } = renderAt('/subscriptions');
    await person.click(await screen.findByRole('link', { name: 'Confirm Payment to Odalys Ferrante' }));
    await waitFor(() => expect(at()).toBe('/checkout?paymentId=pay_7'));
    const confirm = await screen.findByRole('button', { name: 'Confirm $20.00' });
    expect(screen.getByRole('heading', { level: 1, name: 'Confirm Payment' })).toBeVisible();
    expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
    expect(screen.getByText('“Gala”')).toBeVisible();
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();

    const lists = server.calls('GET /api/subscriptions').length;
    await person.click(confirm);
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    // Which card it is, the ledger knows: nothing but the payment is named.
    expect(server.calls(CONFIRM)).toEqual([undefined]);
    expect(keysOf(server)).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
    expect(provider.handleNextAction).toHaveBeenCalledWith({ clientSecret: 'pi_1_secret_x' });
    await waitFor(() => expect(at()).toBe('/subscriptions'));
    await waitFor(() => expect(server.calls('GET /api/subscriptions').length).toBeGreaterThan(lists));
    // The provider's word comes to the ledger a moment later; nobody is asked again meanwhile.
    expect(await screen.findByText('Confirmed. The payment is on its way.')).toBeVisible();
    expect(screen.queryByRole('link', { name: /Confirm Payment/ })).not.toBeInTheDocument();
    expect(server.calls(OPEN)).toEqual([]);
  });

  it('is paid with another card where the saved one does not do, as the same payment', async () => {
    const server = answering({
      ...ANSWERS,
      'GET /api/subscriptions': [],
      'GET /api/scheduled-payments': [
        { ...SUBSCRIPTION, id: 'sch_1', status: 'pending', scheduledDate: '2026-11-20T20:00:00.000Z' },
      ],
    });
    provider.handleNextAction = jest.fn(async () =>
      Promise.resolve({ error: { type: 'card_error', message: 'Your bank did not confirm it.' } }),
    );
    const { person, at } = renderAt('/checkout?paymentId=pay_7');
    await person.click(await screen.findByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText('Your bank did not confirm it.')).toBeVisible();
    expect(screen.getByText(/You have not been charged\. Try another card/)).toBeVisible();
    // That would be another payment.
    expect(screen.queryByRole('link', { name: 'choose Cash App' })).not.toBeInTheDocument();

    await person.click(screen.getByRole('button', { name: 'Use Another Card' }));
    const pay = screen.getByRole('button', { name: 'Pay $20.00' });
    await waitFor(() => expect(pay).toBeEnabled());
    await person.click(pay);
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    expect(provider.elements.at(-1)).toMatchObject({ clientSecret: 'pi_1_secret_x' });
    expect(provider.confirmPayment).toHaveBeenCalledTimes(1);
    await waitFor(() => expect(at()).toBe('/scheduled-payments'));
    expect(server.calls(OPEN)).toEqual([]);
  });

  it('is paid without the bank where it asks no more', async () => {
    answering({ ...ANSWERS, [CONFIRM]: paid });
    const { person, at } = renderAt('/checkout?paymentId=pay_7');
    await person.click(await screen.findByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    expect(provider.handleNextAction).not.toHaveBeenCalled();
    await waitFor(() => expect(at()).toBe('/subscriptions'));
  });

  it.each([
    [
      'failed',
      { ...paid, status: 'failed', failureReason: 'Your card was declined.' },
      'Your card was declined.',
    ],
    ['canceled', refusal(409, 'This payment was canceled.'), 'This payment was canceled.'],
  ])('that %s says why, and the next press is another attempt', async (_, answer, sentence) => {
    const server = answering({ ...ANSWERS, [CONFIRM]: answer });
    const { person } = renderAt('/checkout?paymentId=pay_7');
    await person.click(await screen.findByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText(sentence)).toBeVisible();
    expect(screen.getByText('Payment Failed')).toBeVisible();
    expect(screen.getByText(/You have not been charged\. Try another card/)).toBeVisible();
    server.answers[CONFIRM] = paid;
    await person.click(screen.getByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    expect(new Set(keysOf(server)).size).toBe(2);
  });

  it('whose answer was lost claims nothing, and the next press is the same attempt', async () => {
    const server = answering({ ...ANSWERS, [CONFIRM]: refusal(503, 'The card provider is not answering.') });
    const { person } = renderAt('/checkout?paymentId=pay_7');
    await person.click(await screen.findByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText(/we cannot tell yet whether you were charged/)).toBeVisible();
    expect(screen.queryByText(/You have not been charged/)).not.toBeInTheDocument();
    server.answers[CONFIRM] = paid;
    await person.click(screen.getByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    expect(keysOf(server)).toHaveLength(2);
    expect(new Set(keysOf(server)).size).toBe(1);
  });

  it('whose answer was lost is not asked for again where the provider shows it as paid', async () => {
    const server = answering({
      ...ANSWERS,
      [CONFIRM]: () => {
        provider.retrievePaymentIntent = async () => Promise.resolve(intentThat('succeeded'));
        throw new TypeError('Failed to fetch');
      },
    });
    const { person, at } = renderAt('/checkout?paymentId=pay_7');
    await person.click(await screen.findByRole('button', { name: 'Confirm $20.00' }));
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    await waitFor(() => expect(at()).toBe('/subscriptions'));
    expect(server.calls(CONFIRM)).toHaveLength(1);
  });

  it('is found on any page of its list', async () => {
    const other = { ...SUBSCRIPTION, id: 'sub_2', needsConfirmation: false, confirmPaymentId: null };
    answering({
      ...ANSWERS,
      'GET /api/subscriptions': pageBefore('7', [other]),
      'GET /api/subscriptions?cursor=7': pageBefore('3', [other]),
      'GET /api/subscriptions?cursor=3': [SUBSCRIPTION],
    });
    renderAt('/checkout?paymentId=pay_7');
    expect(await screen.findByRole('button', { name: 'Confirm $20.00' })).toBeVisible();
  });

  it('shows what it charges where the amount was changed since it began to wait', async () => {
    // From the next payment on it is 5 dollars; the one that waits was begun before.
    const changed = { ...SUBSCRIPTION, amount: '5.00' };
    const server = answering({ ...ANSWERS, 'GET /api/subscriptions': [changed] });
    server.answers[SECRET] = { ...ANSWERS[SECRET], amount: '50.00' };
    renderAt('/checkout?paymentId=pay_7');
    expect(await screen.findByRole('button', { name: 'Confirm $50.00' })).toBeVisible();
    expect(screen.getByText('You are paying').nextSibling).toHaveTextContent('$50.00');
    expect(screen.queryByText(/\$5\.00/)).not.toBeInTheDocument();
  });

  it('that waits no longer says so, and opens nothing', async () => {
    const server = answering({ ...ANSWERS, 'GET /api/subscriptions': [] });
    renderAt('/checkout?paymentId=pay_7&amount=20&recipientId=odalys-1');
    expect(await screen.findByText('Nothing to confirm')).toBeVisible();
    expect(server.calls(OPEN)).toEqual([]);
    expect(server.calls(SECRET)).toEqual([]);
  });

  it('that cannot be opened says why, and is asked for again', async () => {
    const server = answering({ ...ANSWERS, [SECRET]: refusal(409, 'This payment was made already.') });
    const { person } = renderAt('/checkout?paymentId=pay_7');
    expect(await screen.findByText('This payment was made already.')).toBeVisible();
    expect(screen.queryByText(/not been charged/)).not.toBeInTheDocument();
    server.answers[SECRET] = ANSWERS[SECRET];
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: 'Confirm $20.00' })).toBeVisible();
  });
});
