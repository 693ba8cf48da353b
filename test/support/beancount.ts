/**
 * bean-check for suites, unpacked from its Debian packages without installing them. It is made for the
 * system's own Python, which a bare machine does not have.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, hasDebianPackages, unpackDebianPackages } from '#local/debian/package';

const PYTHON = '/usr/bin/python3';
const MODULES = 'usr/lib/python3/dist-packages';

/** Whether bean-check can be run here: Debian's packages, and the Python that they are made for. */
export const hasBeancount = hasDebianPackages() && spawnSync(PYTHON, ['--version']).status === 0;

/** What bean-check says of a file, and its exit status. Throws when its packages cannot be fetched. */
export async function beanCheck(file: string): Promise<{ readonly status: number; readonly err: string }> {
  const folder = cacheFolder('beancount');
  if (!existsSync(join(folder, MODULES, 'beancount')))
    await unpackDebianPackages(['python3-beancount', 'python3-dateutil'], folder);
  const env = { PYTHONPATH: join(folder, MODULES), LC_ALL: 'C.UTF-8' };
  return new Promise((resolve) => {
    execFile(PYTHON, ['-m', 'beancount.scripts.check', '--no-cache', file], { env }, (error, _out, err) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, err }),
    );
  });
}
