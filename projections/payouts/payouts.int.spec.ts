/** Payouts, step by step. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { bankAccountsStream } from '#contracts/events/bank-account';
import { payoutStream } from '#contracts/events/payout-process';
import type { JournalCommand } from '#ledger/journal/commands';
import {
  AT,
  completePayout,
  failPayout,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  providerFee,
  requestPayout,
  returnPayout,
  settle,
  submitPayout,
  refund,
  transfer,
} from '#test/support/journal-spec';
import { sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { payouts } from './columns.js';
import { projectPayouts } from './project.js';
import {
  payoutOf,
  payoutsOf,
  payoutsPutOff,
  STATUS,
  unfinishedPayouts,
  type PayoutFilter,
} from './queries.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '50.00' };

async function withMoney(): Promise<ReadSide> {
  const side = await sides.open();
  side.story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
  return side;
}

/** Juno gives a bank account, of which the provider has said nothing yet. */
function submitBank(side: ReadSide): void {
  side.story.write(bankAccountsStream(JUNO), {
    type: 'BankAccountSubmitted',
    data: {
      userId: JUNO,
      bankAccountId: 'ba_1',
      accountType: 'checking',
      details: sealedFor(
        JUNO,
        JSON.stringify({
          accountHolderName: 'Juno V',
          bankName: 'Harbor Bank',
          accountLast4: '6789',
          routingLast4: '0000',
        }),
      ),
      numberFingerprint: 'number',
      requestFingerprint: 'request',
      submittedAt: new Date(side.story.nowMs).toISOString(),
    },
  });
}

/** A row as the table has it, with the status that its owner is told. */
async function rowOf(side: ReadSide, payoutId: string) {
  const [row] = await payouts.rowsBy('id', [payoutId], side.db);
  return row && { ...row, status: STATUS[row.step] };
}

