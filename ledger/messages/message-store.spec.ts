/** What is written of a message, without a database. */
import { expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { MessageStore } from './message-store.js';

it('keeps facts with texts that no table takes, so that one of them keeps no other message out', async () => {
  const written: unknown[] = [];
  const pool = { query: ({ values }: { values: readonly unknown[] }) => void written.push(values[0]) };
  await new MessageStore(pool as unknown as Pool).put([
    {
      userId: 'usr_juno',
      kind: 'payment_failed',
      key: 'occ_1:1:paused',
      facts: {
        scheduleKind: 'subscription',
        scheduleId: 'sub_1',
        recipientId: 'usr_milo',
        amountMinor: 500,
        currency: 'usd',
        reason: 'declined \ud83d\0 by the bank',
        then: 'paused',
      },
      at: new Date(),
    },
  ]);
  expect(JSON.parse(String(written[0]))).toMatchObject([
    { facts: { reason: 'declined \uFFFD\uFFFD by the bank', amountMinor: 500 } },
  ]);
});
