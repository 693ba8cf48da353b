/** The user decider's door on the command bus. */
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { userStream, type UserEvent } from '#contracts/events/user';
import { handled, LOG } from '../bus/handled.js';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import { user, type User, type UserCommand } from './user.decider.js';

export class AskUser extends Command<Outcome<User, UserEvent>> {
  constructor(
    readonly command: UserCommand,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(AskUser)
export class AskUserHandler implements ICommandHandler<AskUser> {
  constructor(
    private readonly streams: StreamRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Rejected or Unavailable. */
  execute({ command, correlationId }: AskUser): Promise<Outcome<User, UserEvent>> {
    const { userId } = command;
    return handled({ command: command.type, correlationId, log: this.log }, () =>
      this.streams.execute(user, userStream(userId), command, { correlationId, actorId: userId }),
    );
  }
}
