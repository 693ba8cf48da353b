/**
 * The GETs whose answer is read from the log: all of them are named here. While the event store answers nothing
 * they are 503, within two seconds, and at once in an outage that has lasted so long; every other GET is answered from rows.
 */
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { defer, firstValueFrom, type Observable } from 'rxjs';
import { Patience } from '../patience.js';

/** What is not in rows: it guards, or pays, and must not be old. Sign-in has a way of its own (users.handlers.ts). */
const GETS_FROM_LOG: ReadonlySet<string> = new Set([
  '/api/account-recovery',
  '/api/forgetting',
  '/api/passkeys',
  '/api/payment-methods',
  '/api/payments/:id/client-secret',
  '/api/payments/of-intent/:intentId',
  '/api/tip-page/print',
]);

@Injectable()
export class LogReads implements NestInterceptor {
  constructor(private readonly patience: Patience) {}

  /** Throws StoreAway. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.method !== 'GET' || !GETS_FROM_LOG.has(request.routeOptions.url ?? '')) return next.handle();
    return defer(() => this.patience.unlessAway('reads', () => firstValueFrom<unknown>(next.handle())));
  }
}
