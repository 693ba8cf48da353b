import { Module } from '@nestjs/common';
import { PayoutsController } from './payouts.controller.js';
import { PayoutTurns } from './payout-turns.js';
import { PayoutProcess } from './payouts.handlers.js';

/** Payouts, from the balance to the bank, and back where a bank does not take them. */
@Module({ controllers: [PayoutsController], providers: [PayoutTurns, PayoutProcess] })
export class PayoutsModule {}
