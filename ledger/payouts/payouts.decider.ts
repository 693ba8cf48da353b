/**
 * The steps of one payout at the provider: what may be begun, and under which number. Two workers that look
 * at one payout at a time meet here: a step is begun or the payout is abandoned, never both, because the
 * stream takes one of them first. Pure.
 */
import { type PayoutProcessEvent, type PayoutStep, payoutStream } from '#contracts/events/payout-process';
import type { Decider } from '../streams/runner.js';

/** An attempt at a step whose outcome must be learnt before anything else is done. */
export interface StepAttempt {
  readonly attempt: number;
  readonly begunAt: string;
  readonly connectAccountId: string;
  readonly externalAccountId: string | undefined;
}

export interface PayoutSteps {
  /**
   * The attempt that is under way or done, by step; absent before the first and after one that was put off.
   */
  readonly begun: Readonly<Partial<Record<PayoutStep, StepAttempt>>>;
  /** How many attempts at each step came to nothing. */
  readonly delays: Readonly<Record<PayoutStep, number>>;
  readonly abandoned: { readonly code: string; readonly reason: string } | undefined;
}

export type PayoutStepCommand = { readonly payoutId: string; readonly userId: string } & (
  | {
      readonly type: 'BeginStep';
      readonly step: PayoutStep;
      readonly connectAccountId: string;
      readonly externalAccountId?: string | undefined;
      readonly now: string;
    }
  /** The provider said no to this attempt for now. */
  | {
      readonly type: 'DelayPayout';
      readonly step: PayoutStep;
      readonly attempt: number;
      readonly code: string;
      readonly reason: string;
      readonly now: string;
    }
  /**
   * It must not be sent any more. `refusedSend` is the attempt at sending that the provider refused for good,
   * if that is why.
   */
  | {
      readonly type: 'AbandonPayout';
      readonly code: string;
      readonly reason: string;
      readonly refusedSend?: number | undefined;
    }
);

export const payoutSteps: Decider<PayoutSteps, PayoutStepCommand, PayoutProcessEvent> = {
  streamOf: payoutStream,
  initial: { begun: {}, delays: { transfer: 0, send: 0, reverse: 0 }, abandoned: undefined },

  decide(command, state) {
    const { payoutId, userId } = command;
    switch (command.type) {
      case 'BeginStep': {
        const { step, connectAccountId, externalAccountId, now: begunAt } = command;
        if (state.begun[step]) return [];
        // Once abandoned, nothing goes forward; what has gone must come back.
        if (state.abandoned && step !== 'reverse') return [];
        const attempt = state.delays[step] + 1;
        return [
          {
            type: 'PayoutStepBegun',
            data: { payoutId, userId, step, attempt, connectAccountId, externalAccountId, begunAt },
          },
        ];
      }
      case 'DelayPayout': {
        const { step, attempt, code, reason, now: delayedAt } = command;
        if (state.begun[step]?.attempt !== attempt) return [];
        return [
          { type: 'PayoutDelayed', data: { payoutId, userId, step, attempt, code, reason, delayedAt } },
        ];
      }
      case 'AbandonPayout': {
        const { code, reason, refusedSend } = command;
        if (state.abandoned) return [];
        // The money may be on its way to the bank: only the provider's no to that very attempt says
        // otherwise.
        if (state.begun.send && state.begun.send.attempt !== refusedSend) return [];
        return [{ type: 'PayoutAbandoned', data: { payoutId, userId, code, reason } }];
      }
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'PayoutStepBegun': {
        const { step, attempt, begunAt, connectAccountId, externalAccountId } = event.data;
        return {
          ...state,
          begun: { ...state.begun, [step]: { attempt, begunAt, connectAccountId, externalAccountId } },
        };
      }
      case 'PayoutDelayed': {
        const { step, attempt } = event.data;
        return {
          ...state,
          begun: { ...state.begun, [step]: undefined },
          delays: { ...state.delays, [step]: attempt },
        };
      }
      case 'PayoutAbandoned':
        return { ...state, abandoned: { code: event.data.code, reason: event.data.reason } };
    }
  },
};
