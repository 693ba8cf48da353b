/** `operate reopen USER`: an operator has looked at a user's accounts after a recovery of the log. */
import type { Journal } from '#ledger/journal/journal';
import { EsdbLog } from '#log/esdb';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { assertNothingLost } from './nothing-lost.js';
import { openWhole } from './whole-journal.js';

/** The user may use their money again. Throws CannotRun of one who may already, or is unknown. */
export async function reopen(userId: string): Promise<Verdict> {
  const { EVENTSTORE_URL: url } = readSettings(['EVENTSTORE_URL']);
  const log = EsdbLog.connect(url);
  await assertNothingLost(log);
  return reopenIn(await openWhole(log), userId);
}

/** The same in a journal that is open. */
export async function reopenIn(journal: Journal, userId: string): Promise<Verdict> {
  const { repeated } = await journal.execute({ type: 'ResumeDebits', userId }, { correlationId: 'operator' });
  // A mistyped user would leave the one who was meant closed.
  if (repeated) throw new CannotRun(`${userId} is not closed to debits: nothing was changed.`);
  return { status: 0, lines: [`${userId} may use their money again.`] };
}
