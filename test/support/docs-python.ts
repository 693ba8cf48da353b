/** The Python programs of the docs, for suites that run them: they share no code with ours. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';

/** Whether this machine has a Python that they run on. */
export const hasPython = spawnSync('python3', ['-c', 'import zoneinfo']).status === 0;

/**
 * The program of a page, such as `how-to/check-the-books-with-python.md`. Throws RangeError where it has
 * none.
 */
export function pythonOf(page: string): string {
  const text = readFileSync(join(repositoryRoot(), 'docs', page), 'utf8');
  const program = /```python\n([\s\S]+?)```/.exec(text)?.[1];
  if (program === undefined) throw new RangeError(`docs/${page} has no Python program.`);
  return program;
}
