import { Module } from '@nestjs/common';
import { BankAccountsController } from './bank-accounts.controller.js';
import { BankAccountHandlers } from './bank-accounts.handlers.js';

/** Bank accounts: added, chosen, removed, verified. */
@Module({ controllers: [BankAccountsController], providers: [BankAccountHandlers] })
export class BankAccountsModule {}
