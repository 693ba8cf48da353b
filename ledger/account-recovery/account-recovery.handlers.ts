/**
 * Account recovery, step by step. The log decides first; what follows (sessions that end, passkeys that are
 * taken away) may be done again, and is, by whoever asks for the same step once more. Messages come from the
 * log as well (messages/messages-from-log.ts): a thief would not ask once more to have the owner told.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import { Refusal } from '#edge/refusal';
import type { Provenance } from '#log/record';
import { KeyDestroyed, Vault } from '#log/vault';
import { EndForgettingOnRecovery, RemovePasskeysOf, StopAskingForPasskey } from '../bus/account-recovery.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { RequireKnownUser } from '../bus/known-user.js';
import { Messages } from '../bus/messages.js';
import { LOG } from '../parts.js';
import {
  recoveryCompletedNews,
  recoveryRefusedNews,
  recoveryStartedNews,
  refusalPath,
} from '../recovery-news.js';
import { Rejected } from '../rejection.js';
import { newToken, Sessions } from '../sessions/sessions.js';
import { StreamRunner } from '../streams/runner.js';
import { Waits } from '../waits.js';
import {
  accountRecovery,
  runningAt,
  type AccountRecovery,
  type AccountRecoveryCommand,
  type RunningRecovery,
} from './account-recovery.decider.js';

/** Whether a passkey guards the account, by the log; filled in processes/ledger/reads.ts. */
export abstract class GuardingPasskeys {
  abstract has(userId: string): Promise<boolean>;
}

/**
 * When somebody's e-mail address was changed, as far as the one of before is still told; filled in
 * processes/ledger/reads.ts.
 */
export abstract class EarlierAddresses {
  abstract of(userId: string, at: Date): Promise<readonly string[]>;
}

/**
 * Who goes on with a recovery: the session that stays, and when its owner signed in at the identity provider.
 */
export interface FreshCaller {
  readonly userId: string;
  readonly sessionId: string;
  readonly signedInAt: Date;
  readonly correlationId: string;
}

const DEAD_LINK = 'This link is not valid any more. The recovery has ended, or another one was begun since.';
const HOUR_MS = 3_600_000;

