/** What a process in production refuses to start with: anything that belongs to the stand-ins of `local/`. */
import type { Configuration } from '#contracts/configuration';

type CheckedSettings = Partial<
  Configuration<
    | 'NODE_ENV'
    | 'ENCORE_STAGING'
    | 'PUBLIC_URL'
    | 'OIDC_ISSUER'
    | 'OIDC_INTERNAL_URL'
    | 'STRIPE_SECRET_KEY'
    | 'STRIPE_PUBLISHABLE_KEY'
    | 'STRIPE_API_URL'
    | 'STRIPE_SCRIPT_URL'
  >
>;

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const originOf = (url: string | undefined): string | undefined => url && new URL(url).origin;

/** One sentence on the first setting that production may not have, or undefined. */
export function refusedInProduction(settings: CheckedSettings): string | undefined {
  if (settings.NODE_ENV !== 'production') return undefined;
  const { OIDC_ISSUER, PUBLIC_URL } = settings;
  const issuer = OIDC_ISSUER === undefined ? undefined : new URL(OIDC_ISSUER);
  const keys = {
    STRIPE_SECRET_KEY: settings.STRIPE_SECRET_KEY,
    STRIPE_PUBLISHABLE_KEY: settings.STRIPE_PUBLISHABLE_KEY,
  };
  for (const [name, key] of Object.entries(keys)) {
    if (key === undefined) continue;
    const isTest = key.includes('_test_');
    if (isTest && settings.ENCORE_STAGING !== 'on')
      return `${name} is a sandbox key; production needs a live one, or ENCORE_STAGING=on to rehearse it.`;
    if (!isTest && settings.ENCORE_STAGING === 'on')
      return `${name} is a live key, and ENCORE_STAGING=on says on every page that no real money moves.`;
  }
  if (settings.STRIPE_API_URL !== undefined)
    return 'STRIPE_API_URL names a stand-in; in production leave it unset.';
  if (settings.STRIPE_SCRIPT_URL !== undefined)
    return 'STRIPE_SCRIPT_URL names a stand-in; in production leave it unset.';
  if (issuer && issuer.protocol !== 'https:')
    return 'OIDC_ISSUER is a plain-http address; in production it must begin with https://.';
  if (settings.OIDC_INTERNAL_URL?.startsWith('http:'))
    return 'OIDC_INTERNAL_URL is a plain-http address; in production it must begin with https://.';
  const isLocal = issuer && (LOOPBACK.test(issuer.hostname) || issuer.origin === originOf(PUBLIC_URL));
  if (isLocal) return 'OIDC_ISSUER is the local identity provider; production needs a real one.';
  if (PUBLIC_URL !== undefined && !PUBLIC_URL.startsWith('https:'))
    return 'PUBLIC_URL is a plain-http address; in production it must begin with https://, for the session cookie’s sake.';
  return undefined;
}
