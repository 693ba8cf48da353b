/**
 * What a page keeps in its entry of the browser's history. The browser keeps it through a log-out and a
 * restart: it belongs to the user who left it there, and for a while only.
 */

/** After this the person has most likely turned to something else. */
const KEPT_MS = 15 * 60_000;

interface OwnEntry {
  readonly userId: string;
  /** When it was left there, in milliseconds. */
  readonly at: number;
}

export const ownEntry = <State extends object>(userId: string, state: State): State & OwnEntry => ({
  ...state,
  userId,
  at: Date.now(),
});

/** The state of an entry, where this user left it a moment ago. */
export function ownEntryOf(userId: string, state: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  const { userId: of, at }: Partial<Record<keyof OwnEntry, unknown>> = state;
  return of === userId && typeof at === 'number' && Date.now() - at < KEPT_MS ? { ...state } : undefined;
}
