import { Module } from '@nestjs/common';
import {
  SavedCardHandlers,
  DropCardsOfHandler,
  FindCardHandler,
  FindDefaultCardHandler,
  FollowCardsHandler,
  FollowSetupHandler,
  OpenCardCustomerHandler,
} from './payment-methods.handlers.js';
import { PaymentMethodsController } from './payment-methods.controller.js';

/** The cards that people have saved. */
@Module({
  controllers: [PaymentMethodsController],
  providers: [
    SavedCardHandlers,
    OpenCardCustomerHandler,
    FindCardHandler,
    FindDefaultCardHandler,
    FollowCardsHandler,
    FollowSetupHandler,
    DropCardsOfHandler,
  ],
})
export class PaymentMethodsModule {}
