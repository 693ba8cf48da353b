/** Nest's last word on every error: the answer of `refusedAnswer`, and a log line. */
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AnsweredError } from '#contracts/api/error';
import { refusedAnswer } from './refusal.js';

@Catch()
export class RefusalsFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { status, message, code, isFault } = refusedAnswer(error);
    const line = { correlationId: request.id, route: request.routeOptions?.url, status };
    if (isFault) this.log.error({ ...line, err: error }, 'answered with an error');
    else if (error instanceof Error && 'logged' in error)
      this.log.info({ ...line, ...(error as AnsweredError).logged }, 'refused');
    if (status === 503) reply.header('retry-after', '1');
    void reply
      .status(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send({ message, code });
  }
}
