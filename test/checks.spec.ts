/**
 * Types, lint and format of everything, as suites of the one run: counted with the others, and beside them on
 * the second core. The linter has to know the types, and can report what is wrong with them: the shorter way
 * on a fresh machine. `make check` is run again and again, and sets COMPILER=yes: the compiler remembers its
 * last look, and is quicker then.
 */
import { spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';
import { isWholeRun } from '#test/support/sample';

const WITHIN_MS = 15 * 60_000;
const SCRIPTS = isWholeRun || process.env.COMPILER === 'yes' ? ['typecheck', 'lint'] : ['lint-and-types'];

async function outcomeOf(script: string): Promise<{ exit: number | null; says: string }> {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: repositoryRoot(),
    // Compiler and linter are in Go: of their work a third is tidying memory that they need again at once.
    // They begin with it in earnest where they take half of the machine's.
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
  it(
    'has no fault of types, style or format',
    async () => {
      for (const script of SCRIPTS) {
        const { exit, says } = await outcomeOf(script);
        if (exit !== 0) throw new Error(`npm run ${script}:\n${says}`);
        expect(exit).toBe(0);
      }
    },
    WITHIN_MS,
  );
});
