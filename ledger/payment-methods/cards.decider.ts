/**
 * What the log keeps of a user's saved cards: under which id the card provider knows the user, and which
 * cards it was seen to keep. The provider's list is the true one; this is how others learn that it has
 * changed. Pure.
 */
import { type CardsEvent, cardsStream } from '#contracts/events/cards';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export interface Cards {
  readonly customerId: string | undefined;
  /** The user was forgotten. */
  readonly isClosed: boolean;
  readonly cardIds: readonly string[];
  readonly defaultId: string | undefined;
}

export type CardsCommand = { readonly userId: string } & (
  | { readonly type: 'OpenCustomer'; readonly customerId: string }
  /** What the provider shows now. */
  | {
      readonly type: 'NoteCards';
      readonly cardIds: readonly string[];
      readonly defaultId: string | undefined;
    }
  | { readonly type: 'CloseCustomer' }
);

export const cards: Decider<Cards, CardsCommand, CardsEvent> = {
  streamOf: cardsStream,
  initial: { customerId: undefined, isClosed: false, cardIds: [], defaultId: undefined },

  decide(command, state) {
    const { userId } = command;
    switch (command.type) {
      case 'OpenCustomer':
        if (state.isClosed) throw new Rejected('Forgotten', { userId });
        // The first one stays: cards may hang on it.
        if (state.customerId !== undefined) return [];
        return [{ type: 'CardCustomerOpened', data: { userId, customerId: command.customerId } }];
      case 'NoteCards': {
        if (state.isClosed) return [];
        const { cardIds, defaultId } = command;
        const saved = cardIds.filter((cardId) => !state.cardIds.includes(cardId));
        const removed = state.cardIds.filter((cardId) => !cardIds.includes(cardId));
        return [
          ...removed.map((cardId): CardsEvent => ({ type: 'CardRemoved', data: { userId, cardId } })),
          ...saved.map((cardId): CardsEvent => ({ type: 'CardSaved', data: { userId, cardId } })),
          ...(defaultId === undefined || defaultId === state.defaultId
            ? []
            : [{ type: 'DefaultCardChanged' as const, data: { userId, cardId: defaultId } }]),
        ];
      }
      case 'CloseCustomer':
        if (state.isClosed || state.customerId === undefined) return [];
        return [{ type: 'CardCustomerClosed', data: { userId, customerId: state.customerId } }];
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'CardCustomerOpened':
        return state.customerId === undefined ? { ...state, customerId: event.data.customerId } : state;
      case 'CardSaved':
        return { ...state, cardIds: [...state.cardIds, event.data.cardId] };
      case 'CardRemoved': {
        const { cardId } = event.data;
        const cardIds = state.cardIds.filter((id) => id !== cardId);
        return { ...state, cardIds, defaultId: state.defaultId === cardId ? undefined : state.defaultId };
      }
      case 'DefaultCardChanged':
        return { ...state, defaultId: event.data.cardId };
      case 'CardCustomerClosed':
        return { customerId: undefined, isClosed: true, cardIds: [], defaultId: undefined };
    }
  },
};
