/** Whose key a request brings: the platform's own, or the one that browsers hold. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.js';
import type { Call } from './routing.js';

export interface ApiKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** The kind of key that a request brings. Throws where it brings none of ours. */
export function keyOf(request: FastifyRequest, { secretKey, publishableKey }: ApiKeys): Call['key'] {
  const [scheme = '', credentials = ''] = (request.headers.authorization ?? '').split(' ');
  const basic = scheme.toLowerCase() === 'basic';
  const key = basic ? (Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '') : credentials;
  if (sameText(key, secretKey)) return 'secret';
  if (sameText(key, publishableKey)) return 'publishable';
  throw invalidKey();
}

/** Throws for any other key. */
export function assertSecretKey(request: FastifyRequest, keys: ApiKeys): void {
  if (keyOf(request, keys) !== 'secret') throw invalidKey();
}

function invalidKey(): ApiError {
  return new ApiError(401, {
    type: 'invalid_request_error',
    message:
      'Invalid API Key provided. Use this stand-in’s STRIPE_SECRET_KEY, or STRIPE_PUBLISHABLE_KEY where a browser calls.',
  });
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
