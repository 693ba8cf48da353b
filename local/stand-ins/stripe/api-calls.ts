/**
 * A call of the API, in the steps that each takes: who may make it, how many there are, its idempotency key,
 * a fault that is switched on, and the route's own work.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidParameter } from './errors.js';
import { expandInto } from './expand.js';
import type { Form } from './form.js';
import { keyOf, type ApiKeys } from './keys.js';
import { API_VERSION } from './objects.js';
import { Parameters } from './parameters.js';
import { accountOf } from './resources/accounts.js';
import { rewritten } from './rewriting.js';
import type { Call, Route } from './routing.js';
import type { KeptAnswer, Store, Transaction } from './store.js';
import type { Fault } from './switches.js';
import type { LimitedReason, Traffic } from './traffic.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A request to a route, as far as it is understood before any work. */
interface ApiCall {
  readonly route: Route;
  /** As the switches and the counts name the route. */
  readonly name: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly key: Call['key'];
  /** The connected account that it is made on. */
  readonly account: string | null;
  readonly form: Form;
  readonly idempotencyKey: string | undefined;
}

interface ApiCallOptions extends ApiKeys {
  /** Where browsers reach this server; asked late, because a free port is known only once it serves. */
  readonly publicUrl: () => string;
}

const LONGEST_KEY = 255;
const KEYS_KEPT_MS = 24 * 3_600_000;
const CHANGES_INTENT = 'POST /v1/payment_intents/:id';

const RATE_LIMITED: Answer = {
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
const LOCKED: Answer = {
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
export const BROKEN: Answer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred.' } },
};

/** Answers calls of the API. */
export class ApiCalls {
  readonly #keysInUse = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly traffic: Traffic,
    private readonly options: ApiCallOptions,
  ) {}

  async answer(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const name = `${route.method} ${route.path}`;
    const isPost = route.method === 'POST';
    const call: ApiCall = {
      route,
      name,
      request,
      reply,
      key: keyOf(request, this.options),
      account: headerText(request, 'stripe-account') ?? null,
      form: (isPost ? (request.body ?? {}) : request.query) as Form,
      idempotencyKey: isPost ? headerText(request, 'idempotency-key') : undefined,
    };
    assertAllowed(call);
    const limited = this.#limited(call);
    if (limited !== undefined) return refuseBurst(limited, reply);
    const { idempotencyKey } = call;
    if (idempotencyKey !== undefined) this.#take(idempotencyKey, reply);
    reply.header('stripe-version', API_VERSION);
    try {
      return await this.#answerWithFaults(call);
    } finally {
      if (idempotencyKey !== undefined) this.#keysInUse.delete(idempotencyKey);
    }
  }

  /** Counts the call; answers why it is one too many, if it is. */
  #limited({ name, key, request }: ApiCall): LimitedReason | undefined {
    // Each payer's browser is somebody else to the provider, and far from any limit.
    const limited = key === 'secret' ? this.traffic.note(name, this.store.switches().rateLimits) : undefined;
    const { id: intent } = request.params as Record<string, string>;
    const isChange = intent !== undefined && name.startsWith(CHANGES_INTENT);
    return limited ?? (isChange ? this.traffic.noteChange(intent) : undefined);
  }

  /** Takes an idempotency key for as long as its call is under way. */
  #take(idempotencyKey: string, reply: FastifyReply): void {
    if (idempotencyKey.length > LONGEST_KEY)
      throw invalidParameter(
        'Idempotency-Key',
        `Keys for idempotent requests may have at most ${LONGEST_KEY} characters.`,
      );
    reply.header('idempotency-key', idempotencyKey);
    if (this.#keysInUse.has(idempotencyKey))
      throw new ApiError(409, {
        type: 'invalid_request_error',
        code: 'idempotency_key_in_use',
        message:
          'There is currently another in-progress request using this Idempotency-Key (that probably means you submitted twice, ' +
          'and the other request is still going through). Please try again later.',
      });
    this.#keysInUse.add(idempotencyKey);
  }

  /** Answers, with what a switched-on fault does to it before the work and after it. */
  async #answerWithFaults(call: ApiCall): Promise<FastifyReply> {
    const { reply } = call;
    const fault = await this.#takeFault(call.name);
    if (fault?.what === 'rate_limit') return refuseBurst('global-rate', reply);
    if (fault?.what === 'lock') return send(reply, LOCKED);
    if (fault?.when === 'before') {
      if (fault.what === 'delay') await pause(fault.delayMs);
      if (fault.what === 'hang' || fault.what === 'close') return spoil(fault.what, reply);
      if (fault.what === 'answer' && !fault.answer.isKept)
        return send(reply, rewritten(BROKEN, fault.answer));
    }
    const found = await this.#work(call, fault);
    if (fault?.when === 'after') {
      if (fault.what === 'delay') await pause(fault.delayMs);
      if (fault.what === 'hang' || fault.what === 'close') return spoil(fault.what, reply);
      if (fault.what === 'answer') return send(reply, rewritten(found, fault.answer));
    }
    return send(reply, found);
  }

  /** The first switched-on fault for a route, which is thereby used up once. */
  async #takeFault(name: string): Promise<Fault | undefined> {
    const applies = (fault: Fault): boolean => fault.route === name || fault.route === '*';
    if (!this.store.switches().faults.some(applies)) return undefined;
    return this.store.change({ requestId: null, idempotencyKey: null }, (transaction) => {
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

  /** Does the work, in one transaction with the answer that its idempotency key keeps. */
  async #work(call: ApiCall, fault: Fault | undefined): Promise<Answer> {
    const { idempotencyKey, reply } = call;
    const requestId = requestIdOf(reply);
    const perform = (transaction: Transaction): Answer => {
      if (idempotencyKey === undefined) return this.#carryOut(call, transaction, fault).answer;
      const request = hashOf(call);
      const earlier = transaction.keptAnswer(idempotencyKey);
      if (earlier && earlier.atMs > transaction.nowMs - KEYS_KEPT_MS)
        return repeated(earlier, request, idempotencyKey, reply);
      const { answer, isKept } = this.#carryOut(call, transaction, fault);
      if (isKept)
        transaction.keepAnswer(idempotencyKey, { request, requestId, atMs: transaction.nowMs, ...answer });
      return answer;
    };
    if (call.route.method === 'GET') return perform(this.store.read());
    return this.store.change({ requestId, idempotencyKey: idempotencyKey ?? null }, perform);
  }

  /** What the route answers, or a fault in its place, and whether an idempotency key keeps that. */
  #carryOut(
    call: ApiCall,
    transaction: Transaction,
    fault: Fault | undefined,
  ): { answer: Answer; isKept: boolean } {
    const isBroken = fault?.what === 'error';
    if (fault?.when === 'before') {
      if (isBroken) return { answer: BROKEN, isKept: true };
      if (fault.what === 'answer') return { answer: rewritten(BROKEN, fault.answer), isKept: true };
    }
    const { account } = call;
    try {
      if (account !== null) accountOf(transaction, account);
      const body = transaction.within(account, () => this.#run(call, transaction));
      return { answer: isBroken ? BROKEN : { status: 200, body }, isKept: true };
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) throw refusal;
      if (refusal.keeps !== 'changes') transaction.discard();
      const answer = { status: refusal.status, body: { error: refusal.body } };
      return { answer: isBroken ? BROKEN : answer, isKept: refusal.keeps !== 'nothing' };
    }
  }

  #run({ route, request, key, form }: ApiCall, transaction: Transaction): object {
    const parameters = new Parameters(form);
    const expand = parameters.texts('expand') ?? [];
    // Browsers also send what is of no use here.
    if (key === 'publishable')
      parameters.ignore('key', '_stripe_version', 'referrer', 'guid', 'muid', 'sid', 'payment_user_agent');
    const path = request.params as Record<string, string>;
    const made = route.run({ transaction, path, parameters, key, publicUrl: this.options.publicUrl() });
    if (expand.length === 0) return made;
    // A copy: what is expanded in the answer is an id in what is kept.
    const body = structuredClone(made);
    expandInto(transaction, body, expand);
    return body;
  }
}

