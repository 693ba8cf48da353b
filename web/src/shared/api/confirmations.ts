/**
 * Calls that the server wants confirmed first (step-up): each waits here until its user has shown a passkey,
 * or has thought better of it. features/step-up shows the one that waits, in a sheet.
 */
import { withStorage } from './browser-storage.js';
import type { Call, CallError } from './call.js';

/** A call with all its parts. */
export type SentCall = Exclude<Call, string>;

/**
 * What came of a confirmation. `again` asks the server anew, because what it asked for has ended; `refused`
 * ends the call with another refusal, such as a session that has ended meanwhile.
 */
export type Decision = { readonly proof: string } | { readonly refused: CallError } | 'again' | 'cancelled';

export interface Confirmation {
  readonly id: number;
  /** Why the server did not do it yet: its code says what it wants. */
  readonly refusal: CallError;
  readonly call: SentCall;
  /** Name of the mutation that makes the call. */
  readonly endpoint: string;
  /** Makes another call, as part of confirming this one. */
  readonly post: (
    path: string,
    body: unknown,
  ) => Promise<{ readonly data?: unknown; readonly error?: CallError }>;
  readonly decide: (decision: Decision) => void;
}

/** Where the call is kept while its user signs in again: features/step-up/parked-call.ts. */
export const PARKED_PLACE = 'encore.parked-call';

/** Whether this tab was left for a sign-in with a call that waits for it. */
export const hasParkedCall = (): boolean =>
  withStorage(() => sessionStorage.getItem(PARKED_PLACE) !== null, false);

let lastId = 0;
export const newConfirmationId = (): number => (lastId += 1);

let waiting: readonly Confirmation[] = [];
const listeners = new Set<() => void>();
const set = (next: readonly Confirmation[]): void => {
  waiting = next;
  for (const listener of listeners) listener();
};

export const confirmations = {
  /** The one to be shown; undefined if none waits. */
  first: (): Confirmation | undefined => waiting[0],
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  add: (confirmation: Confirmation): void => set([...waiting, confirmation]),
  remove: (confirmation: Confirmation): void => set(waiting.filter((each) => each !== confirmation)),
  /** Where the sheet cannot be shown: nothing is confirmed. */
  cancelAll: (): void => {
    for (const { decide } of waiting) decide('cancelled');
  },
};
