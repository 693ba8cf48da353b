/** What workers and the provider's hints ask about bank accounts. */
import { Injectable } from '@nestjs/common';
import { InternalCommands } from '../bus/internal-commands.js';
import { ConnectHints } from '../bus/connect-hints.js';
import { BankAccountFlow } from './bank-accounts.handlers.js';

@Injectable()
export class BankAccountDuties {
  constructor(commands: InternalCommands, hints: ConnectHints, flow: BankAccountFlow) {
    commands.on('CareForBankAccounts', ({ userId }, provenance) => flow.care(userId, provenance));
    hints.on('account', ({ connectAccountId }, provenance) =>
      flow.followAccount(connectAccountId, provenance),
    );
  }
}
