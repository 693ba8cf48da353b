/** Closes a month of the books, asked at the internal port by an operator. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DEFAULT_TIME_ZONE, spanOfMonth } from '#contracts/plain/months';
import type { Provenance } from '#log/record';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { Journal } from '../journal/journal.js';
import { Rejected } from '../rejection.js';
import { monthFigures } from './month-figures.js';
import { JournalReader, LogTree } from './reads.js';

/**
 * Another ledger may write into the month while its figures are read, if its clock is behind: they are read
 * again.
 */
const READINGS = 3;

@Injectable()
export class MonthEnd {
  constructor(
    private readonly bus: CommandBus,
    private readonly journal: Journal,
    private readonly log: JournalReader,
    private readonly tree: LogTree,
    commands: InternalCommands,
  ) {
    commands.on('CloseMonth', ({ month }, provenance) => this.close(month, provenance));
  }

  /** Throws Rejected for a month that cannot be closed (now), and Unavailable. */
  private async close(month: string, provenance: Provenance): Promise<void> {
    for (let reading = 1; ; reading += 1) {
      try {
        await this.closeOnce(month, provenance);
        return;
      } catch (error) {
        const isWritten = error instanceof Rejected && error.reason === 'MonthStillWritten';
        if (!isWritten || reading === READINGS) throw error;
      }
    }
  }

  private async closeOnce(month: string, provenance: Provenance): Promise<void> {
    const span = spanOfMonth(month, this.journal.founding?.timeZone ?? DEFAULT_TIME_ZONE);
    const [figures, tree] = await Promise.all([monthFigures(this.log, span), this.tree.head()]);
    await this.bus.execute(
      new ExecuteJournalCommand({ type: 'CloseMonth', month, figures, tree }, provenance),
    );
  }
}
