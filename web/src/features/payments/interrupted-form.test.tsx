/**
 * The form of a payment in the hands of somebody in a hurry: who types on, asks twice, goes back, or has a
 * slow network.
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { CONFIGURATION, resetProvider } from '../../../testing/card-provider.js';
import { answering, JUNO, refusal, renderAt, SIGNED_OUT, watchLeaving } from '../../../testing/render.js';

const ODALYS = { id: 'odalys-1', firstName: 'Odalys', lastName: 'Ferrante', username: 'odalys.aerial' };
const WREN = { id: 'wren-1', firstName: 'Wren', lastName: 'Achebe', username: 'wren' };

beforeEach(() => {
  sessionStorage.clear();
  resetProvider();
});
afterEach(() => void jest.restoreAllMocks());

async function openPayments(path: string, answers: Record<string, unknown> = {}) {
  const server = answering({ 'GET /api/users/odalys-1': ODALYS, 'GET /api/users/wren-1': WREN, ...answers });
  const app = renderAt(path);
  await screen.findByRole('form', { name: 'Tap to Pay' });
  return { server, ...app };
}
const toasts = () => within(screen.getByLabelText('Notifications (F8)'));
const searchField = () => screen.getByRole('textbox', { name: 'User ID or email' });
const amountField = () => screen.getByRole('spinbutton', { name: 'Amount' });

async function isFilledIn(): Promise<void> {
  expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
  expect(amountField()).toHaveDisplayValue(/^7(\.00)?$/);
  expect(screen.getByRole('textbox', { name: 'Note (optional)' })).toHaveValue('Encore!');
}

describe('after a refusal', () => {
  it('the focus stays in the field that is being typed in, though another one is refused as well', async () => {
    const { person } = await openPayments('/payments?recipientId=odalys-1');
    await person.click(screen.getByRole('button', { name: 'Scheduled' }));
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    await waitFor(() => expect(amountField()).toHaveFocus());
    await person.keyboard('25');
    expect(amountField()).toHaveValue('25');
    expect(screen.getByLabelText('Date and time')).toBeInvalid();
    expect(amountField()).toHaveFocus();
    // Sent again, it goes to what is still refused.
    await person.click(screen.getByRole('button', { name: 'Schedule Payment' }));
    await waitFor(() => expect(screen.getByLabelText('Date and time')).toHaveFocus());
  });
});

describe('a search', () => {
  it('shows who was asked for last, whichever answer is later', async () => {
    let answerFirst: (person: unknown) => void = () => undefined;
    const { person } = await openPayments('/payments', {
      'GET /api/users/odalys': () => new Promise((answer) => (answerFirst = answer)),
      'GET /api/users/wren': WREN,
    });
    await person.type(searchField(), 'odalys{Enter}');
    await person.clear(searchField());
    await person.type(searchField(), 'wren{Enter}');
    const results = () => screen.getByRole('list', { name: 'Search results' });
    await waitFor(() => expect(within(results()).getByText('Wren Achebe')).toBeVisible());
    await act(async () => answerFirst(ODALYS));
    expect(within(results()).queryByText('Odalys Ferrante')).not.toBeInTheDocument();
    // A result belongs to the words that found it.
    await person.type(searchField(), 'x');
    await waitFor(() =>
      expect(screen.queryByRole('list', { name: 'Search results' })).not.toBeInTheDocument(),
    );
  });

  it('that failed says nothing over the next one', async () => {
    const { person, server } = await openPayments('/payments', {
      'GET /api/users/wren': refusal(503, 'Soon.'),
    });
    await person.type(searchField(), 'wren{Enter}');
    expect(await toasts().findByText('Search Error')).toBeVisible();
    server.answers['GET /api/users/wren'] = WREN;
    await person.keyboard('{Enter}');
    expect(await screen.findByRole('list', { name: 'Search results' })).toBeVisible();
    await waitFor(() => expect(toasts().queryByText('Search Error')).not.toBeInTheDocument());
  });

  it('that is answered after its page was left says nothing on another one', async () => {
    let answer: (found: Response) => void = () => undefined;
    const { person, navigate } = await openPayments('/payments', {
      'GET /api/users/wren': () => new Promise((resolve) => (answer = resolve)),
    });
    await person.type(searchField(), 'wren{Enter}');
    await navigate('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    await act(async () => answer(Response.json({}, { status: 503 })));
    expect(toasts().queryByText('Search Error')).not.toBeInTheDocument();
  });

  it('by a link that could not be asked does not say that nobody answers to it', async () => {
    await openPayments('/payments?recipientId=odalys-1', {
      'GET /api/users/odalys-1': refusal(503, 'Soon.'),
    });
    expect(await screen.findByText('Could not search for user. Please try again.')).toBeVisible();
    expect(screen.queryByText('No user found with that ID or email')).not.toBeInTheDocument();
  });
});

describe('the form', () => {
  const isFilledInForCashApp = async () => {
    await isFilledIn();
    expect(screen.getByRole('radio', { name: 'Cash App' })).toBeChecked();
  };

  it('keeps its values after coming back from the checkout, by the arrow or by the browser', async () => {
    const { person, at, back } = await openPayments('/payments?recipientId=odalys-1', {
      'GET /api/config': CONFIGURATION,
      'POST /api/create-payment-intent': { clientSecret: 'pi_1_secret_x', paymentId: 'pay_1' },
    });
    const goOn = async () => {
      await person.click(screen.getByRole('button', { name: /^Continue/ }));
      await waitFor(() => expect(at()).toMatch(/^\/checkout/));
    };
    await person.type(amountField(), '7');
    await person.type(screen.getByRole('textbox', { name: 'Note (optional)' }), 'Encore!');
    await person.click(screen.getByRole('radio', { name: 'Cash App' }));
    await goOn();
    await back();
    await isFilledInForCashApp();
    await goOn();
    await person.click(screen.getByRole('link', { name: 'Back' }));
    await waitFor(() => expect(at()).toMatch(/^\/payments/));
    await isFilledInForCashApp();
  });
});

describe('what the browser’s history keeps of a form', () => {
  const QUARTER_MS = 15 * 60_000;

  it.each([
    ['there after a reload', JUNO, 0, true],
    ['gone for another user', { ...JUNO, id: 'wren-1' }, 0, false],
    ['gone after a quarter of an hour', JUNO, QUARTER_MS, false],
  ])('is %s', async (_what, user, afterMs, isThere) => {
    const { person, at, back, entryState } = await openPayments('/payments?recipientId=odalys-1', {
      'GET /api/config': CONFIGURATION,
      'POST /api/create-payment-intent': { clientSecret: 'pi_1_secret_x', paymentId: 'pay_1' },
    });
    await person.type(amountField(), '7');
    await person.click(screen.getByRole('button', { name: /^Continue/ }));
    await waitFor(() => expect(at()).toMatch(/^\/checkout/));
    await back();
    await waitFor(() => expect(amountField()).toHaveDisplayValue(/^7(\.00)?$/));
    const state = entryState();

    const now = Date.now() + afterMs;
    jest.spyOn(Date, 'now').mockReturnValue(now);
    answering({ 'GET /api/users/odalys-1': ODALYS, 'GET /api/auth/user': user });
    renderAt('/payments', { state });
    await screen.findByRole('form', { name: 'Tap to Pay' });
    if (isThere) expect(amountField()).toHaveDisplayValue(/^7(\.00)?$/);
    else expect(amountField()).toHaveValue('');
  });
});

describe('a form that was left because the session had ended', () => {
  /** A year from now: a date that can be scheduled. */
  const date = `${new Date().getFullYear() + 1}-05-01T20:00`;
  const fillIn = async (person: ReturnType<typeof renderAt>['person']) => {
    expect(await screen.findByText('Odalys Ferrante')).toBeVisible();
    await person.type(amountField(), '7');
    await person.type(screen.getByRole('textbox', { name: 'Note (optional)' }), 'Encore!');
  };
  async function leftSubscription() {
    const left = watchLeaving();
    const { person, unmount } = await openPayments('/payments?recipientId=odalys-1', {
      'POST /api/subscriptions': SIGNED_OUT,
    });
    await person.click(screen.getByRole('button', { name: 'Subscription' }));
    await fillIn(person);
    await person.click(screen.getByRole('button', { name: 'Weekly' }));
    await person.click(screen.getByRole('button', { name: 'Create Subscription' }));
    await waitFor(() => expect(left).toHaveBeenCalledWith(expect.stringMatching(/^\/api\/login/)));
    unmount();
  }

  it('is filled in again after the sign-in, once', async () => {
    await leftSubscription();
    const { unmount } = await openPayments('/payments?recipientId=odalys-1');
    await isFilledIn();
    expect(screen.getByRole('button', { name: 'Subscription' })).toHaveAttribute('aria-pressed', 'true');
    expect(screen.getByRole('button', { name: 'Weekly' })).toHaveAttribute('aria-pressed', 'true');
    unmount();
    await openPayments('/payments?recipientId=odalys-1');
    expect(amountField()).toHaveValue('');
  });

  it('does not stand in the way of another link that is opened meanwhile', async () => {
    await leftSubscription();
    await openPayments('/payments?recipientId=wren-1');
    expect(await screen.findByText('Wren Achebe')).toBeVisible();
    expect(amountField()).toHaveValue('');
  });

  it('is empty for somebody else who signs in', async () => {
    await leftSubscription();
    await openPayments('/payments?recipientId=odalys-1', {
      'GET /api/auth/user': { ...JUNO, id: 'milo-1' },
    });
    expect(amountField()).toHaveValue('');
    expect(screen.getByRole('button', { name: 'Instant' })).toHaveAttribute('aria-pressed', 'true');
  });

  it('opens its dialog again on the page of scheduled payments', async () => {
    const answers = {
      'GET /api/users/odalys-1': ODALYS,
      'GET /api/users/odalys': ODALYS,
      'GET /api/scheduled-payments': [],
      'GET /api/subscriptions': [],
      'POST /api/scheduled-payments': SIGNED_OUT,
    };
    answering(answers);
    const left = watchLeaving();
    const { person, unmount } = renderAt('/scheduled-payments');
    await person.click((await screen.findAllByRole('button', { name: 'Schedule Payment' }))[0]!);
    await person.type(await screen.findByRole('textbox', { name: 'User ID or email' }), 'odalys{Enter}');
    await person.click(await screen.findByText('Odalys Ferrante'));
    await fillIn(person);
    await person.type(screen.getByLabelText('Date and time'), date);
    const dialog = within(screen.getByRole('dialog'));
    await person.click(dialog.getByRole('button', { name: 'Schedule Payment' }));
    await waitFor(() => expect(left).toHaveBeenCalledWith(expect.stringMatching(/^\/api\/login/)));
    unmount();
    answering(answers);
    renderAt('/scheduled-payments');
    expect(await screen.findByRole('dialog')).toBeVisible();
    await isFilledIn();
    expect(screen.getByLabelText('Date and time')).toHaveValue(date);
  });
});
