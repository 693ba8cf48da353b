/** @jest-environment-options {"isStrict": true} */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import {
  answering,
  refusal,
  renderAt,
  runUntilShown,
  SIGNED_OUT,
  watchLeaving,
} from '../../testing/render.js';
import { USER_PLACE } from '../features/account/browser-memory.js';
import { PATHS } from '../shared/navigation/paths.js';

const SIGNED_IN_PATHS = Object.values(PATHS).filter((path) => path !== '/' && !path.startsWith('/tip'));

let goTo: ReturnType<typeof watchLeaving>;
beforeEach(() => {
  localStorage.clear();
  goTo = watchLeaving();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('a visitor', () => {
  it('meets the landing page at "/", also while it is still being asked who is there', async () => {
    answering({ 'GET /api/auth/user': () => new Promise(() => undefined) });
    renderAt('/');
    expect(await screen.findByRole('heading', { name: 'Professional Payment Platform' })).toBeVisible();
    expect(screen.getByText('SSL Encrypted')).toBeVisible();
    expect(screen.getByText('Bank Grade Security')).toBeVisible();
    expect(screen.getByText('Secure Payments')).toBeVisible();
    expect(screen.getByText('Process payments with industry-leading security')).toBeVisible();
    expect(screen.getByText('Privacy First')).toBeVisible();
    expect(screen.getByText('Your data is protected with enterprise-grade encryption')).toBeVisible();
    for (const words of [
      'Secure, professional payment processing for entertainment professionals',
      'Secure authentication powered by professional-grade security',
    ])
      expect(screen.getByText(words)).toBeVisible();
  });

  it('goes to sign in by Get Started', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    const { person } = renderAt('/');
    await person.click(await screen.findByRole('button', { name: 'Get Started' }));
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/api/login'));
  });

  it.each(SIGNED_IN_PATHS)(
    'sees at %s that they are logged out, and is sent to sign in and back after 500 ms',
    async (path) => {
      answering({ 'GET /api/auth/user': SIGNED_OUT });
      jest.useFakeTimers();
      renderAt(`${path}?a=1`);
      await runUntilShown('Unauthorized');
      expect(screen.getByText('You are logged out. Logging in again...')).toBeInTheDocument();
      await act(() => jest.advanceTimersByTimeAsync(499));
      expect(goTo).not.toHaveBeenCalled();
      await act(() => jest.advanceTimersByTimeAsync(1));
      expect(goTo.mock.calls).toEqual([[`/api/login?returnTo=${encodeURIComponent(`${path}?a=1`)}`]]);
    },
  );

  it('is asked to log in by a tip link, and comes back to it after 1 s', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    jest.useFakeTimers();
    renderAt('/tip/juno-1?amount=5');
    await runUntilShown('Login Required');
    expect(screen.getByText('Please log in to tip someone')).toBeInTheDocument();
    await act(() => jest.advanceTimersByTimeAsync(999));
    expect(goTo).not.toHaveBeenCalled();
    await act(() => jest.advanceTimersByTimeAsync(1));
    expect(goTo.mock.calls).toEqual([[`/api/login?returnTo=${encodeURIComponent('/tip/juno-1?amount=5')}`]]);
  });

  it('is asked to log in at the QR code', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    renderAt('/my-qr');
    expect(await screen.findByText('Please log in to view your QR code')).toBeVisible();
  });

  it('gets the 404 page for a path that is none', async () => {
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    renderAt('/no-such-page');
    expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeVisible();
    expect(screen.getByText('Did you forget to add the page to the router?')).toBeVisible();
    expect(goTo).not.toHaveBeenCalled();
  });
});

