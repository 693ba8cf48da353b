import { onOneStack } from './on-one-stack.js';

await onOneStack('screens.browser', ['all'], {
  env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1', PAYOUT_RETRY_SECONDS: '0.2' },
});
