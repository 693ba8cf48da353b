import { onOneStack } from './on-one-stack.js';

await onOneStack('payout-funds.e2e', ['all'], {
  env: { CARE_EVERY_SECONDS: '0.5', PAYOUT_RETRY_SECONDS: '0.2' },
});