describe('somebody who is signed in', () => {
  it.each(SIGNED_IN_PATHS)('gets a page of its own at %s, with a heading and a title', async (path) => {
    answering({});
    renderAt(path);
    const heading = await screen.findByRole('heading', { level: 1 });
    expect(heading.textContent).not.toBe('404 Page Not Found');
    await waitFor(() => expect(document.title).toMatch(/ – Encore$/));
  });

  it.each(['/payments/nothing', '/history/nothing', '/history/statements/nothing'])(
    'gets the 404 page for a path that is none: %s',
    async (path) => {
      answering({});
      renderAt(path);
      expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeVisible();
    },
  );

  it('finds the five tabs, and the one that is open', async () => {
    answering({});
    const { person } = renderAt('/profile');
    const tabs = await screen.findByRole('navigation', { name: 'Tabs' });
    expect(
      [...tabs.querySelectorAll('a')].map((link) => [link.textContent, link.getAttribute('href')]),
    ).toEqual([
      ['Home', '/'],
      ['Payments', '/payments'],
      ['Bank', '/bank-accounts'],
      ['Treasury', '/treasury'],
      ['Profile', '/profile'],
    ]);
    expect(tabs.querySelector('[data-active="true"]')?.textContent).toBe('Profile');
    await person.click(tabs.querySelector('a[href="/treasury"]')!);
    await screen.findByRole('heading', { level: 1, name: 'Treasury' });
    expect(tabs.querySelector('[data-active="true"]')?.textContent).toBe('Treasury');
  });

  it('has a page loaded, with its first rows, by the link that is pointed at', async () => {
    const server = answering({ 'GET /api/transactions?limit=50': [] });
    const { person } = renderAt('/profile');
    const side = await screen.findByRole('navigation', { name: 'Main' });
    // Then the frame watches the pointer.
    await screen.findByRole('button', { name: 'Delete My Account' });
    const link = side.querySelector<HTMLElement>('a[href="/history"]')!;
    await person.hover(link);
    await waitFor(() => expect(server.calls('GET /api/transactions?limit=50')).toHaveLength(1));
    await person.click(link);
    // In the same step, with no skeleton before it.
    expect(screen.getByRole('heading', { level: 1, name: /History$/ })).toBeVisible();
    expect(await screen.findByText('No transactions yet')).toBeVisible();
    expect(server.calls('GET /api/transactions?limit=50')).toHaveLength(1);
  });

  it('is at home where a path has no tab', async () => {
    answering({});
    renderAt('/history');
    const tabs = await screen.findByRole('navigation', { name: 'Tabs' });
    expect(tabs.querySelector('[data-active="true"]')?.textContent).toBe('Home');
  });

  it.each(['/subscriptions', '/scheduled-payments'])(
    'is at payments on a phone at %s, which has its own place on a desktop',
    async (path) => {
      answering({});
      renderAt(path);
      const tabs = await screen.findByRole('navigation', { name: 'Tabs' });
      expect(tabs.querySelector('[data-active="true"]')?.textContent).toBe('Payments');
      // jsdom has no width: both stand there.
      const side = screen.getByRole('navigation', { name: 'Main', hidden: true });
      expect(side.querySelector('[data-active="true"]')).toHaveAttribute('href', path);
      expect(side.querySelectorAll('[data-active="true"]')).toHaveLength(1);
    },
  );

  it('starts a new page at its heading', async () => {
    answering({});
    const { navigate } = renderAt('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    await navigate('/treasury');
    await waitFor(() => expect(screen.getByRole('heading', { level: 1, name: 'Treasury' })).toHaveFocus());
  });

  it('goes on from a page that was scrolled in a browser that keeps nothing', async () => {
    answering({});
    const { navigate } = renderAt('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    jest.spyOn(window, 'sessionStorage', 'get').mockReturnValue(null as never);
    window.dispatchEvent(new Event('scroll'));
    await navigate('/treasury');
    expect(await screen.findByRole('heading', { level: 1, name: 'Treasury' })).toBeVisible();
  });

  it('reaches the other pages, and the way out, by the menu', async () => {
    answering({});
    const { person } = renderAt('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    await person.click(screen.getByRole('button', { name: 'Menu' }));
    const menu = await screen.findByRole('dialog', { name: 'Menu' });
    expect(
      [...menu.querySelectorAll('a')].map((link) => [link.textContent, link.getAttribute('href')]),
    ).toEqual([
      ['Messages', '/messages'],
      ['History', '/history'],
      ['Subscriptions', '/subscriptions'],
      ['Scheduled', '/scheduled-payments'],
      ['My QR Code', '/my-qr'],
      ['Log Out', '/api/logout'],
    ]);
  });

  it('is sent to sign in when the session ends while a page is open', async () => {
    const server = answering({});
    goTo.mockClear();
    const { navigate } = renderAt('/treasury');
    await screen.findByRole('heading', { level: 1, name: 'Treasury' });
    server.answers['GET /api/auth/user'] = SIGNED_OUT;
    server.answers['GET /api/settings'] = SIGNED_OUT;
    await navigate('/profile');
    expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/api/login?returnTo=%2Fprofile'));
  });
});

describe('without a way to the server', () => {
  it.each([
    ['a busy server', () => refusal(429, 'Too many requests.')],
    ['a proxy whose server is away', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['something else', () => new Response('<h1>Welcome to the club</h1>')],
  ])('logs nobody out and forgets no idempotency key when %s answers', async (_what, answer) => {
    localStorage.setItem(USER_PLACE, 'juno-1');
    sessionStorage.setItem('encore.request payout', '{}');
    answering({ 'GET /api/auth/user': answer });
    goTo.mockClear();
    const { navigate } = renderAt('/');
    const away = 'Encore cannot answer right now. Nothing is lost: try again in a moment.';
    expect(await screen.findByText(away)).toBeVisible();
    await navigate('/history');
    expect(await screen.findByText(away)).toBeVisible();
    expect(screen.getByRole('heading', { level: 1, name: 'Encore Is Away' })).toBeVisible();
    expect(screen.queryByText('Unauthorized')).not.toBeInTheDocument();
    expect(goTo).not.toHaveBeenCalled();
    expect(localStorage.getItem(USER_PLACE)).toBe('juno-1');
    expect(sessionStorage.getItem('encore.request payout')).toBe('{}');
  });

  it('shows the landing page at "/" to whoever never signed in here, and asks once', async () => {
    localStorage.removeItem(USER_PLACE);
    const server = answering({ 'GET /api/auth/user': () => new Response('', { status: 500 }) });
    renderAt('/');
    // It stands there while it is asked, too.
    await waitFor(() => expect(server.calls('GET /api/auth/user')).toHaveLength(1));
    await act(async () => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(await screen.findByRole('heading', { name: 'Professional Payment Platform' })).toBeVisible();
    expect(screen.queryByText('Encore Is Away')).not.toBeInTheDocument();
    expect(server.calls('GET /api/auth/user')).toHaveLength(1);
  });

  it('a page says so, sends nobody to sign in, and offers another try', async () => {
    answering({ 'GET /api/auth/user': () => Promise.reject(new TypeError('Failed to fetch')) });
    goTo.mockClear();
    renderAt('/history');
    expect(await screen.findByRole('heading', { level: 1, name: 'You Are Offline' })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
    expect(screen.queryByText('Unauthorized')).not.toBeInTheDocument();
    expect(goTo).not.toHaveBeenCalled();
  });

  it('an open page stays, and says that it may be out of date, until the network is back', async () => {
    answering({});
    renderAt('/profile');
    await screen.findByRole('heading', { level: 1, name: 'Profile' });
    const online = jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => void window.dispatchEvent(new Event('offline')));
    expect(await screen.findByText('You are offline. What you see may be out of date.')).toBeVisible();
    online.mockRestore();
    act(() => void window.dispatchEvent(new Event('online')));
    await waitFor(() => expect(screen.queryByText(/You are offline/)).not.toBeInTheDocument());
    expect(screen.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  });
});
