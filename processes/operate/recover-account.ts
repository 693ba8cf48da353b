/**
 * `operate recover-account USER`: an operator begins the recovery of somebody's account. All of their
 * sessions end and everybody concerned is told; neither the wait nor the owner's two sign-ins are skipped.
 */
import type { Verdict } from '../shell/command.js';
import { askLedger } from './ask-ledger.js';

/** Told again of one that is under way, it changes nothing. */
export async function recoverAccount(userId: string): Promise<Verdict> {
  await askLedger({ type: 'StartAccountRecovery', userId });
  return {
    status: 0,
    lines: [
      `The recovery of ${userId} is under way. They sign in, wait, and sign in once more on their profile; a passkey or the link in the mail refuses it.`,
    ],
  };
}
