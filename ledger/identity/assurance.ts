/**
 * How strongly people must have signed in at the identity provider: what is asked of it, and what its ID
 * token must say. `acr` and `amr` are claims of OpenID Connect Core 1.0, sections 2 and 5.5.1.1; the values
 * of `amr` are those of RFC 8176.
 */

export interface Assurance {
  /** Classes of sign-in; the ID token's `acr` must be one of them. None: any will do. */
  readonly classes: readonly string[];
  /** Methods; each of them must be in the ID token's `amr`. None: any will do. */
  readonly methods: readonly string[];
}

/** The words of a setting that lists them with spaces. */
export const wordsOf = (list: string | undefined): readonly string[] =>
  (list ?? '').split(/\s+/).filter((word) => word !== '');

/** The parameters of the authorization request that ask for it. */
export function askedOf({ classes, methods }: Assurance, takesClaims: boolean): Record<string, string> {
  const asked: Record<string, string> = {};
  if (classes.length > 0) asked.acr_values = classes.join(' ');
  // By `acr_values` alone a provider may answer another class without a word; asked as essential, it must
  // not.
  const essential = {
    ...(classes.length > 0 && { acr: { essential: true, values: classes } }),
    ...(methods.length > 0 && { amr: { essential: true } }),
  };
  if (takesClaims && Object.keys(essential).length > 0)
    asked.claims = JSON.stringify({ id_token: essential });
  return asked;
}

/**
 * One sentence on what a sign-in lacks, by the claims of its ID token; undefined where it is strong enough.
 */
export function lackingIn(
  { classes, methods }: Assurance,
  claims: Readonly<Record<string, unknown>>,
): string | undefined {
  const { acr, amr } = claims;
  const used: readonly unknown[] = Array.isArray(amr) ? amr : [];
  const isOfClass = classes.length === 0 || (typeof acr === 'string' && classes.includes(acr));
  if (isOfClass && methods.every((method) => used.includes(method))) return undefined;
  return 'This sign-in was not strong enough. Sign in again with every step that the identity provider offers, such as a code or a security key.';
}
