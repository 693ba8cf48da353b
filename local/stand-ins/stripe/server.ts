/** The HTTP side: the server, what it says of faults, and from there to the table of routes. */
import Fastify, { type FastifyInstance } from 'fastify';
import { ApiCalls, BROKEN } from './api-calls.js';
import { registerBrowserFiles } from './browser-files.js';
import { ApiError } from './errors.js';
import { parseForm } from './form.js';
import { registerHostedPages } from './hosted-pages.js';
import { registerOnboardingPage } from './hosted-onboarding.js';
import { newId } from './identifiers.js';
import { assertSecretKey, type ApiKeys } from './keys.js';
import { ROUTES } from './routes.js';
import type { Store } from './store.js';
import { CONTROLS } from './test-controls.js';
import { Traffic } from './traffic.js';

interface ServerSettings extends ApiKeys {
  /** Where browsers reach this server; asked late, because a free port is known only once it serves. */
  readonly publicUrl: () => string;
  readonly report: (line: string) => void;
}

const MOST_BODY_BYTES = 256 * 1024;

/** Builds the server; the caller listens. */
export function buildServer(store: Store, settings: ServerSettings): FastifyInstance {
  const app = Fastify({
    bodyLimit: MOST_BODY_BYTES,
    routerOptions: { querystringParser: (text) => parseForm(text) },
    forceCloseConnections: true,
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      try {
        done(null, parseForm(String(body)));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  );
  openToBrowsers(app);
  answerFaults(app, settings.report);
  app.get('/healthz', () => ({ ok: true }));
  registerBrowserFiles(app);
  registerHostedPages(app, store);
  registerOnboardingPage(app, store);
  const traffic = new Traffic();
  registerControls(app, store, traffic, settings);
  const calls = new ApiCalls(store, traffic, settings);
  for (const route of ROUTES)
    app.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => calls.answer(route, request, reply),
    });
  return app;
}

/** Numbers each request, and lets pages of any origin call. */
function openToBrowsers(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', newId('req'));
    reply.header('access-control-allow-origin', '*');
    reply.header('access-control-expose-headers', 'Request-Id, Stripe-Version');
    if (request.method !== 'OPTIONS') return;
    reply.header('access-control-allow-methods', 'GET, POST, DELETE');
    reply.header(
      'access-control-allow-headers',
      'Authorization, Content-Type, Idempotency-Key, Stripe-Version',
    );
    reply.header('access-control-max-age', '600');
    await reply.code(204).send();
  });
}

/** Says in the provider's shape what went wrong, and which addresses there are none of. */
function answerFaults(app: FastifyInstance, report: ServerSettings['report']): void {
  app.setErrorHandler(async (error, _request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send({ error: error.body });
    const status =
      typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500;
    if (status < 500)
      return reply.code(status).send({
        error: { type: 'invalid_request_error', message: error instanceof Error ? error.message : '' },
      });
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return reply.code(BROKEN.status).send(BROKEN.body);
  });
  app.setNotFoundHandler(async (request, reply) =>
    reply.code(404).send({
      error: {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}). This stand-in has only what Encore uses.`,
      },
    }),
  );
}

/** Registers `/test/…`. */
function registerControls(app: FastifyInstance, store: Store, traffic: Traffic, keys: ApiKeys): void {
  for (const control of CONTROLS)
    app.route({
      method: control.method,
      url: control.path,
      handler: async (request) => {
        assertSecretKey(request, keys);
        return store.change({ requestId: null, idempotencyKey: null }, (transaction) =>
          control.run(transaction, request.params as Record<string, string>, request.body),
        );
      },
    });
  // How many calls were made of us, since when they were last forgotten: asked of a running server only.
  app.get('/test/calls', (request) => {
    assertSecretKey(request, keys);
    return traffic.counts;
  });
  app.delete('/test/calls', (request) => {
    assertSecretKey(request, keys);
    traffic.forget();
    return traffic.counts;
  });
}
