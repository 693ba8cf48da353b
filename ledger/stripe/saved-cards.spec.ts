import { describe, expect, it } from '@jest/globals';
import { idsOf, onceEach } from './saved-cards.js';

const card = (cardId: string, number: string, isDefault = false) => ({
  cardId,
  number,
  brand: 'visa',
  last4: number.slice(-4),
  expMonth: 12,
  expYear: 2040,
  isDefault,
  copies: [],
});

describe('the saved cards', () => {
  it('list a card once that was saved twice, as the newest of them', () =>
    expect(onceEach([card('pm_3', '4242'), card('pm_2', '4444', true), card('pm_1', '4242')])).toMatchObject([
      { cardId: 'pm_3', copies: ['pm_1'], isDefault: false },
      { cardId: 'pm_2', copies: [], isDefault: true },
    ]));

  it('have a card that was renewed under its number as it was saved last, also where the older was chosen', () => {
    const renewed = { ...card('pm_3', '4242'), expYear: 2044 };
    expect(onceEach([renewed, card('pm_2', '4444'), card('pm_1', '4242', true)])).toMatchObject([
      { cardId: 'pm_3', copies: ['pm_1'], isDefault: true, expYear: 2044 },
      { cardId: 'pm_2', copies: [], isDefault: false },
    ]);
  });

  it('name every copy to whoever removes them all', () =>
    expect(idsOf(onceEach([card('pm_3', '4242'), card('pm_2', '4444'), card('pm_1', '4242')]))).toEqual([
      'pm_3',
      'pm_1',
      'pm_2',
    ]));
});
