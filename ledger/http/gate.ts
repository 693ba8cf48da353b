/**
 * The gate in front of every request, in this order: correlation id, who is it, not too often, may they, and
 * is it from our own pages. It hangs on Fastify, before routing's outcome matters, so that an unknown call is
 * guarded too.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CLOSED_HEADER, CORRELATION_HEADER, STALE_HEADER } from '#contracts/plain/headers';
import '#edge/caller';
import { UNAUTHORIZED, type SignedInSession } from '#edge/caller';
import { refusedAnswer, retryAfterOf } from '#edge/refusal';
import { groupOf, type CallGroup, type RequestLimits } from '../limits/request-limits.js';
import { WritesClosed } from '../rejection.js';
import { noteAnswer } from '../security-trail/noted-calls.js';
import type { SecurityTrail } from '../security-trail/security-trail.js';
import { REPORTS_PATH } from './content-security.js';
import { isForeign } from './same-origin.js';

export interface GateOptions {
  readonly publicOrigin: string;
  readonly limits: Pick<RequestLimits, 'refusalOf'>;
  readonly log: Logger;
  /** What was refused, and what was changed of who may do what. */
  readonly trail: SecurityTrail;
  /** Told of each answer; `route` is the pattern, so that labels stay few. */
  readonly observe: (answer: AnswerTime) => void;
  /** True once the process is to end: callers are then asked to come by another connection. */
  readonly isEnding: () => boolean;
  /** Whether what is read may be older than what happened. */
  readonly isStale: () => boolean;
  /** Why nothing may be written; undefined while it may. */
  readonly closed: () => string | undefined;
  /** The request's session, if it has a living one. */
  readonly sessionOf: (request: FastifyRequest) => Promise<SignedInSession | undefined>;
}

