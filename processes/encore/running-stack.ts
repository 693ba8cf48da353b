/** The stack of `make start`, found by its data folder: nobody copies URLs and passwords out of it by hand. */
import { existsSync } from 'node:fs';
import type * as LocalStores from '#local/stores';
import { CannotRun } from '../shell/command.js';

/** Any of them says where the stores are, and a data folder is not asked. */
const NAMES_A_STORE = ['EVENTSTORE_URL', 'DATABASE_URL'].flatMap((name) => [name, `${name}_FILE`]);

/** What only reads an exported log asks for no store. */
const needsNoStore = (words: readonly string[]): boolean =>
  words.some((word) => word.startsWith('--from-file') || word === '--help' || word === '-h');

/**
 * Puts the settings of the local stack into the environment, where that names no store and there is a checkout with a
 * data folder. `audit` signs in to Postgres as its own role. Throws {@link CannotRun} where there is data and nothing
 * runs on it.
 */
export async function useLocalStack(area: 'audit' | 'operate', words: readonly string[]): Promise<void> {
  if (NAMES_A_STORE.some((name) => process.env[name]) || needsNoStore(words)) return;
  // An image has nothing of the local stack: there the environment has every setting.
  const module = new URL('../../local/stores.js', import.meta.url);
  if (!existsSync(module)) return;
  const { environmentOf } = (await import(module.href)) as typeof LocalStores;
  const found = environmentOf(process.env, area === 'audit' ? 'audit' : 'owner');
  if (found === undefined) return;
  if ('stopped' in found)
    throw new CannotRun(
      `Encore does not run on ${found.stopped}: start it with "make start"` +
        (area === 'audit' ? ', or name an exported log with --from-file.' : '.'),
    );
  Object.assign(process.env, found.env);
}
