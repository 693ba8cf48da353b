/** The course decider's door on the command bus. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { payoutStream, type PayoutCourseEvent } from '#contracts/events/payout-course';
import { handled, LOG } from '../bus/handled.js';
import type { Provenance } from '#log/record';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import { payoutCourse, type PayoutCourse, type PayoutCourseCommand } from './payout-course.js';

export class AskPayoutCourse extends Command<Outcome<PayoutCourse, PayoutCourseEvent>> {
  constructor(
    readonly command: PayoutCourseCommand,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

@CommandHandler(AskPayoutCourse)
export class AskPayoutCourseHandler implements ICommandHandler<AskPayoutCourse> {
  constructor(
    private readonly streams: StreamRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Unavailable. */
  execute({ command, provenance }: AskPayoutCourse): Promise<Outcome<PayoutCourse, PayoutCourseEvent>> {
    const { correlationId } = provenance;
    return handled({ command: command.type, correlationId, log: this.log }, () =>
      this.streams.execute(payoutCourse, payoutStream(command.payoutId), command, provenance),
    );
  }
}
