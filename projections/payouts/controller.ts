/** The list of payouts, and what an unfinished one waits for, in the words of the screen. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { asked } from '#contracts/api/lists';
import { PayoutsQuery, type Payout } from '#contracts/api/payouts';
import { decimalFromMinor } from '#contracts/plain/money';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Validated } from '#edge/validated';
import { payoutStandingOf, type PayoutStanding } from '../bank-accounts/queries.js';
import { Queryable } from '../engine/read-model.js';
import { delayReasonsOf } from '../payout-courses/queries.js';
import { payoutById, payoutsOf, STATUS, type PayoutView } from './queries.js';

@Controller('api/payouts')
export class PayoutListController {
  constructor(private readonly db: Queryable) {}

  @Get()
  async list(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(PayoutsQuery)) query: PayoutsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Payout[]> {
    const { lines, next } = await payoutsOf(this.db, userId, asked(query));
    return [...answered(reply, { lines: await answersOf(this.db, userId, lines), next })];
  }
}

/** What of a payout's line its answer needs. */
type Line = Pick<
  PayoutView,
  'id' | 'amountMinor' | 'bankAccountId' | 'step' | 'createdAt' | 'completedAt' | 'failureReason'
>;

/**
 * A payout as its owner's list shows it; `requested` says what is known of it where the read model does not
 * show it yet.
 */
export async function payoutAnswer(
  db: Queryable,
  userId: string,
  requested: Pick<Line, 'id' | 'amountMinor' | 'bankAccountId'>,
): Promise<Payout> {
  const view = await payoutById(db, requested.id);
  const line: Line =
    view?.userId === userId
      ? view
      : { ...requested, step: 'requested', createdAt: new Date(), completedAt: null, failureReason: null };
  const [answer] = await answersOf(db, userId, [line]);
  return answer!;
}

async function answersOf(db: Queryable, userId: string, lines: readonly Line[]): Promise<Payout[]> {
  const [standing, delays] = await Promise.all([
    payoutStandingOf(db, userId),
    delayReasonsOf(
      db,
      lines.map(({ id }) => id),
    ),
  ]);
  return lines.map((line) => ({
    id: line.id,
    amount: decimalFromMinor(line.amountMinor),
    status: STATUS[line.step],
    statusReason: statusReason(line, standing, delays.get(line.id)) ?? null,
    bankAccountId: line.bankAccountId,
    createdAt: line.createdAt.toISOString(),
    completedAt: line.completedAt?.toISOString() ?? null,
    failureReason: line.step === 'failed' ? line.failureReason : null,
  }));
}

const TO_VERIFY = 'Finish verifying your account to receive this payout.';
const NOT_ENABLED =
  'The payment provider does not pay out to you at the moment. Please check your bank accounts.';
const IN_REVIEW = 'The payment provider is still checking your details.';
const REJECTED = 'The payment provider does not pay out to this account. Please contact support.';

/** What an unfinished payout waits for; undefined where it goes its way. */
function statusReason(
  { step, failureReason }: Line,
  { payoutsEnabled, disabledCode }: PayoutStanding,
  delayReason: string | undefined,
): string | undefined {
  switch (step) {
    case 'completed':
    case 'failed':
    case 'submitted':
      return undefined;
    case 'returned':
      return `${failureReason ?? 'The bank sent this payout back.'} The money is on its way back to your balance.`;
    case 'requested':
    case 'transferred':
      if (payoutsEnabled) return delayReason;
      if (/^rejected/.test(disabledCode ?? '')) return REJECTED;
      if (/pending_verification|under_review/.test(disabledCode ?? '')) return IN_REVIEW;
      return disabledCode === 'not_enabled' ? NOT_ENABLED : TO_VERIFY;
  }
}
