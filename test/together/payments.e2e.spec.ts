import { onOneStack } from './on-one-stack.js';

await onOneStack('payments.e2e', ['all']);
