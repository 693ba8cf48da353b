/**
 * Keeps the note of a confirmed call once it was carried out, before it is answered: its repeat under the
 * same key then needs no second proof. The note of one that was refused ends by itself.
 */
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defer, firstValueFrom, type Observable } from 'rxjs';
import { refusedAnswer } from '#edge/refusal';
import { Confirmations } from '../step-up/confirmations.js';

@Injectable()
export class ConfirmedCalls implements NestInterceptor {
  constructor(private readonly confirmations: Confirmations) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.confirmedCall === undefined) return next.handle();
    return defer(() => this.#carriedOut(request, next));
  }

  async #carriedOut({ signedIn, confirmedCall }: FastifyRequest, next: CallHandler): Promise<unknown> {
    const keep = async (): Promise<void> => {
      // Where it cannot be kept, a late repeat is asked for a proof again: no reason to fail what is done.
      if (signedIn && confirmedCall)
        await this.confirmations.keep(signedIn, confirmedCall).catch(() => undefined);
    };
    try {
      const answer = await firstValueFrom<unknown>(next.handle());
      await keep();
      return answer;
    } catch (error) {
      // Its outcome is not known: it may be in the log.
      if (refusedAnswer(error).status >= 500) await keep();
      throw error;
    }
  }
}
