import { WITHOUT_WORKERS } from '#test/support/stack';
import { onOneStack } from './on-one-stack.js';

await onOneStack('people.e2e', WITHOUT_WORKERS, { env: { LIMITS: 'wallets-day=100' } });
