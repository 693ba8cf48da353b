/**
 * The internal port, for workers: one call, behind a bearer token. It is a server of its own, never exposed; what it does
 * goes through the same flow and bus as everything else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { CORRELATION_HEADER } from '#contracts/api/headers';
import { InternalCommand, type InternalAnswer } from '#contracts/api/internal';
import { correlationIdFrom } from './correlation.js';
import { refusedAnswer, Refusal } from './refusal.js';
import { read } from './validated.js';

export interface InternalPortOptions {
  readonly token: string;
  readonly log: Logger;
  readonly carryOut: (command: InternalCommand, correlationId: string) => Promise<InternalAnswer>;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The server, not yet listening. */
export function internalPort({ token, log, carryOut }: InternalPortOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: 16 * 1024,
    genReqId: (request) => correlationIdFrom(request.headers[CORRELATION_HEADER]),
  });
  const expected = digest(`Bearer ${token}`);

  server.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    // Digests, so that the comparison takes the same time whatever the length.
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw new Refusal(401, 'Unauthorized');
  });

  server.setErrorHandler((error, request, reply) => {
    const { status, message, isFault } = refusedAnswer(error);
    const line = { correlationId: request.id, status };
    if (isFault) log.error({ ...line, err: error }, 'an internal command failed');
    else log.info({ ...line, why: message }, 'an internal command was refused');
    return reply.code(status).send({ message });
  });

  server.post('/internal/commands', async (request): Promise<InternalAnswer> => {
    const command = read(InternalCommand, request.body);
    const answer = await carryOut(command, request.id);
    log.info({ correlationId: request.id, command, ...answer }, 'internal command carried out');
    return answer;
  });
  return server;
}
