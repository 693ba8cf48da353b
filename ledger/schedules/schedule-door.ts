/** The doors of both deciders on the command bus, and how a stream is read without a command. */
import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { scheduledPaymentStream, type ScheduledPaymentEvent } from '#contracts/events/schedule';
import { subscriptionStream, type SubscriptionEvent } from '#contracts/events/subscription';
import type { Provenance } from '#log/record';
import { handled, LOG } from '../bus/handled.js';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import {
  scheduledPayment,
  type ScheduledPayment,
  type ScheduledPaymentCommand,
} from './scheduled-payment.decider.js';
import { subscription, type Subscription, type SubscriptionCommand } from './subscription.decider.js';

export class AskSubscription extends Command<Outcome<Subscription, SubscriptionEvent>> {
  constructor(
    readonly subscriptionId: string,
    readonly command: SubscriptionCommand,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

export class AskScheduledPayment extends Command<Outcome<ScheduledPayment, ScheduledPaymentEvent>> {
  constructor(
    readonly scheduleId: string,
    readonly command: ScheduledPaymentCommand,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

@CommandHandler(AskSubscription)
export class AskSubscriptionHandler implements ICommandHandler<AskSubscription> {
  constructor(
    private readonly streams: StreamRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({
    subscriptionId,
    command,
    provenance,
  }: AskSubscription): Promise<Outcome<Subscription, SubscriptionEvent>> {
    return handled({ command: command.type, correlationId: provenance.correlationId, log: this.log }, () =>
      this.streams.execute(subscription, subscriptionStream(subscriptionId), command, provenance),
    );
  }
}

@CommandHandler(AskScheduledPayment)
export class AskScheduledPaymentHandler implements ICommandHandler<AskScheduledPayment> {
  constructor(
    private readonly streams: StreamRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({
    scheduleId,
    command,
    provenance,
  }: AskScheduledPayment): Promise<Outcome<ScheduledPayment, ScheduledPaymentEvent>> {
    return handled({ command: command.type, correlationId: provenance.correlationId, log: this.log }, () =>
      this.streams.execute(scheduledPayment, scheduledPaymentStream(scheduleId), command, provenance),
    );
  }
}

@Injectable()
export class ScheduleStreams {
  constructor(private readonly streams: StreamRunner) {}

  async subscription(id: string): Promise<Subscription> {
    return (await this.streams.look(subscription, subscriptionStream(id))).state;
  }

  async scheduledPayment(id: string): Promise<ScheduledPayment> {
    return (await this.streams.look(scheduledPayment, scheduledPaymentStream(id))).state;
  }
}
