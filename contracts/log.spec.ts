/** Places in the log, and events of any age. */
import { describe, expect, it } from '@jest/globals';
import { checkEvent, readEvent, UnreadableEvent, versionOf } from './events/index.js';
import { comparePositions, positionFrom, positionText, START } from './log.js';

const at = (commit: bigint, prepare = commit) => ({ commit, prepare });

describe('a position', () => {
  it('comes after the start, and is ordered by both its parts', () => {
    const inOrder = [START, at(1n), at(5n, 3n), at(5n, 4n), at(2n ** 62n)];
    const shuffled = [inOrder[3]!, inOrder[0]!, inOrder[4]!, inOrder[2]!, inOrder[1]!];
    expect(shuffled.sort(comparePositions)).toEqual(inOrder);
    expect(comparePositions(at(5n), at(5n))).toBe(0);
  });
  it('comes back from its text', () => {
    for (const position of [START, at(0n), at(2n ** 62n, 7n)])
      expect(positionFrom(positionText(position))).toEqual(position);
    expect(() => positionFrom('12')).toThrow(RangeError);
  });
});

describe('an event', () => {
  const opened = { account: 'user/usr_a/available', userId: 'usr_a' };
  it('is read in the version that it is written in', () =>
    expect(readEvent('AccountOpened', versionOf('AccountOpened'), opened)).toEqual({
      type: 'AccountOpened',
      data: opened,
    }));
  it('of an unknown type, of a later version or of another shape stops its reader', () => {
    expect(() => readEvent('toString', 1, {})).toThrow(UnreadableEvent);
    expect(() => readEvent('AccountOpened', versionOf('AccountOpened') + 1, opened)).toThrow(UnreadableEvent);
    expect(() => readEvent('AccountOpened', 1, { account: 7 })).toThrow(UnreadableEvent);
  });
  it('about a fee, of the time before it said when the money can be used, is read as not saying so', () => {
    const fee = { balanceTransactionId: 'txn_1', chargeId: 'ch_1', amountMinor: 88, currency: 'usd' };
    const data = { ...fee, occurredAt: '2026-03-01T20:00:00.000Z', postings: [] };
    expect(versionOf('ProviderFeeBooked')).toBe(2);
    expect(readEvent('ProviderFeeBooked', 1, data).data).toEqual({
      ...data,
      netMinor: null,
      availableOn: null,
    });
  });
  it('with a fraction of a cent is never written', () => {
    const postings = [{ debit: 'user/a/available', credit: 'user/b/available', amountMinor: 0.5 }];
    const data = {
      transferId: 't',
      payerId: 'a',
      recipientId: 'b',
      amountMinor: 1,
      currency: 'usd',
      postings,
    };
    expect(() => checkEvent({ type: 'TransferPosted', data })).toThrow(UnreadableEvent);
  });
});
