// The proof on a Docker engine: `make prove-compose`. The suites' own settings, other files.
import { fileURLToPath } from 'node:url';
import everySuite from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const [node] = everySuite.projects;

export default {
  ...everySuite,
  rootDir,
  projects: [
    { ...node, rootDir, displayName: 'containers', testMatch: ['<rootDir>/test/containers/*.proof.ts'] },
  ],
  maxWorkers: 1,
  verbose: true,
};
