import { onOneStack } from './on-one-stack.js';

await onOneStack('webhooks.e2e', ['all'], { env: { CARE_EVERY_SECONDS: '1' } });
