/**
 * What V8 has compiled of the programs, made once for a build and kept beside their bundles
 * (local/programs-start.js): a suite starts a dozen of them, and half of a start is compiling. Those of a
 * stack: compiled-stack.ts.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '#local/launch/program';

const WITHIN_MS = 60_000;
/** Options of each Node.js of a suite. What was compiled with others V8 does not take. */
export const SHORT_LIVED = `--require "${join(repositoryRoot(), 'test/support/short-lived.cjs')}"`;

/**
 * Programs that are asked for now and then, and words with which each ends at once; it has been loaded by
 * then. Not "rebuild": what it imports later, V8 finds no way to from what was kept.
 */
const ASKED: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['processes-operate', []],
  ['processes-audit', ['--help']],
  ['processes-migrate', []],
  ['processes-transparency', []],
];

/** Whether that was done for this build, or nothing was built. */
export function areProgramsCompiled(): boolean {
  const folder = join(repositoryRoot(), 'dist/programs');
  return !existsSync(folder) || readdirSync(folder).some((name) => name.endsWith('.compiled'));
}

/** Compiles those that run for a moment. */
export async function compileAskedPrograms(): Promise<void> {
  const folder = join(repositoryRoot(), 'dist/programs');
  await Promise.all(
    ASKED.map(
      ([name, words]) =>
        new Promise<void>((resolve) => {
          const start = [join(folder, 'start.mjs'), 'keep', name, ...words];
          // Without settings it ends with their names and a code of its own: what it says is of no interest
          // here.
          const env = { PATH: process.env.PATH, NODE_ENV: 'test', NODE_OPTIONS: SHORT_LIVED };
          execFile(process.execPath, start, { env, timeout: WITHIN_MS }, () => resolve());
        }),
    ),
  );
}