describe('payouts', () => {
  it('go from pending over processing to completed', async () => {
    const side = await withMoney();
    side.story.command(requestPayout('20.00'));
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({
      userId: JUNO,
      bankAccountId: 'ba_1',
      amountMinor: 2000,
      status: 'pending',
      step: 'requested',
      completedAt: null,
      failureReason: null,
    });
    side.story.command(payoutTransferred());
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({
      status: 'processing',
      providerTransferId: 'tr_out_1',
      connectAccountId: 'acct_1',
    });
    side.story.command(submitPayout('out_1', '2026-11-24'));
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({
      providerPayoutId: 'po_out_1',
      arrivesOn: '2026-11-24',
      status: 'processing',
      step: 'submitted',
    });
    const [completed] = side.story.command(completePayout());
    await side.feed();
    expect(await payoutOf(side.db, JUNO, 'out_1')).toMatchObject({
      step: 'completed',
      completedAt: new Date(completed!.metadata.recordedAt),
    });
    expect(await payoutOf(side.db, MILO, 'out_1')).toBeUndefined();
  });

  it('that the bank returns after all say why at once, and have failed when the money is back', async () => {
    const side = await withMoney();
    side.story.command(
      requestPayout('20.00'),
      payoutTransferred(),
      submitPayout(),
      completePayout(),
      returnPayout(),
    );
    await side.feed();
    const reason = 'The bank account has been closed.';
    expect(await rowOf(side, 'out_1')).toMatchObject({
      status: 'processing',
      completedAt: null,
      failureReason: reason,
    });
    side.story.command(failPayout('trr_1'));
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({
      status: 'failed',
      reversalId: 'trr_1',
      failureCode: 'account_closed',
      failureReason: reason,
      madeUpMinor: null,
    });
  });

  it('that come back after a debt was written off say what of them made up for it', async () => {
    const side = await withMoney();
    side.story.command(requestPayout('20.00'), payoutTransferred(), submitPayout(), completePayout());
    // Of the $50 are $30 there: a refund of all leaves a debt of $20.
    side.story.command(transfer('22.00', JUNO, MILO), refund(tip, '50.00'));
    side.story.command({ type: 'WriteOffDebt', userId: JUNO, writeOffId: 'wo_1' });
    side.story.command(returnPayout(), failPayout('trr_1'));
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({ status: 'failed', madeUpMinor: 2000 });
  });

  it('are listed for their owner, newest first and page by page, and for the workers while they are under way', async () => {
    const side = await withMoney();
    const ids = ['out_1', 'out_2', 'out_3', 'out_4'];
    side.story.command(...ids.map((id) => requestPayout('5.00', JUNO, id)));
    side.story.command(failPayout(undefined, 'out_2'), payoutTransferred('out_3'), submitPayout('out_3'));
    side.story.command(completePayout('out_3'));
    await side.feed();
    const first = await payoutsOf(side.db, JUNO, { limit: 3 });
    expect(first.lines.map(({ id }) => id)).toEqual(['out_4', 'out_3', 'out_2']);
    const second = await payoutsOf(side.db, JUNO, { limit: 3, cursor: first.next });
    expect(second).toEqual({ lines: [expect.objectContaining({ id: 'out_1' })], next: undefined });
    expect(await payoutsOf(side.db, MILO)).toEqual({ lines: [], next: undefined });
    expect((await unfinishedPayouts(side.db, 1)).map(({ id }) => id)).toEqual(['out_1']);
    expect((await unfinishedPayouts(side.db, 5, 'out_1')).map(({ id }) => id)).toEqual(['out_4']);
  });

  it('are known to lead nowhere once their bank account is gone, or was refused', async () => {
    const side = await withMoney();
    submitBank(side);
    side.story.command(requestPayout('20.00'));
    await side.feed();
    expect(await unfinishedPayouts(side.db, 1)).toMatchObject([
      { id: 'out_1', payoutsEnabled: false, isBankGone: false },
    ]);
    side.story.write(bankAccountsStream(JUNO), {
      type: 'BankAccountRefused',
      data: { userId: JUNO, bankAccountId: 'ba_1', reason: 'The number is not one of that bank.' },
    });
    await side.feed();
    expect(await unfinishedPayouts(side.db, 1)).toMatchObject([{ id: 'out_1', isBankGone: true }]);
  });

  it('are narrowed to a time, to a status as people are told it, and to a bank or a reason', async () => {
    const side = await withMoney();
    submitBank(side);
    const ids = ['out_1', 'out_2', 'out_3'];
    for (const id of ids) side.story.command(requestPayout('5.00', JUNO, id));
    side.story.command({ ...requestPayout('5.00', JUNO, 'out_4'), bankAccountId: 'ba_2' } as JournalCommand);
    side.story.command(failPayout(undefined, 'out_2'), payoutTransferred('out_3'));
    await side.feed();
    const found = async (filter: PayoutFilter) =>
      (await payoutsOf(side.db, JUNO, filter)).lines.map(({ id }) => id);
    expect(await found({ status: 'pending' })).toEqual(['out_4', 'out_1']);
    expect(await found({ status: 'processing' })).toEqual(['out_3']);
    expect(await found({ status: 'completed' })).toEqual([]);
    expect(await found({ text: 'harbor' })).toEqual(['out_3', 'out_2', 'out_1']);
    expect(await found({ text: '6789', status: 'failed' })).toEqual(['out_2']);
    expect(await found({ text: 'account has been closed' })).toEqual(['out_2']);
    const [, third, second] = (await payoutsOf(side.db, JUNO)).lines;
    expect(await found({ from: second!.requestedAt, until: third!.requestedAt })).toEqual(['out_2']);
  });

  it('count how often they were put off, and say why while they stand at that step', async () => {
    const side = await withMoney();
    const [asked] = side.story.command(requestPayout('5.00'));
    const of = { payoutId: 'out_1', userId: JUNO };
    const delayedAt = asked!.metadata.recordedAt;
    const put = (attempt: number, reason: string) =>
      side.story.write(payoutStream('out_1'), {
        type: 'PayoutDelayed',
        data: { ...of, step: 'transfer', attempt, code: 'balance_insufficient', reason, delayedAt },
      });
    side.story.write(payoutStream('out_1'), {
      type: 'PayoutStepBegun',
      data: { ...of, step: 'transfer', attempt: 1, connectAccountId: 'acct_juno', begunAt: AT },
    });
    put(1, 'Not yet.');
    put(2, 'Still not.');
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({ delays: 2, delayCode: 'balance_insufficient' });
    expect(await unfinishedPayouts(side.db, 5)).toMatchObject([
      { id: 'out_1', delays: 2, delayedAt: new Date(delayedAt) },
    ]);
    expect(await payoutsPutOff(side.db)).toEqual([
      { code: 'balance_insufficient', count: 1, oldest: new Date(delayedAt) },
    ]);
    expect((await payoutOf(side.db, JUNO, 'out_1'))?.delayReason).toBe('Still not.');
    side.story.command(payoutTransferred());
    side.story.write(payoutStream('out_1'), {
      type: 'PayoutAbandoned',
      data: { ...of, code: 'x', reason: 'Removed.' },
    });
    await side.feed();
    expect(await rowOf(side, 'out_1')).toMatchObject({ step: 'transferred', delays: 2 });
    expect((await payoutOf(side.db, JUNO, 'out_1'))?.delayReason).toBeNull();
    expect(await payoutsPutOff(side.db)).toEqual([]);
  });

  it('find, added up by its time, when the money of charges can be used at the provider', async () => {
    const side = await withMoney();
    const [soon, later] = ['2026-03-03T00:00:00.000Z', '2026-03-04T00:00:00.000Z'];
    const tips = ['pay_a', 'pay_b', 'pay_c'].map((paymentId) => ({ paymentId, amount: '10.00' }));
    side.story.command(...tips.flatMap((each) => [open(each), settle(each)]));
    side.story.command(providerFee(tips[0]!, '0.59', soon), providerFee(tips[1]!, '0', soon));
    await side.feed();
    side.story.command(providerFee(tips[2]!, '0.59', later));
    await side.feed();
    const { rows } = await side.db.query('select * from funds_arriving order by available_on');
    expect(rows).toEqual([
      { available_on: new Date(soon), net_minor: 1941 },
      { available_on: new Date(later), net_minor: 941 },
    ]);
  });

  it('do not believe what is said of one that was never requested', async () => {
    const side = await withMoney();
    await side.feed();
    const client = await side.db.connect();
    try {
      const orphan = side.story.write(payoutStream('out_9'), {
        type: 'PayoutAbandoned',
        data: { payoutId: 'out_9', userId: JUNO, code: 'x', reason: 'Removed.' },
      });
      await expect(projectPayouts([orphan], client)).rejects.toThrow(/never requested/);
    } finally {
      client.release();
    }
    side.story.log.all.pop();
  });
});
