/** The bank-account decider's door on the command bus. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { bankAccountsStream, type BankAccountEvent } from '#contracts/events/bank-account';
import { handled, LOG } from '../bus/handled.js';
import type { Provenance } from '#log/record';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import { bankAccounts, type BankAccounts, type BankAccountsCommand } from './bank-accounts.decider.js';

export class AskBankAccounts extends Command<Outcome<BankAccounts, BankAccountEvent>> {
  constructor(
    readonly command: BankAccountsCommand,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

@CommandHandler(AskBankAccounts)
export class AskBankAccountsHandler implements ICommandHandler<AskBankAccounts> {
  constructor(
    private readonly streams: StreamRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({ command, provenance }: AskBankAccounts): Promise<Outcome<BankAccounts, BankAccountEvent>> {
    const { correlationId } = provenance;
    return handled({ command: command.type, correlationId, log: this.log }, () =>
      this.streams.execute(bankAccounts, bankAccountsStream(command.userId), command, provenance),
    );
  }
}