/** Throws for what this key, this version or this route does not allow. */
function assertAllowed({ route, name, request, key, account }: ApiCall): void {
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
  if (account !== null && (!route.onAccounts || key !== 'secret'))
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: `This stand-in has ${name} for the platform only: call without the Stripe-Account header.`,
    });
  if (request.headers['content-type']?.startsWith('application/json'))
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message:
        'Invalid content type: application/json. Send parameters as application/x-www-form-urlencoded.',
    });
}

/** The same request again is answered as it was; another one under its key is refused. */
function repeated(earlier: KeptAnswer, request: string, idempotencyKey: string, reply: FastifyReply): Answer {
  if (earlier.request !== request)
    throw new ApiError(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key ' +
        `other than '${idempotencyKey}' if you meant to execute a different request.`,
    });
  reply.header('idempotent-replayed', 'true');
  reply.header('original-request', earlier.requestId);
  return { status: earlier.status, body: earlier.body };
}

const requestIdOf = (reply: FastifyReply): string => String(reply.getHeader('request-id'));

const send = (reply: FastifyReply, { status, body }: Answer): FastifyReply => reply.code(status).send(body);

/** Without a time to come back: the provider names none. */
function refuseBurst(reason: LimitedReason, reply: FastifyReply): FastifyReply {
  return send(reply.header('stripe-rate-limited-reason', reason), RATE_LIMITED);
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

/** What the idempotency key stands for. */
function hashOf({ name, request, key, account, form }: ApiCall): string {
  return createHash('sha256')
    .update(`${name} ${request.url} ${key}${account === null ? '' : ` ${account}`} ${canonical(form)}`)
    .digest('hex');
}

/** The same parameters in another order are the same parameters. */
function canonical(form: unknown): string {
  if (typeof form !== 'object' || form === null) return JSON.stringify(form);
  if (Array.isArray(form)) return `[${form.map(canonical).join()}]`;
  const entries = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`).join()}}`;
}
