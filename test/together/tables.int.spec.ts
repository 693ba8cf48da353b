import { onOneStack } from './on-one-stack.js';

await onOneStack('tables.int', ['postgres']);
