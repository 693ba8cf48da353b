/**
 * Ends what a forgotten user was to pay or to be paid later. Found in the read model, which may not show the
 * latest yet: whoever asks asks again. What is ended already is passed over.
 */
import { Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ScheduleKind } from '#contracts/events/occurrence';
import { EndSchedulesOf } from '../bus/forget-user.js';
import type { EndedFor } from './ended-for.js';
import { ScheduleClock } from './schedule-clock.js';
import { AskScheduledPayment, AskSubscription } from './schedule-door.js';

/** What the ending reads; filled in processes/ledger.ts. */
export abstract class LivingSchedules {
  /** Those of either kind that still go on and that a user pays or is paid by. */
  abstract of(userId: string): Promise<readonly { id: string; kind: ScheduleKind; payerId: string }[]>;
}

@Injectable()
@CommandHandler(EndSchedulesOf)
export class EndSchedulesOfHandler implements ICommandHandler<EndSchedulesOf> {
  constructor(
    private readonly bus: CommandBus,
    private readonly living: LivingSchedules,
    private readonly clock: ScheduleClock,
  ) {}

  /** Throws Unavailable. */
  async execute({ userId, provenance }: EndSchedulesOf): Promise<void> {
    for (const { id, kind, payerId } of await this.living.of(userId)) {
      const why: EndedFor = payerId === userId ? 'payer_forgotten' : 'recipient_forgotten';
      const now = this.clock.now();
      if (kind === 'subscription')
        await this.bus.execute(new AskSubscription(id, { type: 'EndSubscription', why, now }, provenance));
      else
        await this.bus.execute(
          new AskScheduledPayment(id, { type: 'EndScheduledPayment', why, now }, provenance),
        );
    }
  }
}
