/** The HTTP side: keys, parameters, idempotency, switches, and from there to the table of routes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { registerBrowserFiles } from './browser-files.js';
import { ApiError, invalidParameter } from './errors.js';
import { expandInto } from './expand.js';
import { parseForm, type Form } from './form.js';
import { registerHostedPages } from './hosted-pages.js';
import { registerOnboardingPage } from './hosted-onboarding.js';
import { newId } from './identifiers.js';
import { API_VERSION } from './objects.js';
import { accountOf } from './resources/accounts.js';
import { Parameters } from './parameters.js';
import { ROUTES } from './routes.js';
import { rewritten } from './rewriting.js';
import type { Call, Route } from './routing.js';
import type { Store, Transaction } from './store.js';
import type { Fault } from './switches.js';
import { CONTROLS } from './test-controls.js';
import { Traffic, type LimitedReason } from './traffic.js';

export interface ServerSettings {
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Where browsers reach this server; asked late, because a free port is known only once it serves. */
  readonly publicUrl: () => string;
  readonly report: (line: string) => void;
}

interface Answer {
  status: number;
  body: unknown;
}

const MOST_BODY_BYTES = 256 * 1024;
const LONGEST_KEY = 255;
const KEYS_KEPT_MS = 24 * 3_600_000;

const rateLimited: Answer = {
  status: 429,
  body: {
    error: {
      type: 'invalid_request_error',
      code: 'rate_limit',
      doc_url: 'https://stripe.com/docs/error-codes/rate-limit',
      message:
        'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
    },
  },
};
/** Another request is changing the object: no limit, and no reason in the headers. */
const locked: Answer = {
  status: 429,
  body: {
    error: {
      type: 'invalid_request_error',
      code: 'lock_timeout',
      doc_url: 'https://stripe.com/docs/error-codes/lock-timeout',
      message:
        'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. ' +
        'If you see this error intermittently, retry the request.',
    },
  },
};
const CHANGES_INTENT = 'POST /v1/payment_intents/:id';
const broken: Answer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred.' } },
};

