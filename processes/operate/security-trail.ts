/** `operate security-trail`: who signed in, what was refused, what was changed, and what operators did. */
import { parseArgs } from 'node:util';
import { readTrail } from '#ledger/security-trail/trail-table';
import { openReadPool } from '#projections/engine/database';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { USAGE } from './usage.js';

const LONGEST = 100_000;
const DAY_MS = 24 * 3_600_000;

/** A JSON object a line, the oldest first; of the last day unless told. */
export async function securityTrail(words: readonly string[]): Promise<Verdict> {
  const { user, what, since, until } = optionsIn(words);
  const now = new Date();
  const pool = openReadPool(readSettings(['DATABASE_URL']).DATABASE_URL, 1);
  const lines = await readTrail(pool, {
    userId: user,
    what,
    since: since === undefined ? new Date(now.getTime() - DAY_MS) : timeOf(since),
    until: until === undefined ? now : timeOf(until),
    limit: LONGEST + 1,
  });
  if (lines.length > LONGEST)
    throw new CannotRun(
      `There are more than ${LONGEST} lines in that time. Ask for less of it: --since, --until, --user or --what.`,
    );
  return { status: 0, lines: lines.map((line) => JSON.stringify(line)) };
}

function optionsIn(words: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: [...words], options: { user: text, what: text, since: text, until: text } })
      .values;
  } catch {
    throw new CannotRun(`Usage: ${USAGE['security-trail']}`);
  }
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new CannotRun(`"${text}" is no time: write it as 2026-11-23 or 2026-11-23T07:30:00Z.`);
  return time;
}