@Injectable()
export class AccountRecoveries {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly vault: Vault,
    private readonly sessions: Sessions,
    private readonly waits: Waits,
    private readonly passkeys: GuardingPasskeys,
    private readonly earlier: EarlierAddresses,
    private readonly messages: Messages,
    @Inject(LOG) private readonly log: Logger,
    commands: InternalCommands,
  ) {
    commands.on('StartAccountRecovery', ({ userId }, provenance) => this.startByOperator(userId, provenance));
  }

  /** What the owner is shown. Throws StoreAway and StreamParked. */
  async of(userId: string): Promise<AccountRecoveryAnswer> {
    const [state, isPossible] = await Promise.all([
      this.streams.read(accountRecovery, userId),
      this.passkeys.has(userId),
    ]);
    return answerOf(state, isPossible, this.waits);
  }

  /** The owner begins a recovery, or confirms one that an operator began. Throws Rejected and Unavailable. */
  async startByOwner({ userId, sessionId, signedInAt, correlationId }: FreshCaller): Promise<void> {
    const provenance = { correlationId, actorId: userId };
    await this.start({ userId, sessionId, signedInAt, provenance });
  }

  /** An operator begins it for the owner. Throws Rejected('UserNotFound') before a key is made for nobody. */
  private async startByOperator(userId: string, provenance: Provenance): Promise<void> {
    await this.bus.execute(new RequireKnownUser(userId));
    await this.start({ userId, sessionId: undefined, signedInAt: null, provenance });
  }

  private async start(asked: {
    readonly userId: string;
    readonly sessionId: string | undefined;
    readonly signedInAt: Date | null;
    readonly provenance: Provenance;
  }): Promise<void> {
    const { userId, sessionId, signedInAt, provenance } = asked;
    const { state, events } = await this.execute(
      {
        type: 'StartRecovery',
        userId,
        recoveryId: `rec_${uuidv7()}`,
        startedBy: signedInAt === null ? 'operator' : 'owner',
        signedInAt,
        refusalToken: await this.seal(userId, newToken()),
        hasPasskey: await this.passkeys.has(userId),
        waitMs: this.waits.recoveryMs,
        now: this.waits.now(),
      },
      provenance,
    );
    const running = runningAt(state, this.waits.now());
    if (!running) return;
    const { recoveryId } = running;
    await this.tellOfStart(userId, running);
    await (sessionId === undefined
      ? this.sessions.endAllOf(userId)
      : this.sessions.endOthersOf(userId, sessionId));
    await this.bus.execute(new EndForgettingOnRecovery(userId, provenance));
    const outcome = events[0]?.type ?? 'repeated';
    this.log.info(
      { correlationId: provenance.correlationId, userId, recoveryId, outcome },
      'account recovery',
    );
  }

  private async tellOfStart(userId: string, running: RunningRecovery): Promise<void> {
    const token = await this.vault.unsealOr(running.refusalToken, undefined);
    const earlier = await this.earlier.of(userId, new Date(running.startedAt));
    for (const message of recoveryStartedNews(userId, running, earlier))
      await this.messages.put({
        ...message,
        ...(token !== undefined && { mailLink: refusalPath(userId, token) }),
      });
  }

  /** Somebody with a passkey of the account stops it. Throws Rejected and Unavailable. */
  async refuseByPasskey(userId: string, correlationId: string): Promise<void> {
    const state = await this.streams.read(accountRecovery, userId);
    const running = runningAt(state, this.waits.now());
    if (!running) throw new Rejected('NoRecovery', { userId });
    await this.refuse(userId, running.recoveryId, 'passkey', { correlationId, actorId: userId });
  }

  /**
   * Whoever got the mail stops it; the link is used up by that. Throws a Refusal (410) for a link that stops
   * nothing, whatever it is that it does not fit.
   */
  async refuseByLink(userId: string, token: string, correlationId: string): Promise<void> {
    const state = await this.streams.read(accountRecovery, userId);
    const running = runningAt(state, this.waits.now());
    const kept = running && (await this.vault.unsealOr(running.refusalToken, undefined));
    if (!running || kept === undefined || !isSame(kept, token)) throw new Refusal(410, DEAD_LINK);
    await this.refuse(userId, running.recoveryId, 'link', { correlationId });
  }

  private async refuse(
    userId: string,
    recoveryId: string,
    refusedBy: 'passkey' | 'link',
    provenance: Provenance,
  ): Promise<void> {
    const now = this.waits.now();
    await this.execute({ type: 'RefuseRecovery', userId, recoveryId, refusedBy, now }, provenance);
    await this.messages.put(recoveryRefusedNews(userId, recoveryId, now));
  }

  /**
   * The wait is over and the owner has signed in once more: the passkeys of before are taken away, the switch
   * is off, other sessions end. Throws Rejected and Unavailable; asked again it goes on where it stopped.
   */
  async complete({ userId, sessionId, signedInAt, correlationId }: FreshCaller): Promise<void> {
    const provenance = { correlationId, actorId: userId };
    const now = this.waits.now();
    const { state } = await this.execute({ type: 'CompleteRecovery', userId, signedInAt, now }, provenance);
    if (state.status !== 'completed' || state.isFinished) return;
    const { recoveryId } = state;
    // Both belong to the start, too, whose ledger may have died before it came to them.
    await this.sessions.endOthersOf(userId, sessionId);
    await this.bus.execute(new EndForgettingOnRecovery(userId, provenance));
    await this.bus.execute(new StopAskingForPasskey(userId, provenance));
    await this.bus.execute(new RemovePasskeysOf(userId, provenance));
    await this.messages.put(recoveryCompletedNews(userId, recoveryId, now));
    // Last: until then all that is guarded is held back.
    await this.execute({ type: 'FinishRecovery', userId, recoveryId }, provenance);
    this.log.info({ correlationId, userId, recoveryId }, 'an account is recovered');
  }

  private execute(command: AccountRecoveryCommand, provenance: Provenance) {
    return this.bus.execute(new ExecuteStreamCommand(accountRecovery, command.userId, command, provenance));
  }

  private async seal(userId: string, text: string) {
    try {
      return await this.vault.seal(userId, text);
    } catch (error) {
      throw error instanceof KeyDestroyed ? new Rejected('Forgotten', { userId }) : error;
    }
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

function answerOf(state: AccountRecovery, isPossible: boolean, waits: Waits): AccountRecoveryAnswer {
  const now = waits.now();
  const running = runningAt(state, now);
  const isCompleting = state.status === 'completed' && !state.isFinished;
  const againFrom = state.status === 'refused' && now < new Date(state.againFrom) ? state.againFrom : null;
  return {
    status: running ? 'running' : isCompleting ? 'completing' : againFrom !== null ? 'refused' : 'none',
    isPossible,
    waitHours: waits.recoveryMs / HOUR_MS,
    startedBy: running?.startedBy ?? null,
    startedAt: running?.startedAt ?? null,
    completableFrom: running?.completableFrom ?? null,
    lapsesAt: running?.lapsesAt ?? null,
    isConfirmed: running !== undefined && running.signedInAt !== null,
    isCompletable: isCompleting || (running !== undefined && now >= new Date(running.completableFrom)),
    againFrom,
  };
}
