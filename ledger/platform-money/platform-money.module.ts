import { Module } from '@nestjs/common';
import { BalanceOwnership } from './balance-ownership.js';
import { PlatformMoney } from './platform-money.js';

/** The platform's own money, and the books against the balance at the card provider. */
@Module({ providers: [BalanceOwnership, PlatformMoney] })
export class PlatformMoneyModule {}
