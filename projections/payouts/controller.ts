/** The list of payouts, and what an unfinished one waits for, in the words of the screen. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { listRequestOf, type Page } from '#contracts/api/lists';
import { PayoutFunds, PayoutsQuery, Payout } from '#contracts/api/payouts';
import { decimalFromMinor } from '#contracts/plain/money';
import { z } from 'zod';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { BANK_ACCOUNTS_PARKED, PAYOUT_PARKED } from '#contracts/plain/parked';
import { utcTime } from '#contracts/plain/utc-time';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Validated } from '#edge/validated';
import { balanceOf } from '../balances/queries.js';
import { payoutStandingOf, type PayoutStanding } from '../bank-accounts/queries.js';
import { Queryable } from '../engine/read-model.js';
import { payoutFunds, throughOf } from './funds.js';
import { coveredOn, payableOf } from './payable.js';
import { payoutOf, payoutsOf, STATUS, type PayoutFilter, type PayoutView } from './queries.js';

@Controller('api/payouts')
export class PayoutListController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({
    summary: `The user’s payouts, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(Payout),
  })
  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(PayoutsQuery)) query: PayoutsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Payout[]> {
    return [...answered(reply, await payoutPage(this.db, userId, listRequestOf(query)))];
  }

  @ApiCall({
    summary:
      'The available balance by when it could be paid out: now, and as card payments become available.',
    answer: PayoutFunds,
  })
  @Get('funds')
  async funds(@SignedIn() { userId }: Caller): Promise<PayoutFunds> {
    const [{ availableMinor }, state] = await Promise.all([balanceOf(this.db, userId), payoutFunds(this.db)]);
    const { nowMinor, later, undatedMinor } = payableOf(availableMinor, state);
    return {
      now: decimalFromMinor(nowMinor),
      later: later.map(({ on, amountMinor }) => ({
        on: on.toISOString(),
        amount: decimalFromMinor(amountMinor),
      })),
      undated: decimalFromMinor(undatedMinor),
    };
  }
}

/** A page of somebody's payouts, as their list shows them. */
export async function payoutPage(db: Queryable, userId: string, filter: PayoutFilter): Promise<Page<Payout>> {
  const [{ lines, next }, standing] = await Promise.all([
    payoutsOf(db, userId, filter),
    payoutStandingOf(db, userId),
  ]);
  const waits = await waitsOf(db, lines);
  return { lines: lines.map((line) => answerOf(line, standing, waits.get(line.id))), next };
}

/**
 * What payouts of a list wait for whose turn the available money does not reach; the others are not in it.
 */
async function waitsOf(db: Queryable, lines: readonly Line[]): Promise<ReadonlyMap<string, MoneyWait>> {
  const requested = lines.flatMap(({ id, step }) => (step === 'requested' ? [id] : []));
  if (requested.length === 0) return new Map();
  const [through, state] = await Promise.all([throughOf(db, requested), payoutFunds(db)]);
  return new Map(
    [...through].flatMap(([id, needed]): [string, MoneyWait][] => {
      const on = coveredOn(needed, state);
      return on === 'now' ? [] : [[id, { on }]];
    }),
  );
}

/** A payout waits for money, until a time if it is known. */
interface MoneyWait {
  readonly on: Date | undefined;
}

/** What of a payout its answer needs. */
type Line = Omit<PayoutView, 'currency'>;

/**
 * A payout as its owner's list shows it; `requested` says what is known of it where the read model does not
 * show it yet.
 */
export async function payoutAnswer(
  db: Queryable,
  userId: string,
  requested: Pick<Line, 'id' | 'amountMinor' | 'bankAccountId'>,
): Promise<Payout> {
  const [view, standing] = await Promise.all([
    payoutOf(db, userId, requested.id),
    payoutStandingOf(db, userId),
  ]);
  const unseen = {
    arrivesOn: null,
    completedAt: null,
    failureReason: null,
    madeUpMinor: null,
    delayReason: null,
    isParked: false,
    isBankParked: false,
  };
  const line = view ?? { ...requested, step: 'requested' as const, requestedAt: new Date(), ...unseen };
  return answerOf(line, standing, (await waitsOf(db, [line])).get(line.id));
}

const answerOf = (line: Line, standing: PayoutStanding, wait: MoneyWait | undefined): Payout => ({
  id: line.id,
  amount: decimalFromMinor(line.amountMinor),
  status: STATUS[line.step],
  statusReason: statusReason(line, standing, wait),
  expectedOn: wait?.on?.toISOString() ?? null,
  // Once it is there, or on its way back, the day is no longer expected.
  arrivesOn: line.step === 'submitted' ? line.arrivesOn : null,
  bankAccountId: line.bankAccountId,
  createdAt: line.requestedAt.toISOString(),
  completedAt: line.completedAt?.toISOString() ?? null,
  failureReason: line.step === 'failed' ? line.failureReason : null,
  madeUp: line.madeUpMinor === null ? null : decimalFromMinor(line.madeUpMinor),
});

const TO_VERIFY = 'Finish verifying your account to receive this payout.';
const NOT_ENABLED =
  'The payment provider does not pay out to you at the moment. Please check your bank accounts.';
const IN_REVIEW = 'The payment provider is still checking your details.';
const REJECTED = 'The payment provider does not pay out to this account. Please contact support.';

const NOT_THERE_YET = 'The money for this payout is not available at the payment provider yet.';

const waitsForMoney = ({ on }: MoneyWait): string =>
  on === undefined
    ? `${NOT_THERE_YET} It is tried again by itself.`
    : `${NOT_THERE_YET} It is expected on ${utcTime(on)}, and the payout goes by itself then.`;

/** What an unfinished payout waits for; null where it goes its way. */
function statusReason(
  { step, failureReason, delayReason, isParked, isBankParked }: Line,
  { payoutsEnabled, disabledCode }: PayoutStanding,
  wait: MoneyWait | undefined,
): string | null {
  if (isParked && step !== 'completed' && step !== 'failed') return PAYOUT_PARKED;
  if (isBankParked && (step === 'requested' || step === 'transferred')) return BANK_ACCOUNTS_PARKED;
  switch (step) {
    case 'completed':
    case 'failed':
    case 'submitted':
      return null;
    case 'returned':
      return `${failureReason ?? 'The bank sent this payout back.'} The money is on its way back to your balance.`;
    case 'requested':
    case 'transferred':
      if (payoutsEnabled) return wait ? waitsForMoney(wait) : delayReason;
      if (/^rejected/.test(disabledCode ?? '')) return REJECTED;
      if (/pending_verification|under_review/.test(disabledCode ?? '')) return IN_REVIEW;
      return disabledCode === 'not_enabled' ? NOT_ENABLED : TO_VERIFY;
  }
}
