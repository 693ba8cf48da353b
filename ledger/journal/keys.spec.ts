/** Idempotency keys and the ids that derive from them. */
import { describe, expect, it } from '@jest/globals';
import { v4, v7 } from 'uuid';
import { base32 } from '#log/digest';
import { idFrom, isUuidV7, keyTimeMs, userKey } from './keys.js';

describe('an idempotency key', () => {
  it('tells when it was made', () => {
    const msecs = Date.parse('2026-03-01T20:00:00.123Z');
    expect(keyTimeMs(userKey('usr_milo', v7({ msecs })))).toBe(msecs);
  });
  it('tells no time when it derives from a cause', () => {
    for (const key of ['settle:ch_1', 'account:usr_milo', `usr_milo:${v4()}`])
      expect(keyTimeMs(key)).toBeUndefined();
  });
  it('is a UUID of version 7 and nothing else', () => {
    expect([v7(), v7().toUpperCase()].every(isUuidV7)).toBe(true);
    expect([v4(), '', 'x', `${v7()}0`].some(isUuidV7)).toBe(false);
  });
  it('is the same however its letters are written', () => {
    const uuid = v7();
    expect(userKey('usr_milo', uuid.toUpperCase())).toBe(userKey('usr_milo', uuid));
  });
});

describe('an id', () => {
  it('is the same for the same key, another for another key or kind, and safe in a link', () => {
    const id = idFrom('pay', 'usr_milo:1');
    expect(idFrom('pay', 'usr_milo:1')).toBe(id);
    expect(
      new Set([id, idFrom('pay', 'usr_milo:2'), idFrom('trf', 'usr_milo:1')].map((one) => one.slice(4))).size,
    ).toBe(3);
    expect(id).toMatch(/^pay_[0-9a-hjkmnp-tv-z]{26}$/);
  });
  it('is written in Crockford’s base32', () => {
    expect(base32(Buffer.from([0, 0, 0, 0, 0]))).toBe('00000000');
    expect(base32(Buffer.from([255, 255, 255, 255, 255]))).toBe('zzzzzzzz');
    expect(base32(Buffer.from([0b00001_000, 0b10_00000_0]))).toBe('1200');
  });
});
