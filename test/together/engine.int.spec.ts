import { onOneStack } from './on-one-stack.js';

await onOneStack('engine.int', ['postgres']);
