/**
 * What a page of ours may load and use: itself, and the card provider's script, frames and calls. Scripts and
 * styles are known by a nonce that each answer has of its own, so that nothing written into a page runs.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyHelmetOptions } from '@fastify/helmet';
import { providerOrigins, type ProviderOrigins } from '#contracts/provider-origins';

export interface Origins {
  readonly publicUrl: string;
  readonly stripeScriptUrl: string;
  /** Set where the card provider is a stand-in. */
  readonly stripeApiUrl: string | undefined;
  /** What the card provider publishes as its origins, as STRIPE_ORIGINS has it. */
  readonly stripeOrigins: string;
}

/** Where browsers tell of what a page tried and its policy did not let it: policy-reports.controller.ts. */
export const REPORTS_PATH = '/api/policy-reports';
const REPORTS_GROUP = 'policy';

const nonces = new WeakMap<ServerResponse, string>();

/** The nonce of an answer: 128 random bits, the same in its header and in its page. */
function nonceOf(response: ServerResponse): string {
  const known = nonces.get(response);
  if (known !== undefined) return known;
  const made = randomBytes(16).toString('base64');
  nonces.set(response, made);
  return made;
}

const byNonce = (_request: unknown, response: unknown): string =>
  `'nonce-${nonceOf(response as ServerResponse)}'`;

/** A stand-in is where its script and its API are. */
function originsOf({ stripeScriptUrl, stripeApiUrl, stripeOrigins }: Origins): ProviderOrigins {
  const script = new URL(stripeScriptUrl).origin;
  if (script === 'https://js.stripe.com') return providerOrigins(stripeOrigins);
  const calls = stripeApiUrl === undefined ? [script] : [script, new URL(stripeApiUrl).origin];
  return { 'script-src': [script], 'frame-src': [script], 'connect-src': calls, 'img-src': [] };
}

/** The headers for @fastify/helmet. On plain http (a laptop) nothing is said of https. */
export function contentSecurity(origins: Origins): FastifyHelmetOptions {
  const isHttps = origins.publicUrl.startsWith('https:');
  const provider = originsOf(origins);
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [byNonce, ...provider['script-src']],
        styleSrc: [byNonce],
        imgSrc: ["'self'", 'data:', 'blob:', ...provider['img-src']],
        connectSrc: ["'self'", ...provider['connect-src']],
        frameSrc: provider['frame-src'],
        fontSrc: ["'self'"],
        mediaSrc: ["'self'", 'blob:'],
        manifestSrc: ["'self'"],
        workerSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        // The second word is for browsers that do not know the first.
        reportTo: [REPORTS_GROUP],
        reportUri: [REPORTS_PATH],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isHttps && { maxAge: 2 * 365 * 24 * 3600, includeSubDomains: true },
    xFrameOptions: { action: 'deny' },
    // The card provider opens bank pages in windows of its own and needs to hear back from them.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    // The word "no-referrer" would make browsers send `Origin: null`, which the defence against forged calls
    // refuses.
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  };
}

/** Features of a browser that neither we nor the card provider's frames use. */
const UNUSED_FEATURES = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'picture-in-picture',
  'serial',
  'sync-xhr',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

/**
 * A frame of the provider's may ask for a payment or a passkey (3-D Secure does both); an origin with a star
 * cannot be named.
 */
function permissionsPolicy(origins: Origins): string {
  const frames = originsOf(origins)['frame-src'].filter((origin) => !origin.includes('*'));
  const ours = '(self)';
  const shared = `(self ${frames.map((origin) => `"${origin}"`).join(' ')})`;
  return [
    `camera=${ours}`,
    `payment=${shared}`,
    `publickey-credentials-get=${shared}`,
    `publickey-credentials-create=${shared}`,
    `screen-wake-lock=${ours}`,
    `fullscreen=${ours}`,
    `clipboard-write=${ours}`,
    ...UNUSED_FEATURES.map((feature) => `${feature}=()`),
  ].join(', ');
}

/** The headers that helmet does not write. */
export const furtherHeaders = (origins: Origins): Readonly<Record<string, string>> => ({
  'permissions-policy': permissionsPolicy(origins),
  'reporting-endpoints': `${REPORTS_GROUP}="${REPORTS_PATH}"`,
});

/** For pages that a controller writes: what their <style> must carry. */
export const pageNonce = ({ raw }: { readonly raw: ServerResponse<IncomingMessage> }): string => nonceOf(raw);
