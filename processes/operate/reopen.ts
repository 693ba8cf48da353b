/** `operate reopen USER`: an operator has looked at a user's accounts after a recovery of the log. */
import { EsdbLog } from '#log/esdb';
import type { Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { assertNothingLost } from './nothing-lost.js';
import { openWhole } from './whole-journal.js';

/** The user may use their money again; told of one who may already, it changes nothing. */
export async function reopen(userId: string): Promise<Verdict> {
  const { EVENTSTORE_URL: url } = readSettings(['EVENTSTORE_URL']);
  const log = EsdbLog.connect(url);
  await assertNothingLost(log);
  const journal = await openWhole(log);
  const { repeated } = await journal.execute({ type: 'ResumeDebits', userId }, { correlationId: 'operator' });
  return {
    status: 0,
    lines: [repeated ? `${userId} was not closed to debits.` : `${userId} may use their money again.`],
  };
}
