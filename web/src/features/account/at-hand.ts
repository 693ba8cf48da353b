/**
 * What is shown where the app opens without a network: one's balance and one's code, as they were read last.
 * Kept in this browser for whoever is signed in here (keep-at-hand.ts), and forgotten with them
 * (browser-memory.ts).
 */
import { withStorage } from '../../shared/api/browser-storage.js';
import { AT_HAND_PLACE, PRIVACY_PLACE, USER_PLACE } from './browser-memory.js';

export interface AtHand {
  readonly userId: string;
  readonly username: string;
  /** The balance and when it was read, as a sentence: the start page has no code for amounts and dates. */
  readonly balance: string;
  /** The picture of the code, as a data URL. */
  readonly code: string;
}

const HIDDEN = 'Privacy mode hides your balance.';

/** What was kept of the user whose browser this was last; undefined without any. */
export function readAtHand(): AtHand | undefined {
  return withStorage(() => {
    const kept = JSON.parse(localStorage.getItem(AT_HAND_PLACE) ?? 'null') as AtHand | null;
    if (kept === null || kept.userId !== localStorage.getItem(USER_PLACE)) return undefined;
    return localStorage.getItem(PRIVACY_PLACE) === null ? kept : { ...kept, balance: HIDDEN };
  }, undefined);
}
