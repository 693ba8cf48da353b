/** A recovery of the log beside a ledger that runs. */
import { it } from '@jest/globals';
import pg from 'pg';
import { SessionEnds } from '#ledger/sessions/session-ends';
import { eventually } from '#test/conformance/stripe-process';
import { useStack } from '#test/support/stack';
import { listening } from '../ledger/edge.js';
import { CannotRun } from '../shell/command.js';
import { assertNoLedger } from './living-ledgers.js';

const stack = useStack(['postgres']);

it('is refused, and nothing changed, for as long as the ledger is connected', async () => {
  const db = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 1 });
  await assertNoLedger(db);
  // What each ledger has open from its start to its end.
  const ends = SessionEnds.listen(listening(stack().env.DATABASE_URL!));
  const isRefused = () =>
    assertNoLedger(db).then(
      () => false,
      (error: unknown) =>
        error instanceof CannotRun && /^A ledger runs: .*Nothing was changed\.$/.test(error.message),
    );
  await eventually(isRefused, 'the ledger to be noticed');
  await ends.close();
  await eventually(async () => !(await isRefused()), 'the ledger to be gone');
  await db.end();
});
