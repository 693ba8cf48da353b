/** The lists of subscriptions and of scheduled payments, as their payers are told of them. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { listRequestOf } from '#contracts/api/lists';
import { ScheduledPayment, ScheduledPaymentsQuery } from '#contracts/api/scheduled-payments';
import { Subscription, SubscriptionsQuery } from '#contracts/api/subscriptions';
import { Frequency } from '#contracts/events/frequency';
import { decimalFromMinor } from '#contracts/plain/money';
import { z } from 'zod';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { SCHEDULE_PARKED } from '#contracts/plain/parked';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Validated } from '#edge/validated';
import { answerFrom } from '../engine/answer.js';
import { Queryable } from '../engine/read-model.js';
import { scheduleForPayer, schedulesOf, type ScheduleView } from './queries.js';

@Controller('api')
export class SchedulesController {
  constructor(private readonly db: Queryable) {}

  @ApiCall({
    summary: `The user’s subscriptions, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(Subscription),
  })
  @Get('subscriptions')
  async subscriptions(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(SubscriptionsQuery)) { status, ...query }: SubscriptionsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Subscription[]> {
    const page = await schedulesOf(this.db, userId, {
      ...listRequestOf(query),
      kind: 'subscription',
      status: status === 'cancelled' ? 'canceled' : status,
    });
    return answered(reply, page).map(subscriptionAnswer);
  }

  @ApiCall({
    summary: `The user’s scheduled payments, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    answer: z.array(ScheduledPayment),
  })
  @Get('scheduled-payments')
  async scheduledPayments(
    @SignedIn() { userId }: Caller,
    @Query(new Validated(ScheduledPaymentsQuery)) { status, ...query }: ScheduledPaymentsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduledPayment[]> {
    const page = await schedulesOf(this.db, userId, {
      ...listRequestOf(query),
      kind: 'scheduled-payment',
      status: status === 'cancelled' ? 'canceled' : status,
    });
    return answered(reply, page).map(scheduledPaymentAnswer);
  }
}

/** A subscription as its payer's list shows it; undefined where the list does not have it (yet). */
export async function subscriptionOf(
  db: Queryable,
  payerId: string,
  id: string,
): Promise<Subscription | undefined> {
  const view = await scheduleForPayer(db, id, payerId);
  return view && subscriptionAnswer(view);
}

/** The same for a scheduled payment. */
export async function scheduledPaymentOf(
  db: Queryable,
  payerId: string,
  id: string,
): Promise<ScheduledPayment | undefined> {
  const view = await scheduleForPayer(db, id, payerId);
  return view && scheduledPaymentAnswer(view);
}

const RECIPIENT_LEAVES =
  'They are closing their account. What falls due meanwhile is not charged: it is if they stay, and this ends if they go.';

/**
 * A failed payment can be tried again until the next one is due, and not once its schedule has ended, or
 * while its recipient is leaving.
 */
const canPayNow = ({ status, nextDueAt, isLeaving }: ScheduleView): boolean =>
  status !== 'canceled' && !isLeaving && (nextDueAt === null || new Date(nextDueAt).getTime() > Date.now());

const goesOn = ({ status }: ScheduleView): boolean => status === 'active' || status === 'pending';

/** What both kinds are told alike, in the words of the answers; the rest of the view by its own names. */
const lineOf = (view: ScheduleView) => ({
  ...view,
  toUserId: view.recipientId,
  toUsername: view.recipientUsername,
  toFirstName: view.recipientFirstName,
  toLastName: view.recipientLastName,
  amount: decimalFromMinor(view.amountMinor),
  source: { from: view.sourceFrom, cardId: view.sourceCardId },
  lastFailureFrom:
    view.lastFailureFrom === null ? null : { from: view.lastFailureFrom, cardId: view.lastFailureCardId },
  failedDueAt: canPayNow(view) ? view.failedDueAt : null,
  nextTryAt: view.stage === 'waiting' && !view.isLeaving ? view.retryAt : null,
  needsConfirmation: view.stage === 'confirming',
  confirmPaymentId: view.stage === 'confirming' ? view.paymentId : null,
  confirmBy: view.stage === 'confirming' ? view.confirmBy : null,
  isCollecting: view.stage === 'collecting',
  heldBecause: view.isLeaving && goesOn(view) ? RECIPIENT_LEAVES : undefined,
  standsStill: view.isParked ? SCHEDULE_PARKED : undefined,
});

/** A subscription as its payer's list shows it. */
export const subscriptionAnswer = (view: ScheduleView): Subscription =>
  answerFrom(Subscription, {
    ...lineOf(view),
    frequency: Frequency.parse(view.frequency),
    status: view.status === 'canceled' ? 'cancelled' : view.status === 'paused' ? 'paused' : 'active',
    nextPaymentDate: view.status === 'active' ? view.nextDueAt : null,
    lastPaymentAt: view.lastCollectedAt,
  });

/** A scheduled payment as its payer's list shows it. */
export const scheduledPaymentAnswer = (view: ScheduleView): ScheduledPayment =>
  answerFrom(ScheduledPayment, {
    ...lineOf(view),
    scheduledDate: view.firstDueAt,
    status:
      view.status === 'canceled'
        ? 'cancelled'
        : view.status === 'completed' || view.status === 'failed'
          ? view.status
          : 'pending',
    completedAt: view.lastCollectedAt,
  });
