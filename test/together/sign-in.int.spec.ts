import { onOneStack } from './on-one-stack.js';

await onOneStack('sign-in.int', ['identity', 'front', 'mail']);
