// In which order suites start: of each kind the larger first, one of each kind in turn, and what takes a
// second at the end. So neither does the run end with a suite of minutes alone on two cores, nor do all
// browsers open at once. (A fresh machine has no times of an earlier run.)
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { SUITES } from '../together/suites.mjs';

const KINDS = [
  /(\.browser|\/checks)\.spec\.ts$/, // a browser or a compiler
  /\.(e2e|int|drill)\.spec\.ts$/, // processes of the stack
  /\.test\.tsx?$/, // components
  /\/together\//, // all of a folder that needs no store
];

// Short to read and long to run: they kill processes and wait for them to come back, or load the suites of a
// folder.
const LONG = /\/((ledgers|twofold|up)\.e2e|payout-crash\.drill|together\/(ledger|audit))\.spec\.ts$/;

/** Of a suite that runs others, the size of those. */
const sizeOf = (path) =>
  (SUITES[basename(path).replace(/\.(spec|test)\.ts$/, '')] ?? [path]).reduce(
    (sum, each) => sum + statSync(each).size,
    0,
  );

const kindOf = (path) => {
  const kind = KINDS.findIndex((pattern) => pattern.test(path));
  return kind < 0 ? KINDS.length : kind;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const placed = KINDS.map(() => 0);
    return tests
      .map((test) => ({
        test,
        kind: kindOf(test.path),
        size: LONG.test(test.path) ? Infinity : sizeOf(test.path),
      }))
      .sort((a, b) => (a.size === b.size ? 0 : b.size - a.size))
      .map(({ test, kind }) => ({ test, kind, turn: kind === KINDS.length ? Infinity : placed[kind]++ }))
      .sort((a, b) => (a.turn === b.turn ? a.kind - b.kind : a.turn - b.turn))
      .map(({ test }) => test);
  }
}
