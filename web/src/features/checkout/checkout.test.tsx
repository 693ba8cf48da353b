import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { CONFIGURATION, intentThat, lost, provider, resetProvider } from '../../../testing/card-provider.js';
import { line } from '../../../testing/transactions.js';
import {
  answering,
  JUNO,
  refusal,
  renderAt,
  runUntilShown,
  SIGNED_OUT,
  toast,
  watchLeaving,
} from '../../../testing/render.js';
import { noteClock } from '../../shared/api/server-clock.js';

const ODALYS = { id: 'odalys-1', firstName: 'Odalys', lastName: 'Ferrante', username: 'odalys.aerial' };
const OPEN = 'POST /api/create-payment-intent';
const ANSWERS = {
  'GET /api/users/odalys-1': ODALYS,
  'GET /api/config': CONFIGURATION,
  'GET /api/transactions': [],
  [OPEN]: { clientSecret: 'pi_1_secret_x', paymentId: 'pay_1' },
};
const CHECKOUT = '/checkout?amount=20&recipientId=odalys-1&description=Gala&paymentMethod=card';

const pathOf = (place: string) => place.split('?')[0];

beforeEach(() => {
  sessionStorage.clear();
  resetProvider();
});

const keysOf = (server: ReturnType<typeof answering>, of: string) =>
  new Set(server.made.filter(({ call }) => call === of).map(({ headers }) => headers.get('idempotency-key')));
const keyOf = (server: ReturnType<typeof answering>) => keysOf(server, OPEN);

async function openCheckout(answers: Record<string, unknown> = {}, path = CHECKOUT) {
  const server = answering({ ...ANSWERS, ...answers });
  const app = renderAt(path);
  const pay = await screen.findByRole('button', { name: 'Pay $20.00' });
  await waitFor(() => expect(pay).toBeEnabled());
  return { server, pay, ...app };
}

