/** Nest's last word on every error: the answer of `refusedAnswer`, and a log line. */
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AnsweredError } from '#contracts/api/error';
import { OUTAGE_CODE } from '#contracts/outage';
import { refusedAnswer, retryAfterOf } from './refusal.js';

@Catch()
export class RefusalsFilter implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    /** The methods of an address; none where nothing is there. */
    private readonly methodsAt: (url: string) => readonly string[],
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const there = request.is404 ? this.methodsAt(request.url) : [];
    // Where it has the method, something else was wrong with the address, such as an id that is too long.
    const methods = there.includes(request.method) ? [] : there;
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    const refused = refusedAnswer(methods.length > 0 ? { statusCode: 405 } : error);
    const { status, message, code, confirm, isFault } = refused;
    request.refusedWith = code;
    const line = { correlationId: request.id, route: request.routeOptions?.url, status };
    if (isFault) this.log.error({ ...line, err: error }, 'answered with an error');
    else if (code === OUTAGE_CODE) this.log.info({ ...line, why: String(error) }, 'put off by an outage');
    else if (error instanceof Error && 'logged' in error)
      this.log.info({ ...line, ...(error as AnsweredError).logged }, 'refused');
    const retryAfter = retryAfterOf(refused);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    void reply
      .status(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send({ message, code, confirm });
  }
}
