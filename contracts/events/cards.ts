/**
 * What the log knows of a user's saved cards, stream `cards-{userId}`. The cards themselves are kept by the
 * card provider.
 */
import { z } from 'zod';

export const CARDS_PREFIX = 'cards-';
export const cardsStream = (userId: string): string => `${CARDS_PREFIX}${userId}`;

const card = { userId: z.string(), cardId: z.string() };

export const cardsEvents = {
  /** The card provider knows this user under this id: what their saved cards are attached to. */
  CardCustomerOpened: z.object({ userId: z.string(), customerId: z.string() }),
  /** The card provider keeps a card for them, by its id there. */
  CardSaved: z.object(card),
  /** It keeps it no more. */
  CardRemoved: z.object(card),
  /** Charges in their absence go to this one from now on. */
  DefaultCardChanged: z.object(card),
  /** The user was forgotten: the card provider keeps nothing for them any more. */
  CardCustomerClosed: z.object({ userId: z.string(), customerId: z.string() }),
} as const;

type CardsEventType = keyof typeof cardsEvents;
export type CardsEvent = {
  [T in CardsEventType]: { type: T; data: z.infer<(typeof cardsEvents)[T]> };
}[CardsEventType];
