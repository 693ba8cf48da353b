/**
 * Forgets a user, asked by an operator at the internal port. The journal closes their account first, which it
 * refuses while money is left; then the log says that they are forgotten, the data key is destroyed, and
 * everything that would go on for them ends; last the log says that it is finished. Each step may be run
 * again: a worker asks once more for everybody whose account was closed and of whom the log does not say that
 * yet, or for whom a schedule goes on.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { Provenance } from '#log/record';
import { DropCardsOf, EndSchedulesOf } from '../bus/forget-user.js';
import { LOG } from '../bus/handled.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { Sessions } from '../sessions/sessions.js';
import { Vault } from '#log/vault';
import { AskUser } from './user-door.js';

@Injectable()
export class Forgetting {
  constructor(
    private readonly bus: CommandBus,
    private readonly vault: Vault,
    private readonly sessions: Sessions,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands.on('ForgetUser', ({ userId }, provenance) => this.forget(userId, provenance));
  }

  /**
   * Throws Rejected('MoneyLeft'), Rejected('PaymentUnderWay') and Rejected('UserNotFound') before anything is
   * done, and Unavailable.
   */
  async forget(userId: string, provenance: Provenance): Promise<void> {
    await this.bus.execute(new ExecuteJournalCommand({ type: 'CloseAccount', userId }, provenance));
    await this.bus.execute(new AskUser({ type: 'Forget', userId }, provenance.correlationId));
    await this.vault.forget(userId);
    await this.sessions.endAllOf(userId);
    await this.bus.execute(new DropCardsOf(userId, provenance));
    await this.bus.execute(new EndSchedulesOf(userId, provenance));
    await this.bus.execute(new AskUser({ type: 'FinishForgetting', userId }, provenance.correlationId));
    this.log.info({ correlationId: provenance.correlationId, userId }, 'a user is forgotten');
  }
}
