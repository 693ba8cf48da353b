/** What became of a guest's receipt: claimed once, or forgotten. Pure. */
import { guestStream, type GuestEvent } from '#contracts/events/guest';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export type GuestCommand =
  | { readonly type: 'ClaimGuestTips'; readonly guestId: string; readonly userId: string }
  | { readonly type: 'ForgetGuest'; readonly guestId: string };

interface GuestState {
  readonly claimedBy: string | undefined;
  readonly isForgotten: boolean;
}

export const guests: Decider<GuestState, GuestCommand, GuestEvent> = {
  streamOf: guestStream,
  initial: { claimedBy: undefined, isForgotten: false },

  decide(command, { claimedBy, isForgotten }) {
    const { guestId } = command;
    if (command.type === 'ForgetGuest')
      return isForgotten ? [] : [{ type: 'GuestForgotten', data: { guestId } }];
    const { userId } = command;
    if (claimedBy === userId) return [];
    if (claimedBy !== undefined) throw new Rejected('ReceiptClaimed', { guestId });
    return [{ type: 'GuestTipsClaimed', data: { guestId, userId } }];
  },

  evolve(state, event) {
    return event.type === 'GuestForgotten'
      ? { ...state, isForgotten: true }
      : { ...state, claimedBy: state.claimedBy ?? event.data.userId };
  },
};
