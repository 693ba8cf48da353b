/**
 * Stores what is shown when the app opens without a network (read by at-hand.ts). A file of its own: the
 * start page only reads, and need not load this.
 */
import { withStorage } from '../../shared/api/browser-storage.js';
import type { CallDispatch } from '../../shared/api/dispatch.js';
import { readTipPage, rememberedCode, addressOf } from '../tip-page/tip-page.js';
import type { AtHand } from './at-hand.js';
import { AT_HAND_PLACE } from './browser-memory.js';
import { pictureOf, pictureOfAddress } from './own-code.js';

/** Keeps it in this browser's storage, in the place of what was there. */
export function keepAtHand(kept: AtHand): void {
  withStorage(() => localStorage.setItem(AT_HAND_PLACE, JSON.stringify(kept)), undefined);
}

function keptOf(userId: string): AtHand | undefined {
  return withStorage(() => {
    const kept = JSON.parse(localStorage.getItem(AT_HAND_PLACE) ?? 'null') as AtHand | null;
    return kept?.userId === userId ? kept : undefined;
  }, undefined);
}

/** Another code of the same user is shown from now on. */
export function keepCodeAtHand(userId: string, code: string): void {
  const kept = keptOf(userId);
  if (kept !== undefined) keepAtHand({ ...kept, code });
}

/**
 * The picture of the code that its owner showed last: their tip page's, or the one that only this app reads.
 */
export async function codeShownLast(
  owner: { readonly id: string; readonly username: string },
  dispatch: CallDispatch,
): Promise<string> {
  if (rememberedCode() === 'app') return pictureOf(owner);
  try {
    const page = await dispatch(readTipPage()).unwrap();
    if (page?.isPublished && page.path !== null) return await pictureOfAddress(addressOf(page.path));
  } catch {
    // Not read this time: the one of before is most likely right.
    const code = keptOf(owner.id)?.code;
    if (code !== undefined) return code;
  }
  return pictureOf(owner);
}
