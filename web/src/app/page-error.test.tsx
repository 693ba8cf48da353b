import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { answering, renderAt, watchLeaving } from '../../testing/render.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a page that cannot be opened', () => {
  it('says so in a toast and on the page, and another page is another chance', async () => {
    // React tells the console of it; that is as it should be.
    const told = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    answering({
      'GET /api/treasury/wallets': [{ id: 'wal_1', displayName: { no: 'text' } }],
      'GET /api/treasury/transactions': [],
    });
    const { navigate } = renderAt('/treasury');
    expect(await screen.findByRole('heading', { level: 1, name: 'Navigation Error' })).toBeVisible();
    const toasts = within(screen.getByLabelText('Notifications (F8)'));
    expect(toasts.getByText('Navigation Error')).toBeVisible();
    const sentence = 'This page could not be opened. Check your connection and try again.';
    expect(toasts.getByText(sentence)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeEnabled();
    await waitFor(() => expect(screen.getAllByText(sentence)).toHaveLength(2));
    expect(told).toHaveBeenCalled();
    // The tabs are there still.
    expect(screen.getByRole('navigation', { name: 'Tabs' })).toBeVisible();
    await navigate('/profile');
    expect(await screen.findByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  });

  it('is not loaded anew any more once another page was opened', async () => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const goTo = watchLeaving();
    let answer: (page: Response) => void = () => undefined;
    const server = answering({
      'GET /': () => new Promise((resolve) => (answer = resolve)),
      'GET /api/treasury/wallets': [{ id: 'wal_1', displayName: { no: 'text' } }],
      'GET /api/treasury/transactions': [],
    });
    const own = document.head.appendChild(document.createElement('script'));
    own.setAttribute('type', 'text/plain');
    own.setAttribute('src', '/assets/index-1.js');
    const { navigate } = renderAt('/treasury');
    await screen.findByRole('heading', { level: 1, name: 'Navigation Error' });
    await waitFor(() => expect(server.calls('GET /')).not.toHaveLength(0));
    await navigate('/payments');
    await screen.findByRole('form', { name: 'Tap to Pay' });
    await act(async () => answer(new Response('<script src="/assets/index-2.js"></script>')));
    expect(goTo).not.toHaveBeenCalled();
    own.remove();
  });

  it.each([
    ['stays where this version is still there', '/assets/index-1.js', false],
    // Last: what its page reads late would leave another's page.
    [
      'is loaded anew where another version of the app has taken the place of this one',
      '/assets/index-2.js',
      true,
    ],
  ])('%s', async (_what, script, isLeft) => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const goTo = watchLeaving();
    const own = document.head.appendChild(document.createElement('script'));
    own.setAttribute('type', 'text/plain');
    own.setAttribute('src', '/assets/index-1.js');
    const server = answering({
      'GET /': () => new Response(`<script type="module" src="${script}"></script>`),
      'GET /api/treasury/wallets': [{ id: 'wal_1', displayName: { no: 'text' } }],
      'GET /api/treasury/transactions': [],
    });
    renderAt('/treasury');
    await screen.findByRole('heading', { level: 1, name: 'Navigation Error' });
    await waitFor(() => expect(server.calls('GET /')).not.toHaveLength(0));
    // Where the page was drawn twice it is asked for twice.
    await waitFor(() => expect(goTo.mock.calls.length > 0).toBe(isLeft));
    own.remove();
  });
});
