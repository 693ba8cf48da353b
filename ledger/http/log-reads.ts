/**
 * The GETs whose answer is read from the log: their `@ApiCall` says `readsLog`. While the event store answers
 * nothing they are 503, within two seconds, and at once in an outage that has lasted so long; every other GET
 * is answered from rows. Sign-in has a way of its own (users.handlers.ts).
 */
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, firstValueFrom, type Observable } from 'rxjs';
import { readsLog } from '#edge/api-call';
import { Patience } from '../patience.js';

@Injectable()
export class LogReads implements NestInterceptor {
  constructor(private readonly patience: Patience) {}

  /** Throws StoreAway. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!readsLog(context.getHandler())) return next.handle();
    return defer(() => this.patience.unlessAway('reads', () => firstValueFrom<unknown>(next.handle())));
  }
}
