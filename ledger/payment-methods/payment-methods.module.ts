import { Module } from '@nestjs/common';
import {
  CardWallet,
  DropCardsOfHandler,
  FindDefaultCardHandler,
  FollowCardsHandler,
  OpenCardCustomerHandler,
} from './card-wallet.js';
import { PaymentMethodsController } from './payment-methods.controller.js';

/** The cards that people have saved. */
@Module({
  controllers: [PaymentMethodsController],
  providers: [
    CardWallet,
    OpenCardCustomerHandler,
    FindDefaultCardHandler,
    FollowCardsHandler,
    DropCardsOfHandler,
  ],
})
export class PaymentMethodsModule {}
