import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import {
  answering,
  JUNO,
  refusal,
  renderAt,
  SETTINGS,
  SIGNED_OUT,
  watchLeaving,
} from '../../../testing/render.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the profile', () => {
  it('says who one is and what came in so far', async () => {
    answering({});
    renderAt('/profile');
    expect(await screen.findByText('Verified Professional')).toBeVisible();
    expect(screen.getByText('$18,406.75')).toBeVisible();
    expect(screen.getByText('412')).toBeVisible();
    expect(screen.getAllByText('@junoplays').length).toBeGreaterThan(0);
  });

  it('says how one is called, and what others see of that', async () => {
    answering({});
    renderAt('/profile');
    expect(await screen.findByText(/^Others see Juno Valastro, @junoplays\. Your email/)).toBeVisible();
    expect(screen.getByText('First name').nextSibling).toHaveTextContent('Juno');
    expect(screen.getByText('Last name').nextSibling).toHaveTextContent('Valastro');
  });

  it('says that privacy mode hides one’s name, too', async () => {
    answering({ 'GET /api/settings': { ...SETTINGS, privacyModeEnabled: true } });
    renderAt('/profile');
    expect(await screen.findByText(/^Others see @junoplays, since privacy mode is on\./)).toBeVisible();
    expect(await screen.findByText('Hide amounts until you tap, and your name from others')).toBeVisible();
  });

  it('calls somebody who is not verified a standard user', async () => {
    answering({ 'GET /api/auth/user': { ...JUNO, isVerified: false } });
    renderAt('/profile');
    expect(await screen.findByText('Standard User')).toBeVisible();
  });

  it('begins with alerts on, and privacy mode and passkeys off', async () => {
    answering({});
    renderAt('/profile');
    expect(await screen.findByRole('switch', { name: 'Transaction alerts' })).toBeChecked();
    for (const name of ['Privacy mode', 'Ask for my passkey before money moves'])
      expect(screen.getByRole('switch', { name })).not.toBeChecked();
  });

  it('moves a switch at once, and asks the server for that one setting only', async () => {
    let answer: (settings: unknown) => void = () => undefined;
    const server = answering({
      'PUT /api/settings': () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const { person } = renderAt('/profile');
    const privacy = await screen.findByRole('switch', { name: 'Privacy mode' });
    expect(privacy).not.toBeChecked();
    await person.click(privacy);
    await waitFor(() => expect(privacy).toBeChecked());
    await waitFor(() => expect(server.calls('PUT /api/settings')).toEqual([{ privacyModeEnabled: true }]));
    server.answers['GET /api/settings'] = { ...SETTINGS, privacyModeEnabled: true };
    answer({ ...SETTINGS, privacyModeEnabled: true });
    await waitFor(() => expect(server.calls('GET /api/settings')).toHaveLength(2));
    await waitFor(() => expect(privacy).toBeChecked());
  });

  it.each([
    ['left out', {}],
    ['nothing', { biometricEnabled: null, privacyModeEnabled: null, transactionAlertsEnabled: null }],
  ])('moves a switch back when the server refuses, also one whose setting was %s', async (_how, told) => {
    const server = answering({
      'GET /api/settings': told,
      'PUT /api/settings': () => new Response('', { status: 500 }),
    });
    const { person } = renderAt('/profile');
    let sent = 0;
    const states: readonly (readonly [name: string, usually: boolean])[] = [
      ['Ask for my passkey before money moves', false],
      ['Privacy mode', false],
      ['Transaction alerts', true],
    ];
    for (const [name, usually] of states) {
      const choice = await screen.findByRole<HTMLInputElement>('switch', { name });
      expect(choice.checked).toBe(usually);
      await person.click(choice);
      sent += 1;
      await waitFor(() => expect(server.calls('PUT /api/settings')).toHaveLength(sent));
      await waitFor(() => expect(choice.checked).toBe(usually));
    }
    // Each takes the place of the one before.
    const sentence = 'Failed to update settings. Please try again.';
    await waitFor(() => expect(screen.getByText(sentence)).toBeVisible());
  });

  it('says that without a passkey the switch asks to sign in again', async () => {
    const settings = { ...SETTINGS, biometricEnabled: true };
    answering({ 'GET /api/settings': settings });
    renderAt('/profile');
    expect(await screen.findByRole('link', { name: 'add a passkey' })).toHaveAttribute('href', '/profile');

    answering({
      'GET /api/settings': settings,
      'GET /api/passkeys': [{ id: 'pk_1', label: 'Passkey on Linux', createdAt: '2026-11-20T12:00:00.000Z' }],
    });
    renderAt('/profile');
    expect(await screen.findByText('Passkey on Linux')).toBeVisible();
    await waitFor(() =>
      expect(screen.getByRole('switch', { name: 'Ask for my passkey before money moves' })).toBeChecked(),
    );
    await waitFor(() =>
      expect(screen.queryByRole('link', { name: 'add a passkey' })).not.toBeInTheDocument(),
    );
  });

  it('moves the switch back when the server says no, and says so', async () => {
    answering({ 'PUT /api/settings': refusal(500, 'No.') });
    const { person } = renderAt('/profile');
    const alerts = await screen.findByRole('switch', { name: 'Transaction alerts' });
    await person.click(alerts);
    expect(await screen.findByText('Update Failed')).toBeVisible();
    expect(screen.getByText('Failed to update settings. Please try again.')).toBeVisible();
    await waitFor(() => expect(alerts).toBeChecked());
  });

  it('sends to sign in when a switch is changed after the session has ended', async () => {
    const goTo = watchLeaving();
    answering({ 'PUT /api/settings': SIGNED_OUT });
    const { person } = renderAt('/profile');
    await person.click(await screen.findByRole('switch', { name: 'Privacy mode' }));
    expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/api/login?returnTo=%2Fprofile'));
  });

  it('keeps its heading when the settings cannot be read, and offers another try', async () => {
    const server = answering({ 'GET /api/settings': refusal(500, 'No.') });
    const { person } = renderAt('/profile');
    await screen.findByRole('button', { name: 'Try again' });
    expect(screen.getByRole('heading', { name: 'Security' })).toBeVisible();
    server.answers['GET /api/settings'] = SETTINGS;
    // A part that comes late looks for the settings, too, and the button is drawn anew: pressed again.
    await waitFor(async () => {
      const again = screen.queryByRole('button', { name: 'Try again' });
      if (again) await person.click(again);
      expect(screen.getByRole('switch', { name: 'Privacy mode' })).toBeEnabled();
    });
  });

  it('says why settings stand still', async () => {
    answering({
      'GET /api/settings': { ...SETTINGS, notice: 'Your settings cannot be changed at the moment.' },
    });
    renderAt('/profile');
    expect(await screen.findByText('Your settings cannot be changed at the moment.')).toBeVisible();
  });

  it('signs out by a link, because signing out is a page of the server', async () => {
    answering({});
    renderAt('/profile');
    expect(await screen.findByRole('link', { name: 'Log Out' })).toHaveAttribute('href', '/api/logout');
  });
});
