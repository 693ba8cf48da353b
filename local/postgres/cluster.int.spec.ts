/** What starts that were cut short leave of Postgres' data folder. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '../launch/program.js';
import { postgres, templateFolder } from './cluster.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'encore-cluster-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the data folder of Postgres', () => {
  it('is made although a cut-short start left a half-made one, which is removed unless its process runs', async () => {
    const folder = join(root, 'postgres');
    const { pid: ended } = spawnSync('true');
    const [left, underway] = [`${folder}.unfinished-${ended}`, `${folder}.unfinished-${process.ppid}`];
    for (const one of [left, underway]) mkdirSync(one);
    await postgres({
      folder,
      port: 1,
      password: 'none',
      logFile: join(root, 'postgres.log'),
      template: templateFolder(repositoryRoot()),
    }).prepare?.();
    expect(existsSync(join(folder, 'PG_VERSION'))).toBe(true);
    expect([left, underway].map(existsSync)).toEqual([false, true]);
  });
});
