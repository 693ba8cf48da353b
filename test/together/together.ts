/**
 * All suites of a folder that need no store, as one: most of them take longer to load than to run, and what they import
 * is loaded once here. `make check` and `make test` run them so; `npx jest <path>` runs one alone.
 *
 * Each is declared in a block of its own. Jest's `describe` cannot wait until a suite is loaded, so the block is opened
 * and closed by hand, in the state that jest-circus keeps.
 */
import { describe } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** How the path of such a suite ends; `jest.config.js` says it, and leaves the same ones out elsewhere. */
declare const NEEDS_NO_STORE: string;

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

/** Declares the tests of each suite below `folder` under the suite's path. */
export async function together(folder: string): Promise<void> {
  const needsNoStore = new RegExp(NEEDS_NO_STORE);
  const suites = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => needsNoStore.test(path) && !path.includes('node_modules'))
    .sort()
    .map((path) => join(ROOT, folder, path));
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
