/**
 * What a browser keeps of a tip page: the form while its visitor signs in or pays elsewhere, and what was
 * paid a moment ago.
 */

/** The form as it was filled in. */
export interface FormDraft {
  readonly preset: string;
  readonly amount: string;
  readonly note: string;
  readonly name: string;
  readonly isAnonymous: boolean;
}

/** How much was paid, and when. */
export interface PaidTip {
  readonly minor: number;
  readonly atMs: number;
}

const A_MOMENT_MS = 10 * 60_000;
const formPlace = (handle: string): string => `encore-tip-form:${handle}`;
const CLAIM_PLACE = 'encore-tip-claim';
const paidPlace = (handle: string): string => `encore-tip-paid:${handle}`;

export const keepForm = (handle: string, draft: FormDraft): void => write(formPlace(handle), draft);

/** Once: a later visit starts with an empty form. */
export function takeForm(handle: string): FormDraft | undefined {
  const draft = read<FormDraft>(formPlace(handle));
  write(formPlace(handle), undefined);
  return draft;
}

/** Whoever signs in, or makes an account, for this receipt finds it there. */
export const keepClaim = (token: string): void => write(CLAIM_PLACE, { token });

/** Once, in the tab that was left for signing in: a link alone puts a receipt into nobody's account. */
export function isKeptClaim(token: string): boolean {
  const kept = read<{ token: string }>(CLAIM_PLACE);
  write(CLAIM_PLACE, undefined);
  return kept?.token === token;
}

/** A receipt was shown: in any tab, for the code on the wall opens a new one. */
export function noteTip(handle: string, paid: PaidTip): void {
  if (isRecent(paid)) write(paidPlace(handle), paid, () => localStorage);
}

/** Whether the same amount was paid in this browser a moment ago. */
export function wasTipped(handle: string, minor: number): boolean {
  const paid = read<PaidTip>(paidPlace(handle), () => localStorage);
  if (paid === undefined) return false;
  if (isRecent(paid)) return paid.minor === minor;
  write(paidPlace(handle), undefined, () => localStorage);
  return false;
}
const isRecent = ({ atMs }: PaidTip): boolean => Date.now() - atMs < A_MOMENT_MS;

const ofThisTab = (): Storage => sessionStorage;

function read<T>(place: string, storage = ofThisTab): T | undefined {
  try {
    return (JSON.parse(storage().getItem(place) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(place: string, value: object | undefined, storage = ofThisTab): void {
  try {
    if (value === undefined) storage().removeItem(place);
    else storage().setItem(place, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing pays all the same.
  }
}
