/**
 * What is refused before any route is looked for: an address that cannot be decoded, and what is no HTTP.
 * Node and Fastify would answer these in words of their own; here they have the shape of every other refusal.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { CORRELATION_HEADER } from '#contracts/plain/headers';
import { refusedAnswer } from '#edge/refusal';

/**
 * What every answer carries, for those that no hook sees: they show nothing, so nothing may be loaded or
 * framed.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), payment=(), publickey-credentials-get=(), screen-wake-lock=()',
};

/** Of Fastify's `frameworkErrors`: no hook has run for this request, and none will. */
export function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, message } = refusedAnswer(error);
  void reply
    .code(status)
    .headers({ [CORRELATION_HEADER]: request.id, ...BOUNDS })
    .send(JSON.stringify({ message }));
}

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The whole answer, for a connection of which nothing more is read. */
export function lastAnswer(status: number): string {
  const body = JSON.stringify({ message: refusedAnswer({ statusCode: status }).message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(BOUNDS).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Of Node's `clientError`: what came is no request, or came too slowly. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  // An answer that has begun on this connection must not get a second one into it.
  const answering = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (socket.writable && !answering?.headersSent)
    socket.write(lastAnswer(STATUS_OF[error.code ?? ''] ?? 400));
  socket.destroySoon();
}
