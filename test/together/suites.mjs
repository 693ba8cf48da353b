// Suites that are run as one, by the suite of this folder that runs them: each takes two seconds of a core to load what it
// imports, and a stack takes six to start. Those of one stack make their own people, and count nothing that another may have
// done; one that looks at all of the log, or at what a provider does first, stands first in its list, and one that leaves
// something behind last. What a suite switches at a stand-in it switches back. `npx jest <path>` runs one alone.
const e2e = (...names) => names.map((name) => `test/e2e/${name}.e2e.spec.ts`);
const browser = (...names) => names.map((name) => `test/browser/${name}.browser.spec.ts`);
const int = (folder, ...names) => names.map((name) => `${folder}/${name}.int.spec.ts`);

export const SUITES = {
  'people.e2e': e2e('authorisation', 'passkeys', 'pictures', 'treasury', 'passes'),
  'two-ledgers.e2e': e2e('provider-calls', 'step-up'),
  'payments.e2e': e2e('check-stripe', 'founding', 'tip', 'bad-input', 'slow-sockets', 'parking'),
  'webhooks.e2e': e2e('crash', 'webhooks', 'disputes'),
  'twofold.e2e': e2e('twofold', 'messages', 'sessions', 'events-out'),
  'payout-funds.e2e': e2e('payout-funds', 'unclaimed'),
  'demo.e2e': e2e('demo', 'secrecy'),
  'tips.browser': browser('tip', 'live', 'harness'),
  'visitors.browser': browser('public-tip', 'coming-and-going', 'offline'),
  'screens.browser': browser('screens', 'bank', 'step-up'),
  'read-models.int': int(
    'projections',
    ...['balances/balances', 'bank-accounts/bank-accounts', 'idempotency-keys/idempotency-keys'],
    ...[
      'payouts/funds',
      'payouts/payouts',
      'schedules/schedules',
      'settings/settings',
      'statements/statements',
    ],
    ...['tip-pages/tip-pages', 'transactions/transactions', 'unapplied/unapplied', 'unclaimed/unclaimed'],
    ...['users/users', 'wallets/wallets'],
  ),
  'engine.int': int(
    'projections/engine',
    ...['plans', 'unreadable', 'last-event', 'parking', 'project-batch', 'projector', 'read-your-writes'],
    ...['server-limits', 'database'],
  ),
  'tables.int': [
    ...int('ledger/messages', 'mail-queue', 'message-follower', 'messages'),
    ...int('ledger', 'passkeys/passkey-tokens', 'security-trail/trail-table', 'sessions/sessions'),
    ...int('ledger', 'step-up/confirmations'),
    ...int('log', 'log-recovery', 'transaction'),
  ],
  'stripe.int': [
    ...int(
      'test/conformance',
      'stripe',
      'stripe-connect',
      'stripe-money',
      'stripe-pages',
      'stripe-saved-cards',
    ),
    ...int('test/conformance', 'stripe-strictness'),
    ...int('ledger', 'payment-methods/lost-customer', 'stripe/answers', 'stripe/refusals'),
  ],
  'event-store.int': [
    ...int('log/event-store', 'append-stream', 'gossip', 'leaving', 'reading', 'resubscribing', 'trouble'),
    ...int(
      'test/conformance',
      'eventstore-access',
      'eventstore-consumers',
      'eventstore-following',
      'eventstore',
    ),
  ],
};
