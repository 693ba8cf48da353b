import { Module } from '@nestjs/common';
import { PayoutDuties } from './payout-duties.js';
import { PayoutFlow } from './payout-flow.js';
import { PayoutsController } from './payouts.controller.js';

/** Payouts, from the balance to the bank, and back where a bank does not take them. */
@Module({ controllers: [PayoutsController], providers: [PayoutFlow, PayoutDuties] })
export class PayoutsModule {}
