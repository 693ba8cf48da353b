/**
 * What V8 has compiled of the programs, made once for a build and kept beside their bundles (local/programs-start.js): a
 * suite starts a dozen of them, and half of a start is compiling.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';

const WITHIN_MS = 60_000;
/** Options of each Node.js of a suite. What was compiled with others V8 does not take. */
export const SHORT_LIVED = `--require "${join(repositoryRoot(), 'test/support/short-lived.cjs')}"`;

/** Programs, and words with which each ends at once; it has been loaded by then. The ledger has an option in the stack. */
const PROGRAMS: readonly (readonly [name: string, words: readonly string[], options: readonly string[]])[] = [
  ['processes-projections', [], []],
  ['processes-workers', [], []],
  ['processes-operate', [], []],
  ['processes-audit', ['--help'], []],
  ['processes-migrate', [], []],
  ['processes-transparency', [], []],
  ['processes-ledger', [], ['--max-semi-space-size=64']],
];

/** Compiles them, unless that was done for this build. */
export async function compilePrograms(): Promise<void> {
  const folder = join(repositoryRoot(), 'dist/programs');
  if (!existsSync(folder) || readdirSync(folder).some((name) => name.endsWith('.compiled'))) return;
  // One after the other: they share bundles, and each adds to what is kept.
  for (const [name, words, options] of PROGRAMS)
    await new Promise<void>((resolve) => {
      const start = [...options, join(folder, 'start.mjs'), 'keep', name, ...words];
      // Without settings it ends with their names and a code of its own: what it says is of no interest here.
      const env = { PATH: process.env.PATH, NODE_ENV: 'test', NODE_OPTIONS: SHORT_LIVED };
      execFile(process.execPath, start, { env, timeout: WITHIN_MS }, () => resolve());
    });
}
