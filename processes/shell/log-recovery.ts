/** How each process learns that the log has lost something, and what it tells Prometheus of that. */
import pg from 'pg';
import type { Logger } from 'pino';
import type { LogRecovery } from '#log/log-recovery';
import { LogRecoveryWatch } from '#log/log-recovery-watch';
import { answersWithin, outliveBreaks } from '#projections/engine/database';
import type { Figures } from './figures.js';

export const showLogRecovery = (figures: Figures, recovery: () => LogRecovery | undefined): void =>
  figures.gauge(
    'encore_log_recovery',
    '1 while the log is in recovery: it has lost something that others know, and nothing is appended',
    () => Number(recovery() !== undefined),
  );

interface WatchedRecovery {
  /** Why the log is in recovery, in a sentence; undefined while it is not. */
  readonly reason: () => string | undefined;
  close(): Promise<void>;
}

/** Looks for the row from now on, on a connection of its own. */
export function watchRecovery(
  { DATABASE_URL }: { readonly DATABASE_URL: string },
  figures: Figures,
  log: Logger,
): WatchedRecovery {
  const pool = new pg.Pool({
    connectionString: DATABASE_URL,
    max: 1,
    application_name: 'encore-recovery',
    ...answersWithin(),
  });
  outliveBreaks(pool);
  const watch = new LogRecoveryWatch({
    db: pool,
    changed(recovery) {
      if (recovery) log.fatal({ why: recovery.reason }, 'the log is in recovery');
      else log.warn('the recovery of the log has ended');
    },
  });
  showLogRecovery(figures, () => watch.recovery);
  void watch.start();
  return {
    reason: () => {
      const { recovery } = watch;
      return recovery && `The log is in recovery: it has lost something. ${recovery.reason}`;
    },
    close() {
      watch.stop();
      return pool.end();
    },
  };
}
