/** A user's own stream: who they are, as the identity provider says. Pure; profiles arrive sealed. */
import type { Sealed } from '#contracts/events/journal';
import { type UserEvent, userStream } from '#contracts/events/user';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export type User =
  | { readonly status: 'unknown' }
  | { readonly status: 'registered'; readonly profile: Sealed }
  | { readonly status: 'forgotten'; readonly isFinished: boolean };

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
    }
  /** They asked to be forgotten. */
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
      case 'Register': {
        if (state.status === 'registered') return [];
        const { userId, issuer, subject, profile } = command;
        return [{ type: 'UserRegistered', data: { userId, issuer, subject, profile } }];
      }
      case 'ChangeProfile':
        if (state.status !== 'registered' || state.profile !== command.replaces) return [];
        return [{ type: 'ProfileChanged', data: { userId: command.userId, profile: command.profile } }];
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'UserRegistered':
      case 'ProfileChanged':
        // What is forgotten stays forgotten, whatever order a reader meets the events in.
        return state.status === 'forgotten' ? state : { status: 'registered', profile: event.data.profile };
      case 'UserForgotten':
        return state.status === 'forgotten' ? state : { status: 'forgotten', isFinished: false };
      case 'ForgettingFinished':
        return { status: 'forgotten', isFinished: true };
    }
  },
};
