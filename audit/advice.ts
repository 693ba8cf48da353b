/**
 * What to do when checks fail. A log that was forged and rows that were made from it again agree with each
 * other, so nothing here advises a rebuild unless something outside both says that the log is right.
 */
import type { Check } from './report.js';

/** Checks that look at rows. They may fail alone: then the log is in order by all that it says itself. */
const OF_ROWS: ReadonlySet<string> = new Set([
  'rows made from this log',
  'no stream parked in the rows',
  'balances table = folded books',
  'live rows = replay',
  'nothing of others on the read tables',
]);
/** These say themselves what is to be done. */
const WITH_ADVICE: ReadonlySet<string> = new Set([
  'copy complete',
  'no stream hides events',
  'rights of streams',
  'signed heads',
]);

const THE_LOG =
  'What to do: change nothing and rebuild nothing. Rows that are made from this log again agree with it, whatever was done ' +
  'to it; those that stand now may be the only other witness. Keep this output, and compare the log with a head that was ' +
  'signed before (encore audit verify --anchor), with its archive and with backups (docs/how-to/audit.md).';
const THE_ROWS =
  'What to do: keep this output. Where the log fits a head that was signed before (encore audit verify --anchor) or its ' +
  'archive, the rows are wrong: rebuild them (docs/how-to/rebuild.md). Where there is neither, compare first: the rows may ' +
  'be what is right.';

/** One sentence for all that failed; none where the findings say it themselves. */
export function adviceFor(checks: readonly Check[]): readonly string[] {
  const failed = checks.filter(({ name, findings }) => findings.length > 0 && !WITH_ADVICE.has(name));
  if (failed.length === 0) return [];
  return [failed.every(({ name }) => OF_ROWS.has(name)) ? THE_ROWS : THE_LOG];
}
