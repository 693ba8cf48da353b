/** What the recovery of an account asks of the user's settings. */
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StopAskingForPasskey } from '../bus/account-recovery.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { settings } from './settings.decider.js';

@CommandHandler(StopAskingForPasskey)
export class StopAskingForPasskeyHandler implements ICommandHandler<StopAskingForPasskey> {
  constructor(private readonly bus: CommandBus) {}

  async execute({ userId, provenance }: StopAskingForPasskey): Promise<void> {
    const command = { type: 'SwitchSetting', userId, setting: 'biometricEnabled', on: false } as const;
    await this.bus.execute(new ExecuteStreamCommand(settings, userId, command, provenance));
  }
}
