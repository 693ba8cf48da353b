/**
 * Whether the server says that what it answers may be out of date: by a mark on its answers, and on the
 * stream of changes. It stands outside the store, for it is about no call in particular.
 */
import { useSyncExternalStore } from 'react';
import { CLOSED_HEADER, STALE_HEADER } from '#contracts/plain/headers';

/**
 * Of several servers one learns of an outage, or of its end, a moment before the others: for so long after a
 * mark, an answer without one takes nothing back.
 */
const STANDS_FOR_MS = 2_500;

/** `closed`: nothing is written either, until records are put in order. */
export type Staleness = 'fresh' | 'stale' | 'closed';

let staleness: Staleness = 'fresh';
let markedAt = -Infinity;
const watchers = new Set<() => void>();

/** The word of the stream, which is told of each change. */
export function noteStaleness(now: Staleness): void {
  if (now !== 'fresh') markedAt = performance.now();
  if (now === staleness) return;
  staleness = now;
  for (const changed of watchers) changed();
}

/** Notes what an answer to a GET says. A proxy's answer, for a server that is not there, says nothing. */
export function noteMark({ ok, status, headers }: Response): void {
  if (headers.get(CLOSED_HEADER) === 'true') noteStaleness('closed');
  else if (headers.get(STALE_HEADER) === 'true') noteStaleness('stale');
  else if ((ok || status === 401) && performance.now() - markedAt > STANDS_FOR_MS) noteStaleness('fresh');
}

/** Asks the server; one that cannot be reached says nothing. */
export async function askStaleness(): Promise<void> {
  try {
    noteMark(await fetch('/api/config', { credentials: 'include' }));
  } catch {
    // The network is gone, which has a notice of its own.
  }
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => void watchers.delete(changed);
}

export const useStaleness = (): Staleness => useSyncExternalStore(watch, () => staleness);
