/**
 * Ids that nobody has and nobody could look for: a NUL is no text to Postgres, and its refusal no fault of
 * ours.
 */
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { RequestAssertion } from './passkeys.js';
import { TreasuryTransactionsQuery } from './treasury.js';

describe('an id with a NUL', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    [
      'of what is confirmed',
      RequestAssertion,
      { confirm: 'a\u0000' },
      'There is nothing of this id to confirm.',
    ],
    ['of a wallet', TreasuryTransactionsQuery, { walletId: 'wal_\u0000' }, 'Wallet not found'],
  ])('%s is refused', (_of, schema, sent, sentence) =>
    expect(schema.safeParse(sent).error?.issues[0]?.message).toBe(sentence),
  );
});
