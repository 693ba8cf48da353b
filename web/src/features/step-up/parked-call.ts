/**
 * The call that waits while its user signs in again, in this tab only and for a while only. It belongs to the
 * user who made it: whoever else signs in meanwhile finds nothing of it.
 */
import { withStorage } from '../../shared/api/browser-storage.js';
import { PARKED_PLACE, type SentCall } from '../../shared/api/confirmations.js';
import type { Requested } from './requested.js';

/** A sign-in takes a minute; after this the person has most likely turned to something else. */
export const PARKED_MS = 10 * 60_000;

export interface ParkedCall {
  readonly userId: string;
  readonly endpoint: string;
  readonly call: SentCall;
  readonly requested: Requested;
  /** When it was parked, in milliseconds. */
  readonly at: number;
}

/** False where the browser keeps nothing: after the sign-in nobody would know of the call. */
export function park(parked: Omit<ParkedCall, 'at'>): boolean {
  return withStorage(() => {
    sessionStorage.setItem(PARKED_PLACE, JSON.stringify({ ...parked, at: Date.now() }));
    return true;
  }, false);
}

export function forgetParked(): void {
  withStorage(() => sessionStorage.removeItem(PARKED_PLACE), undefined);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isParked(value: unknown): value is ParkedCall {
  return (
    isObject(value) &&
    'userId' in value &&
    'at' in value &&
    typeof value.at === 'number' &&
    'endpoint' in value &&
    typeof value.endpoint === 'string' &&
    'call' in value &&
    isObject(value.call) &&
    'path' in value.call &&
    'requested' in value &&
    isObject(value.requested)
  );
}

/** The call that this user parked. Anybody else's, and one that has waited too long, is forgotten. */
export function parkedBy(userId: string): ParkedCall | undefined {
  const stored: unknown = withStorage(
    () => JSON.parse(sessionStorage.getItem(PARKED_PLACE) ?? 'null') as unknown,
    undefined,
  );
  if (isParked(stored) && stored.userId === userId && Date.now() - stored.at < PARKED_MS) return stored;
  forgetParked();
  return undefined;
}
