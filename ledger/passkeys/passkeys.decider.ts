/**
 * A user's passkeys. Pure: what an authenticator said has been checked, and is sealed, before it comes here.
 */
import type { Sealed } from '#contracts/events/journal';
import { type PasskeyEvent, passkeysStream } from '#contracts/events/passkeys';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

/** Sealed credentials by the passkey's id, in the order of their enrolment. */
export type Passkeys = ReadonlyMap<string, Sealed>;

export type PasskeyCommand =
  | {
      readonly type: 'EnrolPasskey';
      readonly userId: string;
      readonly passkeyId: string;
      readonly credential: Sealed;
    }
  | { readonly type: 'RemovePasskey'; readonly userId: string; readonly passkeyId: string }
  /** All that there are: their owner got the account back without them. */
  | { readonly type: 'RemoveAllPasskeys'; readonly userId: string };

/** A phone, a laptop, a key on the ring, and some room. */
export const PASSKEYS_MOST = 10;

export const passkeys: Decider<Passkeys, PasskeyCommand, PasskeyEvent> = {
  streamOf: passkeysStream,
  initial: new Map(),

  decide(command, state) {
    const { userId } = command;
    if (command.type === 'RemoveAllPasskeys')
      return [...state.keys()].map((passkeyId) => ({ type: 'PasskeyRemoved', data: { userId, passkeyId } }));
    const { passkeyId } = command;
    switch (command.type) {
      case 'EnrolPasskey':
        if (state.has(passkeyId)) return [];
        if (state.size >= PASSKEYS_MOST) throw new Rejected('TooManyPasskeys', { userId });
        return [{ type: 'PasskeyEnrolled', data: { userId, passkeyId, credential: command.credential } }];
      case 'RemovePasskey':
        if (!state.has(passkeyId)) throw new Rejected('PasskeyNotFound', { passkeyId });
        return [{ type: 'PasskeyRemoved', data: { userId, passkeyId } }];
    }
  },

  evolve(state, event) {
    const next = new Map(state);
    if (event.type === 'PasskeyEnrolled') next.set(event.data.passkeyId, event.data.credential);
    else next.delete(event.data.passkeyId);
    return next;
  },
};
