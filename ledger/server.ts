/**
 * Builds the public server: Nest on Fastify, with everything around the slices in the order in which it must
 * stand.
 */
import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import proxyAddr from '@fastify/proxy-addr';
import type { Provider, RawBodyRequest, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CORRELATION_HEADER } from '#contracts/plain/headers';
import { PICTURE_BYTES, PICTURE_PATH } from '#contracts/plain/picture-url';
import { correlationIdFrom } from '#edge/correlation';
import { Connections, CONNECTION_BOUNDS } from './http/connections.js';
import { contentSecurity, furtherHeaders, REPORTS_PATH, type Origins } from './http/content-security.js';
import { LOGOUT_BY_PROVIDER, pathOf, raiseGate, type GateOptions } from './http/gate.js';
import { KnownRoutes } from './http/known-routes.js';
import { LedgerModule } from './ledger.module.js';
import { refuseAddress, refuseConnection } from './http/malformed.js';
import { NestLog } from './http/nest-log.js';
import { Refusal } from '#edge/refusal';
import { RefusalsFilter } from '#edge/refusals.filter';

const AS_JSON = 'Send the request as JSON (Content-Type: application/json).';

interface ServerOptions {
  readonly parts: readonly Provider[];
  /** The controllers of the read models. */
  readonly reads: readonly Type[];
  readonly gate: GateOptions;
  readonly origins: Origins;
  readonly log: Logger;
  /**
   * Addresses or networks of the proxies whose X-Forwarded-* headers count, with commas; loopback unless
   * told.
   */
  readonly trustedProxies?: string;
  /** Adds what is served beside the calls: the web app's files. */
  readonly addPages: (server: FastifyInstance) => Promise<void>;
}

/** Larger than any body of ours; the provider's webhooks are the largest. */
const BODY_BYTES = 256 * 1024;

const REPORT_BYTES = 16 * 1024;
const LATE_LOOKED_FOR_MS = 1_000;
/** A logout token with the keys' largest signature has room in it. */
const LOGOUT_BYTES = 32 * 1024;

/** The server, not yet listening. */
export async function ledgerServer({
  parts,
  reads,
  gate,
  origins,
  log,
  trustedProxies = 'loopback',
  addPages,
}: ServerOptions): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES,
    trustProxy: trustedProxies,
    genReqId: (request: IncomingMessage) => correlationIdFrom(request.headers[CORRELATION_HEADER]),
    routerOptions: { maxParamLength: 400 },
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseConnection,
    // Node looks for what is late as often as this; its own half a minute is longer than the deadlines.
    http: { connectionsCheckingInterval: LATE_LOOKED_FOR_MS },
    // A stopping server answers what it has begun and closes idle connections, or it would never end.
    forceCloseConnections: 'idle',
    // What comes on a connection that still stands is in the pipe already: nobody would send it to another
    // process.
    return503OnClosing: false,
  });
  const app = await NestFactory.create<NestFastifyApplication>(LedgerModule.of(parts, reads), adapter, {
    rawBody: true,
    logger: new NestLog(log.child({ part: 'nest' })),
    abortOnError: false,
  });
  // Nest's adapter is typed by its own copy of Fastify's generics; the instance is the same.
  const server = adapter.getInstance() as unknown as FastifyInstance;
  const isTrusted = proxyAddr.compile(trustedProxies.split(',').map((each) => each.trim()));
  new Connections(CONNECTION_BOUNDS, (address) => isTrusted(address, 0)).watch(server.server);
  // An empty body is none: a call that needs none may name its kind all the same.
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (!hasBody) delete headers['content-type'];
    done();
  });
  await server.register(helmet, contentSecurity(origins));
  const headers = furtherHeaders(origins);
  server.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
  await server.register(cookie);
  await raiseGate(server, gate);
  const routes = new KnownRoutes();
  routes.watch(server);
  app.useGlobalFilters(new RefusalsFilter(log, (url) => routes.methodsAt(pathOf(url))));
  await addPages(server);
  await app.init();
  // A call is JSON: what any site's form can send is not read at all.
  server.removeContentTypeParser(['application/x-www-form-urlencoded', 'text/plain']);
  server.addContentTypeParser(
    /^image\/(?:jpeg|png|webp)$/,
    { parseAs: 'buffer', bodyLimit: PICTURE_BYTES },
    (request: RawBodyRequest<FastifyRequest>, body: Buffer, done) => {
      // A proof is for this very picture.
      request.rawBody = body;
      done(null, pathOf(request.url) === PICTURE_PATH ? body : undefined);
    },
  );
  // The identity provider's sign-out is the one call that is a form: no browser makes it.
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: LOGOUT_BYTES },
    (request, body, done) => {
      if (pathOf(request.url) !== LOGOUT_BY_PROVIDER) done(new Refusal(415, AS_JSON));
      else done(null, Object.fromEntries(new URLSearchParams(String(body))));
    },
  );
  // What browsers send a report as; nothing else is read from such a body.
  server.addContentTypeParser(
    ['application/csp-report', 'application/reports+json'],
    { parseAs: 'string', bodyLimit: REPORT_BYTES },
    (request, body, done) => done(null, pathOf(request.url) === REPORTS_PATH ? body : undefined),
  );
  await server.ready();
  return app;
}
