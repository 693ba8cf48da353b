/** What a page of ours may load: itself, and the card provider's script, frames and calls. */
import type { FastifyHelmetOptions } from '@fastify/helmet';

export interface Origins {
  readonly publicUrl: string;
  readonly stripeScriptUrl: string;
  /** Set where the card provider is a stand-in. */
  readonly stripeApiUrl: string | undefined;
}

const STRIPE_FRAMES = ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'];
const STRIPE_CALLS = ['https://api.stripe.com', 'https://js.stripe.com'];

/** The headers for @fastify/helmet. On plain http (a laptop) nothing is said of https. */
export function contentSecurity(origins: Origins): FastifyHelmetOptions {
  const isHttps = origins.publicUrl.startsWith('https:');
  const script = new URL(origins.stripeScriptUrl).origin;
  const isStripe = script === 'https://js.stripe.com';
  const calls = isStripe
    ? STRIPE_CALLS
    : [script, ...(origins.stripeApiUrl ? [new URL(origins.stripeApiUrl).origin] : [])];
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", script, ...(isStripe ? ['https://*.js.stripe.com'] : [])],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:', 'https:'],
        connectSrc: ["'self'", ...calls],
        frameSrc: ["'self'", ...(isStripe ? STRIPE_FRAMES : [script])],
        fontSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isHttps,
    xFrameOptions: { action: 'deny' },
    // The card provider opens bank pages in windows of its own and needs to hear back from them.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    // The word "no-referrer" would make browsers send `Origin: null`, which the defence against forged calls
    // refuses.
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  };
}
