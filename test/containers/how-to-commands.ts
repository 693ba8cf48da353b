/** The commands of a how-to as they are written, so that a proof runs what a reader would type. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';

/**
 * The indented lines under a heading of docs/how-to, in order. `instead` says which words of theirs are other
 * ones here; each must be there.
 */
export function commandsUnder(
  page: string,
  heading: string,
  instead: Readonly<Record<string, string>> = {},
): string {
  const lines = readFileSync(join(repositoryRoot(), 'docs/how-to', page), 'utf8').split('\n');
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`docs/how-to/${page} has no "${heading}".`);
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => /^#+ /.test(line));
  let commands = rest
    .slice(0, to < 0 ? undefined : to)
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4))
    .join('\n');
  if (commands === '') throw new Error(`docs/how-to/${page} has no commands under "${heading}".`);
  for (const [words, others] of Object.entries(instead)) {
    if (!commands.includes(words))
      throw new Error(`docs/how-to/${page} does not say "${words}" under "${heading}".`);
    commands = commands.replaceAll(words, others);
  }
  return commands;
}
