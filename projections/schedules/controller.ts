/** The lists of subscriptions and of scheduled payments, as their payers are told of them. */
import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { asked } from '#contracts/api/lists';
import { ScheduledPaymentsQuery, ScheduledPayment } from '#contracts/api/scheduled-payments';
import { SubscriptionsQuery, Subscription } from '#contracts/api/subscriptions';
import { Frequency } from '#contracts/events/frequency';
import { decimalFromMinor } from '#contracts/plain/money';
import { z } from 'zod';
import { NEXT_CURSOR_HEADER } from '#contracts/plain/headers';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { answered } from '#edge/lists';
import { Validated } from '#edge/validated';
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
      ...asked(query),
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
      ...asked(query),
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

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const recipientOf = (view: ScheduleView) => ({
  toUserId: view.recipientId,
  toUsername: view.recipientUsername,
  toFirstName: view.recipientFirstName,
  toLastName: view.recipientLastName,
});

const progressOf = (view: ScheduleView) => ({
  lastFailureReason: view.lastFailureReason,
  nextTryAt: view.stage === 'waiting' ? iso(view.retryAt) : null,
  needsConfirmation: view.stage === 'confirming',
  confirmPaymentId: view.stage === 'confirming' ? view.paymentId : null,
  confirmBy: view.stage === 'confirming' ? iso(view.confirmBy) : null,
  isCollecting: view.stage === 'collecting',
});

const subscriptionAnswer = (view: ScheduleView): Subscription => ({
  id: view.id,
  ...recipientOf(view),
  amount: decimalFromMinor(view.amountMinor),
  frequency: Frequency.parse(view.frequency),
  description: view.description,
  status: view.status === 'canceled' ? 'cancelled' : view.status === 'paused' ? 'paused' : 'active',
  nextPaymentDate: view.status === 'active' ? iso(view.nextDueAt) : null,
  pauseReason: view.pauseReason,
  lastPaymentAt: iso(view.lastCollectedAt),
  createdAt: view.createdAt.toISOString(),
  ...progressOf(view),
});

const scheduledPaymentAnswer = (view: ScheduleView): ScheduledPayment => ({
  id: view.id,
  ...recipientOf(view),
  amount: decimalFromMinor(view.amountMinor),
  scheduledDate: view.firstDueAt.toISOString(),
  description: view.description,
  status:
    view.status === 'canceled'
      ? 'cancelled'
      : view.status === 'completed' || view.status === 'failed'
        ? view.status
        : 'pending',
  completedAt: iso(view.lastCollectedAt),
  createdAt: view.createdAt.toISOString(),
  ...progressOf(view),
});
