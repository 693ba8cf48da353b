/**
 * How a saved card is called outside: by an id of ours, derived from the card provider's, which reaches no
 * browser. With the provider's id, a browser that holds the secret of a payment could have the card charged.
 */
import { createHash } from 'node:crypto';
import { base32 } from '#log/digest';
import type { ProviderCard } from './saved-cards.js';

/** `crd_` and 26 characters (130 bits); the provider's id is random, so nobody can guess back. */
export const shownCardId = (providerId: string): string =>
  `crd_${base32(createHash('sha256').update(`card\0${providerId}`).digest()).slice(0, 26)}`;

/** Whether an id names this card. Older ones that somebody kept are the provider's own. */
export const isCardOf = (id: string, { cardId }: Pick<ProviderCard, 'cardId'>): boolean =>
  id === shownCardId(cardId) || id === cardId;
