/** How the workers say how they are: each thing that is amiss with its cause and what mends it. */
import type { Redis } from 'ioredis';
import type pg from 'pg';
import { readyUnless, type Ready } from '#edge/health';
import { redisState } from '../shell/redis-health.js';

interface WorkersState {
  readonly redis: Pick<Redis, 'info' | 'set'>;
  readonly reads: Pick<pg.Pool, 'query'>;
  /** Whether no ledger takes commands now. */
  readonly isLedgerAway: () => boolean;
  /** Why the log is in recovery; undefined while it is not. */
  readonly recovery: () => string | undefined;
  /** Why Redis is not ours alone; undefined while it is. */
  readonly otherInstallation: () => string | undefined;
}

const NO_LEDGER =
  'No ledger takes commands: jobs wait until one does. See /readyz on the internal port of the ledgers, and LEDGER_INTERNAL_URL.';

/**
 * Not ready without Redis or Postgres: nothing is found and nothing is run. Without a ledger all of it waits.
 */
export async function workersReadiness({
  redis,
  reads,
  isLedgerAway,
  recovery,
  otherInstallation,
}: WorkersState): Promise<Ready> {
  const [ofRedis, ofRows] = await Promise.all([
    redisState(redis),
    reads.query('select 1').then(
      () => undefined,
      () =>
        'Postgres does not answer: what is due cannot be found. See whether it runs, and whether DATABASE_URL leads to it.',
    ),
  ]);
  const blocking = [ofRedis.problem, ofRows].filter((reason) => reason !== undefined);
  if (blocking.length > 0) return readyUnless(blocking);
  const recovering = recovery();
  const waits =
    recovering === undefined
      ? isLedgerAway()
        ? NO_LEDGER
        : undefined
      : `${recovering} Jobs wait until it has ended.`;
  const reasons = [waits, ofRedis.warning, otherInstallation()].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? readyUnless([]) : { ready: true, degraded: true, reasons };
}
