import { Module } from '@nestjs/common';
import { BookedHints } from './booked-hints.js';
import { Checkout } from './checkout.js';
import { EndEarlierPaymentsHandler } from './earlier-payments.js';
import { OpenGuestPaymentHandler } from './guest-payments.js';
import { DeclinedPayments } from './declined-payments.js';
import { LogEndAnswers } from './log-end.js';
import { PaymentOwnership } from './payment-ownership.js';
import { PaymentSync } from './payment-sync.js';
import { PaymentsController } from './payments.controller.js';
import { ChargeSavedCardHandler, GiveUpPaymentHandler, PaymentProcess } from './payments.handlers.js';
import { SavedCardPayments } from './saved-card-payments.js';
import { TipsController } from './tips.controller.js';
import { Tips } from './tips.handlers.js';
import { WebhookController } from './webhook.controller.js';

/** Card and Cash App payments, from the click to the provider's word. */
@Module({
  controllers: [PaymentsController, TipsController, WebhookController],
  providers: [
    BookedHints,
    Checkout,
    Tips,
    DeclinedPayments,
    LogEndAnswers,
    PaymentOwnership,
    PaymentSync,
    PaymentProcess,
    SavedCardPayments,
    ChargeSavedCardHandler,
    GiveUpPaymentHandler,
    EndEarlierPaymentsHandler,
    OpenGuestPaymentHandler,
  ],
})
export class PaymentsModule {}
