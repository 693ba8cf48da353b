/**
 * What people see of their payments and transfers, entry by entry. Each event is fed twice; a replay yields
 * the same rows.
 */
import { describe, expect, it } from '@jest/globals';
import { guestStream } from '#contracts/events/guest';
import { thanksStream } from '#contracts/events/thanks';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import { guestIdOf } from '#contracts/plain/guest';
import {
  ADA,
  AT,
  cancel,
  CARD,
  closeDispute,
  collect,
  collecting,
  decline,
  dispute,
  failRefund,
  JUNO,
  MILO,
  minor,
  open,
  openAccount,
  providerFee,
  refund,
  reinstateDisputed,
  settle,
  submit,
  transfer,
  withdrawDisputed,
} from '#test/support/journal-spec';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { balanceOf } from '../balances/queries.js';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import {
  earningsOf,
  guestsClaimedBy,
  takenByOpenDisputes,
  transactionCountOf,
  transactionOf,
  transactionsOf,
  transactionSumsOf,
  unresolvedPaymentsBefore,
  type TransactionFilter,
} from './queries.js';
import { transactions } from './columns.js';

const sides = useReadSides();

const tip = { paymentId: 'pay_tip', amount: '20.00' };

/** A row as the table has it. */
async function rowOf(side: ReadSide, paymentId: string) {
  const [row] = await transactions.rowsBy('id', [paymentId], side.db);
  return row;
}

/** Milo pays, Juno receives. */
async function withAccounts(): Promise<ReadSide> {
  const side = await sides.open();
  side.story.register(JUNO, profileOf('juno'));
  side.story.register(MILO, profileOf('milo'));
  side.story.command(openAccount(JUNO), openAccount(MILO), openAccount(ADA));
  return side;
}

const linesOf = async (side: ReadSide, userId: string, filter?: TransactionFilter): Promise<string[]> =>
  (await transactionsOf(side.db, userId, filter)).lines.map(
    ({ type, amountMinor, status, refundedMinor, id }) =>
      `${id}: ${type} ${amountMinor} ${status}${refundedMinor > 0 ? ` less ${refundedMinor}` : ''}`,
  );

/** Feeds what was written and tells what both now see, with the counters beside the lists. */
async function seen(side: ReadSide): Promise<{ payer: string[]; recipient: string[] }> {
  await side.feed();
  const payer = await linesOf(side, MILO);
  const recipient = await linesOf(side, JUNO);
  expect(await transactionCountOf(side.db, MILO)).toBe(payer.length);
  expect(await transactionCountOf(side.db, JUNO)).toBe(recipient.length);
  return { payer, recipient };
}

describe('thanks', () => {
  const thanks = {
    type: 'PayerThanked',
    data: { paymentId: 'pay_tip', payerId: MILO, recipientId: JUNO, thanks: 'made_my_night' },
  } as const;

  it('stand in both lists, and are gone once whoever sent them is forgotten', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), settle(tip));
    side.story.write(thanksStream('pay_tip'), thanks);
    await side.feed();
    for (const who of [MILO, JUNO])
      expect((await transactionsOf(side.db, who)).lines).toMatchObject([{ thanks: 'made_my_night' }]);
    side.story.forget(JUNO);
    await side.feed();
    expect((await transactionsOf(side.db, MILO)).lines).toMatchObject([{ thanks: null }]);
  });

  it('for a payment that the log has lost are in nobody’s list', async () => {
    const side = await withAccounts();
    side.story.write(thanksStream('pay_tip'), thanks);
    expect(await seen(side)).toEqual({ payer: [], recipient: [] });
  });
});

