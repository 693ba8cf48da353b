/**
 * The stack of `make start`, found by its data folder: nobody copies URLs and passwords out of it by hand.
 */
import { existsSync } from 'node:fs';
import { BadSetting } from '#contracts/configuration';
import type * as LocalStores from '#local/stores';
import { CannotRun } from '../shell/command.js';

/** Any of them says where the stores are, and a data folder is not asked. */
const NAMES_A_STORE = ['EVENTSTORE_URL', 'DATABASE_URL'].flatMap((name) => [name, `${name}_FILE`]);

/** What only reads an exported log asks for no store. */
const needsNoStore = (words: readonly string[]): boolean =>
  words.some((word) => word.startsWith('--from-file') || word === '--help' || word === '-h');

/**
 * Runs a command with the settings of the local stack, where the environment names no store and there is a
 * checkout. `audit` signs in to Postgres as its own role. Throws {@link CannotRun} where there is data and
 * nothing runs on it; where there is none, a setting that the command lacks is told after what would have had
 * it.
 */
export async function withLocalStack<T>(
  area: 'audit' | 'operate',
  words: readonly string[],
  run: () => Promise<T>,
): Promise<T> {
  const missing = await useLocalStack(area, words);
  try {
    return await run();
  } catch (error) {
    if (missing === undefined || !(error instanceof BadSetting)) throw error;
    throw new BadSetting(
      `There is no data of "make start" in ${missing}: start it, name its folder with ENCORE_DATA, or set what is missing here.\n${error.message}`,
    );
  }
}

/**
 * Puts the settings of the local stack into the environment; answers the data folder where one has no data.
 */
async function useLocalStack(
  area: 'audit' | 'operate',
  words: readonly string[],
): Promise<string | undefined> {
  if (NAMES_A_STORE.some((name) => process.env[name]) || needsNoStore(words)) return undefined;
  // An image has nothing of the local stack: there the environment has every setting.
  const module = new URL('../../local/stores.js', import.meta.url);
  if (!existsSync(module)) return undefined;
  const { environmentOf } = (await import(module.href)) as typeof LocalStores;
  const found = environmentOf(process.env, area === 'audit' ? 'audit' : 'owner');
  if ('missing' in found) return found.missing;
  if ('stopped' in found)
    throw new CannotRun(
      `Encore does not run on ${found.stopped}: start it with "make start"` +
        (area === 'audit' ? ', or name an exported log with --from-file.' : '.'),
    );
  Object.assign(process.env, found.env);
  return undefined;
}
