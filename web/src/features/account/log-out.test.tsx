import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { answering, JUNO, renderAt, SIGNED_OUT, watchLeaving } from '../../../testing/render.js';
import { forgetUser, USER_PLACE } from './browser-memory.js';
import { loggingOut } from './other-tabs.js';

/** What a payment, a checkout and a form leave in a tab while they last. */
const PRIVATE = {
  'encore.payment ["wren-1","120.00","for the encore","card"]': 'key-1',
  'encore.checkout': '{"clientSecret":"secret","asked":{"recipientId":"wren-1","amount":"120.00"}}',
  'encore.request payout': '{"of":"{\\"amount\\":\\"120.00\\"}","key":"key-2"}',
  'encore.parked-call': '{"userId":"wren-1"}',
};
function keepPrivateThings(): void {
  for (const [place, text] of Object.entries(PRIVATE)) sessionStorage.setItem(place, text);
  localStorage.setItem('encore.privacy', 'yes');
}
const kept = (): string => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]);

const listens = jest.fn();
beforeEach(() => {
  listens.mockReset();
  const { addEventListener } = window;
  jest.spyOn(window, 'addEventListener').mockImplementation((...listener: unknown[]) => {
    if (listener[0] === 'storage') listens();
    addEventListener.apply(window, listener as Parameters<typeof addEventListener>);
  });
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => void jest.restoreAllMocks());

async function openProfile() {
  const server = answering({});
  const app = renderAt('/profile');
  await screen.findByRole('link', { name: 'Log Out' });
  // What listens to other tabs is loaded after the page.
  await waitFor(() => expect(listens).toHaveBeenCalled());
  await waitFor(() => expect(localStorage.getItem(USER_PLACE)).toBe(JUNO.id));
  return { server, ...app };
}

describe('after the log-out', () => {
  it('nothing of names, amounts and notes stays in the browser', async () => {
    const { person } = await openProfile();
    keepPrivateThings();
    const link = screen.getByRole('link', { name: 'Log Out' });
    // A test has no next page to go to.
    link.addEventListener('click', (event) => event.preventDefault());
    await person.click(link);
    expect(kept()).toBe('[{},{}]');
  });

  it('another tab shows the landing page, keeps nothing, and signs nobody in again', async () => {
    const goTo = watchLeaving();
    const { at, server } = await openProfile();
    keepPrivateThings();
    const asked = server.calls('GET /api/auth/user').length;
    act(() => loggingOut());
    expect(await screen.findByRole('heading', { name: 'Professional Payment Platform' })).toBeVisible();
    expect(at()).toBe('/');
    expect(screen.queryAllByText('@junoplays')).toEqual([]);
    expect(kept()).toBe('[{},{}]');
    expect(goTo).not.toHaveBeenCalled();
    // The cookie may live a moment longer: nobody asks whose it is.
    expect(server.calls('GET /api/auth/user')).toHaveLength(asked);
  });

  it('the page that the browser’s arrow brings back is the landing page', async () => {
    await openProfile();
    forgetUser();
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    expect(await screen.findByRole('heading', { name: 'Professional Payment Platform' })).toBeVisible();
  });

  it('is not what the browser’s arrow tells of where the browser keeps nothing: the server is asked', async () => {
    const { server } = await openProfile();
    const refused = jest.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    });
    const asked = server.calls('GET /api/auth/user').length;
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await waitFor(() => expect(server.calls('GET /api/auth/user')).toHaveLength(asked + 1));
    expect(screen.getByRole('link', { name: 'Log Out' })).toBeVisible();
    refused.mockRestore();
  });

  it('the landing page forgets what a session left that ended elsewhere', async () => {
    keepPrivateThings();
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    renderAt('/');
    await screen.findByRole('heading', { name: 'Professional Payment Platform' });
    await waitFor(() => expect(kept()).toBe('[{},{}]'));
  });
});

describe('another tab', () => {
  const stored = (newValue: string | null) =>
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: USER_PLACE, newValue })));

  it('that learns that the session has ended makes this one ask', async () => {
    const { server } = await openProfile();
    const asked = server.calls('GET /api/auth/user').length;
    stored(null);
    await waitFor(() => expect(server.calls('GET /api/auth/user').length).toBe(asked + 1));
  });

  it('where somebody else signs in makes this one load anew', async () => {
    const goTo = watchLeaving();
    await openProfile();
    stored(JUNO.id);
    expect(goTo).not.toHaveBeenCalled();
    stored('wren-1');
    expect(goTo).toHaveBeenCalledWith('/profile');
  });
});

