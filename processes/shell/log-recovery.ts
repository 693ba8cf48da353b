/** What each process tells Prometheus of a log that has lost something. */
import type { LogRecovery } from '#log/log-recovery';
import type { Figures } from './figures.js';

export const showLogRecovery = (figures: Figures, recovery: () => LogRecovery | undefined): void =>
  figures.gauge(
    'encore_log_recovery',
    '1 while the log is in recovery: it has lost something that others know, and nothing is appended',
    () => Number(recovery() !== undefined),
  );
