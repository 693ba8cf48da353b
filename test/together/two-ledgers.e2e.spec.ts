import { WITHOUT_WORKERS } from '#test/support/stack';
import { onOneStack } from './on-one-stack.js';

await onOneStack('two-ledgers.e2e', WITHOUT_WORKERS, { ledgers: 2 });
