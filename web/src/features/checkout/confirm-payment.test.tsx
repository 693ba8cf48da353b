import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { CONFIGURATION, provider, resetProvider } from '../../../testing/card-provider.js';
import { answering, pageBefore, refusal, renderAt } from '../../../testing/render.js';

const SECRET = 'GET /api/payments/pay_7/client-secret';
const OPEN = 'POST /api/create-payment-intent';
const SUBSCRIPTION = {
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
};
const asked = async () =>
  Promise.resolve({
    paymentIntent: {
      id: 'pi_1',
      client_secret: 'pi_1_secret_x',
      status: 'requires_payment_method',
      amount: 2000,
      last_payment_error: { payment_method: { id: 'pm_saved' } },
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
    expect(screen.getByText('Odalys Ferrante')).toBeVisible();
    expect(screen.getByText('“Gala”')).toBeVisible();
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();

    const lists = server.calls('GET /api/subscriptions').length;
    await person.click(confirm);
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    expect(provider.confirmCardPayment).toHaveBeenCalledWith('pi_1_secret_x', { payment_method: 'pm_saved' });
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
    provider.confirmCardPayment = jest.fn(async () =>
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
