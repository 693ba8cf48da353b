import { Module } from '@nestjs/common';
import { BalanceOwnership } from './balance-ownership.js';
import { LookAtBalanceHandler, PlatformMoney } from './platform-money.handlers.js';

/** The platform's own money, and the books against the balance at the card provider. */
@Module({ providers: [BalanceOwnership, PlatformMoney, LookAtBalanceHandler] })
export class PlatformMoneyModule {}
