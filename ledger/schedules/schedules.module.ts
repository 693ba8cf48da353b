import { Module } from '@nestjs/common';
import { Collection } from './schedules.handlers.js';
import { EndSchedulesOfHandler } from './ending.js';
import { Funding } from './funding.js';
import { AskScheduledPaymentHandler, AskSubscriptionHandler, ScheduleStreams } from './schedule-door.js';
import { ScheduledPaymentsController } from './scheduled-payments.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

/** Subscriptions and scheduled payments: what is to be paid later, and the collecting of what is due. */
@Module({
  controllers: [SubscriptionsController, ScheduledPaymentsController],
  providers: [
    AskSubscriptionHandler,
    AskScheduledPaymentHandler,
    ScheduleStreams,
    Funding,
    Collection,
    EndSchedulesOfHandler,
  ],
})
export class SchedulesModule {}
