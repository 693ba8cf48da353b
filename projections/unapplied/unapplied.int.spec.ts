/** Unapplied money: received, and given back. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { platform } from '#contracts/plain/accounts';
import {
  AT,
  closeDispute,
  dispute,
  failUnapplied,
  JUNO,
  MILO,
  open,
  openAccount,
  reinstateDisputed,
  returnUnapplied,
  settle,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { projectUnapplied } from './project.js';
import { unappliedCharges } from './queries.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '20.00' };

describe('unapplied money', () => {
  it('waits to be given back, and is gone from the list when it has been', async () => {
    const side = await sides.open();
    side.story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    side.story.command(
      settle(tip, { chargeId: 'ch_again' }),
      settle(tip, { paymentId: undefined, intentId: 'pi_stray', chargeId: 'ch_stray', amountMinor: 99 }),
    );
    await side.feed();
    expect(
      (await unappliedCharges(side.db)).map(({ chargeId, amountMinor, reason }) => ({
        chargeId,
        amountMinor,
        reason,
      })),
    ).toEqual([
      { chargeId: 'ch_again', amountMinor: 2000, reason: 'already-settled' },
      { chargeId: 'ch_stray', amountMinor: 99, reason: 'unknown-payment' },
    ]);
    side.story.command(returnUnapplied('ch_again', '20.00'));
    await side.feed();
    expect((await unappliedCharges(side.db)).map(({ chargeId }) => chargeId)).toEqual(['ch_stray']);
  });

  it('waits again when its refund failed, and while it is not disputed', async () => {
    const stray = { paymentId: 'pay_stray', amount: '20.00' };
    const waiting = async (side: ReadSide): Promise<number[]> =>
      (await unappliedCharges(side.db)).map(
        ({ amountMinor, refundedMinor, disputedMinor }) => amountMinor - refundedMinor - disputedMinor,
      );
    const side = await sides.open();
    side.story.command(settle(stray), returnUnapplied('ch_pay_stray', '20.00'));
    await side.feed();
    expect(await waiting(side)).toEqual([]);
    side.story.command(failUnapplied('ch_pay_stray'));
    await side.feed();
    expect(await waiting(side)).toEqual([2000]);
    side.story.command(dispute(stray), withdrawDisputed(stray));
    await side.feed();
    expect(await waiting(side)).toEqual([]);
    side.story.command(reinstateDisputed(stray), closeDispute(stray, 'won'));
    await side.feed();
    expect(await waiting(side)).toEqual([2000]);
  });

  it('is gone once it has arrived, though a dispute took it on its way', async () => {
    const stray = { paymentId: 'pay_stray', amount: '20.00' };
    const side = await sides.open();
    side.story.command(settle(stray), dispute(stray), withdrawDisputed(stray, '5.00'));
    side.story.command(returnUnapplied('ch_pay_stray', '20.00'));
    await side.feed();
    expect(await unappliedCharges(side.db)).toEqual([]);
    side.story.command(reinstateDisputed(stray, '5.00'), closeDispute(stray, 'won'));
    await side.feed();
    expect(await unappliedCharges(side.db)).toEqual([]);
    side.story.command(failUnapplied('ch_pay_stray'));
    await side.feed();
    expect(await unappliedCharges(side.db)).toMatchObject([{ refundedMinor: 0, disputedMinor: 0 }]);
  });

  it('is never given back twice, nor more than was received', async () => {
    const side = await sides.open();
    side.story.command(
      settle(tip, { paymentId: undefined, intentId: 'pi_stray', chargeId: 'ch_stray', amountMinor: 99 }),
    );
    await side.feed();
    const [refunded] = side.story.command(returnUnapplied('ch_stray', '0.99'));
    await side.feed();
    const client = await side.db.connect();
    try {
      await expect(projectUnapplied([refunded!], client)).rejects.toThrow(
        /takes more of charge ch_stray than is held/,
      );
    } finally {
      client.release();
    }
    expect(refunded!.data).toMatchObject({
      postings: [{ debit: platform('unapplied'), credit: platform('card-clearing'), amountMinor: 99 }],
      occurredAt: AT,
    });
  });
});
