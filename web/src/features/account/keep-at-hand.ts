/**
 * Keeps what is shown where the app opens without a network (at-hand.ts). Apart from it, since the start page only reads.
 */
import { withStorage } from '../../shared/api/browser-storage.js';
import type { CallDispatch } from '../../shared/api/dispatch.js';
import { readTipPage, rememberedCode, addressOf } from '../tip-page/tip-page.js';
import type { AtHand } from './at-hand.js';
import { AT_HAND_PLACE } from './browser-memory.js';
import { pictureOf, pictureOfAddress } from './own-code.js';

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

/** The code that its owner showed last: a stranger's camera reads none but that of a tip page. */
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
