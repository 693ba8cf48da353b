/** The journal's door on the command bus: controllers, webhook and internal calls all come through here. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { CommandContext, JournalCommand } from '../journal/commands.js';
import { Journal, type Receipt } from '../journal/journal.js';
import { handled, LOG } from './handled.js';

/** Asks the journal. A class because the bus finds the handler by it; the command inside is plain data. */
export class AskJournal extends Command<Receipt> {
  constructor(
    readonly command: JournalCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AskJournal)
export class AskJournalHandler implements ICommandHandler<AskJournal> {
  constructor(
    private readonly journal: Journal,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({ command, context }: AskJournal): Promise<Receipt> {
    return handled({ command: command.type, correlationId: context.correlationId, log: this.log }, () =>
      this.journal.execute(command, context),
    );
  }
}
