/** Leaving the app: sign-in and sign-out are pages of the server's, so the whole browser goes there. */
import { useCallback, useEffect, useRef } from 'react';
import { loginPath } from './paths.js';

/** The one place that leaves, so that a test can watch it. */
export const browser = {
  goTo(url: string): void {
    window.location.assign(url);
  },
  here(): string {
    return window.location.pathname + window.location.search;
  },
};

/** Does something later, unless the component is gone by then; asked again, only the last counts. */
export function useLater(): (act: () => void, delayMs: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback((act, delayMs) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, delayMs);
  }, []);
}

// One for the window: a dialog that closes with the failure that it told does not take the sign-in back.
let login: ReturnType<typeof setTimeout> | undefined;

/**
 * Goes to sign-in after a time and comes back to `returnTo`, or to the page that asked; asked again, only the
 * last counts.
 */
export function goToLogin(delayMs: number, returnTo = browser.here()): void {
  clearTimeout(login);
  login = setTimeout(() => browser.goTo(loginPath(returnTo)), delayMs);
}

/** For the root: without the app nobody is sent anywhere any more. */
export function useEndOfLogin(): void {
  useEffect(() => () => clearTimeout(login), []);
}

/** How long a toast may be read before the page goes. */
export const REDIRECT_MS = {
  login: 500,
  loginOnTip: 1000,
  invalidLink: 2000,
  unauthorizedPayment: 2000,
  paymentError: 3000,
} as const;
