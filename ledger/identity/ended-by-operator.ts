/**
 * Sessions that an operator ends, for somebody who says that theirs were taken: `operate end-sessions USER`.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { InternalCommands } from '../bus/internal-commands.js';
import { RequireKnownUser } from '../bus/known-user.js';
import { Messages } from '../bus/messages.js';
import { LOG } from '../parts.js';
import { Sessions } from '../sessions/sessions.js';

@Injectable()
export class SessionsEndedByOperator {
  constructor(
    private readonly bus: CommandBus,
    private readonly sessions: Sessions,
    private readonly messages: Messages,
    @Inject(LOG) private readonly log: Logger,
    commands: InternalCommands,
  ) {
    commands.on('EndSessions', async ({ userId }, { correlationId }) => {
      const looked = await this.end(userId, correlationId);
      return { looked, failed: [] };
    });
  }

  /**
   * Answers how many there were. What has ended stays ended, also where its owner cannot be told at once.
   * Throws Rejected('UserNotFound'): of a mistyped id "no session" would be taken for a session that is over.
   */
  private async end(userId: string, correlationId: string): Promise<number> {
    const count = await this.sessions.endAllOf(userId);
    if (count === 0) {
      await this.bus.execute(new RequireKnownUser(userId));
      return 0;
    }
    const message = { userId, kind: 'sessions_ended', key: correlationId, facts: { count } } as const;
    await this.messages
      .put({ ...message, at: new Date() })
      .catch((error: unknown) => this.log.error({ err: error, userId }, 'nobody was told of ended sessions'));
    return count;
  }
}
