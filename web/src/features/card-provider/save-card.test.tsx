import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { CONFIGURATION, lost, provider, resetProvider, setupThat } from '../../../testing/card-provider.js';
import { answering, refusal, renderAt, SIGNED_OUT, watchLeaving } from '../../../testing/render.js';

const BEGIN = 'POST /api/setup-intent';

beforeEach(() => {
  resetProvider();
});

async function openForm(answers: Record<string, unknown> = {}) {
  const server = answering({
    'GET /api/config': CONFIGURATION,
    [BEGIN]: { clientSecret: 'seti_1_secret_x' },
    ...answers,
  });
  const app = renderAt('/profile');
  await app.person.click(await screen.findByRole('button', { name: 'Add Card' }));
  return { server, ...app };
}
const toasts = () => within(screen.getByLabelText('Notifications (F8)'));

describe('the form that keeps a card', () => {
  it('says that nothing is charged now, and not that only schedules charge it: tips do, too', async () => {
    await openForm();
    const dialog = await screen.findByRole('dialog', { name: 'Add a Card' });
    expect(dialog).toHaveTextContent('Nothing is charged now.');
    expect(dialog).not.toHaveTextContent(/charged only/);
  });

  it('stays open with the provider’s word when the card is refused, and closes once another is kept', async () => {
    const { person, server } = await openForm();
    const form = within(await screen.findByRole('form', { name: 'Card' }));
    const save = form.getByRole('button', { name: 'Save Card' });
    await waitFor(() => expect(save).toBeEnabled());
    provider.confirmSetup = jest.fn(async () =>
      Promise.resolve({ error: { type: 'card_error', message: 'Your card was declined.' } }),
    );
    await person.click(save);
    expect(await toasts().findByText('Card Not Saved')).toBeVisible();
    expect(toasts().getByText('Your card was declined.')).toBeVisible();
    expect(screen.getByRole('dialog', { name: 'Add a Card' })).toBeInTheDocument();

    provider.confirmSetup = async () => Promise.reject(new Error('The network is away.'));
    await person.click(save);
    expect(await toasts().findByText('The card could not be saved. Please try again.')).toBeVisible();

    resetProvider();
    const reads = server.calls('GET /api/payment-methods').length;
    await person.click(save);
    expect(await toasts().findByText('Card Saved')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await waitFor(() => expect(server.calls('GET /api/payment-methods').length).toBeGreaterThan(reads));
  });

  it.each([
    ['the answer was lost', lost],
    [
      'an earlier answer was lost, or another tab saved it',
      async () =>
        Promise.resolve({
          error: {
            type: 'invalid_request_error',
            message: 'This SetupIntent could not be confirmed because it has a status of succeeded.',
            setup_intent: { status: 'succeeded' },
          },
        }),
    ],
  ])('says that the card is kept where it is, though %s', async (_, confirmSetup) => {
    const { person } = await openForm();
    const save = await screen.findByRole('button', { name: 'Save Card' });
    await waitFor(() => expect(save).toBeEnabled());
    provider.confirmSetup = confirmSetup;
    provider.retrieveSetupIntent = async () => Promise.resolve(setupThat('succeeded'));
    await person.click(save);
    expect(await toasts().findByText('Card Saved')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('with empty fields is not sent, and is no failure', async () => {
    const { person } = await openForm();
    const save = await screen.findByRole('button', { name: 'Save Card' });
    await waitFor(() => expect(save).toBeEnabled());
    provider.confirmSetup = jest.fn(async () =>
      Promise.resolve({ error: { type: 'validation_error', message: 'Your card number is incomplete.' } }),
    );
    await person.click(save);
    await waitFor(() => expect(save).toBeEnabled());
    expect(provider.confirmSetup).toHaveBeenCalledTimes(1);
    expect(toasts().queryByText('Card Not Saved')).not.toBeInTheDocument();
  });

  it('that takes no card any more closes, so that another one can be opened', async () => {
    const { person } = await openForm();
    const save = await screen.findByRole('button', { name: 'Save Card' });
    await waitFor(() => expect(save).toBeEnabled());
    provider.confirmSetup = async () =>
      Promise.resolve({
        error: {
          type: 'invalid_request_error',
          message: 'This SetupIntent could not be confirmed because it has a status of canceled.',
          setup_intent: { status: 'canceled' },
        },
      });
    await person.click(save);
    expect(await toasts().findByText('Card Not Saved')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('says so, and closes, where it cannot be opened', async () => {
    await openForm({
      [BEGIN]: refusal(503, 'The card provider cannot be reached. Please try again in a moment.'),
    });
    expect(
      await toasts().findByText('The card provider cannot be reached. Please try again in a moment.'),
    ).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('closes when the session has ended, and still sends to sign in', async () => {
    const goTo = watchLeaving();
    await openForm({ [BEGIN]: SIGNED_OUT });
    expect(await toasts().findByText('You are logged out. Logging in again...')).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/api/login?returnTo=%2Fprofile'));
  });

  it('is left by Cancel, and keeps nothing', async () => {
    const { person } = await openForm();
    await person.click(
      within(await screen.findByRole('form', { name: 'Card' })).getByRole('button', { name: 'Cancel' }),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(provider.confirmSetup).not.toHaveBeenCalled();
  });
});
