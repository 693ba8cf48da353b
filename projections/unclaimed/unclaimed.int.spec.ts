/** Unclaimed money: received, aged and paid. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import {
  completePayout,
  dispute,
  failPayout,
  failRefund,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  settle,
  submitPayout,
  withdrawDisputed,
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
      { itemId: 'out_1', userId: JUNO, leftMinor: 3000, cause: 'PayoutReturned' },
      { itemId: 're_early', userId: JUNO, leftMinor: 2000, cause: 'RefundFailed' },
    ]);
    const since = Date.parse(returned!.metadata.recordedAt);
    const after = (days: number) => unclaimedByAge(side.db, new Date(since + days * 86_400_000));
    const counts = async (days: number) => (await after(days)).map(({ count }) => count);
    expect(await counts(1)).toEqual([2, 0, 0]);
    expect(await counts(31)).toEqual([0, 2, 0]);
    expect(await counts(366)).toEqual([0, 0, 2]);
    side.story.command({
      type: 'PayUnclaimed',
      itemId: 'out_1',
      amountMinor: 3000,
      reference: 'wire 17',
    });
    await side.feed();
    expect((await unclaimedMoney(side.db)).map(({ itemId }) => itemId)).toEqual(['re_early']);
    expect(await after(1)).toMatchObject([
      { age: 'under 30 days', count: 1, amountMinor: 2000 },
      { count: 0, amountMinor: 0 },
      { count: 0, amountMinor: 0 },
    ]);
  });

  it('is listed and counted without what was taken from its owner later, and not at all once used up', async () => {
    const side = await sides.open();
    const other = { paymentId: 'pay_other', amount: '30.00' };
    side.story.command(
      openAccount(JUNO),
      openAccount(MILO),
      open(tip),
      settle(tip),
      open(other),
      settle(other),
    );
    side.story.command(refund(tip, '20.00', 're_early'), requestPayout('60.00'), payoutTransferred());
    side.story.command(submitPayout(), completePayout(), { type: 'CloseAccount', userId: JUNO });
    const [returned] = side.story.command(returnPayout(), failRefund(tip, 're_early'));
    await side.feed();
    side.story.command(refund(tip, '25.00', 're_late'));
    await side.feed();
    expect(await unclaimedMoney(side.db)).toMatchObject([
      { itemId: 'out_1', leftMinor: 3500 },
      { itemId: 're_early', leftMinor: 2000 },
    ]);
    const now = new Date(Date.parse(returned!.metadata.recordedAt) + 86_400_000);
    const [young] = await unclaimedByAge(side.db, now);
    expect(young).toMatchObject({ count: 2, amountMinor: 5500 });
    side.story.command(dispute(tip), withdrawDisputed(tip, '25.00'), refund(other, '20.00', 're_other'));
    await side.feed();
    expect(await unclaimedMoney(side.db)).toMatchObject([{ itemId: 're_early', leftMinor: 1000 }]);
    expect((await unclaimedByAge(side.db, now))[0]).toMatchObject({ count: 1, amountMinor: 1000 });
    // What was taken is won: it waits again, as what came back last.
    side.story.command(reinstateDisputed(tip, '25.00', '0', 2));
    await side.feed();
    const waiting = await unclaimedMoney(side.db);
    expect(waiting.map(({ leftMinor, cause }) => [leftMinor, cause])).toEqual([
      [1000, 'RefundFailed'],
      [2500, 'DisputeFundsReinstated'],
    ]);
  });

  it('is listed whole, however many items wait', async () => {
    const side = await sides.open();
    await side.db.query(
      `insert into unclaimed (item_id, user_id, amount_minor, left_minor, cause, received_at)
       select 're_' || n, $1, 100, 100, 'RefundFailed', now() from generate_series(1, 600) as n`,
      [JUNO],
    );
    const listed = await unclaimedMoney(side.db);
    await side.db.query('delete from unclaimed');
    expect(listed).toHaveLength(600);
  });
});
