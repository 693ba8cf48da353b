/** A person's public tip page: its handle, its words, and whether everybody may see it. Pure. */
import type { Sealed } from '#contracts/events/journal';
import { tipPageStream, type TipPageEvent } from '#contracts/events/tip-page';
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export type TipPageCommand =
  | {
      readonly type: 'ChooseHandle';
      readonly userId: string;
      readonly handleKey: string;
      readonly exactKey: string;
      readonly handle: Sealed;
      /** The owner has shown a proof: a handle that is in use changes only with one. */
      readonly isProven: boolean;
      /** How many handles one person may ever claim. */
      readonly most: number;
    }
  | {
      readonly type: 'DescribeTipPage';
      readonly userId: string;
      readonly words: Sealed;
      readonly isListed: boolean;
      readonly fingerprint: string;
    }
  | { readonly type: 'PublishTipPage'; readonly userId: string }
  | { readonly type: 'UnpublishTipPage'; readonly userId: string };

export interface TipPageState {
  /** The handle in use, letter for letter; undefined before the first. */
  readonly exactKey: string | undefined;
  /** All that were ever chosen, by their look. */
  readonly handleKeys: readonly string[];
  readonly fingerprint: string | undefined;
  readonly isPublished: boolean;
}

/** Throws Rejected where a person may not take this handle. Asked once more before it is claimed. */
export function assertMayChoose(
  { exactKey, handleKey, isProven, most }: Omit<Extract<TipPageCommand, { type: 'ChooseHandle' }>, 'handle'>,
  state: TipPageState,
): void {
  if (state.exactKey === exactKey) return;
  if (state.exactKey !== undefined && !isProven) throw new Rejected('ProofNeeded', { handleKey });
  if (!state.handleKeys.includes(handleKey) && state.handleKeys.length >= most)
    throw new Rejected('TooManyHandles', { most });
}

export const tipPage: Decider<TipPageState, TipPageCommand, TipPageEvent> = {
  streamOf: tipPageStream,
  initial: { exactKey: undefined, handleKeys: [], fingerprint: undefined, isPublished: false },

  decide(command, state) {
    const { userId } = command;
    switch (command.type) {
      case 'ChooseHandle': {
        assertMayChoose(command, state);
        if (state.exactKey === command.exactKey) return [];
        const { handleKey, exactKey, handle } = command;
        return [{ type: 'TipPageHandleChosen', data: { userId, handleKey, exactKey, handle } }];
      }
      case 'DescribeTipPage': {
        const { words, isListed, fingerprint } = command;
        if (state.fingerprint !== undefined && sameFingerprint(state.fingerprint, fingerprint)) return [];
        const recorded = recordedFingerprint(fingerprint);
        return [{ type: 'TipPageDescribed', data: { userId, words, isListed, fingerprint: recorded } }];
      }
      case 'PublishTipPage':
        if (state.exactKey === undefined) throw new Rejected('NoHandle', { userId });
        return state.isPublished ? [] : [{ type: 'TipPagePublished', data: { userId } }];
      case 'UnpublishTipPage':
        return state.isPublished ? [{ type: 'TipPageUnpublished', data: { userId } }] : [];
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'TipPageHandleChosen': {
        const { handleKey, exactKey } = event.data;
        const { handleKeys } = state;
        return {
          ...state,
          exactKey,
          handleKeys: handleKeys.includes(handleKey) ? handleKeys : [...handleKeys, handleKey],
        };
      }
      case 'TipPageDescribed':
        return { ...state, fingerprint: event.data.fingerprint };
      case 'TipPagePublished':
        return { ...state, isPublished: true };
      case 'TipPageUnpublished':
        return { ...state, isPublished: false };
    }
  },
};
