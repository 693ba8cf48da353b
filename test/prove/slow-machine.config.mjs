// The component suites as jest.config.js has them, on a machine where everything comes late:
// web/testing/slow-machine.ts.
import { fileURLToPath } from 'node:url';
import config from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const { projects, reporters, testTimeout, maxWorkers, workerIdleMemoryLimit } = config;
const web = projects.find(({ displayName }) => displayName === 'web');

export default {
  rootDir,
  reporters,
  testTimeout,
  maxWorkers,
  workerIdleMemoryLimit,
  projects: [
    {
      ...web,
      rootDir,
      transform: Object.fromEntries(
        Object.entries(web.transform).map(([files, [, options]]) => [
          files,
          ['<rootDir>/test/prove/slow-imports.mjs', options],
        ]),
      ),
      setupFilesAfterEnv: ['<rootDir>/web/testing/slow-machine.ts', ...web.setupFilesAfterEnv],
    },
  ],
};
