/**
 * What of the rows a log does not yield that has lost its end, once what is proven of that is booked again.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  JUNO,
  MILO,
  open,
  openAccount,
  openWallet,
  settle,
  transfer,
  type Tip,
} from '#test/support/journal-spec';
import { ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { readModels } from '../read-models.js';
import { replaceRows, type LostRow } from './replace-rows.js';

const stack = useStack(['postgres']);
const sides: ReadSide[] = [];
afterEach(() => Promise.all(sides.splice(0).map((side) => side.close())));

const MONTH_MS = 31 * 24 * 3_600_000;
const tips: Tip[] = [1, 2, 3].map((n) => ({ paymentId: `pay_${n}`, amount: `${n}.00` }));
const known = [openAccount(JUNO), openAccount(MILO)];
const paid = tips.flatMap((tip) => [open(tip), settle(tip)]);

/**
 * The rows have seen the one story. The log ends with what both begin with, and what a recovery books of the
 * rest a month later: behind the entry that says so, and in another order.
 */
async function lostRows(seen: (story: Story) => void): Promise<readonly LostRow[]> {
  const story = new Story();
  const side = await ReadSide.open(stack().env['DATABASE_URL']!, story, readModels(story.vault));
  sides.push(side);
  story.command(...known, ...paid);
  seen(story);
  await side.feed();
  const recovered = new Story();
  recovered.command(...known);
  recovered.nowMs += MONTH_MS;
  recovered.command(
    { type: 'BeginEpoch', commonRevision: 1 },
    ...tips.map(open),
    ...tips.map((tip) => settle(tip)),
  );
  let lost: readonly LostRow[] = [];
  const compared = (found: readonly LostRow[]): Promise<void> => Promise.resolve(void (lost = found));
  await replaceRows({ databaseUrl: side.databaseUrl, log: recovered.log, models: side.models, compared });
  return lost;
}

describe('rows that have seen more than the log', () => {
  it('have lost nothing where each payment is booked again, at another place and time', async () => {
    expect(await lostRows(() => undefined)).toEqual([]);
  });

  it('have lost a transfer and a wallet that no provider proves, each told by its own row', async () => {
    const lost = await lostRows((story) => story.command(transfer('1.00', JUNO, MILO), openWallet()));
    const named = lost.filter(({ ids }) => ids['id'] !== undefined);
    expect(named.map(({ table, what, ids }) => `${table} ${what} ${ids['id']}`)).toEqual([
      'transactions missing trf_1',
      'wallets missing wal_1',
    ]);
  });
});
