/** A process' settings: read from the environment, and refused where production may not have them. */
import { readFileSync } from 'node:fs';
import { BadSetting, configurationFrom, type Configuration, type SettingKey } from '#contracts/configuration';
import { refusedInProduction } from './production.js';

/** The named settings of this process. Throws {@link BadSetting} with one sentence for the first bad one. */
export function readSettings<K extends SettingKey>(names: readonly K[]): Configuration<K> {
  const settings = configurationFrom([...names, 'NODE_ENV', 'ENCORE_STAGING'], process.env, (path) =>
    readFileSync(path, 'utf8'),
  );
  const refused = refusedInProduction(settings);
  if (refused !== undefined) throw new BadSetting(refused);
  return settings as Configuration<K>;
}

/** The time of day; in a suite, ahead of it by the milliseconds that the file of TEST_CLOCK_FILE holds. */
export const clockOf =
  ({ TEST_CLOCK_FILE: file }: Configuration<'TEST_CLOCK_FILE'>): (() => Date) =>
  () =>
    new Date(Date.now() + (file === undefined ? 0 : Number(readFileSync(file, 'utf8'))));
