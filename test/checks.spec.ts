/**
 * Types, lint and format of everything, as suites of the one run: counted with the others, and beside them on
 * the second core. The linter, which has to know the types, reports what is wrong with them too: the compiler would
 * work them all out a second time, so it is asked in a whole run only.
 */
import { spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';
import { sampled } from '#test/support/sample';

const WITHIN_MS = 15 * 60_000;

async function outcomeOf(script: string): Promise<{ exit: number | null; says: string }> {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: repositoryRoot(),
    // Compiler and linter are in Go: of their work a third is tidying memory that they need again at once. They begin with
    // it in earnest where they take half of the machine's.
    env: { ...process.env, GOGC: '1600', GOMEMLIMIT: `${Math.floor(totalmem() / 2)}B` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exit: await exit, says: out + err };
}

describe('the code', () => {
  it.each(sampled(['typecheck', 'lint'], ['lint']))(
    'passes `npm run %s`',
    async (script) => {
      const { exit, says } = await outcomeOf(script);
      if (exit !== 0) throw new Error(says);
      expect(exit).toBe(0);
    },
    WITHIN_MS,
  );
});
