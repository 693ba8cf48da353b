/**
 * What an operator decides about money that nobody claims and debts that nobody pays, asked at the internal port
 * by `operate`. Each may be asked again: what was done already is quietly nothing.
 */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import type { Provenance } from '#log/record';
import { Vault } from '#log/vault';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { InternalCommands } from '../bus/internal-commands.js';

@Injectable()
export class OperatorDecisions {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    commands: InternalCommands,
  ) {
    commands
      .on('WriteOffDebt', ({ userId, because }, provenance) => this.writeOff(userId, because, provenance))
      .on('PayUnclaimed', ({ itemId, reference }, provenance) =>
        this.payUnclaimed(itemId, reference, provenance),
      );
  }

  /** Throws Rejected('PayerNotFound'), Rejected('DebtCovered') and Unavailable. */
  private async writeOff(userId: string, because: string, provenance: Provenance): Promise<void> {
    // What an operator writes may name somebody.
    const sealed = await this.vault.seal(userId, because);
    const command = { type: 'WriteOffDebt', userId, writeOffId: uuidv7(), because: sealed } as const;
    await this.bus.execute(new ExecuteJournalCommand(command, provenance));
  }

  /** Throws Rejected('UnclaimedNotFound'), Rejected('UnclaimedPaidAlready') and Unavailable. */
  private async payUnclaimed(itemId: string, reference: string, provenance: Provenance): Promise<void> {
    const command = { type: 'PayUnclaimed', itemId, reference } as const;
    await this.bus.execute(new ExecuteJournalCommand(command, provenance));
  }
}
