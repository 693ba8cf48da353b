/** `make test` runs at most three suites that failed once more, alone, and names them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const SOUND = "test('is right', () => undefined);";
const BROKEN = "test('is wrong', () => { throw new Error('wrong'); });";
/** Fails the first time that it is run in its folder. */
const RACES = `test('comes too late once', () => {
  const { existsSync, writeFileSync } = require('node:fs');
  const ran = __filename + '.ran';
  if (!existsSync(ran)) { writeFileSync(ran, ''); throw new Error('too late'); }
});`;

/** Runs these suites as `make test` does. */
function madeOf(suites: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'encore-suites-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(suites)) writeFileSync(join(folder, name), text);
  writeFileSync(
    join(folder, 'jest.config.json'),
    JSON.stringify({
      testMatch: ['<rootDir>/*.{spec,test}.js'],
      transform: {},
      reporters: [join(repositoryRoot(), 'test/support/closing-line.mjs')],
    }),
  );
  const { AGAIN: _, ...inherited } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['test/support/run-suites.mjs', '--config', join(folder, 'jest.config.json')],
    { cwd: repositoryRoot(), encoding: 'utf8', env: { ...inherited, ...env } },
  );
  return { status, stdout, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('the run of every suite', () => {
  it('counts what passed in its last line', () => {
    const { status, lastLine } = madeOf({ 'a.spec.js': SOUND, 'b.browser.spec.js': SOUND });
    expect({ status, lastLine }).toEqual({ status: 0, lastLine: '2 passed, 0 failed' });
  });

  it('runs three suites of any kind that failed once more, alone, and names them', () => {
    const suites = {
      'a.spec.js': SOUND,
      'b.browser.spec.js': RACES + SOUND,
      'c.e2e.spec.js': RACES,
      'd.test.js': SOUND + RACES,
    };
    const { status, stdout, lastLine } = madeOf(suites);
    expect({ status, lastLine }).toEqual({ status: 0, lastLine: '6 passed, 0 failed' });
    const named = /Failed in the crowd and passed alone: (.*)/.exec(stdout)?.[1]?.split(', ') ?? [];
    expect(named.map((path) => basename(path)).toSorted()).toEqual([
      'b.browser.spec.js',
      'c.e2e.spec.js',
      'd.test.js',
    ]);
  });

  it.each([
    ['one of two that fails again', { 'a.spec.js': BROKEN, 'b.spec.js': RACES }, {}, '1 passed, 1 failed'],
    ['a suite that fails where nothing may', { 'a.spec.js': RACES }, { AGAIN: 'no' }, '0 passed, 1 failed'],
    [
      'more than three',
      { 'a.spec.js': RACES, 'b.spec.js': RACES, 'c.spec.js': RACES, 'd.spec.js': RACES },
      {},
      '0 passed, 4 failed',
    ],
  ])('fails for %s', (_what, suites, env, counts) => {
    const { status, stdout, lastLine } = madeOf(suites, env);
    expect({ status, lastLine }).toEqual({ status: 1, lastLine: counts });
    expect(stdout).not.toContain('passed alone');
  });
});
