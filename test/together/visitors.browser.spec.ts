import { onOneStack } from './on-one-stack.js';

await onOneStack('visitors.browser', ['all']);
