/**
 * The stack as a suite has it: started before, stopped after.
 *
 *     const stack = useStack(['postgres', 'eventstore']);
 *     it('…', async () => { connect(stack().env.DATABASE_URL); await stack().part('eventstore').kill9(); … });
 */
import { afterAll, beforeAll } from '@jest/globals';
import {
  START_WITHIN_MS,
  startStack,
  type StackOptions,
  type TestStack,
  type StackPart,
} from './start-stack.js';

/** All that people use, and no job that looks or pays by itself. */
export const WITHOUT_WORKERS: readonly StackPart[] = [
  'postgres',
  'redis',
  'eventstore',
  'stripe',
  'identity',
  'projections',
  'ledgers',
  'front',
];

/** Starts parts of the stack before a suite and stops them after it, whatever happens in between. */
export function useStack(wanted: readonly StackPart[], options: StackOptions = {}): () => TestStack {
  let running: TestStack | undefined;
  beforeAll(async () => {
    running = await startStack(wanted, options);
  }, START_WITHIN_MS);
  afterAll(async () => {
    await running?.stop();
  }, START_WITHIN_MS);
  return () => {
    if (!running) throw new Error('The stack is asked for before it was started.');
    return running;
  };
}
