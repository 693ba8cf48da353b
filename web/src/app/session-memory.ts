/**
 * Whether this browser was signed in when it was here last: what to expect while the server is asked. Never a
 * permission.
 */
import type { Session } from '../features/account/current-user.js';

const PLACE = 'encore.was-signed-in';

/** False also where nothing may be stored. */
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
    // A browser that stores nothing sees the landing page a moment longer.
  }
}
