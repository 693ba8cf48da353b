/** `operate end-sessions USER`: signs somebody out everywhere, who says that a session of theirs was taken. */
import { CannotRun, type Verdict } from '../shell/command.js';
import { askLedger } from './ask-ledger.js';
import { USAGE } from './usage.js';

/** They are told, and sign in anew at the identity provider; told again where there is none left, it changes nothing. */
export async function endSessions(words: readonly string[]): Promise<Verdict> {
  const [userId, ...more] = words;
  if (userId === undefined || more.length > 0) throw new CannotRun(`Usage: ${USAGE['end-sessions']}`);
  const { looked } = await askLedger({ type: 'EndSessions', userId });
  return {
    status: 0,
    lines: [
      looked === 0
        ? `${userId} is signed in nowhere.`
        : `${userId} was signed out of ${looked} ${looked === 1 ? 'session' : 'sessions'}, and is told so.`,
    ],
  };
}
