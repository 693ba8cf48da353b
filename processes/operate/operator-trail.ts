/** Who operates, and what they did, into the security trail: also where no ledger runs. */
import { hostname, userInfo } from 'node:os';
import pg from 'pg';
import type { TrailEntry, TrailOutcome } from '#ledger/security-trail/security-trail';
import { appendTrail, rowOf } from '#ledger/security-trail/trail-table';
import { CannotRun } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

const CONNECTS_WITHIN_MS = 5_000;

/** Who runs this command: ENCORE_OPERATOR, or the login behind sudo, at this host. */
export function operatorName(): string {
  const { ENCORE_OPERATOR: named } = readSettings(['ENCORE_OPERATOR']);
  return named ?? `${process.env['SUDO_USER'] ?? loginName()}@${hostname()}`.replaceAll(/[^\w.@-]/g, '_');
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have a name.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * Performs a command and notes how it ended, unless there is nothing to note. A note that fails is told on
 * the standard error, and fails nothing.
 */
export async function withTrail<T>(
  verb: string,
  detail: TrailEntry['detail'] | undefined,
  perform: () => Promise<T>,
): Promise<T> {
  if (detail === undefined) return perform();
  try {
    const verdict = await perform();
    await note(verb, detail, 'done');
    return verdict;
  } catch (error) {
    await note(verb, detail, error instanceof CannotRun ? 'refused' : 'failed');
    throw error;
  }
}

async function note(verb: string, detail: TrailEntry['detail'], outcome: TrailOutcome): Promise<void> {
  // Opened only now: a restore wants to be alone at Postgres.
  let pool: pg.Pool | undefined;
  try {
    const { DATABASE_URL: connectionString } = readSettings(['DATABASE_URL']);
    pool = new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: CONNECTS_WITHIN_MS });
    pool.on('error', () => undefined);
    const { userId, ...rest } = detail ?? {};
    await appendTrail(pool, [
      rowOf({
        what: 'operator_act',
        outcome,
        operator: operatorName(),
        userId: typeof userId === 'string' ? userId : undefined,
        detail: { verb, ...rest },
      }),
    ]);
  } catch (error) {
    // A command that failed has said why, and that is most often why it could not be noted either.
    if (outcome === 'failed') return;
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`"${verb}" could not be noted in the security trail: ${why}\n`);
  } finally {
    await pool?.end().catch(() => undefined);
  }
}
