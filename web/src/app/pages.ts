/** The screens, each in a chunk of its own that is loaded when it is first opened. */
import type { ComponentType } from 'react';
import { matchPath } from 'react-router-dom';
import { PATHS } from '../shared/navigation/paths.js';
import type { FrameProps } from './Frame.js';
import { screen, type Dispatch, type Screen } from './screen.js';

/** The pages of signed-in people, by path. */
export const PAGES: Readonly<Record<string, Screen>> = {
  [PATHS.home]: screen(() => import('../features/home/HomePage.js')),
  [PATHS.payments]: screen(() => import('../features/payments/PaymentsPage.js')),
  // The statements stand behind it.
  [`${PATHS.history}/statements?`]: screen(() => import('./HistoryPages.js')),
  [PATHS.profile]: screen(() => import('../features/profile/ProfilePage.js')),
  [PATHS.checkout]: screen(() => import('../features/checkout/CheckoutPage.js')),
  [PATHS.paymentSuccess]: screen(() => import('../features/checkout/PaymentSuccessPage.js')),
  [PATHS.subscriptions]: screen(() => import('../features/schedules/SubscriptionsPage.js')),
  [PATHS.scheduledPayments]: screen(() => import('../features/schedules/ScheduledPaymentsPage.js')),
  [PATHS.bankAccounts]: screen(() => import('../features/bank-accounts/BankAccountsPage.js')),
  [PATHS.treasury]: screen(() => import('../features/treasury/TreasuryPage.js')),
  [PATHS.messages]: screen(() => import('../features/messages/MessagesPage.js')),
  [PATHS.myQr]: screen(() => import('../features/my-qr/MyQrPage.js')),
  [PATHS.tip]: screen(() => import('../features/checkout/TipPage.js')),
};
export const LANDING = screen(() => import('../features/landing/LandingPage.js'));
export const NOT_FOUND = screen(() => import('../features/not-found/NotFoundPage.js'));
/** What is around every page of signed-in people. */
export const loadFrame = (): Promise<{ readonly default: ComponentType<FrameProps> }> => import('./Frame.js');

const patternOf = (path: string): string | undefined =>
  Object.keys(PAGES).find((pattern) => matchPath(pattern, path) !== null);

/**
 * Starts to load the screen of a path, with what is around it, while the session is still being asked for.
 */
export function preload(path: string, isLikelySignedIn: boolean): void {
  const known = patternOf(path);
  const isEntrance = known === PATHS.home && !isLikelySignedIn;
  const start = (load: (() => Promise<unknown>) | undefined): void =>
    // A failure is ignored here: the page is loaded again when it is opened, and reports it then.
    void load?.().catch(() => undefined);
  if (known === undefined) return start(NOT_FOUND.load);
  if (isEntrance) return start(LANDING.load);
  start(loadFrame);
  if (isLikelySignedIn) start(PAGES[known]?.load);
}

/**
 * Loads the screen of a path that is likely to be opened next; with `dispatch`, also what it shows first. A
 * failure is ignored, as above.
 */
export async function loadAhead(path: string, dispatch?: Dispatch): Promise<void> {
  const module = await PAGES[patternOf(path) ?? '']?.load().catch(() => undefined);
  await module?.prepare?.(path, dispatch);
}
