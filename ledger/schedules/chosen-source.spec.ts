/** What a change of a schedule's source asks for: a repeat of one that was made asks for nothing. */
import { describe, expect, it } from '@jest/globals';
import type { PaymentSource } from '#contracts/events/payment-source';
import { FindCard } from '#ledger/bus/saved-cards';
import { Rejected } from '#ledger/rejection';
import { shownCardId } from '#ledger/stripe/card-id';
import { ChosenSources } from './chosen-source.js';

const MILO = 'usr_milo';
const BROKE = new Rejected('InsufficientFunds', { available: 0, asked: 500 });
const TERMS = { recipientId: 'usr_juno', amountMinor: 500 };
const CARD = { customerId: 'cus_1', paymentMethodId: 'pm_1' };
const CARD_ID = shownCardId(CARD.paymentMethodId);

/** The card is saved, and the money is gone. */
const sources = new ChosenSources(
  { execute: (query: unknown) => Promise.resolve(query instanceof FindCard ? CARD : undefined) } as never,
  { assertPossible: () => Promise.reject(BROKE) } as never,
);

const REPEATS: readonly (readonly [
  string,
  PaymentSource,
  { from: 'balance' } | { from: 'card'; cardId: string },
])[] = [
  ['the balance alone', { from: 'balance' }, { from: 'balance' }],
  ['a card', { from: 'card', card: CARD, cardId: CARD_ID }, { from: 'card', cardId: CARD_ID }],
];

describe('a change of what pays', () => {
  it.each(REPEATS)('to %s, sent again, is not refused for money', async (_, before, source) => {
    expect(await sources.afterChange(MILO, { source }, { terms: TERMS, source: before })).toBeUndefined();
  });

  it('is refused where the new source covers nothing', async () => {
    const before = { terms: TERMS, source: { from: 'balance_then_card' } } as const;
    await expect(sources.afterChange(MILO, { source: { from: 'balance' } }, before)).rejects.toBe(BROKE);
  });

  it('to what pays already is refused where more is asked of it', async () => {
    const before = { terms: TERMS, source: { from: 'balance' } } as const;
    const change = { amount: 501, source: { from: 'balance' } } as const;
    await expect(sources.afterChange(MILO, change, before)).rejects.toBe(BROKE);
  });
});
