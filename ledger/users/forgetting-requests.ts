/**
 * Somebody asks to be forgotten: it waits, so that a thief with the open phone destroys nothing and a person
 * may think better of it. What stands in the way is said when they ask, and looked at again when the wait is
 * over.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { ForgettingAnswer } from '#contracts/api/forgetting';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';
import { EndForgettingOnRecovery } from '../bus/account-recovery.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { Messages } from '../bus/messages.js';
import { Journal } from '../journal/journal.js';
import { forgettingAskedNews, forgettingEndedNews } from '../forgetting-news.js';
import { LOG } from '../parts.js';
import { RecoveryHold } from '../recovery-hold.js';
import { Rejected, type RejectionReason } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { Waits } from '../waits.js';
import { user, type User, type UserCommand } from './user.decider.js';
import { ForgetUserHandler } from './users.handlers.js';

const HOUR_MS = 3_600_000;
type EndedBecause = 'canceled' | 'recovery_started' | 'money_left';

/** What ends a request once its wait is over, by the reason for which nobody is forgotten. */
const NOT_FORGOTTEN: Partial<Record<RejectionReason, EndedBecause>> = {
  MoneyLeft: 'money_left',
  RecoveryUnderWay: 'recovery_started',
};

@Injectable()
export class ForgettingRequests {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly journal: Journal,
    private readonly waits: Waits,
    private readonly messages: Messages,
    private readonly forgetting: ForgetUserHandler,
    private readonly recovery: RecoveryHold,
    @Inject(LOG) private readonly log: Logger,
    commands: InternalCommands,
  ) {
    commands.on('CarryOutForgetting', ({ userId }, provenance) => this.carryOut(userId, provenance));
  }

  /** What its owner is shown. Throws StoreAway and StreamParked. */
  async of(userId: string): Promise<ForgettingAnswer> {
    const state = await this.streams.read(user, userId);
    const request = requestOf(state);
    const left = this.journal.moneyLeftOf(userId);
    return {
      status: request ? 'requested' : 'none',
      requestedAt: request?.requestedAt ?? null,
      dueAt: request?.dueAt ?? null,
      waitHours: this.waits.forgettingMs / HOUR_MS,
      blockedBecause: left > 0 ? new Rejected('YourMoneyLeft', { left }).message : null,
      lastEndedBecause: state.status === 'registered' ? state.notForgotten : null,
    };
  }

  /** Throws Rejected('YourMoneyLeft') and Unavailable. Asked again it stays as it was. */
  async request(userId: string, correlationId: string): Promise<Position> {
    await this.journal.readToEnd();
    const left = this.journal.moneyLeftOf(userId);
    if (left > 0) throw new Rejected('YourMoneyLeft', { userId, left });
    const command = {
      type: 'RequestForgetting',
      userId,
      waitMs: this.waits.forgettingMs,
      now: this.waits.now(),
    } as const;
    const { state, position } = await this.execute(command, { correlationId, actorId: userId });
    const request = requestOf(state);
    if (request) await this.messages.put(forgettingAskedNews({ userId, ...request }));
    return position;
  }

  /** Throws Rejected('ForgettingUnderWay') once the wait is over. */
  async cancel(userId: string, correlationId: string): Promise<Position | undefined> {
    return this.end(userId, 'canceled', { correlationId, actorId: userId });
  }

  async end(userId: string, why: EndedBecause, provenance: Provenance): Promise<Position | undefined> {
    const request = requestOf(await this.streams.read(user, userId));
    if (!request) return undefined;
    const now = this.waits.now();
    const { position } = await this.execute({ type: 'EndForgettingRequest', userId, why, now }, provenance);
    const ended = { userId, why, endedAt: now.toISOString() };
    await this.messages.put(forgettingEndedNews(ended, request.requestedAt));
    return position;
  }

  /**
   * A worker says that the wait is over; the log and the clock of this process say whether it is. Money that
   * came in meanwhile ends the request: nobody is asked by the hour whether they have paid out yet.
   */
  private async carryOut(userId: string, provenance: Provenance): Promise<void> {
    const request = requestOf(await this.streams.read(user, userId));
    if (!request) throw new Rejected('ForgettingNotRequested', { userId });
    if (this.waits.now() < new Date(request.dueAt))
      throw new Rejected('ForgettingTooEarly', { userId, until: request.dueAt });
    try {
      // Its start ends the request; the ledger that it was asked of may have died before it came to that.
      await this.recovery.assertNone(userId);
      await this.forgetting.forget(userId, provenance);
    } catch (error) {
      const because = error instanceof Rejected ? NOT_FORGOTTEN[error.reason] : undefined;
      if (because === undefined) throw error;
      this.log.info({ correlationId: provenance.correlationId, userId, because }, 'not forgotten');
      await this.end(userId, because, provenance);
    }
  }

  private execute(command: UserCommand, provenance: Provenance) {
    return this.bus.execute(new ExecuteStreamCommand(user, command.userId, command, provenance));
  }
}

/** A recovery has begun: whoever asked for it may have been the thief. */
@CommandHandler(EndForgettingOnRecovery)
export class EndForgettingOnRecoveryHandler implements ICommandHandler<EndForgettingOnRecovery> {
  constructor(private readonly requests: ForgettingRequests) {}

  async execute({ userId, provenance }: EndForgettingOnRecovery): Promise<void> {
    await this.requests.end(userId, 'recovery_started', provenance);
  }
}

const requestOf = (state: User) => (state.status === 'registered' ? state.forgetting : null);
