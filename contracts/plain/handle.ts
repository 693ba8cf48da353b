/**
 * Handles: the name under which a person's public tip page stands, `/@handle`. What is typed into a browser's
 * address line, printed on posters and read aloud must not be taken for another's: see {@link lookOf}.
 */

export const HANDLE_FORM = /^[a-z0-9_]{3,30}$/;

/** What a handle consists of, in a sentence for whoever chooses one. */
export const HANDLE_RULE =
  'A handle has 3 to 30 characters: small letters, digits and underscores, with a letter among them.';

/** Words that would be taken for us, for a page of ours, or for nobody. */
const RESERVED: ReadonlySet<string> = new Set(
  `about abuse account accounts admin administrator anonymous api app apps assets audit auth bank billing bot card cash cashapp
  checkout claim contact customer dashboard demo docs encore encore_app encore_help encore_support everyone faq feedback finance
  forget forgotten fraud guest guests handle help helpdesk history home identity info jobs legal log login logout mail me
  messages mod moderator my_qr nobody null official operator owner paid pay payment payments payout payouts police postmaster
  poster press privacy profile public qr receipt receipts recovery refund refunds root safety sales search secure security
  service settings signin signup staff status store stripe subscriptions support sysadmin system team terms test tip tips
  transparency treasury trust undefined update user username users verified verify wallet webmaster welcome www you`
    .trim()
    .split(/\s+/),
);

/**
 * What a handle looks like: two handles of the same look are one to the eye, and the second is refused.
 * Digits become the letters that they are read as, pairs the letter that they are taken for, and underscores
 * do not count.
 */
export const lookOf = (handle: string): string =>
  handle
    .replaceAll('_', '')
    .replaceAll('0', 'o')
    .replaceAll(/[1il]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('8', 'b')
    .replaceAll('2', 'z')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd');

const RESERVED_LOOKS: ReadonlySet<string> = new Set([...RESERVED].map(lookOf));

/** Why a text cannot be anybody's handle, as a sentence; undefined where it can. */
export function handleProblem(handle: string): string | undefined {
  if (!HANDLE_FORM.test(handle) || !/[a-z]/.test(handle)) return HANDLE_RULE;
  if (RESERVED_LOOKS.has(lookOf(handle)) || lookOf(handle).startsWith('encore'))
    return 'This handle could be taken for one of ours. Please choose another one.';
  return undefined;
}

/** The handle that a username suggests, or undefined where nothing of it can be one. */
export function suggestedHandle(username: string): string | undefined {
  const handle = username
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 30);
  return handleProblem(handle) === undefined ? handle : undefined;
}

/** The path of a person's public tip page. */
export const tipPagePath = (handle: string): string => `/@${handle}`;
