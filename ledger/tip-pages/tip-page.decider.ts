/** A person's public tip page: its handle, its words, and whether everybody may see it. Pure. */
import type { Sealed } from '#contracts/events/journal';
import { tipPageStream, type TipPageEvent } from '#contracts/events/tip-page';
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

/** A handle that somebody wants, and what it depends on whether they may have it. */
export interface WantedHandle {
  readonly userId: string;
  readonly handleKey: string;
  readonly exactKey: string;
  /** The owner has shown a proof: a handle that is in use changes only with one. */
  readonly isProven: boolean;
  /** How many handles one person may ever claim. */
  readonly most: number;
}

export type TipPageCommand =
  | (WantedHandle & { readonly type: 'RequestHandle' })
  | (WantedHandle & { readonly type: 'ChooseHandle'; readonly handle: Sealed })
  | {
      readonly type: 'DescribeTipPage';
      readonly userId: string;
      readonly words: Sealed;
      readonly isListed: boolean;
      readonly fingerprint: string;
      /** The owner has shown a proof: what payers have read changes only with one. */
      readonly isProven: boolean;
    }
  | { readonly type: 'PublishTipPage'; readonly userId: string }
  | { readonly type: 'UnpublishTipPage'; readonly userId: string };

interface TipPageState {
  /** The handle in use, letter for letter; undefined before the first. */
  readonly exactKey: string | undefined;
  /** All that were ever asked for while they were free, by their look. */
  readonly handleKeys: readonly string[];
  readonly fingerprint: string | undefined;
  readonly isPublished: boolean;
  /** Also one that was taken back: its words are still those that payers know. */
  readonly wasPublished: boolean;
}

/** Throws Rejected where a person may not take this handle. */
function assertMayChoose({ exactKey, handleKey, isProven, most }: WantedHandle, state: TipPageState): void {
  if (state.exactKey === exactKey) return;
  if (state.exactKey !== undefined && !isProven) throw new Rejected('ProofNeeded', { handleKey });
  if (!state.handleKeys.includes(handleKey) && state.handleKeys.length >= most)
    throw new Rejected('TooManyHandles', { most });
}

export const tipPage: Decider<TipPageState, TipPageCommand, TipPageEvent> = {
  streamOf: tipPageStream,
  initial: {
    exactKey: undefined,
    handleKeys: [],
    fingerprint: undefined,
    isPublished: false,
    wasPublished: false,
  },

  decide(command, state) {
    const { userId } = command;
    switch (command.type) {
      case 'RequestHandle': {
        assertMayChoose(command, state);
        const { handleKey } = command;
        return state.handleKeys.includes(handleKey)
          ? []
          : [{ type: 'TipPageHandleRequested', data: { userId, handleKey } }];
      }
      case 'ChooseHandle': {
        assertMayChoose(command, state);
        if (state.exactKey === command.exactKey) return [];
        const { handleKey, exactKey, handle } = command;
        return [{ type: 'TipPageHandleChosen', data: { userId, handleKey, exactKey, handle } }];
      }
      case 'DescribeTipPage': {
        const { words, isListed, fingerprint } = command;
        if (state.fingerprint !== undefined && sameFingerprint(state.fingerprint, fingerprint)) return [];
        if (state.wasPublished && !command.isProven) throw new Rejected('ProofNeeded');
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
      case 'TipPageHandleRequested':
        return { ...state, handleKeys: [...state.handleKeys, event.data.handleKey] };
      case 'TipPageHandleChosen': {
        const { handleKey, exactKey } = event.data;
        const { handleKeys } = state;
        // Pages of before have no request.
        return {
          ...state,
          exactKey,
          handleKeys: handleKeys.includes(handleKey) ? handleKeys : [...handleKeys, handleKey],
        };
      }
      case 'TipPageDescribed':
        return { ...state, fingerprint: event.data.fingerprint };
      case 'TipPagePublished':
        return { ...state, isPublished: true, wasPublished: true };
      case 'TipPageUnpublished':
        return { ...state, isPublished: false };
    }
  },
};
