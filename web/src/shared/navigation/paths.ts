/** Where the screens are. */
export const PATHS = {
  home: '/',
  payments: '/payments',
  history: '/history',
  profile: '/profile',
  checkout: '/checkout',
  paymentSuccess: '/payment-success',
  subscriptions: '/subscriptions',
  scheduledPayments: '/scheduled-payments',
  bankAccounts: '/bank-accounts',
  treasury: '/treasury',
  myQr: '/my-qr',
  tip: '/tip/:personId',
} as const;

/** What /tip and /checkout read from their query. */
export interface PaymentQuery {
  readonly amount?: string;
  readonly description?: string;
  readonly paymentMethod?: string;
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** The page that a tip link opens. */
export function tipPath(personId: string, { amount, description, paymentMethod }: PaymentQuery = {}): string {
  return `/tip/${encodeURIComponent(personId)}${queryOf({ amount, description, paymentMethod })}`;
}

/** The page that takes a payment. */
export function checkoutPath(
  recipientId: string,
  { amount, description, paymentMethod }: PaymentQuery,
): string {
  return `${PATHS.checkout}${queryOf({ amount, recipientId, description, paymentMethod })}`;
}

/** The page where a payment that waits for its payer is confirmed. */
export function waitingPath(paymentId: string): string {
  return `${PATHS.checkout}${queryOf({ paymentId })}`;
}

/** The form that sends a payment, with whoever is to be paid filled in. */
export function paymentsPath(
  recipientId: string,
  { amount, description, paymentMethod }: PaymentQuery = {},
): string {
  return `${PATHS.payments}${queryOf({ recipientId, amount, description, paymentMethod })}`;
}

/** How a payment stands, by what the browser was given to confirm it with. */
export function paidPath(clientSecret: string): string {
  return `${PATHS.paymentSuccess}${queryOf({ payment_intent_client_secret: clientSecret })}`;
}

/** The history with a receipt open over it. */
export function receiptPath(transactionId: string): string {
  return `${PATHS.history}${queryOf({ receipt: transactionId })}`;
}

/** The browser's way to sign in, and back to where it was. */
export function loginPath(returnTo: string): string {
  return `/api/login?returnTo=${encodeURIComponent(returnTo)}`;
}
export const LOGOUT_PATH = '/api/logout';