function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Builds the server; the caller listens. */
export function buildServer(store: Store, settings: ServerSettings): FastifyInstance {
  const app = Fastify({
    bodyLimit: MOST_BODY_BYTES,
    routerOptions: { querystringParser: (text) => parseForm(text) },
    forceCloseConnections: true,
  });
  const keysInUse = new Set<string>();
  const traffic = new Traffic();

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

  app.setErrorHandler(async (error, _request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send({ error: error.body });
    const status =
      typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500;
    if (status < 500)
      return reply.code(status).send({
        error: { type: 'invalid_request_error', message: error instanceof Error ? error.message : '' },
      });
    settings.report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return reply.code(broken.status).send(broken.body);
  });
  app.setNotFoundHandler(async (request, reply) =>
    reply.code(404).send({
      error: {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}). This stand-in has only what Encore uses.`,
      },
    }),
  );

  app.get('/healthz', () => ({ ok: true }));
  registerBrowserFiles(app);
  registerHostedPages(app, store);
  registerOnboardingPage(app, store);
  for (const control of CONTROLS)
    app.route({
      method: control.method,
      url: control.path,
      handler: async (request) => {
        if (keyOf(request) !== 'secret') throw invalidKey();
        return store.change({ requestId: null, idempotencyKey: null }, (transaction) =>
          control.run(transaction, request.params as Record<string, string>, request.body),
        );
      },
    });
  // How many calls were made of us, since when they were last forgotten: asked of a running server only.
  app.get('/test/calls', (request) => {
    if (keyOf(request) !== 'secret') throw invalidKey();
    return traffic.counts;
  });
  app.delete('/test/calls', (request) => {
    if (keyOf(request) !== 'secret') throw invalidKey();
    traffic.forget();
    return traffic.counts;
  });
  for (const route of ROUTES)
    app.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => answer(route, request, reply),
    });
  return app;

  function keyOf(request: FastifyRequest): Call['key'] | undefined {
    const [scheme = '', credentials = ''] = (request.headers.authorization ?? '').split(' ');
    const basic = scheme.toLowerCase() === 'basic';
    const key = basic ? (Buffer.from(credentials, 'base64').toString().split(':')[0] ?? '') : credentials;
    if (sameText(key, settings.secretKey)) return 'secret';
    return sameText(key, settings.publishableKey) ? 'publishable' : undefined;
  }

  function invalidKey(): ApiError {
    return new ApiError(401, {
      type: 'invalid_request_error',
      message:
        'Invalid API Key provided. Use this stand-in’s STRIPE_SECRET_KEY, or STRIPE_PUBLISHABLE_KEY where a browser calls.',
    });
  }

  function check(route: Route, request: FastifyRequest): Call['key'] {
    const key = keyOf(request);
    if (key === undefined) throw invalidKey();
    if (key === 'publishable' && route.access === 'secret')
      throw new ApiError(403, {
        type: 'invalid_request_error',
        code: 'secret_key_required',
        message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
      });
    const version = request.headers['stripe-version'];
    if (version !== undefined && version !== API_VERSION)
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message: `This stand-in speaks API version ${API_VERSION} only, not ${String(version)}.`,
      });
    const onAccount = headerText(request, 'stripe-account') !== undefined;
    if (onAccount && (!route.onAccounts || key !== 'secret'))
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message: `This stand-in has ${route.method} ${route.path} for the platform only: call without the Stripe-Account header.`,
      });
    return key;
  }

  async function answer(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const key = check(route, request);
    if (request.headers['content-type']?.startsWith('application/json'))
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message:
          'Invalid content type: application/json. Send parameters as application/x-www-form-urlencoded.',
      });
    const name = `${route.method} ${route.path}`;
    // Each payer's browser is somebody else to the provider, and far from any limit.
    const limited = key === 'secret' ? traffic.note(name, store.switches().rateLimits) : undefined;
    const { id: intent } = request.params as Record<string, string>;
    const isChange = intent !== undefined && name.startsWith(CHANGES_INTENT);
    const reason = limited ?? (isChange ? traffic.noteChange(intent) : undefined);
    if (reason !== undefined) return refuseBurst(reason, reply);
    const account = headerText(request, 'stripe-account') ?? null;
    const form = (route.method === 'POST' ? (request.body ?? {}) : request.query) as Form;
    const idempotencyKey = route.method === 'POST' ? headerText(request, 'idempotency-key') : undefined;
    if (idempotencyKey !== undefined) {
      if (idempotencyKey.length > LONGEST_KEY)
        throw invalidParameter(
          'Idempotency-Key',
          `Keys for idempotent requests may have at most ${LONGEST_KEY} characters.`,
        );
      reply.header('idempotency-key', idempotencyKey);
      if (keysInUse.has(idempotencyKey))
        throw new ApiError(409, {
          type: 'invalid_request_error',
          code: 'idempotency_key_in_use',
          message:
            'There is currently another in-progress request using this Idempotency-Key (that probably means you submitted twice, ' +
            'and the other request is still going through). Please try again later.',
        });
      keysInUse.add(idempotencyKey);
    }
    reply.header('stripe-version', API_VERSION);
    try {
      return await answerWithFaults();
    } finally {
      if (idempotencyKey !== undefined) keysInUse.delete(idempotencyKey);
    }

    async function answerWithFaults(): Promise<unknown> {
      const fault = await takeFault(name);
      if (fault?.what === 'delay' && fault.when === 'before') await pause(fault.delayMs);
      if (fault?.what === 'rate_limit') return refuseBurst('global-rate', reply);
      if (fault?.what === 'lock') return reply.code(locked.status).send(locked.body);
      if (fault?.when === 'before' && (fault.what === 'hang' || fault.what === 'close'))
        return spoil(fault.what, reply);
      const isRefused = fault?.what === 'answer' && fault.when === 'before';
      if (isRefused && !fault.answer.isKept) {
        const { status, body } = rewritten(broken, fault.answer);
        return reply.code(status).send(body);
      }
      const found = await work(fault?.what === 'error' || isRefused ? fault : undefined);
      if (fault?.what === 'delay' && fault.when === 'after') await pause(fault.delayMs);
      if (fault?.when === 'after' && (fault.what === 'hang' || fault.what === 'close'))
        return spoil(fault.what, reply);
      const isRewritten = fault?.what === 'answer' && fault.when === 'after';
      const { status, body } = isRewritten ? rewritten(found, fault.answer) : found;
      return reply.code(status).send(body);
    }

    async function work(error: Fault | undefined): Promise<Answer> {
      const requestId = String(reply.getHeader('request-id'));
      const perform = (transaction: Transaction): Answer => {
        const hash = createHash('sha256')
          .update(`${name} ${request.url} ${key}${account === null ? '' : ` ${account}`} ${canonical(form)}`)
          .digest('hex');
        const kept = idempotencyKey === undefined ? undefined : transaction.keptAnswer(idempotencyKey);
        if (kept && kept.atMs > transaction.nowMs - KEYS_KEPT_MS) {
          if (kept.request !== hash)
            throw new ApiError(400, {
              type: 'idempotency_error',
              message:
                'Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key ' +
                `other than '${idempotencyKey}' if you meant to execute a different request.`,
            });
          reply.header('idempotent-replayed', 'true');
          reply.header('original-request', kept.requestId);
          return { status: kept.status, body: kept.body };
        }
        const keep = (found: Answer): Answer => {
          if (idempotencyKey !== undefined)
            transaction.keepAnswer(idempotencyKey, {
              request: hash,
              requestId,
              atMs: transaction.nowMs,
              ...found,
            });
          return found;
        };
        if (error?.when === 'before')
          return keep(error.what === 'answer' ? rewritten(broken, error.answer) : broken);
        let found: Answer;
        try {
          if (account !== null) accountOf(transaction, account);
          found = { status: 200, body: transaction.within(account, () => run(transaction)) };
        } catch (refusal) {
          if (!(refusal instanceof ApiError)) throw refusal;
          if (refusal.keeps !== 'changes') transaction.discard();
          found = { status: refusal.status, body: { error: refusal.body } };
          if (refusal.keeps === 'nothing') return error ? broken : found;
        }
        return keep(error ? broken : found);
      };
      if (route.method === 'GET') return perform(store.read());
      return store.change({ requestId, idempotencyKey: idempotencyKey ?? null }, perform);
    }

    function run(transaction: Transaction): object {
      const parameters = new Parameters(form);
      const expand = parameters.texts('expand') ?? [];
      // Browsers also send what is of no use here.
      if (key === 'publishable')
        parameters.ignore('key', '_stripe_version', 'referrer', 'guid', 'muid', 'sid', 'payment_user_agent');
      const path = request.params as Record<string, string>;
      const made = route.run({ transaction, path, parameters, key, publicUrl: settings.publicUrl() });
      if (expand.length === 0) return made;
      // A copy: what is expanded in the answer is an id in what is kept.
      const body = structuredClone(made);
      expandInto(transaction, body, expand);
      return body;
    }
  }

  /** The first switched-on fault for a route, which is thereby used up once. */
  async function takeFault(name: string): Promise<Fault | undefined> {
    const applies = (fault: Fault): boolean => fault.route === name || fault.route === '*';
    if (!store.switches().faults.some(applies)) return undefined;
    return store.change({ requestId: null, idempotencyKey: null }, (transaction) => {
      const { switches } = transaction;
      const fault = switches.faults.find(applies);
      if (!fault) return undefined;
      const faults = switches.faults.flatMap((each) => {
        if (each !== fault) return [each];
        return each.times > 1 ? [{ ...each, times: each.times - 1 }] : [];
      });
      transaction.setSwitches({ ...switches, faults });
      return fault;
    });
  }
}

/** Without a time to come back: the provider names none. */
function refuseBurst(reason: LimitedReason, reply: FastifyReply): FastifyReply {
  return reply.code(rateLimited.status).header('stripe-rate-limited-reason', reason).send(rateLimited.body);
}

/** Never answers, or ends the connection without an answer. */
function spoil(what: 'hang' | 'close', reply: FastifyReply): FastifyReply {
  reply.hijack();
  if (what === 'close') reply.raw.socket?.destroy();
  return reply;
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The same parameters in another order are the same parameters. */
function canonical(form: unknown): string {
  if (typeof form !== 'object' || form === null) return JSON.stringify(form);
  if (Array.isArray(form)) return `[${form.map(canonical).join()}]`;
  const entries = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`).join()}}`;
}
