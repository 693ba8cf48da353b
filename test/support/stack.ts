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

/** The stack that the suites of one run have one after the other (test/together). */
let shared: SharedStack | undefined;
interface SharedStack {
  readonly wanted: readonly StackPart[];
  readonly options: StackOptions;
  readonly running: () => TestStack;
}

/** Starts parts of the stack before a suite and stops them after it, whatever happens in between. */
export function useStack(wanted: readonly StackPart[], options: StackOptions = {}): () => TestStack {
  if (shared) {
    refuseOther(shared, wanted, options);
    return shared.running;
  }
  return startedAround(wanted, options);
}

/** From here on whoever asks for a stack gets this one, which has to have all that they ask for. */
export function shareStack(wanted: readonly StackPart[], options: StackOptions): void {
  shared = { wanted, options, running: startedAround(wanted, options) };
}

function startedAround(wanted: readonly StackPart[], options: StackOptions): () => TestStack {
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

function refuseOther(
  { wanted, options }: SharedStack,
  parts: readonly StackPart[],
  { ledgers = 1, env = {} }: StackOptions,
): void {
  const missing = parts.filter((part) => !wanted.includes(part) && !wanted.includes('all'));
  const others = Object.entries(env).filter(([name, value]) => options.env?.[name] !== value);
  if (missing.length > 0 || others.length > 0 || ledgers !== (options.ledgers ?? 1))
    throw new Error(
      `The shared stack is not what a suite asks for: ${JSON.stringify({ missing, others, ledgers })}. ` +
        'See test/together/suites.mjs.',
    );
}
