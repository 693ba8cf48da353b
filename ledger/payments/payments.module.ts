import { Module } from '@nestjs/common';
import { PaymentDuties } from './payment-duties.js';
import { AskPaymentHandler } from './payment-errands.js';
import { PaymentFlow } from './payment-flow.js';
import { PaymentsController } from './payments.controller.js';
import { WebhookController } from './webhook.controller.js';

/** Card and Cash App payments, from the click to the provider's word. */
@Module({
  controllers: [PaymentsController, WebhookController],
  providers: [PaymentFlow, PaymentDuties, AskPaymentHandler],
})
export class PaymentsModule {}
