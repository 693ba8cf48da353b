/** The one way to ask the journal: controllers, webhooks and internal commands all send this command. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { KeyedProvenance } from '#log/record';
import type { JournalCommand } from '../journal/commands.js';
import { Journal } from '../journal/journal.js';
import type { Receipt } from '../journal/receipt.js';
import { LOG } from '../parts.js';
import { Patience } from '../patience.js';
import { handled } from './handled.js';

/**
 * Carries a command to the journal. A class because the bus finds the handler by it; what it holds is data.
 */
export class ExecuteJournalCommand extends Command<Receipt> {
  constructor(
    readonly command: JournalCommand,
    readonly context: KeyedProvenance,
  ) {
    super();
  }
}

@CommandHandler(ExecuteJournalCommand)
export class JournalCommandHandler implements ICommandHandler<ExecuteJournalCommand> {
  constructor(
    private readonly journal: Journal,
    private readonly patience: Patience,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({ command, context }: ExecuteJournalCommand): Promise<Receipt> {
    return handled(
      { command: command.type, correlationId: context.correlationId, log: this.log, patience: this.patience },
      () => this.journal.execute(command, context),
    );
  }
}
