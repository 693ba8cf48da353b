/**
 * What the service worker shows while the network answers, fails, or is silent: by its own script, in a
 * browser of ours.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';

const SCRIPT = readFileSync(join(repositoryRoot(), 'web/service-worker.js'), 'utf8');
const START_PAGE = '/assets/start.html';
const ORIGIN = 'https://encore.example';

type FetchListener = (event: {
  readonly request: { readonly url: string; readonly method: string; readonly mode: string };
  readonly respondWith: (answer: Promise<Response>) => void;
}) => void;

/** Opens a page by the worker: `kept` is the start page that it has, if any. */
function opened(network: () => Promise<Response>, kept?: string): Promise<Response> {
  const listeners = new Map<string, FetchListener>();
  const world = {
    ...{ Response, Headers, URL, Uint8Array, setTimeout, crypto, btoa },
    ...{ START_PAGE, VERSION: 'one', SHELL: [START_PAGE], NONCE_PLACEHOLDER: 'nonce-here' },
    self: {
      location: { origin: ORIGIN },
      addEventListener: (name: string, listener: FetchListener) => listeners.set(name, listener),
    },
    caches: { match: () => Promise.resolve(kept === undefined ? undefined : new Response(kept)) },
    fetch: network,
  };
  runInContext(SCRIPT, createContext(world));
  return new Promise((resolve) => {
    listeners.get('fetch')!({
      request: { url: `${ORIGIN}/payments`, method: 'GET', mode: 'navigate' },
      respondWith: resolve,
    });
  });
}

const textOf = async (answer: Promise<Response>): Promise<string> => (await answer).text();
const silent = () => new Promise<never>(() => undefined);

describe('a page that is opened', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is the one of the network, where that answers', async () => {
    expect(await textOf(opened(() => Promise.resolve(new Response('new')), 'kept'))).toBe('new');
  });

  it('is the kept one, where the network fails', async () => {
    expect(await textOf(opened(() => Promise.reject(new TypeError('Failed to fetch')), 'kept'))).toBe('kept');
  });

  it('is the kept one, where the network is silent for five seconds', async () => {
    const page = textOf(opened(silent, 'kept'));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await page).toBe('kept');
  });

  it('waits for the network however long, where no page is kept', async () => {
    const late = () =>
      new Promise<Response>((resolve) => {
        setTimeout(() => resolve(new Response('late')), 60_000);
      });
    const page = textOf(opened(late));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await page).toBe('late');
  });
});
