/**
 * Suites that are run as one, because they take longer to begin than to run: those of a folder that need no
 * store, which load what they import once, and those that can have one stack one after the other, which start
 * it once. `make test` runs them so, and `make check` the former; `npx jest <path>` runs one alone.
 *
 * Each is declared in a block of its own. Jest's `describe` cannot wait until a suite is loaded, so the block
 * is opened and closed by hand, in the state that jest-circus keeps.
 */
import { describe } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** How the path of such a suite ends; `jest.config.js` says it, and leaves the same ones out elsewhere. */
declare const NEEDS_NO_STORE: string;
/** What `suites.mjs` lists. */
declare const SUITES: Readonly<Record<string, readonly string[] | undefined>>;

interface Block {
  readonly children: readonly Block[];
}
interface CircusState {
  currentDescribeBlock: Block;
}

function circusState(): CircusState {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  const state: unknown = key && Reflect.get(globalThis, key);
  if (typeof state !== 'object' || state === null || !('currentDescribeBlock' in state))
    throw new Error('jest-circus keeps its state elsewhere: test/together/together.ts has to be told where.');
  return state as CircusState;
}

/** Declares the tests of each suite below `folder`. */
export async function together(folder: string): Promise<void> {
  const needsNoStore = new RegExp(NEEDS_NO_STORE);
  const suites = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => needsNoStore.test(path) && !path.includes('node_modules'))
    .sort();
  await declare(suites.map((path) => join(ROOT, folder, path)));
}

/** Declares the tests of the suites that `suites.mjs` lists under this name. */
export async function asOne(name: string): Promise<void> {
  const suites = SUITES[name];
  if (!suites) throw new Error(`test/together/suites.mjs lists no suites of ${name}.`);
  await declare(suites.map((path) => join(ROOT, path)));
}

/** Declares the tests of each suite under the suite's path. */
async function declare(suites: readonly string[]): Promise<void> {
  const state = circusState();
  const outside = state.currentDescribeBlock;
  for (const suite of suites) {
    describe(relative(ROOT, suite), () => undefined);
    state.currentDescribeBlock = outside.children.at(-1)!;
    try {
      await import(suite);
    } finally {
      state.currentDescribeBlock = outside;
    }
  }
}
