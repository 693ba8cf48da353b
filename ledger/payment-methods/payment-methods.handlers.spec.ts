/** Which of the provider's cards is meant by an id that somebody kept. */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { shownCardId } from '#ledger/stripe/card-id';
import type { ProviderCard, SavedCards } from '#ledger/stripe/saved-cards';
import type { StreamRunner } from '#ledger/streams/runner';
import { declinesWith } from '#test/support/declines';
import { CountedFigures } from '#test/support/provider-figures';
import type { Cards } from './cards.decider.js';
import { SavedCardHandlers } from './payment-methods.handlers.js';

const RENEWED: ProviderCard = {
  cardId: 'pm_renewed',
  brand: 'visa',
  last4: '4242',
  expMonth: 12,
  expYear: 2044,
  isDefault: true,
  copies: ['pm_expired'],
};
const state: Cards = { status: 'open', customerId: 'cus_1', cardIds: [], defaultId: undefined };
const saved = new SavedCardHandlers(
  {} as CommandBus,
  { read: () => Promise.resolve(state) } as unknown as StreamRunner,
  { of: () => Promise.resolve([RENEWED]) } as unknown as SavedCards,
  new CountedFigures(),
  declinesWith({}),
  pino({ level: 'silent' }),
);

describe('a card that was renewed under its number', () => {
  it.each([
    ['the older copy', shownCardId('pm_expired')],
    ['the provider’s own id of that', 'pm_expired'],
    ['the newer one', shownCardId('pm_renewed')],
  ])('is charged as it was saved last, chosen as %s', async (_as, id) => {
    expect(await saved.owned('usr_milo', id)).toEqual({
      customerId: 'cus_1',
      paymentMethodId: 'pm_renewed',
    });
  });
});