describe('a payment in the lists', () => {
  it('is in nobody’s list while it is merely open: visiting a tip page opens one', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip));
    expect(await seen(side)).toEqual({ payer: [], recipient: [] });
  });

  it('is in nobody’s list when it was canceled without an attempt', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), cancel(tip));
    expect(await seen(side)).toEqual({ payer: [], recipient: [] });
  });

  it('shows both the money once it has settled', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), settle(tip));
    expect(await seen(side)).toEqual({
      payer: ['pay_tip: payment_sent 2000 completed'],
      recipient: ['pay_tip: payment_received 2000 completed'],
    });
  });

  it('shows a declined attempt to the payer only, until another card pays', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), decline(tip));
    expect(await seen(side)).toEqual({ payer: ['pay_tip: payment_sent 2000 failed'], recipient: [] });
    const [declined] = (await transactionsOf(side.db, MILO)).lines;
    expect(declined!.failureReason).toBe('Your card was declined.');
    side.story.command(decline(tip, 2), settle(tip));
    expect(await seen(side)).toEqual({
      payer: ['pay_tip: payment_sent 2000 completed'],
      recipient: ['pay_tip: payment_received 2000 completed'],
    });
    expect((await transactionsOf(side.db, MILO)).lines[0]!.failureReason).toBeNull();
  });

  it('dates a line from what brought it into that person’s list, and keeps it there', async () => {
    const side = await withAccounts();
    side.story.nowMs += 2 * 86_400_000;
    const [declined, paid] = ['2026-03-01T21:00:00.000Z', '2026-03-02T08:30:00.000Z'];
    side.story.command(open(tip), { ...decline(tip), occurredAt: declined } as ReturnType<typeof decline>);
    await side.feed();
    side.story.command(settle(tip, { occurredAt: paid }));
    await side.feed();
    expect((await transactionsOf(side.db, MILO)).lines[0]!.createdAt).toEqual(new Date(declined));
    expect((await transactionsOf(side.db, JUNO)).lines[0]!.createdAt).toEqual(new Date(paid));
  });

  it('leaves a payment that was declined and then given up in the payer’s list as failed', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), decline(tip), cancel(tip));
    expect(await seen(side)).toEqual({ payer: ['pay_tip: payment_sent 2000 failed'], recipient: [] });
  });

  it('books a proven success also after a cancel', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), cancel(tip), settle(tip));
    expect((await seen(side)).recipient).toEqual(['pay_tip: payment_received 2000 completed']);
  });

  it('ignores a decline that is told after the money has come', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), submit(tip), settle(tip), decline(tip));
    expect((await seen(side)).payer).toEqual(['pay_tip: payment_sent 2000 completed']);
  });

  it('shows a refund in part and in full, and takes it back when the refund fails', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), refund(tip, '5.00', 're_1'));
    expect((await seen(side)).recipient).toEqual([
      'pay_tip: payment_received 2000 partially_refunded less 500',
    ]);
    side.story.command(refund(tip, '15.00', 're_2'));
    expect((await seen(side)).payer).toEqual(['pay_tip: payment_sent 2000 refunded less 2000']);
    side.story.command(failRefund(tip, 're_2'));
    expect((await seen(side)).payer).toEqual(['pay_tip: payment_sent 2000 partially_refunded less 500']);
    side.story.command(failRefund(tip, 're_1'));
    expect((await seen(side)).payer).toEqual(['pay_tip: payment_sent 2000 completed']);
  });

  it('shows a transfer to both at once', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), transfer('7.50', JUNO, MILO));
    expect(await seen(side)).toEqual({
      payer: ['trf_1: payment_received 750 completed', 'pay_tip: payment_sent 2000 completed'],
      recipient: ['trf_1: payment_sent 750 completed', 'pay_tip: payment_received 2000 completed'],
    });
  });

  it('names the other person, and blanks name and note when the payer is forgotten', async () => {
    const side = await withAccounts();
    const note = sealedFor(MILO, 'Great show!');
    side.story.command({ ...open(tip), note } as ReturnType<typeof open>, settle(tip));
    await side.feed();
    const [line] = (await transactionsOf(side.db, JUNO)).lines;
    expect(line).toMatchObject({
      counterpartyId: MILO,
      counterpartyUsername: 'milo',
      note: 'Great show!',
      method: 'card',
    });
    expect(line!.counterpartyName).toBe('Milo Example');
    side.story.switch(MILO, 'privacyModeEnabled', true);
    await side.feed();
    for (const seen of [
      (await transactionsOf(side.db, JUNO)).lines[0],
      await transactionOf(side.db, JUNO, 'pay_tip'),
    ])
      expect(seen).toMatchObject({ counterpartyUsername: 'milo', counterpartyName: null });
    expect((await transactionsOf(side.db, JUNO, { text: 'example' })).lines).toEqual([]);
    side.story.switch(MILO, 'privacyModeEnabled', false);
    await side.feed();
    expect((await transactionsOf(side.db, JUNO, { text: 'lo exam' })).lines).toHaveLength(1);
    side.story.forget(MILO);
    await side.feed();
    const [blank] = (await transactionsOf(side.db, JUNO)).lines;
    expect(blank).toMatchObject({
      counterpartyId: MILO,
      counterpartyUsername: null,
      counterpartyName: null,
      note: null,
      amountMinor: 2000,
    });
  });
});

