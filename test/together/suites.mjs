// Suites that are run as one, by the suite of this folder that runs them: each takes two seconds of a core to
// load what it imports, and a stack takes six to start. Those of one stack make their own people, and count
// nothing that another may have done; one that looks at all of the log, or at what a provider does first,
// stands first in its list, and one that leaves something behind last. What a suite switches at a stand-in it
// switches back. `npx jest <path>` runs one alone.
const e2e = (...names) => names.map((name) => `test/e2e/${name}.e2e.spec.ts`);
const browser = (...names) => names.map((name) => `test/browser/${name}.browser.spec.ts`);
const int = (folder, ...names) => names.map((name) => `${folder}/${name}.int.spec.ts`);
const web = (...paths) => paths.map((path) => `web/src/features/${path}`);

export const SUITES = {
  'people.e2e': e2e('authorisation', 'passkeys', 'pictures', 'treasury', 'passes'),
  'two-ledgers.e2e': e2e('provider-calls', 'step-up'),
  'payments.e2e': e2e('check-stripe', 'founding', 'tip', 'bad-input', 'slow-sockets', 'parking'),
  'webhooks.e2e': e2e('crash', 'webhooks', 'disputes'),
  'twofold.e2e': e2e('twofold', 'messages', 'sessions', 'events-out'),
  'payout-funds.e2e': e2e('payout-funds', 'unclaimed'),
  'demo.e2e': e2e('demo', 'secrecy'),
  'tips.browser': browser('tip', 'live', 'harness'),
  'visitors.browser': browser('offline', 'public-tip', 'coming-and-going'),
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
    ...int('log', 'esdb'),
    ...int(
      'log/event-store',
      'append-stream',
      'failover',
      'gossip',
      'leaving',
      'reading',
      'resubscribing',
      'trouble',
    ),
    ...int(
      'test/conformance',
      'eventstore-access',
      'eventstore-consumers',
      'eventstore-following',
      'eventstore-nodes',
      'eventstore',
    ),
  ],
  'sign-in.int': [
    ...int('test/conformance', 'identity'),
    ...e2e('sign-in-pages'),
    ...int('workers/mail', 'mail-sender'),
  ],
  'programs.int': [
    ...int('ledger', 'http/pages', 'identity/id-token'),
    ...int('audit', 'follower-loop'),
    ...int('local', 'launch/program', 'postgres/cluster'),
    ...int('processes', 'shell/redis-connection', 'operate/living-ledgers', 'roles'),
    ...int('log', 'vault'),
  ],
  'programs.e2e': [
    ...['audit/copy', 'audit/exported-log/archive', 'processes/operate/restore', 'processes/processes'],
    ...['processes/shell/shell', 'workers/operators/operators'],
  ].map((path) => `${path}.e2e.spec.ts`),
  'accounts.web': web(
    ...[
      'account/log-out.test.tsx',
      'account/own-code.test.ts',
      'home/HomePage.test.tsx',
      'home/earnings.test.tsx',
    ],
    ...['messages/MessagesPage.test.tsx', 'my-qr/my-qr.test.tsx', 'profile/ProfilePage.test.tsx'],
    ...['profile/forgetting.test.tsx', 'profile/own-data.test.tsx', 'profile/recovery.test.tsx'],
    ...['profile/sessions.test.tsx', 'statements/statements.test.tsx', 'wallet-passes/wallet.test.tsx'],
  ),
  'payments.web': web(
    ...['payments/amounts.test.ts', 'payments/delays.test.tsx', 'payments/form-rules.test.ts'],
    ...['payments/interrupted-form.test.tsx', 'payments/measures.test.tsx', 'payments/navigation.test.tsx'],
    ...['payments/phone-number.test.ts', 'payments/tap-to-pay.test.tsx', 'scanner/camera.test.ts'],
    ...['scanner/scanned-recipient.test.ts', 'scanner/scanner.test.tsx'],
  ),
  'checkout.web': web(
    ...[
      'card-provider/save-card.test.tsx',
      'checkout/checkout.test.tsx',
      'checkout/confirm-payment.test.tsx',
    ],
    ...['checkout/payment-key.test.ts', 'checkout/payment-query.test.ts'],
  ),
  'money.web': web(
    ...['bank-accounts/BankAccountsPage.test.tsx', 'history/HistoryPage.test.tsx', 'history/history.test.ts'],
    ...['history/receipt-proof.test.tsx', 'history/thanks.test.tsx', 'live/live.test.tsx'],
    ...['schedules/schedules.test.tsx', 'schedules/upcoming.test.ts', 'treasury/TreasuryPage.test.tsx'],
  ),
  'parts.web': [
    ...['app/foreign-errors.test.ts', 'app/page-error.test.tsx', 'shared/api/api.test.ts'],
    ...['shared/api/request-key.test.ts', 'shared/navigation/leaving.test.ts', 'shared/ui/contrast.test.ts'],
    ...['shared/ui/form-dialog.test.tsx', 'shared/ui/on-demand.test.tsx', 'shared/ui/row-layout.test.ts'],
    ...['shared/ui/toasts.test.tsx', 'shared/ui/tones.test.tsx', 'shared/wording/wording.test.ts'],
  ].map((path) => `web/src/${path}`),
  'tip-page.web': ['page', 'receipt', 'tip-page'].map((name) => `web/tip-page/${name}.test.ts`),
};
