import { onOneStack } from './on-one-stack.js';

await onOneStack('twofold.e2e', ['all', 'projections-2', 'workers-2'], {
  ledgers: 2,
  env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1', MAIL_EVERY_SECONDS: '0.2' },
});
