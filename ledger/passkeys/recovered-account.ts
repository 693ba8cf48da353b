/** What the recovery of an account asks of its passkeys. */
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RemovePasskeysOf } from '../bus/account-recovery.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { passkeys } from './passkeys.decider.js';

@CommandHandler(RemovePasskeysOf)
export class RemovePasskeysOfHandler implements ICommandHandler<RemovePasskeysOf> {
  constructor(private readonly bus: CommandBus) {}

  async execute({ userId, provenance }: RemovePasskeysOf): Promise<void> {
    const command = { type: 'RemoveAllPasskeys', userId } as const;
    await this.bus.execute(new ExecuteStreamCommand(passkeys, userId, command, provenance));
  }
}
