/** The list of payouts, and what an unfinished one waits for, in the words of the screen. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { asked } from '#contracts/api/lists';
import { PayoutsQuery, Payout } from '#contracts/api/payouts';
import { decimalFromMinor } from '#contracts/plain/money';
import { z } from 'zod';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Validated } from '#edge/validated';
import { payoutStandingOf, type PayoutStanding } from '../bank-accounts/queries.js';
import { Queryable } from '../engine/read-model.js';
import { payoutOf, payoutsOf, STATUS, type PayoutView } from './queries.js';

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
    const [page, standing] = await Promise.all([
      payoutsOf(this.db, userId, asked(query)),
      payoutStandingOf(this.db, userId),
    ]);
    return answered(reply, page).map((line) => answerOf(line, standing));
  }
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
  const unseen = { completedAt: null, failureReason: null, delayReason: null };
  return answerOf(view ?? { ...requested, step: 'requested', requestedAt: new Date(), ...unseen }, standing);
}

const answerOf = (line: Line, standing: PayoutStanding): Payout => ({
  id: line.id,
  amount: decimalFromMinor(line.amountMinor),
  status: STATUS[line.step],
  statusReason: statusReason(line, standing),
  bankAccountId: line.bankAccountId,
  createdAt: line.requestedAt.toISOString(),
  completedAt: line.completedAt?.toISOString() ?? null,
  failureReason: line.step === 'failed' ? line.failureReason : null,
});

const TO_VERIFY = 'Finish verifying your account to receive this payout.';
const NOT_ENABLED =
  'The payment provider does not pay out to you at the moment. Please check your bank accounts.';
const IN_REVIEW = 'The payment provider is still checking your details.';
const REJECTED = 'The payment provider does not pay out to this account. Please contact support.';

/** What an unfinished payout waits for; null where it goes its way. */
function statusReason(
  { step, failureReason, delayReason }: Line,
  { payoutsEnabled, disabledCode }: PayoutStanding,
): string | null {
  switch (step) {
    case 'completed':
    case 'failed':
    case 'submitted':
      return null;
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
