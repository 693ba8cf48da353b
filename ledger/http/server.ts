/**
 * Builds the public server: Nest on Fastify, with everything around the slices in the order in which it must
 * stand.
 */
import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import type { Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { CORRELATION_HEADER } from '#contracts/plain/headers';
import { correlationIdFrom } from '#edge/correlation';
import { contentSecurity, type Origins } from './content-security.js';
import { raiseGate, type GateOptions } from './gate.js';
import { LedgerModule } from './ledger.module.js';
import { NestLog } from './nest-log.js';
import { RefusalsFilter } from '#edge/refusals.filter';

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
  // An empty body is none: a call that needs none may name its kind all the same.
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-length'] === '0') delete request.headers['content-type'];
    done();
  });
  await server.register(helmet, contentSecurity(origins));
  await server.register(cookie);
  await raiseGate(server, gate);
  app.useGlobalFilters(new RefusalsFilter(log));
  await addPages(server);
  await app.init();
  // A call is JSON: what any site's form can send is not read at all.
  server.removeContentTypeParser(['application/x-www-form-urlencoded', 'text/plain']);
  await server.ready();
  return app;
}
