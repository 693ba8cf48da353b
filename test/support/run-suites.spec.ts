/** `make test` gives a browser suite that failed one more chance, alone, says so, and gives none to anything else. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      testMatch: ['<rootDir>/*.spec.js'],
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

  it('runs a browser suite that failed once more, alone, and names it', () => {
    const { status, stdout, lastLine } = madeOf({ 'a.spec.js': SOUND, 'b.browser.spec.js': RACES + SOUND });
    expect({ status, lastLine }).toEqual({ status: 0, lastLine: '3 passed, 0 failed' });
    expect(stdout).toMatch(/Failed in the crowd and passed alone: .*b\.browser\.spec\.js/);
  });

  it.each([
    ['a browser suite that fails again', { 'b.browser.spec.js': BROKEN }, {}],
    ['any other suite that fails', { 'a.spec.js': RACES, 'b.browser.spec.js': SOUND }, {}],
    ['a browser suite that fails where nothing may', { 'b.browser.spec.js': RACES }, { AGAIN: 'no' }],
  ])('fails for %s', (_what, suites, env) => {
    const { status, lastLine } = madeOf(suites, env);
    expect(status).toBe(1);
    expect(lastLine).toMatch(/^\d passed, 1 failed$/);
  });
});
