/** Unclaimed money: received, aged and paid. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import {
  completePayout,
  failPayout,
  failRefund,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  refund,
  requestPayout,
  returnPayout,
  settle,
  submitPayout,
} from '#test/support/journal-spec';
import { useReadSides } from '#test/support/read-side';
import { unclaimedByAge, unclaimedMoney } from './queries.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '50.00' };

describe('unclaimed money', () => {
  it('waits from the entry that brought it until it is paid, and grows old', async () => {
    const side = await sides.open();
    side.story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    side.story.command(refund(tip, '20.00', 're_early'), requestPayout('30.00'), payoutTransferred());
    side.story.command(submitPayout(), completePayout(), { type: 'CloseAccount', userId: JUNO });
    await side.feed();
    expect(await unclaimedMoney(side.db)).toEqual([]);
    const [returned] = side.story.command(returnPayout(), failPayout('trr_1'), failRefund(tip, 're_early'));
    await side.feed();
    expect(await unclaimedMoney(side.db)).toMatchObject([
      { itemId: 'out_1', userId: JUNO, amountMinor: 3000, cause: 'PayoutReturned' },
      { itemId: 're_early', userId: JUNO, amountMinor: 2000, cause: 'RefundFailed' },
    ]);
    const since = Date.parse(returned!.metadata.recordedAt);
    const after = (days: number) => unclaimedByAge(side.db, new Date(since + days * 86_400_000));
    const counts = async (days: number) => (await after(days)).map(({ count }) => count);
    expect(await counts(1)).toEqual([2, 0, 0]);
    expect(await counts(31)).toEqual([0, 2, 0]);
    expect(await counts(366)).toEqual([0, 0, 2]);
    side.story.command({ type: 'PayUnclaimed', itemId: 'out_1', reference: 'wire 17' });
    await side.feed();
    expect((await unclaimedMoney(side.db)).map(({ itemId }) => itemId)).toEqual(['re_early']);
    expect(await after(1)).toMatchObject([
      { age: 'under 30 days', count: 1, amountMinor: 2000 },
      { count: 0, amountMinor: 0 },
      { count: 0, amountMinor: 0 },
    ]);
  });

  it('is listed whole, however many items wait', async () => {
    const side = await sides.open();
    await side.db.query(
      `insert into unclaimed (item_id, user_id, amount_minor, cause, received_at)
       select 're_' || n, $1, 100, 'RefundFailed', now() from generate_series(1, 600) as n`,
      [JUNO],
    );
    const listed = await unclaimedMoney(side.db);
    await side.db.query('delete from unclaimed');
    expect(listed).toHaveLength(600);
  });
});
