import { Module } from '@nestjs/common';
import { BankAccountDuties } from './bank-account-duties.js';
import { BankAccountFlow } from './bank-accounts.handlers.js';
import { AskBankAccountsHandler } from './bank-accounts-door.js';
import { BankAccountsController } from './bank-accounts.controller.js';

/** Bank accounts: added, chosen, removed, verified. */
@Module({
  controllers: [BankAccountsController],
  providers: [AskBankAccountsHandler, BankAccountFlow, BankAccountDuties],
})
export class BankAccountsModule {}
