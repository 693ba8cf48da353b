// In which order suites start: of each kind the larger first, one of each kind in turn. So neither does the run end with a
// suite of minutes alone on two cores, nor do all browsers open at once. (A fresh machine has no times of an earlier run.)
import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

const KINDS = [
  /(\.browser|\/checks)\.spec\.ts$/, // a browser or a compiler
  /\.(e2e|int)\.spec\.ts$/, // processes of the stack
  /\.test\.tsx?$/, // components
];

const kindOf = (path) => {
  const kind = KINDS.findIndex((pattern) => pattern.test(path));
  return kind < 0 ? KINDS.length : kind;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const placed = [0, 0, 0, 0];
    return tests
      .map((test) => ({
        test,
        kind: kindOf(test.path),
        size: test.path.endsWith('/checks.spec.ts') ? Infinity : statSync(test.path).size,
      }))
      .sort((a, b) => b.size - a.size)
      .map(({ test, kind }) => ({ test, kind, turn: placed[kind]++ }))
      .sort((a, b) => a.turn - b.turn || a.kind - b.kind)
      .map(({ test }) => test);
  }
}
