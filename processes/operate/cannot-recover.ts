/** What stands in the way of a recovery, as a sentence to whoever runs it. */
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { Unavailable } from '#ledger/rejection';
import { ProviderRefused } from '#ledger/stripe/provider-payment';
import { plainMessage } from '#projections/engine/database';
import { CannotRun } from '../shell/command.js';
import { CannotWinBack, OTHER_COPY } from './win-back.js';

const GOES_ON = 'The log stays in recovery. Run the command again: what is won back already stays.';

/** The error to end with: a {@link CannotRun}, or what was given where nobody can do anything about it. */
export function cannotRecover(error: unknown): unknown {
  if (error instanceof CannotWinBack) return new CannotRun(error.message);
  if (error instanceof ArchiveDamaged) return new CannotRun(`${error.message} ${OTHER_COPY}`);
  if (error instanceof Unavailable || error instanceof ProviderRefused)
    return new CannotRun(`${error.message}${saidBy(error.cause)} ${GOES_ON}`);
  return error;
}

const saidBy = (cause: unknown): string =>
  cause === undefined ? '' : ` It said: ${plainMessage(cause).replace(/\.$/, '')}.`;
