/** How many calls a second the card provider takes of us. */
import type { Configuration, SettingKey } from '#contracts/configuration';
import type { PublishedLimits } from '#ledger/stripe/call-limiter';
import { keyMode } from '#ledger/stripe/key-mode';

/** What the provider publishes: https://docs.stripe.com/rate-limits. */
const LIVE_PER_SECOND = 100;
const TEST_PER_SECOND = 25;

export const CALL_LIMIT_SETTINGS = [
  'STRIPE_SECRET_KEY',
  'STRIPE_REQUESTS_PER_SECOND',
  'STRIPE_REQUESTS_PER_ENDPOINT',
] as const satisfies readonly SettingKey[];

/** As the settings have it, else as it is published for the key's mode. */
export const callLimitsOf = (
  settings: Configuration<(typeof CALL_LIMIT_SETTINGS)[number]>,
): PublishedLimits => ({
  total:
    settings.STRIPE_REQUESTS_PER_SECOND ??
    (keyMode(settings.STRIPE_SECRET_KEY) === 'live' ? LIVE_PER_SECOND : TEST_PER_SECOND),
  endpoint: settings.STRIPE_REQUESTS_PER_ENDPOINT,
});
