/**
 * What this browser keeps of a user: all of it has names that begin alike, belongs to one user, and is
 * forgotten with the log-out, in every tab.
 */
import { withStorage } from '../../shared/api/browser-storage.js';
import type { Session } from './current-user.js';

const OURS = 'encore.';
/**
 * Whose browser this was at its last visit: a guess while the server is asked, never a permission. Tabs hear
 * of its changes.
 */
export const USER_PLACE = `${OURS}was-signed-in`;
/** What is shown without a network: at-hand.ts. */
export const AT_HAND_PLACE = `${OURS}at-hand`;
/** There while privacy mode is on. */
export const PRIVACY_PLACE = `${OURS}privacy`;
/** Whose things this tab keeps. */
const OWNER_PLACE = `${OURS}owner`;

function forgetIn(storage: Storage): void {
  for (const place of Object.keys(storage)) if (place.startsWith(OURS)) storage.removeItem(place);
}

/** Forgets the user: keys of payments, what waits for a sign-in, places on pages, modes. */
export function forgetUser(): void {
  withStorage(() => {
    forgetIn(sessionStorage);
    forgetIn(localStorage);
  }, undefined);
}

/** False if the browser stores nothing. */
export const wasSignedIn = (): boolean => withStorage(() => localStorage.getItem(USER_PLACE) !== null, false);

/** Notes who is signed in. What the tab keeps of somebody else is forgotten. */
export function rememberSession(session: Session): void {
  withStorage(() => {
    if (session.status === 'signed-in') {
      const { id } = session.user;
      if ((sessionStorage.getItem(OWNER_PLACE) ?? id) !== id) forgetIn(sessionStorage);
      sessionStorage.setItem(OWNER_PLACE, id);
      localStorage.setItem(USER_PLACE, id);
    }
    if (session.status === 'signed-out') {
      localStorage.removeItem(USER_PLACE);
      localStorage.removeItem(AT_HAND_PLACE);
    }
  }, undefined);
}
