/** The settings of a process, for suites: all that are named, or an error. */
import { BadSetting, readConfiguration, type Configuration, type SettingKey } from '#contracts/configuration';

/** Throws {@link BadSetting} with a line for each that is missing or wrong. */
export function configurationFrom<K extends SettingKey>(
  names: readonly K[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Configuration<K> {
  const { values, problems } = readConfiguration(names, env, readFile);
  if (problems.length > 0) throw new BadSetting(problems.join('\n'));
  return values as Configuration<K>;
}
