/** What pays a subscription or scheduled payment, in words; and how a payment of one stands. Pure. */
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import type { Subscription } from '#contracts/api/subscriptions';
import { cardName } from '../payments/source.js';

type Source = Subscription['source'];
/** Undefined while they are not known. */
type Cards = readonly SavedCardAnswer[] | undefined;

/** A saved card by its id, or by one that it had before it was saved anew. */
export const cardById = (cardId: string | null, cards: Cards): SavedCardAnswer | undefined =>
  cards?.find(({ id, earlierIds = [] }) => cardId !== null && [id, ...earlierIds].includes(cardId));

/** A card's name, once the cards are known; one that was removed has none. */
const named = (cardId: string | null, cards: Cards): string => {
  if (cards === undefined) return 'a saved card';
  const card = cardById(cardId, cards);
  return card === undefined ? 'a card that you have removed' : cardName(card);
};

/** Which source pays next. */
export function paidFrom({ from, cardId }: Source, cards: Cards): string {
  if (from === 'balance') return 'Paid from your balance alone.';
  if (from === 'card') return `Paid by ${named(cardId, cards)}.`;
  if (cards === undefined) return 'Paid from your balance, or else by your saved card.';
  const card = cards.find(({ isDefault }) => isDefault);
  return card === undefined
    ? 'Paid from your balance. You have no saved card.'
    : `Paid from your balance, or else by ${cardName(card)}.`;
}

/** Which source the failed attempt was to be paid from. */
export const failedFrom = (
  { from, cardId }: NonNullable<Subscription['lastFailureFrom']>,
  cards: Cards,
): string =>
  from === 'balance'
    ? 'It was to be paid from your balance. You have not been charged.'
    : `It was to be paid by ${named(cardId, cards)}. You have not been charged.`;

type Standing = Pick<Subscription, 'lastFailureReason' | 'needsConfirmation' | 'isCollecting'>;

/** Whether the payment that was tried last has failed. */
export const hasFailed = ({ lastFailureReason, needsConfirmation, isCollecting }: Standing): boolean =>
  lastFailureReason !== null && !needsConfirmation && !isCollecting;

/** The status that a card shows: a failing payment before what it would be without. */
export const shownStatus = (schedule: Standing & { readonly status: string }): string =>
  hasFailed(schedule) && (schedule.status === 'active' || schedule.status === 'pending')
    ? 'payment_failed'
    : schedule.status;
