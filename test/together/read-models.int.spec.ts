import { onOneStack } from './on-one-stack.js';

await onOneStack('read-models.int', ['postgres']);
