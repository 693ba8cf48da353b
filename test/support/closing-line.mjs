// The last line of a run: what passed and what failed over all suites, in the form that CI reads. A run that
// is one of several (`run-suites.mjs`) leaves its counts in the file that OUTCOME names instead.
import { writeFileSync, writeSync } from 'node:fs';

export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const outcome = {
      passed: results.numPassedTests,
      // A suite that could not even be loaded has no tests of its own: it must not fail unseen.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      failedSuites: results.testResults
        .filter((suite) => suite.numFailingTests > 0 || suite.testExecError)
        .map((suite) => ({
          path: suite.testFilePath,
          passed: suite.numPassingTests,
          failed: suite.numFailingTests + (suite.testExecError && suite.numFailingTests === 0 ? 1 : 0),
          skipped: suite.numPendingTests + suite.numTodoTests,
        })),
    };
    if (process.env.OUTCOME) writeFileSync(process.env.OUTCOME, JSON.stringify(outcome));
    // Jest still has a summary to print; the last word is ours.
    else process.once('exit', () => writeSync(1, `\n${closingLine(outcome)}\n`));
  }
}

export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
