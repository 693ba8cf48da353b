/**
 * The internal port, for workers and operators: one call, behind a bearer token, and the process' figures. It
 * is a server of its own, never exposed; what the call does goes through the same flow and bus as everything
 * else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { CORRELATION_HEADER } from '#contracts/plain/headers';
import { InternalCommand, type InternalAnswer } from '#contracts/api/internal';
import { correlationIdFrom } from '#edge/correlation';
import { askedOnce, type Ready } from '#edge/health';
import { OUTAGE_CODE } from '#contracts/outage';
import { refusedAnswer, Refusal, retryAfterOf } from '#edge/refusal';
import { read } from '#edge/validated';

interface InternalPortOptions {
  readonly token: string;
  readonly log: Logger;
  /** The figures for Prometheus, which any other process of this host tells without a token too. */
  readonly figures: { readonly contentType: string; metrics(): Promise<string> };
  /** How the ledger is, with what it depends on by name. */
  readonly ready: () => Promise<Ready>;
  readonly carryOut: (command: InternalCommand, correlationId: string) => Promise<InternalAnswer>;
}

const METRICS = '/metrics';
const READY = '/readyz';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The server, not yet listening. */
export function internalPort({ token, log, figures, ready, carryOut }: InternalPortOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: 16 * 1024,
    genReqId: (request) => correlationIdFrom(request.headers[CORRELATION_HEADER]),
  });
  const expected = digest(`Bearer ${token}`);

  server.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    if (request.routeOptions.url === METRICS || request.routeOptions.url === READY) return;
    // Digests, so that the comparison takes the same time whatever the length.
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      throw new Refusal(401, 'Unauthorized');
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
  server.get(METRICS, async (_request, reply) => reply.type(figures.contentType).send(await figuresNow()));

  const readyNow = askedOnce(ready);
  server.get(READY, async (_request, reply) => {
    const answer = await readyNow();
    return reply.code(answer.ready ? 200 : 503).send(answer);
  });

  server.post('/internal/commands', async (request): Promise<InternalAnswer> => {
    const command = read(InternalCommand, request.body);
    const answer = await carryOut(command, request.id);
    log.info({ correlationId: request.id, command, ...answer }, 'internal command carried out');
    return answer;
  });
  return server;
}
