/**
 * What an operator decides about money that nobody claims and debts that nobody pays, asked at the internal
 * port by `operate`. Each may be asked again: nothing is booked a second time.
 */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import type { Provenance } from '#log/record';
import { Vault } from '#log/vault';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import type { Command } from '../journal/commands.js';
import { Rejected } from '../rejection.js';

/** What banks may still give back; filled in processes/ledger/reads.ts. */
export abstract class OpenDisputes {
  /** What disputes that have not ended took of what a user was paid, in minor units. */
  abstract takenOf(userId: string): Promise<number>;
}

@Injectable()
export class OperatorDecisions {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly disputes: OpenDisputes,
    commands: InternalCommands,
  ) {
    commands
      .on('WriteOffDebt', ({ userId, because }, provenance) => this.writeOff(userId, because, provenance))
      .on('PayUnclaimed', (command, provenance) => this.payUnclaimed(command, provenance));
  }

  /** Throws Rejected('PayerNotFound'), 'NothingOwed', 'DebtCovered' or 'DebtDisputed', and Unavailable. */
  private async writeOff(userId: string, because: string, provenance: Provenance): Promise<void> {
    // What is won comes back to whom it was taken from: it would be theirs beside the platform's loss.
    const taken = await this.disputes.takenOf(userId);
    if (taken > 0) throw new Rejected('DebtDisputed', { userId, taken });
    // What an operator writes may name somebody.
    const sealed = await this.vault.seal(userId, because);
    const command = { type: 'WriteOffDebt', userId, writeOffId: uuidv7(), because: sealed } as const;
    await this.bus.execute(new ExecuteJournalCommand(command, provenance));
  }

  /**
   * Throws Rejected('UnclaimedNotFound'), 'UnclaimedPaidAlready', 'UnclaimedPaidOtherwise' or
   * 'UnclaimedAmountDiffers', and Unavailable.
   */
  private async payUnclaimed(command: Command<'PayUnclaimed'>, provenance: Provenance): Promise<void> {
    await this.bus.execute(new ExecuteJournalCommand(command, provenance));
  }
}
