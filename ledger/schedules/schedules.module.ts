import { Module } from '@nestjs/common';
import { ChosenSources } from './chosen-source.js';
import { CollectInRequest } from './collect-in-request.js';
import { Funding } from './funding.js';
import { NewSchedules } from './new-schedules.js';
import { ScheduleCounts } from './schedule-counts.js';
import { ScheduledPaymentsController } from './scheduled-payments.controller.js';
import { CollectDueHandler, EndSchedulesOfHandler } from './schedules.handlers.js';
import { SubscriptionsController } from './subscriptions.controller.js';

/** Subscriptions and scheduled payments: what is to be paid later, and the collecting of what is due. */
@Module({
  controllers: [SubscriptionsController, ScheduledPaymentsController],
  providers: [
    ChosenSources,
    CollectInRequest,
    Funding,
    NewSchedules,
    ScheduleCounts,
    CollectDueHandler,
    EndSchedulesOfHandler,
  ],
})
export class SchedulesModule {}
