/**
 * The gate in front of every request, in this order: correlation id, who is it, not too often, may they, and
 * is it from our own pages. It hangs on Fastify, before routing's outcome matters, so that an unknown call is
 * guarded too.
 */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CLOSED_HEADER, CORRELATION_HEADER, STALE_HEADER } from '#contracts/plain/headers';
import '#edge/caller';
import { UNAUTHORIZED } from '#edge/caller';
import { refusedAnswer, retryAfterOf } from '#edge/refusal';
import { WritesClosed } from '../rejection.js';
import { isForeign } from './same-origin.js';

export interface GateOptions {
  readonly publicOrigin: string;
  readonly requestsPerMinute: number;
  readonly log: Logger;
  /** Told of each answer; `route` is the pattern, so that labels stay few. */
  readonly observe: (answer: AnswerTime) => void;
  /** True once the process is to end: callers are then asked to come by another connection. */
  readonly isEnding: () => boolean;
  /** Whether what is read may be older than what happened. */
  readonly isStale: () => boolean;
  /** Why nothing may be written; undefined while it may. */
  readonly closed: () => string | undefined;
  /** The user of the request's session, if it has a living one. */
  readonly userOf: (request: FastifyRequest) => Promise<string | undefined>;
}

interface AnswerTime {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The only calls that need no session. */
const OPEN_CALLS: ReadonlySet<string> = new Set(['/api/login', '/api/login/callback', '/api/logout']);
const WEBHOOKS = '/api/webhooks/';
const PASSES = '/api/apple-wallet/';
const WATCHED: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * The path as the router understands it: `/%61pi/x` is `/api/x`. One that cannot be decoded is guarded like a
 * call, for the router will not serve it either.
 */
export function pathOf(url: string): string {
  const path = url.split(/[?#;]/, 1)[0]!;
  try {
    return decodeURIComponent(path);
  } catch {
    return '/api/';
  }
}

/** A GET of a page or a call. What browsers keep for good, such as a script, is never out of date. */
const isRead = ({ method, url }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !pathOf(url).startsWith('/assets/');
/** What may change something, here or at the card provider. A wallet pass is only drawn. */
const isWrite = (request: FastifyRequest): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(request.method) && !pathOf(request.url).startsWith(PASSES);
const isCall = (path: string): boolean => path === '/api' || path.startsWith('/api/');

function refuse(reply: FastifyReply, error: Error): FastifyReply {
  const refused = refusedAnswer(error);
  const { status, message, code } = refused;
  const retryAfter = retryAfterOf(refused);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply.code(status).send({ message, code });
}

/** Hangs the gate on the server. Register it before any route. */
export async function raiseGate(server: FastifyInstance, options: GateOptions): Promise<void> {
  const { log, observe } = options;
  await server.register(rateLimit, { global: false });
  const isTooOften = server.createRateLimit({
    max: options.requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => request.userId ?? `address ${request.ip}`,
  });
  server.decorateRequest('userId', undefined);

  server.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    if (options.isEnding()) reply.header('connection', 'close');
    const path = pathOf(request.url);
    const routed = request.routeOptions.url ?? '';
    if (!isCall(path) && !isCall(routed)) return;
    reply.header('cache-control', 'no-store');
    const closed = isWrite(request) ? options.closed() : undefined;
    // Also a webhook: the provider sends it again.
    if (closed !== undefined && path.startsWith(WEBHOOKS)) return refuse(reply, new WritesClosed(closed));
    // The card provider sends no cookie and comes in bursts; its signature is what is checked.
    if (path.startsWith(WEBHOOKS)) return;
    const isOpen = OPEN_CALLS.has(path);
    if (!isOpen) request.userId = await options.userOf(request);
    const limit = await isTooOften(request);
    if (!limit.isAllowed && limit.isExceeded) {
      reply.header('retry-after', String(limit.ttlInSeconds));
      return reply
        .code(429)
        .send({ message: `Too many requests. Please wait ${limit.ttlInSeconds} seconds and try again.` });
    }
    if (!isOpen && request.userId === undefined) return reply.code(401).send({ message: UNAUTHORIZED });
    const { origin, 'sec-fetch-site': fetchSite } = request.headers;
    if (isForeign({ method: request.method, origin, fetchSite: fetchSite?.toString() }, options.publicOrigin))
      return reply
        .code(403)
        .send({ message: 'This request came from another site and was not carried out.' });
    if (closed !== undefined) return refuse(reply, new WritesClosed(closed));
  });

  server.addHook('onSend', async (request, reply) => {
    if (options.isStale() && isRead(request)) reply.header(STALE_HEADER, 'true');
    if (options.closed() !== undefined && isRead(request)) reply.header(CLOSED_HEADER, 'true');
    // Fastify would close on whoever still sends a body that is too large, and the answer would be lost with
    // the connection: what comes is read and dropped instead.
    if (reply.statusCode === 413 && !options.isEnding()) reply.removeHeader('connection');
  });

  server.addHook('onResponse', async (request, reply) => {
    // The pattern, never the path or query: those may hold an address or a sign-in code.
    const route = request.routeOptions.url ?? 'none';
    observe({ method: request.method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
    // Whoever watches over the process asks every other second: only a no is news.
    const level = WATCHED.has(route) && reply.statusCode === 200 ? 'debug' : 'info';
    log[level](
      {
        correlationId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        userId: request.userId,
      },
      'answered',
    );
  });
}
