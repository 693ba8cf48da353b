import { Module } from '@nestjs/common';
import { AskPayoutCourseHandler } from './payout-course-door.js';
import { PayoutDuties } from './payout-duties.js';
import { PayoutFlow } from './payout-flow.js';
import { PayoutsController } from './payouts.controller.js';

/** Payouts, from the balance to the bank, and back where a bank does not take them. */
@Module({ controllers: [PayoutsController], providers: [AskPayoutCourseHandler, PayoutFlow, PayoutDuties] })
export class PayoutsModule {}
