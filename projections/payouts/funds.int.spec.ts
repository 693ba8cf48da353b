/** The queue of payouts and the money that it waits for. */
import { describe, expect, it } from '@jest/globals';
import { bankAccountsStream } from '#contracts/events/bank-account';
import { payoutStream } from '#contracts/events/payout-process';
import { migrate } from '#log/migrations';
import {
  ADA,
  JUNO,
  MILO,
  open,
  openAccount,
  payoutTransferred,
  providerFee,
  requestPayout,
  settle,
} from '#test/support/journal-spec';
import { sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { payoutAnswer } from './controller.js';
import { neededFor, noteFunds, PAYOUT_FUNDS_TABLE, payoutFunds, throughOf } from './funds.js';
import { payoutsPutOff, unfinishedPayouts } from './queries.js';

const sides = useReadSides();

const DAY_MS = 86_400_000;
const tip = { paymentId: 'pay_tip', amount: '90.00', from: MILO, to: JUNO };
const other = { paymentId: 'pay_other', amount: '10.00', from: MILO, to: ADA };
const ALL = ['out_1', 'out_2', 'out_3'];

/** Somebody with a bank account to whom the provider pays out, or not yet. */
function withBank(side: ReadSide, userId: string, bankAccountId: string, isVerified: boolean): void {
  const texts = { accountHolderName: 'A', bankName: 'B', accountLast4: '6789', routingLast4: '0000' };
  const stream = bankAccountsStream(userId);
  side.story.write(stream, {
    type: 'BankAccountSubmitted',
    data: {
      userId,
      bankAccountId,
      accountType: 'checking',
      details: sealedFor(userId, JSON.stringify(texts)),
      numberFingerprint: 'number',
      requestFingerprint: 'request',
      submittedAt: new Date(side.story.nowMs).toISOString(),
    },
  });
  side.story.write(stream, {
    type: 'BankAccountAdded',
    data: { userId, bankAccountId, externalAccountId: `ba_${bankAccountId}` },
  });
  side.story.write(stream, {
    type: 'PayoutAccountOpened',
    data: { userId, connectAccountId: `acct_${userId}` },
  });
  if (isVerified) side.story.write(stream, { type: 'PayoutsEnabled', data: { userId } });
}

/** Juno asks for $50, then for $5; between them Ada, who is not verified, for $8. */
async function queue(): Promise<ReadSide> {
  const side = await sides.open();
  await migrate(side.databaseUrl, [{ schema: 'edge', migrations: [PAYOUT_FUNDS_TABLE] }]);
  side.story.command(openAccount(JUNO), openAccount(MILO), openAccount(ADA));
  side.story.command(open(tip), settle(tip), open(other), settle(other));
  withBank(side, JUNO, 'ba_1', true);
  side.story.command(requestPayout('50.00', JUNO, 'out_1'));
  side.story.command(requestPayout('8.00', ADA, 'out_2'), requestPayout('5.00', JUNO, 'out_3'));
  await side.feed();
  return side;
}

describe('the queue of payouts', () => {
  it('keeps the order of the requests: a small one needs what the large one before it needs too', async () => {
    const side = await queue();
    const needed = (id: string) => neededFor(side.db, id, new Date(side.story.nowMs + DAY_MS));
    expect(await Promise.all(ALL.map(needed))).toEqual([5000, 5800, 5500]);
    expect(await throughOf(side.db, ALL)).toEqual(
      new Map([
        ['out_1', 5000],
        ['out_3', 5500],
      ]),
    );
    expect(await needed('out_unknown')).toBeUndefined();
  });

  it('asks about the first, and about those that the money reaches', async () => {
    const side = await queue();
    const waiting = async (availableMinor?: number) =>
      (await unfinishedPayouts(side.db, 9, undefined, availableMinor)).flatMap(({ id, waitsItsTurn }) =>
        waitsItsTurn ? [id] : [],
      );
    expect(await waiting(0)).toEqual(['out_3']);
    expect(await waiting(5499)).toEqual(['out_3']);
    expect(await waiting(5500)).toEqual([]);
    expect(await waiting()).toEqual([]);
    const covered = async (availableMinor?: number) =>
      (await unfinishedPayouts(side.db, 9, undefined, availableMinor)).map(({ isCovered }) => isCovered);
    // The second is not verified: it waits for that, and not for money.
    expect(await covered(5000)).toEqual([true, true, false]);
    expect(await covered(5500)).toEqual([true, true, true]);
    expect(await payoutsPutOff(side.db, 5000)).toMatchObject([{ code: 'balance_insufficient', count: 1 }]);
    // An attempt whose outcome is not known is looked into whatever there is.
    side.story.write(payoutStream('out_3'), {
      type: 'PayoutStepBegun',
      data: {
        payoutId: 'out_3',
        userId: JUNO,
        step: 'transfer',
        attempt: 1,
        connectAccountId: 'acct_1',
        begunAt: new Date(side.story.nowMs).toISOString(),
      },
    });
    await side.feed();
    expect(await waiting(0)).toEqual([]);
  });

  it('counts what was transferred since the provider was looked at', async () => {
    const side = await queue();
    const before = new Date(side.story.nowMs - DAY_MS);
    side.story.command(payoutTransferred('out_1'));
    await side.feed();
    expect(await neededFor(side.db, 'out_3', before)).toBe(5500);
    expect(await neededFor(side.db, 'out_3', new Date(side.story.nowMs + DAY_MS))).toBe(500);
  });
});

describe('the money that payouts wait for', () => {
  it('is what the provider was seen to have, less what went since, and what came', async () => {
    const side = await queue();
    const now = side.story.nowMs;
    await noteFunds(side.db, { availableMinor: 6000, readAt: new Date(now - 1000) });
    await noteFunds(side.db, { availableMinor: 1, readAt: new Date(now - 2000) });
    side.story.command(
      payoutTransferred('out_1'),
      providerFee(tip, '2.91', new Date(now + DAY_MS).toISOString()),
      providerFee(other, '0.59', new Date(now).toISOString()),
    );
    await side.feed();
    const state = await payoutFunds(side.db, new Date(side.story.nowMs + 1));
    expect(state).toEqual({
      availableMinor: 6000 - 5000 + 941,
      queuedMinor: 500,
      arrivals: [{ on: new Date(now + DAY_MS), netMinor: 8709 }],
    });
  });

  it('is what the books say where nobody has looked lately', async () => {
    const side = await queue();
    side.story.command(providerFee(tip, '2.91', new Date(side.story.nowMs + DAY_MS).toISOString()));
    await side.feed();
    const now = new Date(side.story.nowMs + 1);
    await noteFunds(side.db, { availableMinor: 77, readAt: new Date(now.getTime() - 2 * 3_600_000) });
    expect((await payoutFunds(side.db, now)).availableMinor).toBe(10_000 - 291 - 8709);
  });

  it('is told of with its hour and zone: the day of who reads it may be another one', async () => {
    const side = await queue();
    side.story.command(providerFee(tip, '2.91', '2199-11-24T00:00:00.000Z'));
    await side.feed();
    const requested = { id: 'out_1', amountMinor: 5000, bankAccountId: 'ba_1' };
    expect(await payoutAnswer(side.db, JUNO, requested)).toMatchObject({
      expectedOn: '2199-11-24T00:00:00.000Z',
      statusReason:
        'The money for this payout is not available at the payment provider yet. It is expected on November 24, 2199 at 12:00 AM UTC, and the payout goes by itself then.',
    });
  });

  it('ignores a reading from a clock that was a day ahead, and any other replaces it', async () => {
    const side = await queue();
    const now = new Date(side.story.nowMs + 1);
    const tomorrow = new Date(now.getTime() + DAY_MS);
    await noteFunds(side.db, { availableMinor: 0, readAt: tomorrow }, tomorrow);
    expect((await payoutFunds(side.db, now)).availableMinor).toBe(10_000);
    await noteFunds(side.db, { availableMinor: 6000, readAt: now }, now);
    expect((await payoutFunds(side.db, now)).availableMinor).toBe(6000);
  });
});
