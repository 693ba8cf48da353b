// A browser that will not go on: what is pressed says so, and can be pressed again.
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ThemeProvider } from '@mui/material/styles';
import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { Route, Router, Routes } from 'react-router-dom';
import { CONFIGURATION } from '../../../testing/card-provider.js';
import { answering, holdToasts } from '../../../testing/render.js';
import { currentUser } from '../account/current-user.js';
import { makeStore } from '../../app/store.js';
import TipPage from '../checkout/TipPage.js';
import { Toasts } from '../../shared/ui/Toasts.js';
import { theme } from '../../shared/ui/theme.js';
import { TapToPay } from './TapToPay.js';

beforeEach(() => {
  sessionStorage.clear();
  holdToasts();
});

/** Under a router that goes nowhere: the browser refuses, as it does with too many steps. */
async function renderStuck(at: string, part: ReactNode) {
  const push = jest.fn(() => {
    throw new DOMException('Too many calls to Location or History APIs', 'SecurityError');
  });
  const navigator = { createHref: String, go: jest.fn(), push, replace: jest.fn() };
  answering({
    'GET /api/users/odalys-1': {
      id: 'odalys-1',
      firstName: 'Odalys',
      lastName: 'Ferrante',
      username: 'odalys.aerial',
    },
    'GET /api/config': CONFIGURATION,
    'POST /api/create-payment-intent': { clientSecret: 'pi_1_secret_x', paymentId: 'pay_1' },
  });
  const store = makeStore();
  await store.dispatch(currentUser.endpoints.currentUser.initiate());
  render(
    <Provider store={store}>
      <ThemeProvider theme={theme}>
        <Router location={at} navigator={navigator}>
          {part}
          <Toasts />
        </Router>
      </ThemeProvider>
    </Provider>,
  );
  return push;
}

describe('the way to the checkout', () => {
  it.each([
    {
      from: 'the form',
      at: '/payments',
      part: <TapToPay draft={{ recipientId: 'odalys-1', amount: '5' }} />,
      act: 'Continue with $5.00',
      to: '/checkout?amount=5.00&recipientId=odalys-1&paymentMethod=card',
    },
    {
      from: 'a tip link',
      at: '/tip/odalys-1?amount=5',
      part: (
        <Routes>
          <Route path="/tip/:personId" element={<TipPage />} />
        </Routes>
      ),
      act: 'Continue to Secure Payment',
      to: '/checkout?amount=5.00&recipientId=odalys-1&paymentMethod=card',
    },
  ])('that does not open from $from shows a toast, and can be tried again', async ({ at, part, act, to }) => {
    const push = await renderStuck(at, part);
    const goOn = await screen.findByRole('button', { name: act });
    await waitFor(() => expect(goOn).toBeEnabled());
    for (let times = 1; times <= 2; times += 1) {
      await userEvent.click(screen.getByRole('button', { name: act }));
      const toasts = within(screen.getByLabelText('Notifications (F8)'));
      expect(await toasts.findByText('Navigation Error')).toBeVisible();
      expect(toasts.getByText('The checkout could not be opened. Please try again.')).toBeVisible();
      await waitFor(() => expect(push).toHaveBeenCalledTimes(times));
      expect(await screen.findByRole('button', { name: act })).toBeEnabled();
      await userEvent.click(toasts.getByRole('button', { name: 'Dismiss' }));
    }
    const [tried] = push.mock.calls as unknown as [[{ pathname: string; search: string }]];
    expect(`${tried[0].pathname}${tried[0].search}`).toBe(to);
  });
});
