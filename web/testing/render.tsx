/**
 * The app for component tests: the real store, routes and screens over a server that answers what the test
 * says.
 *
 *     const server = answering({ 'GET /api/auth/user': JUNO, 'POST /api/payouts': refusal(422, 'Not enough.') });
 *     const { person } = renderAt('/bank-accounts');
 *     await person.click(await screen.findByRole('button', { name: 'Request Payout' }));
 *     expect(server.calls('POST /api/payouts')).toEqual([{ amount: '20.00' }]);
 */
import type { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import type { ForgettingAnswer } from '#contracts/api/forgetting';
import type { Session } from '#contracts/api/sessions';
import { expect, jest } from '@jest/globals';
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { act, cleanup, getConfig, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useEffect, type ReactNode } from 'react';
import {
  MemoryRouter,
  parsePath,
  useLocation,
  useNavigate,
  type Location,
  type NavigateFunction,
} from 'react-router-dom';
import type { CurrentUser } from '#contracts/api/users';
import { App } from '../src/app/App.js';
import { makeStore } from '../src/app/store.js';
import { browser } from '../src/shared/navigation/leaving.js';
import { toastTimer } from '../src/shared/ui/toasts.js';

export const JUNO: CurrentUser = {
  id: 'juno-1',
  email: 'juno@valastro.example',
  username: 'junoplays',
  firstName: 'Juno',
  lastName: 'Valastro',
  profileImageUrl: null,
  isVerified: true,
  earnings: '1284.50',
  totalEarnings: '18406.75',
  transactionCount: 412,
};
export const THIS_PHONE: Session = {
  id: 'b3c1d7a2-0000-4000-8000-000000000001',
  device: 'Safari on iPhone',
  kind: 'phone',
  address: '203.0.113.0/24',
  place: 'Porto',
  signedInAt: '2026-11-20T12:00:00.000Z',
  lastUsedAt: '2026-11-20T12:00:00.000Z',
  isCurrent: true,
};
export const NO_RECOVERY: AccountRecoveryAnswer = {
  status: 'none',
  isPossible: false,
  waitHours: 72,
  startedBy: null,
  startedAt: null,
  completableFrom: null,
  lapsesAt: null,
  isConfirmed: false,
  isCompletable: false,
  againFrom: null,
};
export const NOT_FORGOTTEN: ForgettingAnswer = {
  status: 'none',
  requestedAt: null,
  dueAt: null,
  waitHours: 72,
  blockedBecause: null,
  lastEndedBecause: null,
};
export const SETTINGS = {
  biometricEnabled: false,
  privacyModeEnabled: false,
  transactionAlertsEnabled: true,
};

class Refusal {
  constructor(
    readonly status: number,
    readonly message: string,
  ) {}
}
/** An answer that says no. */
export const refusal = (status: number, message: string): Refusal => new Refusal(status, message);
/** A page of a list that has another one after it. */
export const pageBefore =
  (cursor: string, rows: readonly unknown[]): (() => Response) =>
  () =>
    Response.json(rows, { headers: { 'x-encore-next-cursor': cursor } });
/** Nobody is signed in. */
export const SIGNED_OUT = refusal(401, 'Unauthorized');

/** By `METHOD /path`: what is answered, or what makes it from the body that was sent. */
export type Answers = Record<string, unknown>;

interface Made {
  readonly call: string;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A server in place of fetch. A call without an answer is 404, as on the real one. */
export function answering(answers: Answers) {
  const made: Made[] = [];
  const server = {
    answers: {
      'GET /api/auth/user': JUNO,
      'GET /api/settings': SETTINGS,
      'GET /api/payment-methods': [],
      'GET /api/passkeys': [],
      'GET /api/sessions': [THIS_PHONE],
      'GET /api/account-recovery': NO_RECOVERY,
      'GET /api/forgetting': NOT_FORGOTTEN,
      ...answers,
    } as Answers,
    made,
    /** The bodies that were sent by this call, in their order. */
    calls: (call: string): unknown[] => made.filter((each) => each.call === call).map(({ body }) => body),
  };
  globalThis.fetch = jest.fn(async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const path = input instanceof Request ? input.url : String(input);
    const call = `${init.method ?? 'GET'} ${path}`;
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    made.push({ call, body, headers: new Headers(init.headers) });
    const found = Object.hasOwn(server.answers, call)
      ? server.answers[call]
      : refusal(404, 'There is nothing here.');
    const answer: unknown = await (typeof found === 'function'
      ? (found as (body: unknown) => unknown)(body)
      : found);
    if (answer instanceof Refusal)
      return Response.json({ message: answer.message }, { status: answer.status });
    if (answer instanceof Response) return answer;
    return Response.json(answer);
  });
  return server;
}

/** Where the browser was sent, out of the app. */
export function watchLeaving() {
  return jest.spyOn(browser, 'goTo').mockImplementation(() => undefined);
}

/**
 * Toasts stay until another one replaces them: on a busy machine five seconds may pass before a test looks.
 */
export function holdToasts(): void {
  jest.spyOn(toastTimer, 'start').mockReturnValue(() => undefined);
}

/** Waits for a toast. */
export async function toast(title: string, sentence?: string): Promise<void> {
  const toasts = within(screen.getByLabelText('Notifications (F8)'));
  expect(await toasts.findByText(title)).toBeVisible();
  if (sentence !== undefined) await waitFor(() => expect(toasts.getByText(sentence)).toBeVisible());
}

interface RenderOptions {
  /** With fake timers: `userEvent` must not wait on the real ones. */
  readonly advanceTimers?: (ms: number) => void;
  /** What the page's entry in the browser's history holds, as after a reload. */
  readonly state?: unknown;
}

// jsdom lays nothing out, but asks every rule about every element at each query by role: without rules the
// suites take a third less. What a rule hides or moves is for the suites in a browser.
const unstyled = createCache({ key: 'css', container: document.createElement('div') });
unstyled.sheet.insert = () => undefined;

/** The whole app, at a path. */
export function renderAt(path: string, { advanceTimers, state }: RenderOptions = {}) {
  cleanup();
  const router = {
    location: undefined as Location | undefined,
    navigate: undefined as NavigateFunction | undefined,
  };
  function Watch() {
    const location = useLocation();
    const navigate = useNavigate();
    useEffect(() => {
      Object.assign(router, { location, navigate });
    }, [location, navigate]);
    return null;
  }
  function Router({ children }: { readonly children: ReactNode }) {
    return (
      <CacheProvider value={unstyled}>
        <MemoryRouter initialEntries={[{ ...parsePath(path), state }]} useTransitions={false}>
          {children}
          <Watch />
        </MemoryRouter>
      </CacheProvider>
    );
  }
  /** The path and query that the app is at. */
  const at = (): string => `${router.location?.pathname ?? ''}${router.location?.search ?? ''}`;
  /** What the page's entry in the history holds. */
  const entryState = (): unknown => router.location?.state;
  const navigate = async (to: string): Promise<void> => act(async () => router.navigate?.(to));
  const back = async (): Promise<void> => act(async () => router.navigate?.(-1));
  jest.spyOn(browser, 'here').mockImplementation(at);
  holdToasts();
  const person = userEvent.setup(advanceTimers ? { advanceTimers } : {});
  const store = makeStore();
  /** Until nothing is asked of the server any more: what a change makes stale is not read again before. */
  const settled = async (): Promise<void> =>
    waitFor(() =>
      expect(Object.values(store.getState().api.queries).map((query) => query?.status)).not.toContain(
        'pending',
      ),
    );
  const app = render(<App store={store} Router={Router} />);
  return { ...app, at, entryState, navigate, back, settled, person };
}

const { now } = Date;

/**
 * With fake timers: lets the clock run, a millisecond at a time, or stand (`stepMs` 0), until a text is
 * there. What is loaded meanwhile takes as long as the machine takes, so it gives up by the true time.
 */
export async function runUntilShown(text: string, stepMs = 1): Promise<void> {
  for (const end = now() + getConfig().asyncUtilTimeout; now() < end && screen.queryByText(text) === null;)
    await act(() => jest.advanceTimersByTimeAsync(stepMs));
  screen.getByText(text);
}
