// Every suite in one run, so that one closing line counts them all: `N passed, N failed`.
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { SUITES } from './test/together/suites.mjs';

const swc = [
  '@swc/jest',
  {
    $schema: 'https://swc.rs/schema.json',
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', tsx: true, decorators: true },
      transform: {
        legacyDecorator: true,
        decoratorMetadata: true,
        useDefineForClassFields: false,
        react: { runtime: 'automatic' },
      },
      keepClassNames: true,
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
];

/** Suites that kill, cut off, lose and restore for minutes: `make prove` runs them, `make test` does not. */
const drills = process.env.WHOLE === 'yes' ? [] : ['\\.drill\\.spec\\.ts$'];

/** How the path of a suite that needs no store ends. */
const NEEDS_NO_STORE = '(?<!\\.(int|e2e|browser|drill))\\.spec\\.ts$';
const FOLDERS = readdirSync(new URL('test/together', import.meta.url))
  .filter((name) => /^\w+\.spec\.ts$/.test(name))
  .map((name) => name.replace('.spec.ts', ''));
for (const [name, suites] of Object.entries(SUITES))
  for (const path of [`test/together/${name}.${name.endsWith('.web') ? 'test' : 'spec'}.ts`, ...suites])
    if (!existsSync(new URL(path, import.meta.url)))
      throw new Error(
        `test/together/suites.mjs names ${path}, which is not there: its tests would be left out.`,
      );
/**
 * Of these folders such suites are there twice, each by itself and all as one, and so are those that can
 * share a stack: with TOGETHER=yes as one.
 */
const secondTime =
  process.env.TOGETHER === 'yes'
    ? [
        `<rootDir>/(${FOLDERS.join('|')})/.*${NEEDS_NO_STORE}`,
        ...Object.values(SUITES)
          .flat()
          .map((path) => `<rootDir>/${path.replaceAll('.', '\\.')}$`),
      ]
    : ['<rootDir>/test/together/'];

const everySuite = {
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/', ...secondTime, ...drills],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '^.+\\.tsx?$': swc },
  // Relative imports carry the `.js` of the built file, as Node wants it.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

export default {
  projects: [
    {
      ...everySuite,
      displayName: 'node',
      testEnvironment: 'node',
      globals: { NEEDS_NO_STORE, SUITES },
      testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
      testMatch: [
        '<rootDir>/{contracts,log,edge,ledger,projections,workers,audit,processes,deploy,local,test}/**/*.spec.ts',
      ],
    },
    {
      ...everySuite,
      displayName: 'web',
      testEnvironment: '<rootDir>/test/support/browser-environment.mjs',
      globals: { SUITES },
      testMatch: ['<rootDir>/web/**/*.test.{ts,tsx}', '<rootDir>/test/together/*.test.ts'],
      setupFiles: ['<rootDir>/web/testing/rendered-once.ts'],
      setupFilesAfterEnv: ['<rootDir>/web/testing/setup.ts'],
      moduleNameMapper: {
        ...everySuite.moduleNameMapper,
        // Its icons are two thousand modules, and each suite would load every one.
        '^lucide-react$': '<rootDir>/node_modules/lucide-react/dist/cjs/lucide-react.js',
        '\\.(css|woff2)(\\?url)?$': '<rootDir>/web/testing/no-styles.js',
      },
    },
  ],
  // Longer than anything in it waits, on a machine half as fast as ours.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // A suite on the whole stack waits half of its time: three on two cores keep those busy, and four race each
  // other. With its stack and its browser it takes 1.5 GB.
  maxWorkers: Math.max(1, Math.min(Math.ceil(1.5 * availableParallelism()), Math.floor(totalmem() / 1.5e9))),
  workerIdleMemoryLimit: '700MB',
  reporters: ['default', '<rootDir>/test/support/closing-line.mjs'],
};
