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

  it('list the one that is charged, where an older copy is the default', () =>
    expect(onceEach([card('pm_3', '4242'), card('pm_1', '4242', true)])).toMatchObject([
      { cardId: 'pm_1', copies: ['pm_3'], isDefault: true },
    ]));

  it('name every copy to whoever removes them all', () =>
    expect(idsOf(onceEach([card('pm_3', '4242'), card('pm_2', '4444'), card('pm_1', '4242')]))).toEqual([
      'pm_3',
      'pm_1',
      'pm_2',
    ]));
});
