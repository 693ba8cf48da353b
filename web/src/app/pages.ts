/** The screens, each in a chunk of its own that is loaded when it is first opened. */
import type { ComponentType } from 'react';
import { matchPath } from 'react-router-dom';
import { PATHS } from '../shared/navigation/paths.js';
import type { FrameProps } from './Frame.js';

export interface PageModule {
  readonly default: ComponentType;
}
type Load = () => Promise<PageModule>;

/** The pages of signed-in people, by path. */
export const PAGES: Readonly<Record<string, Load>> = {
  [PATHS.home]: () => import('../features/home/HomePage.js'),
  [PATHS.payments]: () => import('../features/payments/PaymentsPage.js'),
  [`${PATHS.history}/:part?`]: () => import('./HistoryPages.js'),
  [PATHS.profile]: () => import('../features/profile/ProfilePage.js'),
  [PATHS.checkout]: () => import('../features/checkout/CheckoutPage.js'),
  [PATHS.paymentSuccess]: () => import('../features/checkout/PaymentSuccessPage.js'),
  [PATHS.subscriptions]: () => import('../features/schedules/SubscriptionsPage.js'),
  [PATHS.scheduledPayments]: () => import('../features/schedules/ScheduledPaymentsPage.js'),
  [PATHS.bankAccounts]: () => import('../features/bank-accounts/BankAccountsPage.js'),
  [PATHS.treasury]: () => import('../features/treasury/TreasuryPage.js'),
  [PATHS.messages]: () => import('../features/messages/MessagesPage.js'),
  [PATHS.myQr]: () => import('../features/my-qr/MyQrPage.js'),
  [PATHS.tip]: () => import('../features/checkout/TipPage.js'),
};
export const loadLanding: Load = () => import('../features/landing/LandingPage.js');
/** What is around every page of signed-in people. */
export const loadFrame = (): Promise<{ readonly default: ComponentType<FrameProps> }> => import('./Frame.js');
export const loadNotFound: Load = () => import('../features/not-found/NotFoundPage.js');

/** Starts to load the screen of a path, with what is around it, while the session is still being asked for. */
export function preload(path: string, isLikelySignedIn: boolean): void {
  const known = Object.keys(PAGES).find((pattern) => matchPath(pattern, path) !== null);
  const isEntrance = known === PATHS.home && !isLikelySignedIn;
  const start = (load: (() => Promise<unknown>) | undefined): void =>
    // A failure is ignored here: the page is loaded again when it is opened, and reports it then.
    void load?.().catch(() => undefined);
  if (known === undefined) return start(loadNotFound);
  if (isEntrance) return start(loadLanding);
  start(loadFrame);
  if (isLikelySignedIn) start(PAGES[known]);
}
