import { describe, expect, it } from '@jest/globals';
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { Unavailable } from '#ledger/rejection';
import { CannotRun } from '../shell/command.js';
import { cannotRecover } from './cannot-recover.js';

const OUTAGE = 'The card provider is not answering right now.';

describe('a recovery that cannot go on', () => {
  it('says what the card provider said, and that it may be run again', () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:12111');
    const ended = cannotRecover(new Unavailable(OUTAGE, { cause }));
    expect(ended).toBeInstanceOf(CannotRun);
    expect(ended).toMatchObject({
      message: `${OUTAGE} It said: ${cause.message}. The log stays in recovery. Run the command again: what is won back already stays.`,
    });
    expect(cannotRecover(new Unavailable(OUTAGE))).toMatchObject({
      message: expect.stringMatching(/right now\. The log stays in recovery\./),
    });
  });

  it('names another copy where the archive is damaged', () =>
    expect(cannotRecover(new ArchiveDamaged('The segment 3 is cut.'))).toMatchObject({
      name: 'CannotRun',
      message: expect.stringMatching(/^The segment 3 is cut\. .+/),
    }));

  it('hides no error that nobody foresaw', () => {
    const error = new TypeError('x is undefined');
    expect(cannotRecover(error)).toBe(error);
  });
});
