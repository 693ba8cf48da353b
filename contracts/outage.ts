/** Tells an outage, which time or a restart mends, from a finding or a fault. */
import { answerOf } from './api/error.js';

/**
 * The code of an answer that says nothing of what was asked: a store is away. The same request may be sent
 * again, and whoever counts tries counts none.
 */
export const OUTAGE_CODE = 'outage';

/**
 * SQLSTATE classes and codes of what time or a restart mends: connection, who may sign in, resources,
 * shutdown, serialization, locks, a transaction's time; and of a server that is read-only: a standby, or one
 * whose host ran out of room.
 */
const PASSING_STATES = /^(08|28|53|57|58|40|25006|25P0[34]|55P03|42P01|42703|3F000)/;
const PASSING_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
]);

/**
 * Whether an error says "not now" rather than "never". Missing tables (42P01, 3F000) and columns (42703)
 * count: read models may be dropped at any time, or be an older version's, and are made again at the
 * projector's next connection.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (answerOf(error)?.status === 503) return true;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isOutage);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined) return PASSING_CODES.has(code) || (code.length === 5 && PASSING_STATES.test(code));
  // Postgres' driver has no codes for its own connection errors.
  return /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded|timeout expired|Query read timeout)/.test(
    error.message,
  );
}
