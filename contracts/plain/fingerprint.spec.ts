import { describe, expect, it } from '@jest/globals';
import { recordedFingerprint, sameFingerprint } from './fingerprint.js';

describe('a fingerprint', () => {
  it('is recorded under the newest key, and known again under each of the older ones', () => {
    const given = 'f2.aaa f1.bbb ccc';
    expect(recordedFingerprint(given)).toBe('f2.aaa');
    for (const recorded of ['f2.aaa', 'f1.bbb', 'ccc']) expect(sameFingerprint(recorded, given)).toBe(true);
    for (const recorded of ['', 'f2', 'aaa', 'f2.aaa f1.bbb', 'f2.bbb'])
      expect(sameFingerprint(recorded, given)).toBe(false);
    expect(sameFingerprint('f2.aaa', undefined)).toBe(false);
  });
});