describe('whom somebody was as a guest', () => {
  it('is known once they have claimed a receipt, so that they are forgotten as that guest, too', async () => {
    const side = await withAccounts();
    const [wren, other] = [guestIdOf('wren'), guestIdOf('other')];
    const tips = [wren, other].map((from, n) => ({ paymentId: `pay_${n}`, amount: '5.00', from }));
    side.story.command(...tips.flatMap((of) => [open(of), settle(of)]));
    await side.feed();
    expect(await guestsClaimedBy(side.db, MILO)).toEqual([]);
    side.story.write(guestStream(wren), { type: 'GuestTipsClaimed', data: { guestId: wren, userId: MILO } });
    await side.feed();
    expect(await guestsClaimedBy(side.db, MILO)).toEqual([wren]);
    expect(await guestsClaimedBy(side.db, JUNO)).toEqual([]);
  });
});

describe('a list that is narrowed', () => {
  const ids = async (side: ReadSide, filter: TransactionFilter): Promise<string[]> =>
    (await transactionsOf(side.db, JUNO, filter)).lines.map(({ id }) => id);

  it('has what was paid so, what stands so, or what begins with an amount, and its sums are those of its lines', async () => {
    const side = await withAccounts();
    const other = { paymentId: 'pay_other', amount: '1250.50' };
    const byCashApp = { ...open(other), method: 'cashapp' } as ReturnType<typeof open>;
    side.story.command(open(tip), submit(tip), settle(tip), byCashApp, submit(other), settle(other));
    side.story.command(refund(tip, '5.00'));
    side.story.command(
      open({ ...tip, paymentId: 'pay_failed' }),
      submit({ ...tip, paymentId: 'pay_failed' }),
    );
    side.story.command(decline({ ...tip, paymentId: 'pay_failed' }));
    await side.feed();
    expect(await ids(side, { method: 'cashapp' })).toEqual(['pay_other']);
    expect(await ids(side, { method: 'balance' })).toEqual([]);
    expect(await ids(side, { status: 'refunded' })).toEqual(['pay_tip']);
    expect(await ids(side, { status: 'completed' })).toEqual(['pay_other']);
    expect(await ids(side, { text: '$1,250.5' })).toEqual(['pay_other']);
    expect(await ids(side, { text: '1250,50' })).toEqual(['pay_other']);
    expect(await ids(side, { text: '12,50' })).toEqual([]);
    expect(await ids(side, { text: '20' })).toEqual(['pay_tip']);
    expect(await ids(side, { text: '50' })).toEqual([]);
    expect(await transactionSumsOf(side.db, JUNO)).toEqual({
      receivedMinor: 126_550,
      sentMinor: 0,
      count: 2,
      lines: 2,
    });
    expect(await transactionSumsOf(side.db, JUNO, { text: '20' })).toMatchObject({ receivedMinor: 1500 });
    expect(await transactionSumsOf(side.db, MILO)).toMatchObject({ sentMinor: 126_550, count: 2, lines: 3 });
  });
});

