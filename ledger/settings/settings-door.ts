/** The settings decider's door on the command bus. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { settingsStream, type Settings, type SettingsEvent } from '#contracts/events/settings';
import { handled, LOG } from '../bus/handled.js';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import { preferences, type SwitchSetting } from './settings.decider.js';

export class AskSettings extends Command<Outcome<Settings, SettingsEvent>> {
  constructor(
    readonly command: SwitchSetting,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(AskSettings)
export class AskSettingsHandler implements ICommandHandler<AskSettings> {
  constructor(
    private readonly streams: StreamRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Unavailable. */
  execute({ command, correlationId }: AskSettings): Promise<Outcome<Settings, SettingsEvent>> {
    const { userId } = command;
    return handled({ command: command.type, correlationId, log: this.log }, () =>
      this.streams.execute(preferences, settingsStream(userId), command, { correlationId, actorId: userId }),
    );
  }
}