describe('the checkout', () => {
  it('shows what is paid, to whom and how, and opens one payment', async () => {
    const { server } = await openCheckout();
    expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
    expect(screen.getByText('Recipient')).toBeVisible();
    expect(screen.getByText('Card Payment')).toBeVisible();
    expect(screen.getByText('“Gala”')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Back' })).toHaveAttribute('href', '/payments');
    expect(server.calls(OPEN)[0]).toEqual({
      amount: 20,
      toUserId: 'odalys-1',
      description: 'Gala',
      paymentMethod: 'card',
    });
    expect(keyOf(server).size).toBe(1);
    expect(provider.elements.at(-1)).toMatchObject({ clientSecret: 'pi_1_secret_x' });
  });

  it('says that it was paid, and goes home', async () => {
    const { person, pay, at } = await openCheckout();
    await person.click(pay);
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    expect(screen.getByText('Payment Successful')).toBeVisible();
    await waitFor(() => expect(pathOf(at())).toBe('/'));
    expect(provider.confirmPayment).toHaveBeenCalledTimes(1);
    expect(provider.confirmPayment).toHaveBeenCalledWith(
      expect.objectContaining({ confirmParams: { return_url: 'http://localhost/payment-success' } }),
    );
    // The same payment again would be another one.
    expect(Object.keys(sessionStorage).filter((place) => place.startsWith('encore.payment'))).toEqual([]);
  });

  it('is one payment for the tip page, the checkout and a reload', async () => {
    const { server: first } = await openCheckout();
    const { server: again } = await openCheckout({}, CHECKOUT.replace('amount=20', 'amount=20.00'));
    expect([...keyOf(again)]).toEqual([...keyOf(first)]);
  });

  it('says why a card was refused, that nothing was charged, and takes another', async () => {
    const { person, pay, at } = await openCheckout();
    provider.confirmPayment = jest.fn(async () =>
      Promise.resolve({ error: { type: 'card_error', message: 'Your card was declined.' } }),
    );
    await person.click(pay);
    expect(await screen.findByText('Payment Failed')).toBeVisible();
    expect(screen.getByText('Your card was declined.')).toBeVisible();
    expect(screen.getByText(/You have not been charged\./)).toBeVisible();
    expect(screen.getByRole('link', { name: 'choose Cash App' })).toHaveAttribute(
      'href',
      '/checkout?amount=20.00&recipientId=odalys-1&description=Gala&paymentMethod=cashapp',
    );
    expect(pathOf(at())).toBe('/checkout');

    provider.confirmPayment = async () => Promise.resolve(intentThat('succeeded'));
    await person.click(screen.getByRole('button', { name: 'Pay $20.00' }));
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
  });

  it('asks for the payment’s status when the answer was lost, before it shows an outcome', async () => {
    const { person, pay } = await openCheckout();
    provider.confirmPayment = lost;
    provider.retrievePaymentIntent = async () => Promise.resolve(intentThat('succeeded'));
    await person.click(pay);
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
  });

  it('claims nothing when it cannot ask', async () => {
    const { person, pay } = await openCheckout();
    provider.confirmPayment = lost;
    provider.retrievePaymentIntent = lost;
    await person.click(pay);
    expect(
      await screen.findByText(/Press the same button again: it goes on with this payment\./),
    ).toBeVisible();
    expect(screen.queryByText(/You have not been charged/)).not.toBeInTheDocument();
  });

  it('shows the fields also where the provider does not say how the payment stands', async () => {
    provider.retrievePaymentIntent = () => Promise.reject(new Error('Invalid value for clientSecret.'));
    await openCheckout();
  });

  it('that was paid before is not paid again', async () => {
    answering(ANSWERS);
    provider.retrievePaymentIntent = async () => Promise.resolve(intentThat('succeeded'));
    const { at } = renderAt(CHECKOUT);
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    await waitFor(() => expect(pathOf(at())).toBe('/'));
    expect(provider.confirmPayment).not.toHaveBeenCalled();
  });

  it('that was open for too long says so, and is begun again as another payment', async () => {
    const { person, pay, server } = await openCheckout();
    provider.confirmPayment = async () =>
      Promise.resolve({
        error: {
          type: 'invalid_request_error',
          message: 'This PaymentIntent could not be confirmed because it has a status of canceled.',
          payment_intent: { status: 'canceled' },
        },
      });
    await person.click(pay);
    await toast(
      'Payment Failed',
      'This payment was open for too long, or refused too often, and was canceled.',
    );
    expect(pay).toBeDisabled();
    expect(screen.getByRole('link', { name: 'Start again' }).getAttribute('href')).toMatch(/^\/payments\?/);
    renderAt(CHECKOUT);
    await waitFor(() => expect(keyOf(server).size).toBe(2));
  });

  it('by another method takes the place of the one before, which is not paid as well', async () => {
    const byCashApp = CHECKOUT.replace('=card', '=cashapp');
    const { server: first } = await openCheckout({}, byCashApp);
    const { server } = await openCheckout();
    expect(server.calls(OPEN)[0]).toMatchObject({ paymentMethod: 'card', insteadOf: [...keyOf(first)] });
    // A reload is the same call, passkey and all.
    const { server: reloaded } = await openCheckout();
    expect(reloaded.calls(OPEN)[0]).toEqual(server.calls(OPEN)[0]);
    expect(keyOf(reloaded)).toEqual(keyOf(server));
    // That one has ended: by Cash App again it is a new payment.
    const { server: again } = await openCheckout({}, byCashApp);
    expect(keyOf(again)).not.toEqual(keyOf(first));
    expect(again.calls(OPEN)[0]).toMatchObject({ insteadOf: [...keyOf(server)] });
  });

  it('leaves nothing else to press while what was left is being ended', async () => {
    const VISA = { id: 'crd_a', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, isDefault: true };
    await openCheckout({}, CHECKOUT.replace('=card', '=cashapp'));
    let answer: (response: Response) => void = () => undefined;
    answering({
      ...ANSWERS,
      'GET /api/payment-methods': [VISA],
      [OPEN]: () => new Promise((resolve) => (answer = resolve)),
    });
    renderAt(CHECKOUT);
    const visa = await screen.findByRole('button', { name: 'With Visa ••••4242' });
    expect(visa).toBeDisabled();
    answer(Response.json(ANSWERS[OPEN]));
    await waitFor(() => expect(visa).toBeEnabled());
  });

  it('of what was paid by another method meanwhile says so, and leads to the history', async () => {
    jest.useFakeTimers();
    try {
      const sentence = 'Your earlier payment went through.';
      const paid = () =>
        Response.json({ message: sentence, code: 'earlier-payment-stands' }, { status: 409 });
      answering(ANSWERS);
      renderAt(CHECKOUT.replace('=card', '=cashapp'));
      await runUntilShown('Pay $20.00');
      answering({ ...ANSWERS, [OPEN]: paid });
      const { at } = renderAt(CHECKOUT);
      await runUntilShown('Payment Error');
      expect(screen.queryByText(/You have not been charged/)).not.toBeInTheDocument();
      expect(screen.getAllByText(sentence)).toHaveLength(2);
      await act(() => jest.advanceTimersByTimeAsync(3000));
      expect(pathOf(at())).toBe('/history');
      // Once: by card again it is a payment of its own.
      const server = answering(ANSWERS);
      renderAt(CHECKOUT);
      await runUntilShown('Pay $20.00');
      expect(server.calls(OPEN).at(-1)).not.toHaveProperty('insteadOf');
    } finally {
      jest.useRealTimers();
    }
  });

  it('that Cash App’s page was left from by going back can be paid again', async () => {
    const { person, pay } = await openCheckout();
    provider.confirmPayment = jest.fn(() => new Promise<never>(() => undefined));
    await person.click(pay);
    await waitFor(() => expect(provider.confirmPayment).toHaveBeenCalledTimes(1));
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await person.click(screen.getByRole('button', { name: 'Pay $20.00' }));
    await waitFor(() => expect(provider.confirmPayment).toHaveBeenCalledTimes(2));
  });

  it('with empty fields is not sent, and no payment failed', async () => {
    const { person, pay } = await openCheckout();
    provider.confirmPayment = async () =>
      Promise.resolve({ error: { type: 'validation_error', message: 'Your card number is incomplete.' } });
    await person.click(pay);
    expect(
      await screen.findByText('Please fill in the fields above. You have not been charged.'),
    ).toBeVisible();
    expect(screen.queryByText('Payment Failed')).not.toBeInTheDocument();
  });

  it.each([
    ['Payment Error', 'Failed to initialize payment. Please try again.', CHECKOUT],
    ['Tip Error', 'Failed to initialize tip payment.', '/tip/odalys-1?amount=5'],
  ])('without a client secret is not opened (%s)', async (title, sentence, path) => {
    answering({ ...ANSWERS, [OPEN]: {} });
    renderAt(path);
    await toast(title, sentence);
    for (const name of [/^Pay \$/, 'Continue to Secure Payment'])
      expect(screen.queryAllByRole('button', { name }).filter((each) => !each.matches(':disabled'))).toEqual(
        [],
      );
  });

  it('whose session has ended says so once, whichever call hears of it first', async () => {
    watchLeaving();
    let asked = 0;
    answering({
      ...ANSWERS,
      'GET /api/auth/user': () => ((asked += 1) === 1 ? JUNO : SIGNED_OUT),
      'GET /api/users/odalys-1': SIGNED_OUT,
      [OPEN]: SIGNED_OUT,
    });
    renderAt(CHECKOUT);
    const notes = await screen.findByRole('alert');
    await waitFor(() => expect(asked).toBeGreaterThan(1));
    // Each call that hears of it says it: one toast takes the place of another.
    await waitFor(() =>
      expect(within(notes).getByText('Please log in again to make a payment.')).toBeVisible(),
    );
    expect(within(notes).getByText('Payment Error')).toBeVisible();
    expect(screen.queryByText('You are logged out. Logging in again...')).not.toBeInTheDocument();
  });

  it.each(['/checkout', '/checkout?amount=20', '/checkout?recipientId=odalys-1'])(
    '%s leads to Payments',
    async (path) => {
      answering(ANSWERS);
      const { at } = renderAt(path);
      await waitFor(() => expect(pathOf(at())).toBe('/payments'));
    },
  );

  const NOT_POSITIVE = 'Please enter a valid amount greater than 0';
  const UNCLEAR = 'Write thousands without a comma or point, such as 1250 or 1250.00.';
  it.each([
    ['1e3', NOT_POSITIVE],
    ['0x10', NOT_POSITIVE],
    ['-5', NOT_POSITIVE],
    ['0', NOT_POSITIVE],
    ['0.49', 'The smallest payment is $0.50.'],
    ['1,250', UNCLEAR],
    ['1.250,00', UNCLEAR],
    ['12.345', 'An amount has at most two decimals, such as 12.50.'],
    ['1000000', 'The largest payment is $999,999.99.'],
  ])(
    'of %s shows no amount and charges nothing: the form says that the amount is invalid',
    async (amount, sentence) => {
      const server = answering(ANSWERS);
      const { at } = renderAt(`/checkout?recipientId=odalys-1&amount=${encodeURIComponent(amount)}`);
      expect(await screen.findByText('Invalid Amount')).toBeVisible();
      expect(within(screen.getByRole('alert')).getByText(sentence)).toBeVisible();
      await waitFor(() => expect(pathOf(at())).toBe('/payments'));
      expect(await screen.findByRole('spinbutton', { name: 'Amount' })).toHaveValue(amount);
      expect(screen.queryByRole('button', { name: /\$\d+\.\d\d/ })).not.toBeInTheDocument();
      expect(server.calls(OPEN)).toEqual([]);
    },
  );

  it.each([
    ['12,50', 'Pay $12.50', 12.5],
    ['1,250.00', 'Pay $1,250.00', 1250],
  ])('of %s charges what it shows', async (amount, button, sent) => {
    const server = answering(ANSWERS);
    renderAt(`/checkout?recipientId=odalys-1&amount=${encodeURIComponent(amount)}`);
    expect(await screen.findByRole('button', { name: button })).toBeVisible();
    expect(server.calls(OPEN)[0]).toMatchObject({ amount: sent });
  });

  it.each([
    [
      refusal(404, 'Recipient user not found'),
      'Recipient user not found. Please check the recipient ID and try again.',
    ],
    [refusal(422, 'The smallest payment is $0.50.'), 'The smallest payment is $0.50.'],
    [() => new Response('', { status: 500 }), 'Failed to initialize payment. Please try again.'],
    [
      () => Promise.reject(new TypeError('Failed to fetch')),
      'The server cannot be reached. Check your connection and try again.',
    ],
    [refusal(401, 'Unauthorized'), 'Please log in again to make a payment.'],
  ])('that cannot be opened says why (%#)', async (answer, sentence) => {
    watchLeaving();
    answering({ ...ANSWERS, [OPEN]: answer });
    renderAt(CHECKOUT);
    expect(await screen.findByText('Payment Error')).toBeVisible();
    expect(screen.getByText(sentence)).toBeVisible();
    expect(screen.getByText(`${sentence} You have not been charged.`)).toBeVisible();
  });

  it('whose fields never come says so, and is not paid', async () => {
    jest.useFakeTimers();
    try {
      provider.hasFields = false;
      answering(ANSWERS);
      renderAt(CHECKOUT);
      await runUntilShown('Pay $20.00');
      await act(() => jest.advanceTimersByTimeAsync(15_000));
      expect(screen.getByText(/^The payment form has not loaded yet\./)).toBeInTheDocument();
      expect(screen.getByRole('button', { name: 'Pay $20.00' })).toBeDisabled();
    } finally {
      jest.useRealTimers();
    }
  });

  it('that cannot be opened leads back to the form, filled in as it was, and is the same payment from there', async () => {
    jest.useFakeTimers();
    try {
      const server = answering({
        ...ANSWERS,
        [OPEN]: () => Promise.reject(new TypeError('Failed to fetch')),
      });
      const { at } = renderAt(CHECKOUT);
      await runUntilShown('Payment Error');
      await act(() => jest.advanceTimersByTimeAsync(3000));
      expect(at()).toBe('/payments');
      expect(screen.getByRole('spinbutton', { name: 'Amount' })).toHaveValue('20.00');
      expect(screen.getByRole('textbox', { name: 'Note (optional)' })).toHaveValue('Gala');
      expect(screen.getByRole('radio', { name: 'Card' })).toBeChecked();
      expect(screen.getByText('Odalys Ferrante')).toBeInTheDocument();
      renderAt(CHECKOUT);
      await runUntilShown('Payment Error');
      expect(keyOf(server).size).toBe(1);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('the tick that keeps the card', () => {
  const bySecret = (body: unknown) => ({
    clientSecret: (body as { saveCard?: boolean }).saveCard === true ? 'pi_2_secret_saving' : 'pi_1_secret_x',
    paymentId: 'pay_1',
  });
  const tick = () => screen.getByRole('checkbox', { name: 'Save this card for next time' });
  const payable = async () =>
    waitFor(() => expect(screen.getByRole('button', { name: 'Pay $20.00' })).toBeEnabled());

  it('is off until the payer sets it, and is then part of the payment and of its key', async () => {
    const { person, server } = await openCheckout({ [OPEN]: bySecret });
    expect(tick()).not.toBeChecked();
    expect(server.calls(OPEN).every((body) => !('saveCard' in (body as object)))).toBe(true);
    await person.click(tick());
    await waitFor(() =>
      expect(provider.elements.at(-1)).toMatchObject({ clientSecret: 'pi_2_secret_saving' }),
    );
    await payable();
    expect(server.calls(OPEN).at(-1)).toMatchObject({ saveCard: true });
    expect(keyOf(server).size).toBe(2);
    // Off again it is the payment that it was.
    await person.click(tick());
    await waitFor(() => expect(provider.elements.at(-1)).toMatchObject({ clientSecret: 'pi_1_secret_x' }));
    expect(keyOf(server).size).toBe(2);
  });

  it('outlives a reload, so that the same payment is made, and is forgotten once it is paid', async () => {
    const { person, server: first } = await openCheckout({ [OPEN]: bySecret });
    await person.click(tick());
    await waitFor(() =>
      expect(provider.elements.at(-1)).toMatchObject({ clientSecret: 'pi_2_secret_saving' }),
    );
    const { server: again, person: same } = await openCheckout({ [OPEN]: bySecret });
    expect(tick()).toBeChecked();
    expect([...keyOf(again)]).toEqual([[...keyOf(first)].at(-1)]);
    await same.click(screen.getByRole('button', { name: 'Pay $20.00' }));
    expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
    await waitFor(() =>
      expect(Object.keys(sessionStorage).filter((place) => place.startsWith('encore.'))).toEqual([
        'encore.owner',
      ]),
    );
  });

  it('goes off where its payer does not confirm it, and the payment stays as it was', async () => {
    const { person, server } = await openCheckout({
      [OPEN]: (body: unknown) =>
        (body as { saveCard?: boolean }).saveCard === true
          ? Response.json({ message: 'You did not confirm this.', code: 'not_confirmed' }, { status: 403 })
          : ANSWERS[OPEN],
    });
    await person.click(tick());
    expect(await screen.findByText('Not Confirmed')).toBeVisible();
    await payable();
    expect(tick()).not.toBeChecked();
    expect(screen.queryByText(/Payment Error|You have not been charged/)).not.toBeInTheDocument();
    expect(server.calls(OPEN).at(-1)).not.toHaveProperty('saveCard');
    // Also after a reload.
    await openCheckout();
    expect(tick()).not.toBeChecked();
  });

  it('cannot be changed while nobody knows whether the payment was made', async () => {
    const { person, pay } = await openCheckout();
    provider.confirmPayment = lost;
    provider.retrievePaymentIntent = lost;
    await person.click(pay);
    expect(
      await screen.findByText(/Press the same button again: it goes on with this payment\./),
    ).toBeVisible();
    expect(tick()).toBeDisabled();
  });

  it('is not there for Cash App', async () => {
    await openCheckout({}, CHECKOUT.replace('=card', '=cashapp'));
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  });
});

describe('what is there to pay with already', () => {
  const VISA = { id: 'crd_a', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, isDefault: true };
  const TIP = 'POST /api/tips';
  const answer = (status: string, more: object = {}) => ({
    id: 'pay_2',
    status,
    clientSecret: null,
    failureReason: null,
    ...more,
  });

  it('pays in one tap by the saved card, and home says what was paid', async () => {
    const { person, server, at } = await openCheckout({
      'GET /api/payment-methods': [VISA],
      [TIP]: answer('completed'),
    });
    await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    await waitFor(() => expect(pathOf(at())).toBe('/'));
    expect(server.calls(TIP)).toEqual([
      { toUserId: 'odalys-1', amount: '20.00', description: 'Gala', from: 'crd_a' },
    ]);
    const paid = within(await screen.findByRole('region', { name: 'Just paid' }));
    expect(await paid.findByText('Odalys Ferrante')).toBeVisible();
    expect(paid.getByText('$20.00')).toBeVisible();
  });

  it.each([
    ['still', JUNO, 0, true],
    ['not any more to another user', { ...JUNO, id: 'wren-1' }, 0, false],
    ['not any more after a quarter of an hour', JUNO, 15 * 60_000, false],
  ])('is said at home after a reload: %s', async (_when, user, afterMs, isSaid) => {
    const { person, at, entryState } = await openCheckout({
      'GET /api/payment-methods': [VISA],
      [TIP]: answer('completed'),
    });
    await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    await waitFor(() => expect(pathOf(at())).toBe('/'));
    const state = entryState();
    const now = Date.now() + afterMs;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    answering({ ...ANSWERS, 'GET /api/auth/user': user });
    renderAt('/', { state });
    await screen.findByText('Available balance');
    if (isSaid) expect(await screen.findByRole('region', { name: 'Just paid' })).toBeVisible();
    else expect(screen.queryByRole('region', { name: 'Just paid' })).not.toBeInTheDocument();
    clock.mockRestore();
  });

  it('is said above the next form to whoever only pays', async () => {
    const fan = { ...JUNO, transactionCount: 3, totalEarnings: '0.00', earnings: '0.00' };
    const { person, at } = await openCheckout({
      'GET /api/auth/user': fan,
      'GET /api/payment-methods': [VISA],
      [TIP]: answer('completed'),
    });
    await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    await waitFor(() => expect(pathOf(at())).toBe('/'));
    const paid = await screen.findByRole('region', { name: 'Just paid' });
    const form = screen.getByRole('form', { name: 'Tap to Pay' });
    expect(paid.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it('is the balance only where it covers the amount, also on the page of a tip link', async () => {
    answering({ ...ANSWERS, [TIP]: answer('completed') });
    const { navigate } = renderAt('/tip/odalys-1?amount=20');
    expect(await screen.findByRole('button', { name: 'From your balance' })).toBeVisible();
    await navigate('/tip/odalys-1?amount=999999');
    await screen.findByText('$999,999', { exact: false });
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'From your balance' })).not.toBeInTheDocument(),
    );
  });

  it('says what the card provider refused, and that nothing was charged', async () => {
    const { person } = await openCheckout({
      'GET /api/payment-methods': [VISA],
      [TIP]: answer('failed', { failureReason: 'Your card was declined.' }),
    });
    await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    await toast('Payment Failed');
    expect(await screen.findByText('Your card was declined. You have not been charged.')).toBeVisible();
  });

  it('can only be pressed again itself after its answer was lost, and is the same payment then', async () => {
    const { person, server, pay } = await openCheckout({
      'GET /api/payment-methods': [VISA],
      [TIP]: () => Promise.reject(new TypeError('Failed to fetch')),
    });
    const visa = await screen.findByRole('button', { name: 'With Visa ••••4242' });
    await person.click(visa);
    expect(await screen.findByText(/it goes on with this payment\./)).toBeVisible();
    await waitFor(() => expect(pay).toBeDisabled());
    expect(screen.getByRole('button', { name: 'From your balance' })).toBeDisabled();
    await person.click(screen.getByRole('button', { name: 'With Visa ••••4242' }));
    await waitFor(() => expect(server.calls(TIP)).toHaveLength(2));
    expect(keysOf(server, TIP).size).toBe(1);
  });

  it('stays the same payment where a press after a lost answer is not let in, and claims nothing', async () => {
    let presses = 0;
    const { person, server } = await openCheckout({
      'GET /api/payment-methods': [VISA],
      [TIP]: () =>
        ++presses === 1
          ? Promise.reject(new TypeError('Failed to fetch'))
          : refusal(429, 'Too many payments. Please wait a minute.'),
    });
    const press = async () => person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    await press();
    expect(await screen.findByText(/it goes on with this payment\./)).toBeVisible();
    for (const sent of [2, 3]) {
      await press();
      await waitFor(() => expect(server.calls(TIP)).toHaveLength(sent));
      expect(await screen.findByText(/it goes on with this payment\./)).toBeVisible();
    }
    expect(screen.queryByText(/You have not been charged/)).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'From your balance' })).toBeDisabled();
    expect(keysOf(server, TIP).size).toBe(1);
  });

  it('leaves no other way open on the page of a tip link either, as long as its answer is missing', async () => {
    answering({
      ...ANSWERS,
      'GET /api/payment-methods': [VISA],
      [TIP]: () => Promise.reject(new TypeError('Failed to fetch')),
    });
    const { person } = renderAt('/tip/odalys-1?amount=20');
    const goOn = await screen.findByRole('button', { name: 'Continue to Secure Payment' });
    await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    expect(await screen.findByText(/it goes on with this payment\./)).toBeVisible();
    expect(goOn).toBeDisabled();
  });

  it.each([CHECKOUT, '/tip/odalys-1?amount=20&description=Gala'])(
    'is waited for where the other ways could not be set up meanwhile, and nobody denies it: %s',
    async (path) => {
      let pay: (answered: unknown) => void = () => undefined;
      let refuse: (refused: Response) => void = () => undefined;
      const server = answering({
        ...ANSWERS,
        'GET /api/payment-methods': [VISA],
        [TIP]: () => new Promise((resolve) => (pay = resolve)),
        [OPEN]: () => new Promise((resolve) => (refuse = resolve)),
      });
      const { person, at } = renderAt(path);
      await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
      await waitFor(() => expect(server.calls(TIP)).toHaveLength(1));
      await act(async () => refuse(Response.json({}, { status: 503 })));
      expect(screen.queryByText(/You have not been charged/)).not.toBeInTheDocument();
      await act(async () => pay(answer('completed')));
      await waitFor(() => expect(pathOf(at())).toBe('/'));
      expect(await screen.findByRole('region', { name: 'Just paid' })).toBeVisible();
    },
  );

  it('that is under way says so at home, and claims no success', async () => {
    const { person, at } = await openCheckout({
      'GET /api/payment-methods': [VISA],
      [TIP]: answer('processing'),
    });
    await person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));
    await toast(
      'Payment Processing',
      'Your payment is on its way. Your history shows it as soon as it is made.',
    );
    await waitFor(() => expect(at()).toBe('/'));
    expect(screen.queryByRole('region', { name: 'Just paid' })).not.toBeInTheDocument();
  });

  describe('and whose bank asks for its payer', () => {
    const asked = {
      'GET /api/payment-methods': [VISA],
      [TIP]: answer('action_required', { clientSecret: 'pi_2_secret_x' }),
    };
    const press = async (person: Awaited<ReturnType<typeof openCheckout>>['person']) =>
      person.click(await screen.findByRole('button', { name: 'With Visa ••••4242' }));

    it('is paid once it is confirmed, also where the connection was lost after that', async () => {
      provider.handleNextAction = lost;
      const { person, at } = await openCheckout(asked);
      provider.retrievePaymentIntent = jest.fn(async () => Promise.resolve(intentThat('succeeded')));
      await press(person);
      expect(await screen.findByText('Payment processed successfully!')).toBeVisible();
      expect(provider.retrievePaymentIntent).toHaveBeenCalledWith('pi_2_secret_x');
      await waitFor(() => expect(pathOf(at())).toBe('/'));
    });

    it.each([
      ['the connection was lost', lost],
      ['the bank got no answer', async () => Promise.resolve(intentThat('requires_action'))],
    ])('claims nothing when %s, and goes on with the same payment', async (_, bank) => {
      provider.handleNextAction = bank;
      const { person, server } = await openCheckout(asked);
      provider.retrievePaymentIntent = lost;
      await press(person);
      expect(await screen.findByText(/it goes on with this payment\./)).toBeVisible();
      expect(screen.queryByText(/You have not been charged/)).not.toBeInTheDocument();
      await press(person);
      await waitFor(() => expect(server.calls(TIP)).toHaveLength(2));
      expect(keysOf(server, TIP).size).toBe(1);
    });
  });

  it('is no reason to pay the same twice without a word', async () => {
    const sent = line('p1', {
      type: 'payment_sent',
      amount: '20.00',
      counterpartyId: 'odalys-1',
      counterpartyUsername: 'odalys',
      createdAt: new Date(Date.now() - 3 * 60_000).toISOString(),
    });
    await openCheckout({ 'GET /api/transactions?limit=4': [sent] });
    expect(
      await screen.findByText('You paid odalys $20.00 3 minutes ago. This would be a second payment.'),
    ).toBeVisible();
  });

  it.each([
    ['ahead', 5],
    ['behind', -5],
  ])('is told when the same was paid where the clock of this phone is hours %s', async (_how, hours) => {
    const serverMs = Date.now() - hours * 3_600_000;
    const sent = line('p1', {
      type: 'payment_sent',
      amount: '20.00',
      counterpartyId: 'odalys-1',
      counterpartyUsername: 'odalys',
      createdAt: new Date(serverMs - 3.5 * 60_000).toISOString(),
    });
    const dated = (at: number) => ({ headers: { date: new Date(at).toUTCString() } });
    await openCheckout({
      'GET /api/transactions?limit=4': () => Response.json([sent], dated(serverMs)),
    });
    expect(
      await screen.findByText(/^You paid odalys \$20\.00 3 minutes ago\. This would be a second payment\.$/),
    ).toBeVisible();
    // For whatever is tested next.
    noteClock(Response.json([], dated(Date.now())));
  });
});

