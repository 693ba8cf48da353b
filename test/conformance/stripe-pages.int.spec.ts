/**
 * Pages of the card provider's stand-in, read from its store: any number of them, on a store that is written
 * to.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { topUp } from '#local/stand-ins/stripe/resources/topups';
import { Store } from '#local/stand-ins/stripe/store';

/** More than LMDB has readers. */
const PAGES = 400;
const CAUSE = { requestId: null, idempotencyKey: null };

describe('the store of the card provider’s stand-in', () => {
  let folder: string;
  let store: Store;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'encore-pages-'));
    store = Store.open(folder, { platform: false, connect: false });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives out pages that end before their list does, as many as are asked for', async () => {
    const more = () =>
      store.change(CAUSE, (transaction) => topUp(transaction, { amount: 1, currency: 'usd' }));
    for (let n = 0; n < 3; n++) await more();
    for (let n = 0; n < PAGES; n++) {
      const { data, hasMore } = store.read().list('topups', { limit: 1 });
      expect([data.length, hasMore]).toEqual([1, true]);
      if (n % 2 === 0) await more();
      await turn();
    }
  });
});
