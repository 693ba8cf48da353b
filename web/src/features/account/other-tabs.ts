/** What other tabs of this browser do: whoever logs out in one has logged out of all. */
import { withStorage } from '../../shared/api/browser-storage.js';
import { forgetUser, USER_PLACE } from './browser-memory.js';

const CHANNEL = 'encore.log-out';

/** For the links that log out: forgets the user here, and tells the other tabs. */
export function loggingOut(): void {
  forgetUser();
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('logged-out');
  channel.close();
}

interface TabListener {
  /** The user has logged out, in another tab or in the page that this one was left for. */
  readonly loggedOut: () => void;
  /** The session may have ended, or be somebody else's. */
  readonly ended: () => void;
  /** Somebody else has signed in. */
  readonly changed: () => void;
}

/** Listens for as long as this user is signed in here; the returned function stops it. */
export function watchOtherTabs(userId: string, { loggedOut, ended, changed }: TabListener): () => void {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);
  const heard = () => {
    forgetUser();
    loggedOut();
  };
  channel?.addEventListener('message', heard);
  const stored = ({ key, newValue }: StorageEvent) => {
    if (key !== USER_PLACE) return;
    if (newValue === null) ended();
    else if (newValue !== userId) changed();
  };
  // The browser's arrow brings back this very page, as it was before the log-out.
  const shown = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return;
    // A browser that keeps nothing knows nothing of a log-out: the server is asked.
    const whose = withStorage(() => localStorage.getItem(USER_PLACE), userId);
    if (whose === null) heard();
    else if (whose !== userId) changed();
    // On the public tip page nobody notes who has signed in there.
    else ended();
  };
  window.addEventListener('storage', stored);
  window.addEventListener('pageshow', shown);
  return () => {
    channel?.close();
    window.removeEventListener('storage', stored);
    window.removeEventListener('pageshow', shown);
  };
}
