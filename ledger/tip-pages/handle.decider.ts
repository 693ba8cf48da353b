/** Who has a handle: the first who claims it, for good. Pure. */
import { handleStream, type HandleEvent } from '#contracts/events/handle';
import { lookOf } from '#contracts/plain/handle';
import { digestOf } from '#log/digest';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export interface ClaimHandle {
  readonly type: 'ClaimHandle';
  readonly handleKey: string;
  readonly userId: string;
}

/** The owner's id; undefined for a handle that nobody has claimed. */
type HandleState = { readonly ownerId: string | undefined };

export const handles: Decider<HandleState, ClaimHandle, HandleEvent> = {
  streamOf: handleStream,
  initial: { ownerId: undefined },

  decide({ handleKey, userId }, { ownerId }) {
    if (ownerId === userId) return [];
    if (ownerId !== undefined) throw new Rejected('HandleTaken', { handleKey });
    return [{ type: 'HandleClaimed', data: { handleKey, userId } }];
  },

  // The first claim holds, whatever a forged later one says.
  evolve: (state, { data }) => ({ ownerId: state.ownerId ?? data.userId }),
};

/** What a handle's stream is named by: the same for all that look alike. */
export const handleKeyOf = (handle: string): string => digestOf('handle', lookOf(handle));
