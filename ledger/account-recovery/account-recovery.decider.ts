/**
 * The recovery of one account. Pure: the time, the sign-in at the identity provider and whether there is a
 * passkey arrive in the command. A recovery is refused or completed, or it lapses; nothing shortens its wait.
 */
import type { Sealed } from '#contracts/events/journal';
import { accountRecoveryStream, type AccountRecoveryEvent } from '#contracts/events/account-recovery';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

/** One that nobody completes in so long after its wait is over for good: it must not hold money for ever. */
const LAPSES_AFTER_MS = 7 * 24 * 3_600_000;
/** So long after a refusal only an operator begins another one: nobody's owner is mailed all day. */
const AGAIN_AFTER_MS = 24 * 3_600_000;

export interface RunningRecovery {
  readonly status: 'running';
  readonly recoveryId: string;
  readonly startedBy: 'owner' | 'operator';
  readonly startedAt: string;
  readonly completableFrom: string;
  readonly lapsesAt: string;
  /** The first fresh sign-in; null while an operator's start waits for it. */
  readonly signedInAt: string | null;
  /** What the link in the mail holds, sealed. */
  readonly refusalToken: Sealed;
}

export type AccountRecovery =
  | { readonly status: 'none' }
  | RunningRecovery
  | { readonly status: 'refused'; readonly recoveryId: string; readonly againFrom: string }
  | { readonly status: 'completed'; readonly recoveryId: string; readonly isFinished: boolean };

export type AccountRecoveryCommand =
  | {
      readonly type: 'StartRecovery';
      readonly userId: string;
      readonly recoveryId: string;
      readonly startedBy: 'owner' | 'operator';
      /**
       * When the owner signed in at the identity provider, which was a moment ago; null for an operator's.
       */
      readonly signedInAt: Date | null;
      readonly refusalToken: Sealed;
      readonly hasPasskey: boolean;
      readonly waitMs: number;
      readonly now: Date;
    }
  | {
      readonly type: 'RefuseRecovery';
      readonly userId: string;
      readonly recoveryId: string;
      readonly refusedBy: 'passkey' | 'link';
      readonly now: Date;
    }
  | {
      readonly type: 'CompleteRecovery';
      readonly userId: string;
      readonly signedInAt: Date;
      readonly now: Date;
    }
  /** All that belongs to the completed recovery is done. */
  | { readonly type: 'FinishRecovery'; readonly userId: string; readonly recoveryId: string };

type Command<T extends AccountRecoveryCommand['type']> = Extract<AccountRecoveryCommand, { type: T }>;

/** The recovery that is under way at this time, if there is one. */
export const runningAt = (state: AccountRecovery, now: Date): RunningRecovery | undefined =>
  state.status === 'running' && now < new Date(state.lapsesAt) ? state : undefined;

/** Until when what is guarded is held back, by the log; undefined where no recovery is under way. */
export function heldBackUntil(state: AccountRecovery, now: Date): Date | undefined {
  if (state.status === 'completed') return state.isFinished ? undefined : now;
  const running = runningAt(state, now);
  return running && new Date(running.completableFrom);
}

export const accountRecovery: Decider<AccountRecovery, AccountRecoveryCommand, AccountRecoveryEvent> = {
  streamOf: accountRecoveryStream,
  initial: { status: 'none' },

  decide(command, state) {
    switch (command.type) {
      case 'StartRecovery':
        return started(command, state);
      case 'RefuseRecovery':
        return refused(command, state);
      case 'CompleteRecovery':
        return completed(command, state);
      case 'FinishRecovery': {
        const { userId, recoveryId } = command;
        if (state.status !== 'completed' || state.recoveryId !== recoveryId)
          throw new Rejected('NoRecovery', { userId });
        return state.isFinished ? [] : [{ type: 'AccountRecoveryFinished', data: { userId, recoveryId } }];
      }
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'AccountRecoveryStarted': {
        const { userId: _userId, ...recovery } = event.data;
        return { status: 'running', ...recovery };
      }
      case 'AccountRecoveryConfirmed':
        return state.status === 'running' ? { ...state, signedInAt: event.data.signedInAt } : state;
      case 'AccountRecoveryRefused': {
        const { recoveryId, againFrom } = event.data;
        return { status: 'refused', recoveryId, againFrom };
      }
      case 'AccountRecoveryCompleted':
        return { status: 'completed', recoveryId: event.data.recoveryId, isFinished: false };
      case 'AccountRecoveryFinished':
        return { status: 'completed', recoveryId: event.data.recoveryId, isFinished: true };
    }
  },
};

/** One at a time: whoever asks while one runs is told of that one, and moves nothing of it. */
function started(command: Command<'StartRecovery'>, state: AccountRecovery): AccountRecoveryEvent[] {
  const { userId, recoveryId, startedBy, refusalToken, now, waitMs } = command;
  const signedInAt = command.signedInAt?.toISOString() ?? null;
  if (state.status === 'completed' && !state.isFinished) return [];
  const running = runningAt(state, now);
  if (running) {
    if (running.signedInAt !== null || signedInAt === null) return [];
    return [
      {
        type: 'AccountRecoveryConfirmed',
        data: { userId, recoveryId: running.recoveryId, signedInAt },
      },
    ];
  }
  if (state.status === 'refused' && startedBy === 'owner' && now < new Date(state.againFrom))
    throw new Rejected('RecoveryRefusedLately', { againFrom: state.againFrom });
  if (!command.hasPasskey) throw new Rejected('NothingToRecover', { userId });
  const completableFrom = now.getTime() + waitMs;
  return [
    {
      type: 'AccountRecoveryStarted',
      data: {
        userId,
        recoveryId,
        startedBy,
        startedAt: now.toISOString(),
        completableFrom: new Date(completableFrom).toISOString(),
        lapsesAt: new Date(completableFrom + LAPSES_AFTER_MS).toISOString(),
        signedInAt,
        refusalToken,
      },
    },
  ];
}

function refused(command: Command<'RefuseRecovery'>, state: AccountRecovery): AccountRecoveryEvent[] {
  const { userId, recoveryId, refusedBy, now } = command;
  if (state.status === 'refused' && state.recoveryId === recoveryId) return [];
  if (runningAt(state, now)?.recoveryId !== recoveryId) throw new Rejected('NoRecovery', { userId });
  const againFrom = new Date(now.getTime() + AGAIN_AFTER_MS).toISOString();
  return [
    {
      type: 'AccountRecoveryRefused',
      data: { userId, recoveryId, refusedBy, refusedAt: now.toISOString(), againFrom },
    },
  ];
}

function completed(command: Command<'CompleteRecovery'>, state: AccountRecovery): AccountRecoveryEvent[] {
  const { userId, signedInAt, now } = command;
  if (state.status === 'completed') return [];
  const running = runningAt(state, now);
  if (!running) throw new Rejected('NoRecovery', { userId });
  if (now < new Date(running.completableFrom))
    throw new Rejected('RecoveryTooEarly', { until: running.completableFrom });
  // The second sign-in is another one than the first.
  if (running.signedInAt === null || signedInAt <= new Date(running.signedInAt))
    throw new Rejected('RecoverySignInNeeded', { userId });
  const { recoveryId } = running;
  return [{ type: 'AccountRecoveryCompleted', data: { userId, recoveryId, completedAt: now.toISOString() } }];
}
