/**
 * What the log keeps of a user's saved cards: under which id the card provider knows the user, and which
 * cards it was seen to keep. The provider's list is the true one; this is how others learn that it has
 * changed. Pure.
 */
import { type CardsEvent, cardsStream } from '#contracts/events/cards';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export type Cards =
  | { readonly status: 'none' }
  | {
      readonly status: 'open';
      readonly customerId: string;
      readonly cardIds: readonly string[];
      readonly defaultId: string | undefined;
    }
  /** The user was forgotten. */
  | { readonly status: 'closed' };

export type CardsCommand = { readonly userId: string } & (
  | { readonly type: 'OpenCustomer'; readonly customerId: string }
  /** The provider has lost the one that was known, and the cards with it. */
  | { readonly type: 'ReplaceCustomer'; readonly lostId: string; readonly customerId: string }
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
  initial: { status: 'none' },

  decide(command, state) {
    const { userId } = command;
    switch (command.type) {
      case 'OpenCustomer':
        if (state.status === 'closed') throw new Rejected('Forgotten', { userId });
        // The first one stays: cards may hang on it.
        if (state.status === 'open') return [];
        return [{ type: 'CardCustomerOpened', data: { userId, customerId: command.customerId } }];
      case 'ReplaceCustomer':
        if (state.status === 'closed') throw new Rejected('Forgotten', { userId });
        if (state.status !== 'open' || state.customerId !== command.lostId) return [];
        return [
          ...state.cardIds.map((cardId): CardsEvent => ({ type: 'CardRemoved', data: { userId, cardId } })),
          { type: 'CardCustomerOpened', data: { userId, customerId: command.customerId } },
        ];
      case 'NoteCards': {
        if (state.status !== 'open') return [];
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
        if (state.status !== 'open') return [];
        return [{ type: 'CardCustomerClosed', data: { userId, customerId: state.customerId } }];
    }
  },

  evolve(state, event) {
    if (event.type === 'CardCustomerClosed') return { status: 'closed' };
    if (state.status === 'closed') return state;
    if (event.type === 'CardCustomerOpened')
      return { status: 'open', customerId: event.data.customerId, cardIds: [], defaultId: undefined };
    if (state.status !== 'open') return state;
    const { cardId } = event.data;
    switch (event.type) {
      case 'CardSaved':
        return { ...state, cardIds: [...state.cardIds, cardId] };
      case 'CardRemoved': {
        const cardIds = state.cardIds.filter((id) => id !== cardId);
        return { ...state, cardIds, defaultId: state.defaultId === cardId ? undefined : state.defaultId };
      }
      case 'DefaultCardChanged':
        return { ...state, defaultId: cardId };
    }
  },
};
