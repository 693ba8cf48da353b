/** What the log knows of a user's saved cards, stream `cards-{userId}`. The cards themselves are kept by the card provider. */
import { z } from 'zod';

export const CARDS_PREFIX = 'cards-';
export const cardsStream = (userId: string): string => `${CARDS_PREFIX}${userId}`;

export const cardsEvents = {
  /** The card provider knows this user under this id: what their saved cards are attached to. */
  CardCustomerOpened: z.object({ userId: z.string(), customerId: z.string() }),
} as const;

export type CardsEventType = keyof typeof cardsEvents;
export type CardsEvent = { [T in CardsEventType]: { type: T; data: z.infer<(typeof cardsEvents)[T]> } }[CardsEventType];
