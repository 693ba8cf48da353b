/** The suites of a list that have one stack, one after the other. */
import { shareStack } from '#test/support/stack';
import type { StackOptions, StackPart } from '#test/support/start-stack';
import { asOne } from './together.js';

/**
 * Declares the tests of the suites that `suites.mjs` lists under this name. What one of them asks for beyond
 * this is an error.
 */
export async function onOneStack(
  name: string,
  wanted: readonly StackPart[],
  options: StackOptions = {},
): Promise<void> {
  shareStack(wanted, options);
  await asOne(name);
}
