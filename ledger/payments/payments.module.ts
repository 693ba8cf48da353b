import { Module } from '@nestjs/common';
import { BookedHints } from './booked-hints.js';
import { Checkout } from './checkout.js';
import { LogEndAnswers } from './log-end.js';
import { PaymentOwnership } from './payment-ownership.js';
import { PaymentSync } from './payment-sync.js';
import { PaymentsController } from './payments.controller.js';
import { ChargeSavedCardHandler, GiveUpPaymentHandler, PaymentProcess } from './payments.handlers.js';
import { WebhookController } from './webhook.controller.js';

/** Card and Cash App payments, from the click to the provider's word. */
@Module({
  controllers: [PaymentsController, WebhookController],
  providers: [
    BookedHints,
    Checkout,
    LogEndAnswers,
    PaymentOwnership,
    PaymentSync,
    PaymentProcess,
    ChargeSavedCardHandler,
    GiveUpPaymentHandler,
  ],
})
export class PaymentsModule {}
