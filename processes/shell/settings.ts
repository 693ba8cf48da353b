/** A process' settings: read from the environment, and refused where production may not have them. */
import { readFileSync } from 'node:fs';
import { BadSetting, readConfiguration, type Configuration, type SettingKey } from '#contracts/configuration';
import type { MasterKeys } from '#log/vault-reader';
import { refusedInProduction } from './production.js';

/** What decides what a process may have. */
const ALWAYS = ['NODE_ENV', 'ENCORE_STAGING', 'STORES_INTERNAL'] as const satisfies readonly SettingKey[];

const UNSET_IS_PRODUCTION =
  'NODE_ENV is not set, which means production: set NODE_ENV=development where this is a sandbox.';

/**
 * The named settings of this process. Throws {@link BadSetting} with a sentence for each bad one, all at
 * once.
 */
export function readSettings<K extends SettingKey>(names: readonly K[]): Configuration<K> {
  const { values, problems } = readConfiguration([...names, ...ALWAYS], process.env, (path) =>
    readFileSync(path, 'utf8'),
  );
  const refused = refusedInProduction(values);
  // A start by hand, outside of `make start`, most often means a sandbox.
  const hint = refused.length > 0 && !process.env.NODE_ENV ? [UNSET_IS_PRODUCTION] : [];
  const all = [...problems, ...refused, ...hint];
  if (all.length > 0) throw new BadSetting(all.join('\n'));
  return values as Configuration<K>;
}

/** The time of day; in a suite, ahead of it by the milliseconds that the file of TEST_CLOCK_FILE holds. */
export const clockOf =
  ({ TEST_CLOCK_FILE: file }: Configuration<'TEST_CLOCK_FILE'>): (() => Date) =>
  () =>
    new Date(Date.now() + (file === undefined ? 0 : Number(readFileSync(file, 'utf8'))));

/** What a process that opens what is sealed reads of the master key. */
export const MASTER_KEY_SETTINGS = [
  'ENCORE_MASTER_KEY',
  'ENCORE_NEW_MASTER_KEY',
  'ENCORE_PREVIOUS_MASTER_KEY',
] as const satisfies readonly SettingKey[];

export const masterKeysOf = (settings: Configuration<(typeof MASTER_KEY_SETTINGS)[number]>): MasterKeys => ({
  current: settings.ENCORE_MASTER_KEY,
  others: [settings.ENCORE_NEW_MASTER_KEY, settings.ENCORE_PREVIOUS_MASTER_KEY],
});
