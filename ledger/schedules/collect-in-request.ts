/**
 * Collects while its payer waits for the answer, so that it can say what became of the payment. What is not
 * done within a moment is done by a worker, as everything that is due.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Position } from '#contracts/log';
import type { ScheduleKind } from '#contracts/events/occurrence';
import { inTime } from '#contracts/plain/in-time';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { CollectDueHandler } from './schedules.handlers.js';

const PATIENCE_MS = 6_000;

@Injectable()
export class CollectInRequest {
  constructor(
    private readonly collection: CollectDueHandler,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** The position of what was recorded; undefined where it is left to the workers. Never throws. */
  async collect(
    kind: ScheduleKind,
    scheduleId: string,
    provenance: Provenance,
  ): Promise<Position | undefined> {
    const collected = this.collection.collect(kind, scheduleId, provenance).catch((error: unknown) => {
      const { correlationId } = provenance;
      this.log.info({ correlationId, scheduleId, err: error }, 'a payment is left to the workers');
      return undefined;
    });
    return inTime(PATIENCE_MS, collected, undefined);
  }
}