describe('what a person earned', () => {
  it('is summed up by the days that they name, less what went back, and without what they paid', async () => {
    const side = await withAccounts();
    const at = (paymentId: string, amount: string, occurredAt: string, other = {}) => {
      const one = { paymentId, amount, ...other };
      side.story.command(open(one), settle(one, { occurredAt }));
      return one;
    };
    at('pay_before', '1.00', '2026-02-27T23:59:59.000Z');
    at('pay_first', '0.10', '2026-02-28T00:00:00.000Z');
    at('pay_second', '0.20', '2026-02-28T23:59:59.000Z');
    at('pay_sent', '4.00', '2026-02-28T12:00:00.000Z', { from: JUNO, to: MILO });
    const returned = at('pay_returned', '20.00', '2026-03-01T20:00:00.000Z');
    side.story.command(refund(returned, '15.00'));
    await side.feed();
    const days = ['2026-02-28', '2026-03-01', '2026-03-02'].map((day) => new Date(day));
    expect(await earningsOf(side.db, JUNO, days)).toEqual([30, 500, 0]);
    expect(await earningsOf(side.db, ADA, days)).toEqual([0, 0, 0]);
  });
});

describe('a long list', () => {
  /** So many seconds past eight, by the provider's clock. */
  const clock = (seconds: number): string => `2026-03-01T20:00:${String(seconds).padStart(2, '0')}.000Z`;

  async function withTips(count: number): Promise<ReadSide> {
    const side = await withAccounts();
    for (let n = 1; n <= count; n += 1) {
      const one = {
        paymentId: `pay_${n}`,
        amount: '1.00',
        from: n % 2 === 0 ? MILO : JUNO,
        to: n % 2 === 0 ? JUNO : MILO,
      };
      side.story.command(open(one), settle(one, { occurredAt: clock(n) }));
    }
    await side.feed();
    return side;
  }

  it('is walked page by page, newest first, without a gap or a repeat, while new money comes in', async () => {
    const side = await withTips(7);
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await transactionsOf(side.db, MILO, { limit: 3, cursor });
      walked.push(...page.lines.map(({ id }) => id));
      cursor = page.next;
      const next = { paymentId: `pay_new_${walked.length}`, amount: '1.00' };
      const late = { paymentId: `pay_late_${walked.length}`, amount: '1.00' };
      side.story.command(open(next), settle(next, { occurredAt: clock(30) }));
      // It happened with the line that was walked last, and is booked only now.
      side.story.command(open(late), settle(late, { occurredAt: clock(8 - walked.length) }));
      await side.feed();
    } while (cursor !== undefined);
    expect(walked).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `pay_${n}`));
  });

  it('is filtered by kind and by time', async () => {
    const side = await withTips(4);
    expect(await linesOf(side, MILO, { type: 'payment_received' })).toEqual([
      'pay_3: payment_received 100 completed',
      'pay_1: payment_received 100 completed',
    ]);
    const all = (await transactionsOf(side.db, MILO)).lines;
    const [from, until] = [all[2]!.createdAt, all[0]!.createdAt];
    expect((await transactionsOf(side.db, MILO, { from, until })).lines.map(({ id }) => id)).toEqual([
      'pay_3',
      'pay_2',
    ]);
  });

  it('is in the order in which things happened, however late the ledger heard of them', async () => {
    const side = await withTips(3);
    const late = { paymentId: 'pay_late', amount: '1.00' };
    side.story.command(open(late), settle(late, { occurredAt: clock(1) }));
    await side.feed();
    const { lines } = await transactionsOf(side.db, MILO);
    // Within one second the journal's order decides.
    expect(lines.map(({ id, createdAt }) => [id, createdAt.toISOString()])).toEqual([
      ['pay_3', clock(3)],
      ['pay_2', clock(2)],
      ['pay_late', clock(1)],
      ['pay_1', clock(1)],
    ]);
  });

  it('shows whole seconds, and nothing as later than the ledger knew of it', async () => {
    const side = await withTips(1);
    const ahead = { paymentId: 'pay_ahead', amount: '1.00' };
    side.story.nowMs = Date.parse(clock(40)) + 200;
    side.story.command(
      open(ahead),
      settle(ahead, { occurredAt: '2026-03-02T20:00:00.000Z' }),
      transfer('0.50', JUNO, MILO),
    );
    await side.feed();
    const { lines } = await transactionsOf(side.db, MILO);
    expect(lines.map(({ id, createdAt }) => [id, createdAt.toISOString()])).toEqual([
      ['trf_1', clock(43)],
      ['pay_ahead', clock(42)],
      ['pay_1', clock(1)],
    ]);
  });

  it('is searched by what was written and by who the other one is, whatever the case', async () => {
    const side = await withAccounts();
    const noted = (paymentId: string, note: string) => ({
      ...open({ ...tip, paymentId }),
      note: sealedFor(MILO, note),
    });
    side.story.command(
      noted('pay_1', 'For the 100% best Encore'),
      noted('pay_2', 'Rent_2026'),
      open({ ...tip, paymentId: 'pay_3' }),
    );
    side.story.command(...['pay_1', 'pay_2', 'pay_3'].map((paymentId) => settle({ ...tip, paymentId })));
    await side.feed();
    const found = async (userId: string, text: string): Promise<string[]> =>
      (await transactionsOf(side.db, userId, { text })).lines.map(({ id }) => id);
    expect(await found(JUNO, 'encore')).toEqual(['pay_1']);
    expect(await found(JUNO, '100%')).toEqual(['pay_1']);
    expect(await found(JUNO, 't_2')).toEqual(['pay_2']);
    expect(await found(JUNO, '%')).toEqual(['pay_1']);
    expect(await found(JUNO, '\\\\')).toEqual([]);
    expect(await found(JUNO, 'MIL')).toHaveLength(3);
    expect(await found(MILO, 'juno')).toHaveLength(3);
    expect(await found(MILO, 'milo')).toEqual([]);
  });

  it('refuses a cursor that it did not give out', async () => {
    const side = await withTips(1);
    await expect(transactionsOf(side.db, MILO, { cursor: "1-1' or true" })).rejects.toThrow(RangeError);
  });
});

