/** Balances and receipts, entry by entry. Each event is fed twice; a replay yields the same rows. */
import { describe, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import {
  AT,
  closeDispute,
  collect,
  completePayout,
  dispute,
  failPayout,
  failRefund,
  fund,
  JUNO,
  JUNO_AVAILABLE,
  MILO,
  MILO_AVAILABLE,
  open,
  openAccount,
  openWallet,
  payoutTransferred,
  providerFee,
  refund,
  reinstateDisputed,
  requestPayout,
  returnPayout,
  returnUnapplied,
  settle,
  snapshot,
  submitPayout,
  transfer,
  withdraw,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { trialBalanceSums } from '#test/support/trial-balance';
import { BrokenBooks } from '../engine/read-model.js';
import { assertBalanced } from './project.js';
import { balanceOf, moneySummary, safeguardingSummary, trialBalance } from './queries.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '20.00' };

async function withAccounts(): Promise<ReadSide> {
  const side = await sides.open();
  side.story.command(openAccount(JUNO), openAccount(MILO));
  return side;
}

/** Feeds, and holds the table against the books that decided: every account, and zero in sum. */
async function balanced(side: ReadSide): Promise<void> {
  await side.feed();
  const table = Object.fromEntries(
    (await trialBalance(side.db)).map(({ account, balanceMinor }) => [account, balanceMinor]),
  );
  expect(table).toEqual(snapshot(side.story.books));
  for (const { sumMinor } of await trialBalanceSums(side.db)) expect(sumMinor).toBe(0);
}

describe('balances', () => {
  it('are zero for a new account, and for somebody who has none', async () => {
    const side = await withAccounts();
    await balanced(side);
    expect(await trialBalance(side.db)).toEqual([
      { account: JUNO_AVAILABLE, currency: 'usd', balanceMinor: 0 },
      { account: MILO_AVAILABLE, currency: 'usd', balanceMinor: 0 },
    ]);
    expect(await balanceOf(side.db, 'usr_nobody')).toEqual({ availableMinor: 0, receivedMinor: 0 });
  });

  it('do not move when a payment is merely opened', async () => {
    const side = await withAccounts();
    side.story.command(open(tip));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 0, receivedMinor: 0 });
  });

  it('credit the recipient when the payment settles, against card clearing', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 2000, receivedMinor: 2000 });
    expect(
      (await trialBalance(side.db)).find(({ account }) => account === 'platform/card-clearing')?.balanceMinor,
    ).toBe(-2000);
  });

  it('move from one user to another by a transfer, which is a receipt of the other', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), transfer('7.50', JUNO, MILO));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 1250, receivedMinor: 2000 });
    expect(await balanceOf(side.db, MILO)).toEqual({ availableMinor: 750, receivedMinor: 750 });
  });

  it('go below zero when money that was spent is refunded, and come back when the refund fails', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), transfer('15.00', JUNO, MILO), refund(tip, '20.00'));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: -1500, receivedMinor: 0 });
    side.story.command(failRefund(tip));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 500, receivedMinor: 2000 });
  });

  it('come to what people are owed, which nobody’s debt makes less, and to what is the platform’s own', async () => {
    const side = await withAccounts();
    side.story.command(
      open(tip),
      settle(tip),
      providerFee(tip, '0.88'),
      transfer('15.00', JUNO, MILO),
      refund(tip, '20.00'),
      {
        type: 'BookPlatformMoney',
        balanceTransactionId: 'txn_1',
        providerType: 'topup',
        amountMinor: 10_000,
        feeMinor: 0,
        currency: 'usd',
        occurredAt: AT,
      },
    );
    await balanced(side);
    // The provider took its fee of this money; the platform's own top-up more than covers it.
    expect(await safeguardingSummary(side.db)).toEqual([
      { currency: 'usd', requiredMinor: 1500, heldMinor: 9912, shortfallMinor: 0 },
    ]);
    expect(await moneySummary(side.db)).toEqual([
      { currency: 'usd', owedMinor: 1500, debtsMinor: 1500, ownMinor: 9912 },
    ]);
  });

  it('keep money that no payment explains apart, also in another currency, until it has gone back', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip, { currency: 'eur', chargeId: 'ch_eur' }));
    await balanced(side);
    expect(await trialBalanceSums(side.db)).toEqual([
      { currency: 'eur', sumMinor: 0, accounts: 2 },
      { currency: 'usd', sumMinor: 0, accounts: 2 },
    ]);
    // What came for nobody is to go back, and is there for that.
    expect(await safeguardingSummary(side.db)).toEqual([
      { currency: 'eur', requiredMinor: 2000, heldMinor: 2000, shortfallMinor: 0 },
      { currency: 'usd', requiredMinor: 0, heldMinor: 0, shortfallMinor: 0 },
    ]);
    side.story.command(returnUnapplied('ch_eur', '20.00'));
    await balanced(side);
  });

  it('follow a payout over every clearing account, and a dispute to whoever bears it', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), providerFee(tip, '0.88'));
    side.story.command(openWallet(), fund('4.00'), withdraw('1.00'), openWallet(MILO, 'wal_empty'));
    side.story.command(requestPayout('5.00'), payoutTransferred(), submitPayout(), completePayout());
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 1200, receivedMinor: 2000 });
    side.story.command(returnPayout(), failPayout('trr_1'), dispute(tip), withdrawDisputed(tip));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: -300, receivedMinor: 0 });
    side.story.command(
      reinstateDisputed(tip),
      closeDispute(tip, 'won'),
      collect('2.00', 1, { payerId: JUNO, recipientId: MILO }),
    );
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 1500, receivedMinor: 2000 });
  });

  it('follow what makes up for a debt that was written off, which had been received all the same', async () => {
    const side = await withAccounts();
    const spend = [requestPayout('20.00'), payoutTransferred(), submitPayout(), completePayout()];
    const writeOff = (writeOffId: string): JournalCommand => ({
      type: 'WriteOffDebt',
      userId: JUNO,
      writeOffId,
    });
    side.story.command(
      open(tip),
      settle(tip),
      ...spend,
      dispute(tip),
      withdrawDisputed(tip),
      writeOff('wo_1'),
    );
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 0, receivedMinor: 0 });
    side.story.command(reinstateDisputed(tip));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 0, receivedMinor: 2000 });
    side.story.command(refund(tip, '15.00'), writeOff('wo_2'), returnPayout(), failPayout('trr_1'));
    await balanced(side);
    expect(await balanceOf(side.db, JUNO)).toEqual({ availableMinor: 500, receivedMinor: 500 });
  });
});

