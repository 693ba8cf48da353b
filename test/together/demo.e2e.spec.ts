import { onOneStack } from './on-one-stack.js';

await onOneStack('demo.e2e', ['all'], {
  env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1', LOG_LEVEL: 'trace' },
});
