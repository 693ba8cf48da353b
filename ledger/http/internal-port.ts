/**
 * The internal port, for workers and operators: one call, behind a bearer token, and the process' figures. It
 * is a server of its own, never exposed; what the call does goes through the same flow and bus as everything
 * else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CORRELATION_HEADER, OPERATOR_HEADER } from '#contracts/plain/headers';
import { InternalCommand, type InternalAnswer } from '#contracts/api/internal';
import { correlationIdFrom } from '#edge/correlation';
import { FIGURES_REFUSED, mayReadFigures } from '#edge/figures-access';
import { askedOnce, withoutReasons, type Ready } from '#edge/health';
import { OUTAGE_CODE } from '#contracts/outage';
import { refusedAnswer, Refusal, retryAfterOf } from '#edge/refusal';
import { read } from '#edge/validated';
import type { SecurityTrail, TrailEntry, TrailOutcome } from '../security-trail/security-trail.js';
import { refuseAddress, refuseConnection } from './malformed.js';

interface InternalPortOptions {
  readonly token: string;
  readonly log: Logger;
  /** The figures for Prometheus: told on this host, and to who shows `figuresToken`. */
  readonly figures: { readonly contentType: string; metrics(): Promise<string> };
  readonly figuresToken?: string | undefined;
  /** How the ledger is, with what it depends on by name; its reasons are told to who may read the figures. */
  readonly ready: () => Promise<Ready>;
  /** Every command, and who sent it; calls that bring no token too. */
  readonly trail: SecurityTrail;
  readonly carryOut: (command: InternalCommand, correlationId: string) => Promise<InternalAnswer>;
}

/** What only operators ask for: they have no schedule, and each one is somebody's decision. */
const BY_HAND: ReadonlySet<InternalCommand['type']> = new Set([
  'BookPlatformMoney',
  'PayUnclaimed',
  'WriteOffDebt',
  'StartAccountRecovery',
  'EndSessions',
]);
/** Who sent a command by hand without saying who they are: the token is all that is known of them. */
const UNNAMED = 'unnamed';

/** A worker's commands are counted by kind; an operator's stand alone, with the ids that they name. */
function entryOf(command: InternalCommand, request: FastifyRequest, outcome: TrailOutcome): TrailEntry {
  const said = request.headers[OPERATOR_HEADER];
  const operator = typeof said === 'string' ? said : BY_HAND.has(command.type) ? UNNAMED : undefined;
  if (operator === undefined) return { what: 'internal_command', outcome, detail: { command: command.type } };
  const ids = Object.entries(command).filter(([name]) => name.endsWith('Id'));
  return {
    what: 'operator_act',
    outcome,
    operator,
    userId: 'userId' in command ? command.userId : undefined,
    correlationId: request.id,
    detail: { command: command.type, ...Object.fromEntries(ids) },
  };
}

const METRICS = '/metrics';
const READY = '/readyz';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The server, not yet listening. */
export function internalPort({
  token,
  log,
  figures,
  figuresToken,
  ready,
  trail,
  carryOut,
}: InternalPortOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: 16 * 1024,
    genReqId: (request) => correlationIdFrom(request.headers[CORRELATION_HEADER]),
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseConnection,
  });
  const expected = digest(`Bearer ${token}`);

  server.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    if (request.routeOptions.url === METRICS || request.routeOptions.url === READY) return;
    // Digests, so that the comparison takes the same time whatever the length.
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      trail.note({ what: 'refused', outcome: 'refused', detail: { route: 'internal', status: 401 } });
      throw new Refusal(401, 'Unauthorized');
    }
  });

  server.setErrorHandler((error, request, reply) => {
    const refused = refusedAnswer(error);
    const { status, message, code, isFault } = refused;
    const line = { correlationId: request.id, status };
    if (isFault) log.error({ ...line, err: error }, 'an internal command failed');
    else if (code === OUTAGE_CODE)
      log.info({ ...line, why: String(error) }, 'an internal command was put off by an outage');
    else log.info({ ...line, why: message }, 'an internal command was refused');
    const retryAfter = retryAfterOf(refused);
    if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
    return reply.code(status).send({ message, code });
  });

  const figuresNow = askedOnce(() => figures.metrics());
  server.get(METRICS, async (request, reply) => {
    if (!mayReadFigures(request.raw, figuresToken)) throw new Refusal(401, FIGURES_REFUSED);
    return reply.type(figures.contentType).send(await figuresNow());
  });

  const readyNow = askedOnce(ready);
  server.get(READY, async (request, reply) => {
    const answer = await readyNow();
    const told = mayReadFigures(request.raw, figuresToken) ? answer : withoutReasons(answer);
    return reply.code(answer.ready ? 200 : 503).send(told);
  });

  server.post('/internal/commands', async (request): Promise<InternalAnswer> => {
    const command = read(InternalCommand, request.body);
    const note = (outcome: TrailOutcome): void => trail.note(entryOf(command, request, outcome));
    const answer = await carryOut(command, request.id).catch((error: unknown) => {
      note(refusedAnswer(error).status < 500 ? 'refused' : 'failed');
      throw error;
    });
    note('done');
    // Mails are addresses and texts: their number is said.
    const { mails: _, ...told } = answer;
    log.info({ correlationId: request.id, command, ...told }, 'internal command carried out');
    return answer;
  });
  return server;
}
