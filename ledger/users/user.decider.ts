/** A user's own stream: who they are, as the identity provider says. Pure; profiles arrive sealed. */
import type { Sealed } from '#contracts/events/journal';
import { type UserEvent, userStream } from '#contracts/events/user';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export type User =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'registered';
      readonly profile: Sealed;
      /**
       * Profiles with an e-mail address that another took the place of, the oldest first; of the last weeks.
       */
      readonly replaced: readonly ReplacedProfile[];
      /** They asked to be forgotten, and nothing has come of it yet. */
      readonly forgetting: ForgettingRequest | null;
      /** Why the last such request came to nothing; null where they ended it, and where there was none. */
      readonly notForgotten: 'recovery_started' | 'money_left' | null;
    }
  | { readonly status: 'forgotten'; readonly isFinished: boolean };

interface ReplacedProfile {
  readonly profile: Sealed;
  readonly until: string;
}

/**
 * So long an address hears of a recovery that another took the place of: whoever changed it may be a thief.
 */
const HEARS_ON_MS = 30 * 24 * 3_600_000;
/** Whoever changes it again and again does not push the first one out. */
const HEARING_MOST = 5;

/** What of a user's replaced profiles still hears of a recovery. */
export const hearingAt = (replaced: readonly ReplacedProfile[], now: Date): readonly ReplacedProfile[] =>
  replaced.filter(({ until }) => now.getTime() - new Date(until).getTime() < HEARS_ON_MS);

interface ForgettingRequest {
  readonly requestedAt: string;
  readonly dueAt: string;
}

export type UserCommand =
  | {
      readonly type: 'Register';
      readonly userId: string;
      readonly issuer: string;
      readonly subject: string;
      readonly profile: Sealed;
    }
  /**
   * `replaces` is the profile that the asker compared with: if another one has come since, that one is newer
   * and stays.
   */
  | {
      readonly type: 'ChangeProfile';
      readonly userId: string;
      readonly replaces: Sealed;
      readonly profile: Sealed;
      /** Set where the e-mail address that mails went to is another one now. */
      readonly newAddressAt?: Date | undefined;
    }
  /** They ask to be forgotten once the wait is over; asked again it stays as it was. */
  | {
      readonly type: 'RequestForgetting';
      readonly userId: string;
      readonly waitMs: number;
      readonly now: Date;
    }
  /** They are not forgotten for now. */
  | {
      readonly type: 'EndForgettingRequest';
      readonly userId: string;
      readonly why: 'canceled' | 'recovery_started' | 'money_left';
      readonly now: Date;
    }
  /** Their wait is over, and nothing stands in the way; without a request an operator says so. */
  | { readonly type: 'Forget'; readonly userId: string }
  /** Nothing is left to be done for that. */
  | { readonly type: 'FinishForgetting'; readonly userId: string };

export const user: Decider<User, UserCommand, UserEvent> = {
  streamOf: userStream,
  initial: { status: 'unknown' },

  decide(command, state) {
    if (command.type === 'Forget') {
      if (state.status === 'unknown') throw new Rejected('UserNotFound', { userId: command.userId });
      return state.status === 'forgotten'
        ? []
        : [{ type: 'UserForgotten', data: { userId: command.userId } }];
    }
    if (command.type === 'FinishForgetting') {
      if (state.status !== 'forgotten') throw new Rejected('UserNotFound', { userId: command.userId });
      return state.isFinished ? [] : [{ type: 'ForgettingFinished', data: { userId: command.userId } }];
    }
    if (state.status === 'forgotten') throw new Rejected('Forgotten', { userId: command.userId });
    switch (command.type) {
      case 'RequestForgetting': {
        const { userId, waitMs, now } = command;
        if (state.status === 'unknown') throw new Rejected('UserNotFound', { userId });
        if (state.forgetting !== null) return [];
        const dueAt = new Date(now.getTime() + waitMs).toISOString();
        return [{ type: 'ForgettingRequested', data: { userId, requestedAt: now.toISOString(), dueAt } }];
      }
      case 'EndForgettingRequest': {
        const { userId, why, now } = command;
        if (state.status === 'unknown' || state.forgetting === null) return [];
        // From then on it is carried out: nobody is half forgotten and half not.
        if (why === 'canceled' && now >= new Date(state.forgetting.dueAt))
          throw new Rejected('ForgettingUnderWay', { userId });
        return [{ type: 'ForgettingRequestEnded', data: { userId, why, endedAt: now.toISOString() } }];
      }
      case 'Register': {
        if (state.status === 'registered') return [];
        const { userId, issuer, subject, profile } = command;
        return [{ type: 'UserRegistered', data: { userId, issuer, subject, profile } }];
      }
      case 'ChangeProfile':
        if (state.status !== 'registered' || state.profile !== command.replaces) return [];
        return [
          {
            type: 'ProfileChanged',
            data: {
              userId: command.userId,
              profile: command.profile,
              newAddressAt: command.newAddressAt?.toISOString(),
            },
          },
        ];
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'UserRegistered':
      case 'ProfileChanged':
        // What is forgotten stays forgotten, whatever order a reader meets the events in.
        if (state.status === 'forgotten') return state;
        return {
          forgetting: null,
          notForgotten: null,
          ...state,
          status: 'registered',
          profile: event.data.profile,
          replaced: replacedBy(state, event),
        };
      case 'ForgettingRequested': {
        if (state.status !== 'registered') return state;
        const { requestedAt, dueAt } = event.data;
        return { ...state, forgetting: { requestedAt, dueAt }, notForgotten: null };
      }
      case 'ForgettingRequestEnded': {
        if (state.status !== 'registered') return state;
        const { why } = event.data;
        return { ...state, forgetting: null, notForgotten: why === 'canceled' ? null : why };
      }
      case 'UserForgotten':
        return state.status === 'forgotten' ? state : { status: 'forgotten', isFinished: false };
      case 'ForgettingFinished':
        return { status: 'forgotten', isFinished: true };
    }
  },
};

function replacedBy(state: User, event: UserEvent): readonly ReplacedProfile[] {
  if (state.status !== 'registered') return [];
  if (event.type !== 'ProfileChanged' || event.data.newAddressAt === undefined) return state.replaced;
  const until = event.data.newAddressAt;
  const hearing = hearingAt(state.replaced, new Date(until));
  return [...hearing, { profile: state.profile, until }].slice(0, HEARING_MOST);
}
