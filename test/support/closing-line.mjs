// The last line of `make test`: what passed and what failed over all suites, in the form that CI reads.
import { writeSync } from 'node:fs';

export default class ClosingLine {
  onRunComplete(_contexts, results) {
    // A suite that could not even be loaded has no tests of its own: it must not fail unseen.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Jest still has a summary to print; the last word is ours.
    process.once('exit', () => writeSync(1, `\n${line}\n`));
  }
}