interface AnswerTime {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Where the identity provider tells of a sign-out; it sends a form. */
export const LOGOUT_BY_PROVIDER = '/api/backchannel-logout';
const SESSIONS = '/api/sessions';
/** The only calls that need no session. */
const OPEN_CALLS: ReadonlySet<string> = new Set([
  '/api/login',
  '/api/login/callback',
  '/api/logout',
  LOGOUT_BY_PROVIDER,
  REPORTS_PATH,
  // What a mail's link holds is the proof: whoever was robbed of the session has nothing else.
  '/api/account-recovery/refusal-by-link',
]);
const FROM_ANOTHER_SITE = 'This request came from another site and was not carried out.';
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
/**
 * A wallet pass is only drawn; and sessions end also while nothing may be written to the log, which they are
 * no part of.
 */
const NO_WRITES = [PASSES, SESSIONS, LOGOUT_BY_PROVIDER];
/** What may change something in the log, or at the card provider. */
const isWrite = (request: FastifyRequest): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(request.method) &&
  !NO_WRITES.some((path) => pathOf(request.url).startsWith(path));
const isCall = (path: string): boolean => path === '/api' || path.startsWith('/api/');

const isSignedWebhook = ({ url, headers }: FastifyRequest): boolean =>
  pathOf(url).startsWith(WEBHOOKS) && headers['stripe-signature'] !== undefined;

function refusedHead(reply: FastifyReply, error: Error) {
  const refused = refusedAnswer(error);
  reply.request.refusedWith = refused.code;
  const retryAfter = retryAfterOf(refused);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return refused;
}

function refuse(reply: FastifyReply, error: Error): FastifyReply {
  const { status, message, code } = refusedHead(reply, error);
  return reply.code(status).send({ message, code });
}

/**
 * What a call is counted as. Signing in and out needs no session; any other call without one is counted
 * apart.
 */
function groupOfCall(request: FastifyRequest, path: string): CallGroup {
  if (OPEN_CALLS.has(path)) return 'sign-in';
  if (request.userId === undefined) return 'signed-out';
  return groupOf(request.method, request.routeOptions.url ?? '', path);
}

/** Public tip pages: outside of /api, for they are for whoever has no session. */
const isTipPage = (path: string): boolean => path.startsWith('/@');
const groupOfTipPage = (request: FastifyRequest, path: string): CallGroup => {
  if (request.method === 'GET' || request.method === 'HEAD') return 'tip-page';
  return path.endsWith('/mail') ? 'guest-receipt' : 'guest-pay';
};

/** Hangs the gate on the server. Register it before any route. */
export async function raiseGate(server: FastifyInstance, options: GateOptions): Promise<void> {
  const { log, observe, limits } = options;
  server.decorateRequest('userId', undefined);
  server.decorateRequest('signedIn', undefined);
  server.decorateRequest('refusedWith', undefined);

  /**
   * What stands before a tip page: limits, and no call from another site. A visitor who is signed in is known
   * to a GET.
   */
  async function guardTipPage(request: FastifyRequest, reply: FastifyReply, path: string) {
    reply.header('cache-control', 'no-store');
    const tooOften = await limits.refusalOf(groupOfTipPage(request, path), request);
    if (tooOften) return refuse(reply, tooOften);
    if (!isWrite(request)) return knowVisitor(request);
    return refuseOutOfPlace(request, reply, options.closed());
  }

  /** Refuses a call from another site, and a write while nothing may be written. */
  function refuseOutOfPlace(request: FastifyRequest, reply: FastifyReply, closed: string | undefined) {
    const { origin, 'sec-fetch-site': fetchSite } = request.headers;
    if (isForeign({ method: request.method, origin, fetchSite: fetchSite?.toString() }, options.publicOrigin))
      return reply.code(403).send({ message: FROM_ANOTHER_SITE });
    return closed === undefined ? undefined : refuse(reply, new WritesClosed(closed));
  }

  async function knowVisitor(request: FastifyRequest): Promise<void> {
    const session = await options.sessionOf(request);
    request.userId = session?.userId;
    request.signedIn = session;
  }

  server.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    if (options.isEnding()) reply.header('connection', 'close');
    const path = pathOf(request.url);
    const routed = request.routeOptions.url ?? '';
    if (isTipPage(path) || isTipPage(routed)) return guardTipPage(request, reply, path);
    if (!isCall(path) && !isCall(routed)) return;
    reply.header('cache-control', 'no-store');
    const closed = isWrite(request) ? options.closed() : undefined;
    // Also a webhook: the provider sends it again.
    if (closed !== undefined && path.startsWith(WEBHOOKS)) return refuse(reply, new WritesClosed(closed));
    // The card provider sends no cookie and comes in bursts; its signature is what is checked.
    if (isSignedWebhook(request)) return;
    if (path.startsWith(WEBHOOKS)) {
      const tooOften = await limits.refusalOf('webhook', request);
      return tooOften && refuse(reply, tooOften);
    }
    const isOpen = OPEN_CALLS.has(path);
    if (!isOpen) await knowVisitor(request);
    const tooOften = await limits.refusalOf(groupOfCall(request, path), request);
    if (tooOften) return refuse(reply, tooOften);
    if (!isOpen && request.userId === undefined) return reply.code(401).send({ message: UNAUTHORIZED });
    // A browser sends a report when it likes and from no page; it changes nothing.
    if (path === REPORTS_PATH) return;
    return refuseOutOfPlace(request, reply, closed);
  });

  // A signature that does not hold: whoever goes on sending such is told to wait, and signed ones still come
  // in.
  server.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 400 || !isSignedWebhook(request)) return payload;
    const tooOften = await limits.refusalOf('webhook', request);
    if (!tooOften) return payload;
    const { status, message } = refusedHead(reply, tooOften);
    reply.code(status);
    const body = JSON.stringify({ message });
    reply.header('content-length', Buffer.byteLength(body));
    return body;
  });

  server.addHook('onSend', async (request, reply) => {
    if (options.isStale() && isRead(request)) reply.header(STALE_HEADER, 'true');
    if (options.closed() !== undefined && isRead(request)) reply.header(CLOSED_HEADER, 'true');
    // What says nothing of it, such as an address where nothing is, must not be kept by a proxy's own guess.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    // Fastify would close on whoever still sends a body that is too large, and the answer would be lost with
    // the connection: what comes is read and dropped instead.
    if (reply.statusCode === 413 && !options.isEnding()) reply.removeHeader('connection');
  });

  server.addHook('onResponse', async (request, reply) => {
    // The pattern, never the path or query: those may hold an address or a sign-in code.
    const route = request.routeOptions.url ?? 'none';
    observe({ method: request.method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
    if (isCall(route) || isCall(pathOf(request.url))) noteAnswer(options.trail, request, reply);
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
