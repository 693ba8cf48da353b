/** What a subscription or a scheduled payment can be paid from, as a form offers it. Pure. */
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import type { ChosenSource } from '#contracts/api/schedule-body';
import { capitalised } from '../../shared/wording/people.js';

/** A source as the text of a form's field: its kind, or the id of a card. */
export type SourceField = string;

/** What pays where nobody chooses. */
export const USUAL_SOURCE: SourceField = 'balance_then_card';

export const cardName = ({ brand, last4 }: Pick<SavedCardAnswer, 'brand' | 'last4'>): string =>
  `${capitalised(brand)} ••••${last4}`;

/** The choice that a field stands for, as the calls take it. */
export const chosenSource = (field: SourceField): ChosenSource =>
  field === 'balance' || field === 'balance_then_card' ? { from: field } : { from: 'card', cardId: field };

interface SourceRow {
  readonly value: SourceField;
  readonly title: string;
  readonly detail?: string;
}

/** Every source there is: the usual one first, then each card, then the balance alone. */
export function sourceRows(cards: readonly SavedCardAnswer[]): readonly SourceRow[] {
  const usual = cards.find(({ isDefault }) => isDefault);
  return [
    {
      value: USUAL_SOURCE,
      title: 'Balance first',
      detail: usual === undefined ? 'Or else a saved card' : `Or else ${cardName(usual)}`,
    },
    ...cards.map((card) => ({ value: card.id, title: cardName(card), detail: 'This card alone' })),
    { value: 'balance', title: 'Balance alone' },
  ];
}
