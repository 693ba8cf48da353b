/** What marks messages as read. */
import { describe, expect, it } from '@jest/globals';
import { ReadMessages } from './messages.js';

describe('messages that were read', () => {
  it('are named by their ids, or by the newest of them', () => {
    for (const body of [{ ids: ['msg_0a', 'msg_0b'] }, { through: 'msg_0a' }])
      expect(ReadMessages.parse(body)).toEqual(body);
  });
  it.each([
    {},
    { ids: [] },
    { ids: ['msg_0a'], through: 'msg_0a' },
    { through: 'x' },
    // Postgres would not even look for it.
    { ids: ['msg_\u0000'] },
    { through: 'msg_\u0000' },
  ])('%j is refused with one sentence', (body) =>
    expect(ReadMessages.safeParse(body).error?.issues[0]?.message).toBe(
      'Send ids, or through: the newest message that was seen.',
    ),
  );
});
