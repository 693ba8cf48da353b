import { describe, expect, it } from '@jest/globals';
import { PHONE_MAX_LENGTH, phoneNumber } from './phone-number.js';

describe('a phone number', () => {
  it.each([
    ['', ''],
    ['5', '(5'],
    ['555', '(555'],
    ['5551', '(555) 1'],
    ['555123', '(555) 123'],
    ['5551234', '(555) 123-4'],
    ['5551234567', '(555) 123-4567'],
    ['(555) 123-45678', '(555) 123-4567'],
    ['(555) ', '(555'],
    ['five', ''],
  ])('%j is written %j', (typed, written) => expect(phoneNumber(typed)).toBe(written));

  it('never grows beyond its longest form', () =>
    expect(phoneNumber('99999999999999')).toHaveLength(PHONE_MAX_LENGTH));
});
