// The last line of `make test`: what passed and what failed over all suites, in the form that CI reads.
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    // A suite that could not even be loaded has no tests of its own; it must not pass unseen.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stderr.write('\n');
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  }
}