describe('a dispute in the lists', () => {
  it('is told to both while the bank asks, and leaves the payment as it was when it is won', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), dispute(tip), withdrawDisputed(tip), providerFee(tip, '0.88'));
    expect(await seen(side)).toEqual({
      payer: ['pay_tip: payment_sent 2000 disputed'],
      recipient: ['pay_tip: payment_received 2000 disputed'],
    });
    expect(await transactionOf(side.db, JUNO, 'pay_tip')).toMatchObject({
      disputeStatus: 'open',
      disputedMinor: 2000,
    });
    expect(await takenByOpenDisputes(side.db, JUNO)).toBe(2000);
    expect(await takenByOpenDisputes(side.db, MILO)).toBe(0);
    side.story.command(reinstateDisputed(tip), closeDispute(tip, 'won'));
    expect((await seen(side)).recipient).toEqual(['pay_tip: payment_received 2000 completed']);
    expect(await transactionOf(side.db, JUNO, 'pay_tip')).toMatchObject({
      disputeStatus: 'won',
      disputedMinor: 0,
    });
    expect(await takenByOpenDisputes(side.db, JUNO)).toBe(0);
  });

  it('that is lost stays lost, beside what was refunded before', async () => {
    const side = await withAccounts();
    side.story.command(
      open(tip),
      settle(tip),
      refund(tip, '5.00'),
      dispute(tip),
      withdrawDisputed(tip, '15.00'),
    );
    side.story.command(closeDispute(tip, 'lost'));
    expect((await seen(side)).payer).toEqual(['pay_tip: payment_sent 2000 dispute_lost less 500']);
    expect(await transactionOf(side.db, MILO, 'pay_tip')).toMatchObject({
      disputeStatus: 'lost',
      disputedMinor: 1500,
    });
  });

  it('takes of what was received no more than its recipient bore, whatever more the bank took back', async () => {
    const side = await withAccounts();
    const kept = async (): Promise<readonly number[]> => {
      await side.feed();
      const { receivedMinor, sentMinor } = await transactionSumsOf(side.db, JUNO);
      const line = await transactionOf(side.db, JUNO, 'pay_tip');
      const { receivedMinor: earned } = await balanceOf(side.db, JUNO);
      expect(sentMinor).toBe(0);
      expect(await earningsOf(side.db, JUNO, [new Date(0)])).toEqual([receivedMinor]);
      return [receivedMinor, line!.amountMinor - line!.refundedMinor - line!.disputedMinor, earned];
    };
    // $8.00 went back before the bank took all of it: the platform bears what was gone already.
    side.story.command(open(tip), settle(tip), refund(tip, '8.00'), dispute(tip), withdrawDisputed(tip));
    expect(await kept()).toEqual([0, 0, 0]);
    expect(await transactionOf(side.db, MILO, 'pay_tip')).toMatchObject({ disputedMinor: 2000 });
    // Of a payment that was refunded in part the bank gives up what was left.
    side.story.command(reinstateDisputed(tip, '12.00'), closeDispute(tip, 'won'));
    expect(await kept()).toEqual([1200, 1200, 1200]);
    expect(await transactionOf(side.db, MILO, 'pay_tip')).toMatchObject({ disputedMinor: 800 });
    side.story.command(failRefund(tip));
    expect(await kept()).toEqual([1200, 1200, 1200]);
  });

  it('counts as received again what makes up for a debt that was written off', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), transfer('20.00', JUNO, MILO));
    side.story.command(dispute(tip), withdrawDisputed(tip));
    side.story.command({ type: 'WriteOffDebt', userId: JUNO, writeOffId: 'wo_1' }, reinstateDisputed(tip));
    await side.feed();
    expect(await transactionOf(side.db, JUNO, 'pay_tip')).toMatchObject({ disputedMinor: 0 });
    expect(await earningsOf(side.db, JUNO, [new Date(0)])).toEqual([2000]);
  });

  it('takes nothing twice of what was received where a refund is told of after it', async () => {
    const side = await withAccounts();
    side.story.command(open(tip), settle(tip), dispute(tip), withdrawDisputed(tip), refund(tip, '8.00'));
    await side.feed();
    expect(await transactionOf(side.db, JUNO, 'pay_tip')).toMatchObject({
      refundedMinor: 800,
      disputedMinor: 1200,
    });
    expect((await balanceOf(side.db, JUNO)).receivedMinor).toBe(0);
    expect(await earningsOf(side.db, JUNO, [new Date(0)])).toEqual([0]);
  });

  it('of money that no payment explains is in nobody’s', async () => {
    const side = await withAccounts();
    const stray = { paymentId: 'pay_stray', amount: '4.00' };
    side.story.command(settle(stray), dispute(stray), withdrawDisputed(stray));
    expect(await seen(side)).toEqual({ payer: [], recipient: [] });
  });
});

