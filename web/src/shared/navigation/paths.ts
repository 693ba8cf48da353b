/** Paths of the screens. */
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
  messages: '/messages',
  tip: '/tip/:personId',
} as const;

/** What /tip and /checkout read from their query. */
interface PaymentQuery {
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

/** The page of a tip link. */
export function tipPath(personId: string, { amount, description, paymentMethod }: PaymentQuery = {}): string {
  return `/tip/${encodeURIComponent(personId)}${queryOf({ amount, description, paymentMethod })}`;
}

/** The checkout of a new payment. */
export function checkoutPath(
  recipientId: string,
  { amount, description, paymentMethod }: PaymentQuery,
): string {
  return `${PATHS.checkout}${queryOf({ amount, recipientId, description, paymentMethod })}`;
}

/** The checkout of a payment that waits for confirmation. */
export function waitingPath(paymentId: string): string {
  return `${PATHS.checkout}${queryOf({ paymentId })}`;
}

/** The payment form with a recipient filled in. */
export function paymentsPath(
  recipientId: string,
  { amount, description, paymentMethod }: PaymentQuery = {},
): string {
  return `${PATHS.payments}${queryOf({ recipientId, amount, description, paymentMethod })}`;
}

/** The outcome of a payment, by its client secret. */
export function paidPath(clientSecret: string): string {
  return `${PATHS.paymentSuccess}${queryOf({ payment_intent_client_secret: clientSecret })}`;
}

/** The history with a receipt open over it. */
export function receiptPath(transactionId: string): string {
  return `${PATHS.history}${queryOf({ receipt: transactionId })}`;
}

/** Sign-in, and back to `returnTo`. */
export function loginPath(returnTo: string): string {
  return `/api/login?returnTo=${encodeURIComponent(returnTo)}`;
}

/** Sign-in, also for somebody whose session goes on, and back to `returnTo`: the user shows who they are. */
export function freshLoginPath(returnTo: string): string {
  return `/api/login?fresh=1&returnTo=${encodeURIComponent(returnTo)}`;
}
export const LOGOUT_PATH = '/api/logout';
