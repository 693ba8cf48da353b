/** What others have seen in the log, where the store does not show the stream that it was in. */
import { describe, expect, it } from '@jest/globals';
import { ReadRefused } from '#log/event-log';
import { MemoryLog } from '#test/support/memory-log';
import { lossAgainst } from './known-events.js';

describe('an event that rows have seen in a stream', () => {
  it.each([
    ['deleted', /^The stream "user-usr_juno" was deleted for good\. .*Restore the log from its archive/],
    ['denied', /^The event store does not let this user read the stream "user-usr_juno"\. .*Correct \$acl/],
  ] as const)('that was %s since: what is to be done is said, and it is no loss', async (because, words) => {
    const refused = new ReadRefused('Event stream is not shown.', because);
    const reading = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(refused) }) };
    const log = Object.assign(new MemoryLog(), { readStream: () => reading });
    const rows = { from: 'rows', known: async () => [{ stream: 'user-usr_juno', revision: 3 }] } as const;
    await expect(lossAgainst(log, rows)).rejects.toThrow(words);
  });
});
