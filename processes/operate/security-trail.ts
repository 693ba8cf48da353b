/** `operate security-trail`: who signed in, what was refused, what was changed, and what operators did. */
import type { TrailAct } from '#ledger/security-trail/trail-acts';
import { readTrail } from '#ledger/security-trail/trail-table';
import { HOWEVER_LONG, openReadPool } from '#projections/engine/database';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

const LONGEST = 100_000;
const DAY_MS = 24 * 3_600_000;

interface TrailOptions {
  readonly user?: string | undefined;
  readonly what?: TrailAct | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** A JSON object a line, the oldest first; of the last day unless told. */
export async function securityTrail({ user, what, since, until }: TrailOptions): Promise<Verdict> {
  const now = new Date();
  const pool = openReadPool(readSettings(['DATABASE_URL']).DATABASE_URL, 1, HOWEVER_LONG);
  const lines = await readTrail(pool, {
    userId: user,
    what,
    since: since ?? new Date(now.getTime() - DAY_MS),
    until: until ?? now,
    limit: LONGEST + 1,
  });
  if (lines.length > LONGEST)
    throw new CannotRun(
      `There are more than ${LONGEST} lines in that time. Ask for less of it: --since, --until, --user or --what.`,
    );
  return { status: 0, lines: lines.map((line) => JSON.stringify(line)) };
}
