/**
 * Who may read a process' figures: they name queues, routes and outages, which is nobody's business on a
 * network. Whoever is on the same host, and who shows METRICS_TOKEN; without that setting nobody else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a request may read the figures of a process that has this token. */
export function mayReadFigures(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  token: string | undefined,
): boolean {
  // What a proxy of this host passes on comes from elsewhere.
  const isHere = LOOPBACK.test(socket.remoteAddress ?? '') && headers['x-forwarded-for'] === undefined;
  if (isHere) return true;
  // Digests, so that the comparison takes the same time whatever the length.
  return (
    token !== undefined && timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
  );
}

export const FIGURES_REFUSED = 'Show METRICS_TOKEN as a bearer token to read the figures.';