describe('what a schedule pays', () => {
  it('says so to both, and names the schedule to the payer only', async () => {
    const side = await withAccounts();
    const gift = { ...tip, paymentId: 'pay_gift', from: ADA, to: MILO };
    side.story.command(open(gift), settle(gift), collect('5.00'));
    side.story.write(scheduledPaymentStream('sch_2'), {
      type: 'PaymentScheduled',
      data: {
        scheduleId: 'sch_2',
        payerId: MILO,
        recipientId: JUNO,
        amountMinor: minor('30.00'),
        currency: 'usd',
        dueAt: AT,
        fingerprint: 'f',
        at: AT,
      },
    });
    side.story.command(
      collect('30.00', 1, {
        occurrenceId: 'occ_2',
        scheduleId: 'sch_2',
        scheduleKind: 'scheduled-payment',
        savedCard: CARD,
      }),
    );
    const second = collecting('30.00', 1, 'occ_2');
    side.story.command(settle(second));
    await side.feed();
    expect(await transactionOf(side.db, MILO, second.paymentId)).toMatchObject({
      kind: 'payment',
      scheduleKind: 'scheduled-payment',
      scheduleId: 'sch_2',
    });
    const received = (await transactionsOf(side.db, JUNO)).lines;
    expect(received.map(({ kind, scheduleKind, scheduleId }) => [kind, scheduleKind, scheduleId])).toEqual([
      ['transfer', 'subscription', null],
      ['payment', 'scheduled-payment', null],
    ]);
  });
});

