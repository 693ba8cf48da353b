/**
 * The origins that the card provider publishes for a page's Content-Security-Policy, as a setting has them:
 *
 *     script-src https://js.stripe.com https://*.js.stripe.com; frame-src https://js.stripe.com
 */
const DIRECTIVES = ['script-src', 'frame-src', 'connect-src', 'img-src'] as const;
export type ProviderOrigins = Readonly<Record<(typeof DIRECTIVES)[number], readonly string[]>>;

const ORIGIN = /^https:\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** What Stripe publishes: https://docs.stripe.com/security/guide#content-security-policy. */
export const STRIPE_PUBLISHED_ORIGINS =
  'script-src https://js.stripe.com https://*.js.stripe.com; ' +
  'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; ' +
  'connect-src https://api.stripe.com https://js.stripe.com https://*.js.stripe.com';

const partsOf = (text: string): string[][] =>
  text
    .split(';')
    .map((part) => part.trim().split(/\s+/))
    .filter(([name]) => name !== '');

/** Whether each part is a directive that a provider may be named in, followed by https origins. */
export const areProviderOrigins = (text: string): boolean =>
  partsOf(text).every(
    ([name, ...origins]) =>
      DIRECTIVES.some((directive) => directive === name) && origins.every((origin) => ORIGIN.test(origin)),
  );

export function providerOrigins(text: string): ProviderOrigins {
  const named = new Map(partsOf(text).map(([name = '', ...origins]) => [name, origins]));
  const originsOf = (directive: string): readonly string[] => named.get(directive) ?? [];
  return {
    'script-src': originsOf('script-src'),
    'frame-src': originsOf('frame-src'),
    'connect-src': originsOf('connect-src'),
    'img-src': originsOf('img-src'),
  };
}
