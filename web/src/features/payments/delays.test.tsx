// How long a toast may be read before the page goes. The pages are loaded first, by the real clock.
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { MemoryRouter } from 'react-router-dom';
import { CONFIGURATION } from '../../../testing/card-provider.js';
import {
  answering,
  refusal,
  renderAt,
  runUntilShown,
  SIGNED_OUT,
  watchLeaving,
} from '../../../testing/render.js';
import { makeStore } from '../../app/store.js';
import { noteStaleness } from '../../shared/api/staleness.js';
import { browser } from '../../shared/navigation/leaving.js';
import { Toasts } from '../../shared/ui/Toasts.js';
import { theme } from '../../shared/ui/theme.js';
import { TapToPay } from './TapToPay.js';

const OPEN = 'POST /api/create-payment-intent';
const ANSWERS = {
  'GET /api/users/odalys-1': {
    id: 'odalys-1',
    firstName: 'Odalys',
    lastName: 'Ferrante',
    username: 'odalys.aerial',
  },
  'GET /api/config': CONFIGURATION,
};
const pass = async (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));

let goTo: ReturnType<typeof watchLeaving>;
beforeAll(async () => {
  await import('./PaymentsPage.js');
  await import('../checkout/TipPage.js');
  await import('../checkout/CheckoutPage.js');
});
beforeEach(() => {
  sessionStorage.clear();
  goTo = watchLeaving();
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('an instant payment', () => {
  it('waits 300 ms before the checkout', async () => {
    answering({ ...ANSWERS, [OPEN]: new Promise(() => undefined) });
    const { at } = renderAt('/payments?recipientId=odalys-1&amount=5');
    await runUntilShown('Continue with $5.00');
    fireEvent.click(screen.getByRole('button', { name: 'Continue with $5.00' }));
    expect(screen.getByRole('button', { name: 'Processing' })).toBeInTheDocument();
    await pass(299);
    expect(at()).toBe('/payments?recipientId=odalys-1&amount=5');
    await pass(1);
    expect(at()).toBe('/checkout?amount=5.00&recipientId=odalys-1&paymentMethod=card');
  });

  it('sends signed-out people to sign in after 1 s', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    jest.spyOn(browser, 'here').mockReturnValue('/payments');
    render(
      <Provider store={makeStore()}>
        <ThemeProvider theme={theme}>
          <MemoryRouter>
            <TapToPay />
            <Toasts />
          </MemoryRouter>
        </ThemeProvider>
      </Provider>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
    expect(screen.getByText('Authentication Required')).toBeInTheDocument();
    expect(screen.getByText('Please log in to make a payment')).toBeInTheDocument();
    await pass(999);
    expect(goTo).not.toHaveBeenCalled();
    await pass(1);
    expect(goTo.mock.calls).toEqual([['/api/login?returnTo=%2Fpayments']]);
  });
});

describe('an instant payment of a session that has ended unseen', () => {
  const FORM = '/payments?recipientId=odalys-1&amount=5';
  /** Continue, after the session has ended: who is asked next is nobody. */
  const continued = async (isAsked: unknown) => {
    const server = answering({ ...ANSWERS, [OPEN]: SIGNED_OUT });
    const { at } = renderAt(FORM);
    await runUntilShown('Continue with $5.00');
    server.answers['GET /api/auth/user'] = isAsked;
    fireEvent.click(screen.getByRole('button', { name: 'Continue with $5.00' }));
    return { at };
  };

  it('sends to sign in after 1 s, and back to the form as it was', async () => {
    const { at } = await continued(SIGNED_OUT);
    await runUntilShown('Authentication Required');
    expect(screen.getByText('Please log in to make a payment')).toBeInTheDocument();
    expect(screen.getByLabelText('Amount')).toHaveValue('5');
    await pass(998);
    expect(goTo).not.toHaveBeenCalled();
    await pass(2);
    expect(goTo.mock.calls).toEqual([
      ['/api/login?returnTo=%2Fpayments%3FrecipientId%3Dodalys-1%26amount%3D5.00%26paymentMethod%3Dcard'],
    ]);
    await pass(5000);
    expect(at()).toBe(FORM);
  });

  it('is told so by the checkout, where the answer comes later than that', async () => {
    const { at } = await continued(new Promise(() => undefined));
    await pass(300);
    await runUntilShown('Please log in again to make a payment.');
    expect(at()).toMatch(/^\/checkout\b/);
  });
});

describe('a tip link', () => {
  it('without an amount is left for the form after 2 s', async () => {
    answering(ANSWERS);
    const { at } = renderAt('/tip/odalys-1');
    await runUntilShown('Choose an amount');
    await pass(1999);
    expect(at()).toBe('/tip/odalys-1');
    await pass(1);
    expect(at()).toBe('/payments');
    await runUntilShown('Odalys Ferrante');
  });
});

describe('a payment', () => {
  it.each([
    ['Payment Error', '/checkout?amount=5&recipientId=odalys-1'],
    ['Tip Error', '/tip/odalys-1?amount=5'],
  ])('that cannot be opened is left for the form after 3 s (%s)', async (title, path) => {
    answering({ ...ANSWERS, [OPEN]: refusal(404, 'Recipient user not found') });
    const { at } = renderAt(path);
    await runUntilShown(title);
    await pass(2999);
    expect(at()).toBe(path);
    await pass(1);
    expect(at()).toBe('/payments');
    expect(goTo).not.toHaveBeenCalled();
  });

  it.each([
    ['Payment Error', '/checkout?amount=5&recipientId=odalys-1'],
    ['Tip Error', '/tip/odalys-1?amount=5'],
  ])('is told of once and left in time, whatever else is drawn meanwhile (%s)', async (title, path) => {
    answering({ ...ANSWERS, [OPEN]: refusal(404, 'Recipient user not found') });
    const { at } = renderAt(path);
    await runUntilShown(title);
    await pass(1500);
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    act(() => noteStaleness('stale'));
    await pass(1499);
    expect(at()).toBe(path);
    expect(screen.queryByText(title)).not.toBeInTheDocument();
    await pass(1);
    expect(at()).toMatch(/^\/payments\b/);
    act(() => noteStaleness('fresh'));
  });

  it.each([
    ['Payment Error', '/checkout?amount=5&recipientId=odalys-1'],
    ['Tip Error', '/tip/odalys-1?amount=5'],
  ])('of a session that has ended goes to sign in after 2 s (%s)', async (title, path) => {
    answering({ ...ANSWERS, [OPEN]: SIGNED_OUT });
    const { at } = renderAt(path);
    await runUntilShown(title);
    await pass(1999);
    expect(goTo).not.toHaveBeenCalled();
    await pass(1);
    expect(goTo.mock.calls).toEqual([[`/api/login?returnTo=${encodeURIComponent(path)}`]]);
    await pass(5000);
    expect(at()).toBe(path);
  });
});
