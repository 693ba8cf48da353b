/** Leaving the app: sign-in and sign-out are pages of the server, so the browser navigates there. */
import { useCallback, useEffect, useRef } from 'react';
import { loginPath } from './paths.js';

/** The only place that leaves the app, so that a test can replace it. */
export const browser = {
  goTo(url: string): void {
    window.location.assign(url);
  },
  here(): string {
    return window.location.pathname + window.location.search;
  },
};

/** How long the next page may take to answer, once this one is being left. */
export const LEAVING_MS = 5_000;
let leavingSince = -Infinity;

/** Starts to notice that the page is being left; the returned function stops it. */
export function noticeLeaving(target: Window): () => void {
  const leave = () => {
    leavingSince = performance.now();
  };
  target.addEventListener('beforeunload', leave);
  return () => target.removeEventListener('beforeunload', leave);
}

/**
 * Waits while the page is being left. A browser ends what still loads first, a call or a script, and shows
 * the page until the next one answers: nobody should read of a failure then. Resolves at once if the page is
 * not being left, and late if it stays after all (the link was a download).
 */
export async function untilItStays(): Promise<void> {
  const restMs = leavingSince + LEAVING_MS - performance.now();
  if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
}

/** For `catch`: throws on, but never while the page is being left. */
export async function unlessLeaving(failure: unknown): Promise<never> {
  await untilItStays();
  throw failure;
}

/**
 * Runs a function after a delay, unless the component is unmounted by then. A second call replaces the first.
 */
export function useLater(): (act: () => void, delayMs: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback((act, delayMs) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, delayMs);
  }, []);
}

// One timer per window: it must survive when the dialog that started it closes.
let login: ReturnType<typeof setTimeout> | undefined;

/**
 * Goes to sign-in after a delay and returns to `returnTo`, or to the current page. A second call replaces the
 * first.
 */
export function goToLogin(delayMs: number, returnTo = browser.here()): void {
  clearTimeout(login);
  login = setTimeout(() => browser.goTo(loginPath(returnTo)), delayMs);
}

/** For the root: unmounting the app cancels the redirect. */
export function useEndOfLogin(): void {
  useEffect(() => () => clearTimeout(login), []);
}

/** Time to read the toast before the page is left. */
export const REDIRECT_MS = {
  login: 500,
  loginOnTip: 1000,
  loginOnForm: 1000,
  invalidLink: 2000,
  unauthorizedPayment: 2000,
  paymentError: 3000,
} as const;