describe('a page whose session is somebody else’s meanwhile', () => {
  const WREN = { ...JUNO, id: 'wren-1', username: 'wrenplays' };

  it('is loaded anew, and shows nothing of the other user until then', async () => {
    const goTo = watchLeaving();
    const { server } = await openProfile();
    server.answers['GET /api/auth/user'] = WREN;
    // Not answered any more: a list that is there was read before.
    server.answers['GET /api/passkeys'] = () => new Promise(() => undefined);
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: USER_PLACE, newValue: null })));
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/profile'));
    await screen.findAllByText('@wrenplays');
    expect(document.body).not.toHaveTextContent(/junoplays/);
    expect(screen.getByRole('status', { name: 'Loading your passkeys' })).toBeVisible();
  });

  it('is loaded anew where the browser’s arrow brings it back', async () => {
    const goTo = watchLeaving();
    await openProfile();
    localStorage.setItem(USER_PLACE, WREN.id);
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    expect(goTo).toHaveBeenCalledWith('/profile');
  });

  it('is found out where the arrow brings it back and no tab has told of it', async () => {
    const goTo = watchLeaving();
    const { server } = await openProfile();
    server.answers['GET /api/auth/user'] = WREN;
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/profile'));
  });
});

describe('a tab', () => {
  it('keeps what its user left through an expired session, and nothing of it for another user', async () => {
    await openProfile();
    keepPrivateThings();
    answering({ 'GET /api/auth/user': SIGNED_OUT });
    watchLeaving();
    renderAt('/profile');
    await screen.findByText('You are logged out. Logging in again...');
    expect(kept()).toContain('for the encore');

    answering({ 'GET /api/auth/user': { ...JUNO, id: 'wren-1', username: 'wrenplays' } });
    renderAt('/profile');
    await screen.findAllByText('@wrenplays');
    await waitFor(() => expect(kept()).not.toContain('for the encore'));
  });
});

describe('what is at hand without a network', () => {
  const kept = {
    userId: JUNO.id,
    username: JUNO.username,
    balance: 'Your balance was $1,284.50 on Nov 20, 2026, 12:00 PM. It may have changed since.',
    code: 'data:image/svg+xml,code',
  };
  const offline = { 'GET /api/auth/user': () => Promise.reject(new TypeError('Failed to fetch')) };
  const openOffline = async (): Promise<void> => {
    answering(offline);
    renderAt('/');
    await screen.findByRole('heading', { name: 'You Are Offline' });
  };
  const keep = (): void => {
    localStorage.setItem('encore.at-hand', JSON.stringify(kept));
    localStorage.setItem(USER_PLACE, JUNO.id);
  };
  afterEach(() => localStorage.clear());

  it('is the balance, with when it was read, and one’s code', async () => {
    keep();
    await openOffline();
    expect(screen.getByText(kept.balance)).toBeVisible();
    expect(screen.getByRole('img', { name: 'QR code to pay @junoplays' })).toHaveAttribute('src', kept.code);
  });

  it('is the code alone in privacy mode', async () => {
    keep();
    localStorage.setItem('encore.privacy', 'yes');
    await openOffline();
    expect(screen.getByText('Privacy mode hides your balance.')).toBeVisible();
    expect(screen.queryByText(/1,284/)).not.toBeInTheDocument();
  });

  it.each([
    ['after the log-out', () => forgetUser()],
    ['once somebody else is signed in', () => localStorage.setItem(USER_PLACE, 'milo-1')],
  ])('is nothing %s', async (_when, happens) => {
    keep();
    happens();
    await openOffline();
    expect(screen.queryByRole('img')).not.toBeInTheDocument();
    expect(screen.queryByText(/Your balance/)).not.toBeInTheDocument();
  });

  it('is kept while somebody is signed in, and gone when the session has ended', async () => {
    const server = answering({ 'GET /api/transactions?limit=4': [] });
    renderAt('/');
    await waitFor(() =>
      expect(localStorage.getItem('encore.at-hand')).toMatch(/Your balance was \$1,284\.50 on /),
    );
    server.answers['GET /api/auth/user'] = SIGNED_OUT;
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: USER_PLACE, newValue: null })));
    await waitFor(() => expect(localStorage.getItem('encore.at-hand')).toBeNull());
  });
});
