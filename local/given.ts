/**
 * What a stand-in is told by the environment: `X`, or the file that `X_FILE` names, as the application's own
 * processes are.
 */
import { readFileSync } from 'node:fs';

/** The value, or an empty string. Throws where the file cannot be read. */
export function given(name: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const file = env[`${name}_FILE`];
  return env[name] || (file ? readFileSync(file, 'utf8').trim() : '');
}
