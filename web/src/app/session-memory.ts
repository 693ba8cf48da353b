/**
 * Whether this browser was signed in at its last visit: a guess while the server is asked, never a
 * permission.
 */
import type { Session } from '../features/account/current-user.js';

const PLACE = 'encore.was-signed-in';

/** False if the browser stores nothing. */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}

export function rememberSession(status: Session['status']): void {
  try {
    if (status === 'signed-in') localStorage.setItem(PLACE, 'yes');
    if (status === 'signed-out') localStorage.removeItem(PLACE);
  } catch {
    // Without storage the landing page is shown a moment longer.
  }
}
