/**
 * The call that waits while its user signs in again, in this tab only and for a while only. It belongs to the
 * user who made it: whoever else signs in meanwhile finds nothing of it.
 */
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

export function park(parked: Omit<ParkedCall, 'at'>): void {
  sessionStorage.setItem(PARKED_PLACE, JSON.stringify({ ...parked, at: Date.now() }));
}

export function forgetParked(): void {
  sessionStorage.removeItem(PARKED_PLACE);
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
  let stored: unknown;
  try {
    stored = JSON.parse(sessionStorage.getItem(PARKED_PLACE) ?? 'null');
  } catch {
    stored = null;
  }
  if (isParked(stored) && stored.userId === userId && Date.now() - stored.at < PARKED_MS) return stored;
  forgetParked();
  return undefined;
}
