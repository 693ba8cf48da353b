/** How the workers say how they are: each thing that is amiss with its cause and what mends it. */
import type { Redis } from 'ioredis';
import type pg from 'pg';
import { readyUnless, type Ready } from '#edge/health';
import { redisProblem } from '../shell/redis-health.js';

interface WorkersState {
  readonly redis: Pick<Redis, 'info' | 'set'>;
  readonly reads: Pick<pg.Pool, 'query'>;
  /** Whether no ledger takes commands now. */
  readonly isLedgerAway: () => boolean;
  /** Why the log is in recovery; undefined while it is not. */
  readonly recovery: () => string | undefined;
}

/** Not ready without Redis or Postgres: nothing is found and nothing is run. Without a ledger all of it waits. */
export async function workersReadiness({
  redis,
  reads,
  isLedgerAway,
  recovery,
}: WorkersState): Promise<Ready> {
  const [ofRedis, ofRows] = await Promise.all([
    redisProblem(redis),
    reads.query('select 1').then(
      () => undefined,
      () =>
        'Postgres does not answer: what is due cannot be found. See whether it runs, and whether DATABASE_URL leads to it.',
    ),
  ]);
  const blocking = [ofRedis, ofRows].filter((reason) => reason !== undefined);
  const recovering = recovery();
  if (blocking.length === 0 && recovering !== undefined)
    return { ready: true, degraded: true, reasons: [`${recovering} Jobs wait until it has ended.`] };
  if (blocking.length > 0 || !isLedgerAway()) return readyUnless(blocking);
  return {
    ready: true,
    degraded: true,
    reasons: [
      'No ledger takes commands: jobs wait until one does. See /readyz on the internal port of the ledgers, and LEDGER_INTERNAL_URL.',
    ],
  };
}
