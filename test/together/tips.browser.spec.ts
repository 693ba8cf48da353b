import { onOneStack } from './on-one-stack.js';

await onOneStack('tips.browser', ['all']);
