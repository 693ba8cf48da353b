/** What workers and the provider's hints ask about bank accounts. */
import { Injectable } from '@nestjs/common';
import { InternalCommands } from '../bus/internal-commands.js';
import { ConnectHints } from '../bus/connect-hints.js';
import { BankAccountFlow } from './bank-account-flow.js';

@Injectable()
export class BankAccountDuties {
  constructor(commands: InternalCommands, hints: ConnectHints, flow: BankAccountFlow) {
    commands.on('CareForBankAccounts', ({ userId }, cause) => flow.care(userId, cause));
    hints.on('account', ({ connectAccountId }, cause) => flow.followAccount(connectAccountId, cause));
  }
}
