/**
 * `operate end-sessions USER`: signs somebody out everywhere, who says that a session of theirs was taken.
 */
import type { Verdict } from '../shell/command.js';
import { askLedger } from './ask-ledger.js';

/**
 * They are told, and sign in anew at the identity provider; told again where there is none left, it changes
 * nothing.
 */
export async function endSessions(userId: string): Promise<Verdict> {
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
