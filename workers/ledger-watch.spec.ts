/** What workers know of the ledger: whether it takes commands, and the moment in which it does again. */
import { describe, expect, it } from '@jest/globals';
import { LedgerWatch } from './ledger-watch.js';

async function watchOver(...looks: readonly (boolean | Error)[]) {
  const told: string[] = [];
  const answers = [...looks];
  const watch: LedgerWatch = new LedgerWatch({
    areWritesOpen: () => {
      const next = answers.shift()!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    changed: (isAway) => told.push(isAway ? 'away' : 'back'),
  });
  const seen: boolean[] = [];
  while (answers.length > 0) {
    await watch.look();
    seen.push(watch.isAway);
  }
  return { told, seen };
}

describe('the watch over the ledger', () => {
  it('finds it away after two looks, whether it says so or does not answer, and back after one', async () =>
    expect(await watchOver(true, false, new Error('ECONNREFUSED'), false, true, true)).toEqual({
      told: ['away', 'back'],
      seen: [false, false, true, true, false, false],
    }));

  it('is not misled by one of several ledgers whose writes are closed', async () =>
    expect((await watchOver(true, false, true, false, true, false)).told).toEqual([]));
});