describe('a tip link', () => {
  it('sets the payment up, shows it, and goes on to the checkout with the same key', async () => {
    const server = answering(ANSWERS);
    const { person, at } = renderAt('/tip/odalys-1?amount=12.5&description=Encore&paymentMethod=cashapp');
    const goOn = await screen.findByRole('button', { name: 'Continue to Secure Payment' });
    await waitFor(() => expect(goOn).toBeEnabled());
    // Until the name is there, the id stands in its place, too.
    expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
    expect(screen.getByText('odalys-1')).toBeVisible();
    expect(screen.getByText('“Encore”')).toBeVisible();
    expect(screen.getByText('Cash App Payment')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', '/payments');
    expect(screen.getByRole('link', { name: 'Back' })).toHaveAttribute('href', '/payments');
    await person.click(goOn);
    await waitFor(() => expect(pathOf(at())).toBe('/checkout'));
    expect(Object.fromEntries(new URLSearchParams(at().split('?')[1]))).toEqual({
      amount: '12.50',
      recipientId: 'odalys-1',
      description: 'Encore',
      paymentMethod: 'cashapp',
    });
    await screen.findByRole('button', { name: 'Pay $12.50' });
    expect(keyOf(server).size).toBe(1);
  });

  it('can be changed: its amount, its note and how it is paid', async () => {
    answering(ANSWERS);
    const { person, at } = renderAt('/tip/odalys-1?amount=12.5&description=Encore&paymentMethod=cashapp');
    await person.click(await screen.findByRole('link', { name: 'Change amount, note or method' }));
    await waitFor(() => expect(pathOf(at())).toBe('/payments'));
    expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
    expect(screen.getByLabelText('Amount')).toHaveValue('12.50');
    expect(screen.getByLabelText('Note (optional)')).toHaveValue('Encore');
    expect(screen.getByRole('radio', { name: 'Cash App' })).toBeChecked();
  });

  it('promises for Continue alone that nothing is charged, beside what pays at once', async () => {
    answering({ ...ANSWERS, 'GET /api/auth/user': { ...JUNO, earnings: '100.00' } });
    renderAt('/tip/odalys-1?amount=20');
    expect(await screen.findByRole('button', { name: 'From your balance' })).toBeVisible();
    expect(screen.queryByText(/^Nothing is charged/)).not.toBeInTheDocument();
    expect(screen.getByText('Continue charges nothing: you pay on the next page.')).toBeVisible();
  });

  it('has its button from the beginning, which goes nowhere before the payment is set up', async () => {
    let answer: (opened: object) => void = () => undefined;
    answering({ ...ANSWERS, [OPEN]: () => new Promise((resolve) => (answer = resolve)) });
    const { person, at } = renderAt('/tip/odalys-1?amount=5');
    const goOn = await screen.findByRole('button', { name: /^Continue to Secure Payment/ });
    expect(goOn).toHaveAttribute('aria-disabled', 'true');
    expect(goOn).toHaveAccessibleName('Continue to Secure Payment: setting up payment');
    await person.click(goOn);
    expect(pathOf(at())).toBe('/tip/odalys-1');
    answer(ANSWERS[OPEN]);
    await waitFor(() => expect(goOn).toHaveAccessibleName('Continue to Secure Payment'));
    expect(goOn).not.toHaveAttribute('aria-disabled');
  });

  it('is paid by card where it does not say how, and shows its amount to the cent', async () => {
    answering(ANSWERS);
    const { person, at } = renderAt('/tip/odalys-1?amount=7.5');
    const goOn = await screen.findByRole('button', { name: 'Continue to Secure Payment' });
    await waitFor(() => expect(goOn).toBeEnabled());
    expect(screen.getByText('Card Payment')).toBeVisible();
    // The cents stand back in an element of their own.
    const written = screen.getByText('.50');
    expect(written.parentElement).toHaveTextContent(/^\$7\.50$/);
    await person.click(goOn);
    await waitFor(() => expect(at()).toBe('/checkout?amount=7.50&recipientId=odalys-1&paymentMethod=card'));
  });

  it.each(['1e3', '0x10', '1,250', '0', '1000000'])(
    'of %s is no tip, and opens no payment',
    async (amount) => {
      const server = answering(ANSWERS);
      renderAt(`/tip/odalys-1?amount=${encodeURIComponent(amount)}`);
      expect(
        await screen.findByText('The amount of this link cannot be paid. You can choose an amount yourself.'),
      ).toBeVisible();
      expect(screen.queryByText(/You are tipping/)).not.toBeInTheDocument();
      expect(server.calls(OPEN)).toEqual([]);
    },
  );

  it('without an amount says so and offers the form with the person filled in', async () => {
    answering(ANSWERS);
    renderAt('/tip/odalys-1');
    const notes = await screen.findByRole('alert');
    expect(await within(notes).findByText('Invalid Tip Link')).toBeVisible();
    expect(within(notes).getByText('Missing person or amount information')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Choose an amount' })).toHaveAttribute(
      'href',
      '/payments?recipientId=odalys-1',
    );
  });

  it.each([
    [
      refusal(404, 'Recipient user not found'),
      'This person cannot receive tips. Please check the link.',
      undefined,
    ],
    [
      refusal(422, 'You cannot pay yourself.'),
      'Failed to initialize tip payment.',
      'You cannot pay yourself.',
    ],
    [refusal(401, 'Unauthorized'), 'Please log in again to tip this person.', undefined],
  ])('that cannot be set up says why (%#)', async (answer, sentence, reason) => {
    watchLeaving();
    answering({ ...ANSWERS, [OPEN]: answer });
    renderAt('/tip/odalys-1?amount=5');
    expect(await screen.findByText('Tip Error')).toBeVisible();
    expect(screen.getByText(sentence)).toBeVisible();
    expect(screen.getByText(`${reason ?? sentence} You have not been charged.`)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Continue to Secure Payment' })).toBeDisabled();
  });
});

describe('the page after a payment', () => {
  const BACK =
    '/payment-success?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_x&redirect_status=';

  const ANSWERS_OF_PAYER = { ...ANSWERS, 'GET /api/payments/of-intent/pi_1': { paymentId: 'pay_1' } };

  it('shows nothing of somebody else’s payment, whose address anybody could send', async () => {
    const notTheirs = { message: 'Payment not found', code: 'payment_not_found' };
    answering({
      ...ANSWERS,
      'GET /api/payments/of-intent/pi_1': () => Response.json(notTheirs, { status: 404 }),
    });
    provider.retrievePaymentIntent = async () => Promise.resolve(intentThat('succeeded'));
    renderAt(`${BACK}succeeded`);
    expect(await screen.findByText('No payment to show')).toBeVisible();
    expect(screen.queryByText('Payment Successful')).not.toBeInTheDocument();
  });

  it('says of one that was made that it was, and leads home and to the history', async () => {
    answering(ANSWERS_OF_PAYER);
    provider.retrievePaymentIntent = async () => Promise.resolve(intentThat('succeeded'));
    renderAt(`${BACK}succeeded`);
    expect(await screen.findByRole('heading', { level: 1, name: 'Payment Successful' })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Return Home' })).toHaveAttribute('href', '/');
    expect(screen.getByRole('link', { name: 'View Transaction History' })).toHaveAttribute(
      'href',
      '/history',
    );
  });

  it.each([
    ['processing', 'pending', 'Payment Processing'],
    ['requires_payment_method', 'failed', 'Payment Failed'],
    ['requires_action', 'failed', 'Payment Not Confirmed'],
    // The address can be written by anybody; the provider's word counts.
    ['requires_payment_method', 'succeeded', 'Payment Failed'],
  ])('with an intent that is %s (%s) says %s', async (status, redirectStatus, title) => {
    answering(ANSWERS_OF_PAYER);
    provider.retrievePaymentIntent = async () => Promise.resolve(intentThat(status));
    renderAt(`${BACK}${redirectStatus}`);
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Return Home' })).toHaveAttribute('href', '/');
    expect(screen.getByRole('link', { name: 'View Transaction History' })).toHaveAttribute(
      'href',
      '/history',
    );
  });

  it('claims no success when it cannot ask', async () => {
    answering(ANSWERS_OF_PAYER);
    provider.retrievePaymentIntent = lost;
    renderAt(`${BACK}succeeded`);
    expect(await screen.findByRole('heading', { level: 1, name: 'Payment Not Confirmed' })).toBeVisible();
  });

  it.each([
    [
      'does not know it',
      async () =>
        Promise.resolve({ error: { type: 'invalid_request_error', message: 'No such payment_intent.' } }),
    ],
    ['takes it for no secret at all', () => Promise.reject(new Error('Invalid value for clientSecret.'))],
  ])('shows no payment for an invented secret: the provider %s', async (_, answer) => {
    provider.retrievePaymentIntent = answer;
    answering(ANSWERS_OF_PAYER);
    renderAt(`${BACK}failed`);
    expect(await screen.findByText('No payment to show')).toBeVisible();
    expect(screen.queryByText(/cannot be reached|not been charged/)).not.toBeInTheDocument();
  });

  it('shows no payment when it is opened without one', async () => {
    answering(ANSWERS_OF_PAYER);
    renderAt('/payment-success');
    expect(await screen.findByText('No payment to show')).toBeVisible();
  });
});
