/** The settings of a ledger process. */
import type { Configuration } from '#contracts/configuration';
import { PASS_SETTINGS } from '#ledger/passes/pass-certificates';

export const NAMES = [
  'NODE_ENV',
  'PUBLIC_URL',
  'EVENTSTORE_URL',
  'DATABASE_URL',
  'OIDC_ISSUER',
  'OIDC_ISSUER_NAME',
  'OIDC_INTERNAL_URL',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_CONNECT_WEBHOOK_SECRET',
  'STRIPE_API_URL',
  'STRIPE_SCRIPT_URL',
  ...PASS_SETTINGS,
  'ENCORE_MASTER_KEY',
  'ENCORE_ARCHIVE',
  'ENCORE_INTERNAL_TOKEN',
  'LEDGER_PORT',
  'LEDGER_HOST',
  'TRUSTED_PROXIES',
  'LEDGER_INTERNAL_PORT',
  'LEDGER_INTERNAL_HOST',
  'LOG_LEVEL',
  'RATE_LIMIT_PER_MINUTE',
  'STRIPE_ACCOUNT',
  'REFUNDS_PER_HOUR',
  'TEST_CLOCK_FILE',
  'READ_YOUR_WRITES_MS',
  'RESIDENT_WINDOW_MINUTES',
  'RESIDENT_WINDOW_ENTRIES',
] as const;
export type LedgerSettings = Configuration<(typeof NAMES)[number]>;