describe('one line', () => {
  it('is found by whoever has it in their list, and by nobody else', async () => {
    const side = await withAccounts();
    side.story.command(open(tip));
    await side.feed();
    expect(await transactionOf(side.db, MILO, 'pay_tip')).toBeUndefined();
    const [declined] = side.story.command(decline(tip));
    await side.feed();
    expect(await transactionOf(side.db, MILO, 'pay_tip')).toMatchObject({
      status: 'failed',
      settledAt: null,
    });
    expect(await transactionOf(side.db, JUNO, 'pay_tip')).toBeUndefined();
    const [settled] = side.story.command(settle(tip));
    await side.feed();
    const receipt = await transactionOf(side.db, JUNO, 'pay_tip');
    expect(receipt).toMatchObject({
      type: 'payment_received',
      failureReason: null,
      counterpartyUsername: 'milo',
    });
    expect(receipt!.settledAt).toEqual(new Date(settled!.metadata.recordedAt));
    expect(receipt!.openedAt.getTime()).toBeLessThan(new Date(declined!.metadata.recordedAt).getTime());
    expect(await transactionOf(side.db, ADA, 'pay_tip')).toBeUndefined();
  });
});

describe('what the edge and the workers look after', () => {
  it('knows a payment that is in nobody’s list yet, and what the provider calls it', async () => {
    const side = await withAccounts();
    side.story.command(open(tip));
    await side.feed();
    expect(await rowOf(side, tip.paymentId)).toMatchObject({
      payerId: MILO,
      status: 'open',
      unresolved: true,
      intentId: null,
    });
    expect(await transactionOf(side.db, MILO, tip.paymentId)).toBeUndefined();
    expect(await transactionOf(side.db, JUNO, tip.paymentId)).toBeUndefined();
    side.story.command(submit(tip));
    await side.feed();
    expect(await rowOf(side, tip.paymentId)).toMatchObject({
      intentId: 'pi_pay_tip',
      amountMinor: minor('20.00'),
      recipientId: JUNO,
    });
  });

  it('lists what was opened long ago and never resolved, oldest first, a page at a time', async () => {
    const side = await withAccounts();
    const tips = [1, 2, 3, 4, 5].map((n) => ({ paymentId: `pay_${n}`, amount: '1.00' }));
    const opened = side.story.command(...tips.map((one) => open(one)));
    side.story.command(settle(tips[0]!), cancel(tips[1]!), decline(tips[2]!), submit(tips[3]!));
    await side.feed();
    const [, , third, fourth, fifth] = opened.map(({ metadata }, n) => ({
      id: tips[n]!.paymentId,
      openedAt: new Date(metadata.recordedAt),
      intentId: n === 3 ? `pi_${tips[n]!.paymentId}` : null,
    }));
    const late = new Date(side.story.nowMs + 1);
    const first = await unresolvedPaymentsBefore(side.db, late, 2);
    expect(first).toEqual([third, fourth]);
    expect(await unresolvedPaymentsBefore(side.db, late, 2, first.at(-1))).toEqual([fifth]);
    expect(await unresolvedPaymentsBefore(side.db, fourth!.openedAt)).toEqual([third]);
  });

  it('does not believe an entry about a payment that was never opened', async () => {
    const side = await withAccounts();
    await side.feed();
    const client = await side.db.connect();
    try {
      const [model] = side.models.filter(({ name }) => name === 'transactions');
      const [orphan] = side.story.command(open(tip), submit(tip)).slice(1);
      await expect(model!.project([orphan!], client)).rejects.toThrow(/never opened/);
    } finally {
      client.release();
    }
    await side.feed();
  });
});
