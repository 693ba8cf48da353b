/** The whole audit: the log alone, and the live read models against it. */
import type pg from 'pg';
import type { EventLog } from '#log/event-log';
import type { ReadModel } from '#projections/engine/read-model';
import type { Check } from './report.js';
import { verifyLog, type BooksFold } from './verify-log.js';
import { checkBalances, checkRows, readBalances } from './verify-rows.js';

/** The read models to hold against the log. */
export interface ReadSide {
  readonly databaseUrl: string;
  /** A pool whose search path is the live read models' schema. */
  readonly db: pg.Pool;
  readonly models: readonly ReadModel[];
}

/**
 * Verifies the log, by books that are empty, and, unless left out, the read side. Throws when a store cannot
 * be reached.
 */
export async function verify(
  log: EventLog,
  books: BooksFold,
  readSide?: ReadSide,
): Promise<readonly Check[]> {
  if (!readSide) return (await verifyLog(log, books)).checks;
  // First the table and its position, then the log: the log only grows, and holds that position.
  const seen = await readBalances(readSide.db);
  const { checks, balancesAt } = await verifyLog(log, books, seen?.position);
  if (!seen)
    return [
      ...checks,
      {
        name: 'live rows = replay',
        figure: 'no read models',
        findings: ['There are no read models yet: start the projections once.'],
      },
    ];
  return [...checks, checkBalances(seen, balancesAt), await checkRows({ ...readSide, log })];
}
