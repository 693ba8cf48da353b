import { describe, expect, it } from '@jest/globals';
import { Rejected } from './rejection.js';

describe('what is logged of a rejection', () => {
  it('names ids and figures', () => {
    const details = { userId: 'usr_4t2k9qz7m1x8c5v3b6n0p4t2k9', available: 500 };
    expect(new Rejected('UserNotFound', details).logged).toEqual({ reason: 'UserNotFound', details });
  });

  it.each(['juno@example.org', '+12125550199', 'Odalys Quillfeather', 'juno.valastro', 'usr_'])(
    'has nothing that was typed in the place of an id: %s',
    (typed) =>
      expect(new Rejected('UserNotFound', { userId: typed }).logged).toEqual({
        reason: 'UserNotFound',
        details: { userId: 'no id' },
      }),
  );
});
