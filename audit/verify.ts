/** The whole audit: the log alone, and the live read models against it. */
import type pg from 'pg';
import { copyStateOf } from '#log/copy-mark';
import type { EventLog, LogSource } from '#log/event-log';
import type { ReadModel } from '#projections/engine/read-model';
import type { ShownRows } from '#projections/engine/rebuild';
import type { DueClock } from './relations/consent.js';
import type { Check } from './report.js';
import { verifyLog, type Since } from './verify-log.js';
import { checkTables } from './verify-tables.js';
import { checkBalances, checkLastEvents, checkParked, checkRows, readBalances } from './verify-rows.js';

/** The read models to hold against the log. */
export interface ReadSide {
  readonly databaseUrl: string;
  /** A pool whose search path is the live read models' schema. */
  readonly db: pg.Pool;
  readonly models: readonly ReadModel[];
  /** Whether findings show texts that may name people; ids alone unless told. */
  readonly shows?: ShownRows;
}

/**
 * Verifies the log, or what came `since`, and, unless left out, the read side. Throws when a store cannot be
 * reached.
 */
export async function verify(
  log: EventLog,
  readSide?: ReadSide,
  since?: Since,
  dueClock?: DueClock,
): Promise<readonly Check[]> {
  if (!readSide) return verifyEvents(log, since, dueClock);
  // Asked first: a copy that is completed meanwhile was not complete when its reading began.
  const copy = await checkCopy(log);
  // First the table and its position, then the log: the log only grows, and holds that position.
  const seen = await readBalances(readSide.db);
  const { checks, balancesAt } = await verifyLog(log, seen?.position, since, dueClock);
  if (!seen)
    return [
      ...copy,
      ...checks,
      {
        name: 'live rows = replay',
        figure: 'no read models',
        findings: ['There are no read models yet: start the projections once.'],
      },
    ];
  return [
    ...copy,
    ...checks,
    await checkLastEvents(readSide.db, log),
    ...(await checkParked(readSide.db)),
    await checkTables(readSide.db),
    checkBalances(seen, balancesAt),
    await checkRows({ ...readSide, log }),
  ];
}

/** Verifies a log, or what came `since`, wherever it is: in a store, or exported. */
export async function verifyEvents(
  log: LogSource,
  since?: Since,
  dueClock?: DueClock,
): Promise<readonly Check[]> {
  const copy = await checkCopy(log);
  return [...copy, ...(await verifyLog(log, undefined, since, dueClock)).checks];
}

/**
 * A copy that was interrupted has a chain that holds and books that balance: nothing but its mark shows it.
 */
async function checkCopy(log: LogSource): Promise<Check[]> {
  if ((await copyStateOf(log)) !== 'under way') return [];
  return [
    {
      name: 'copy complete',
      figure: 'a copy under way',
      findings: [
        'This log is a copy that is not complete: go on with the copy from where it was made (the same command again). ' +
          'Start nothing on it before.',
      ],
    },
  ];
}