describe('an entry that reached the log without balancing', () => {
  const settled = (change: { debit?: string; credit?: string; amountMinor?: number }) => ({
    type: 'PaymentSettled' as const,
    data: {
      paymentId: 'pay_x',
      payerId: MILO,
      recipientId: JUNO,
      amountMinor: 2000,
      currency: 'usd',
      intentId: 'pi_x',
      chargeId: 'ch_x',
      occurredAt: '2026-03-01T20:00:00.000Z',
      postings: [{ debit: 'platform/card-clearing', credit: JUNO_AVAILABLE, amountMinor: 2000, ...change }],
    },
    id: 'event',
    stream: JOURNAL,
    revision: 7,
    position: { commit: 7n, prepare: 7n },
    metadata: { version: 1, recordedAt: '2026-03-01T20:00:00.000Z', correlationId: 'spec', hash: '' },
  });

  it('is taken when it does balance', () => {
    expect(() => assertBalanced(settled({}))).not.toThrow();
  });

  it.each([
    [
      'moves another amount than it says',
      { amountMinor: 2001 },
      /says 2000 minor units and its postings move 2001/,
    ],
    [
      'debits one currency and credits another',
      { debit: 'platform/card-clearing/eur' },
      /credits less its debits/,
    ],
    ['runs from an account to itself', { debit: JUNO_AVAILABLE }, /debits and credits the same account/],
  ])('stops the projection when it %s', (_, change, says) => {
    expect(() => assertBalanced(settled(change))).toThrow(BrokenBooks);
    expect(() => assertBalanced(settled(change))).toThrow(says);
  });
});
