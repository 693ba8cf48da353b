/** What the log keeps of a user's saved cards: under which id the card provider knows the user. Pure. */
import type { CardsEvent } from '#contracts/events/cards';
import type { Decider } from '../streams/runner.js';

export interface Cards {
  readonly customerId: string | undefined;
}

export interface OpenCustomer {
  readonly type: 'OpenCustomer';
  readonly userId: string;
  readonly customerId: string;
}

export const cards: Decider<Cards, OpenCustomer, CardsEvent> = {
  initial: { customerId: undefined },

  decide({ userId, customerId }, state) {
    // The first one stays: cards may hang on it.
    if (state.customerId !== undefined) return [];
    return [{ type: 'CardCustomerOpened', data: { userId, customerId } }];
  },

  evolve: (state, event) => (state.customerId === undefined ? { customerId: event.data.customerId } : state),
};
