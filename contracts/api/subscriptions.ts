/** The calls about subscriptions. */
import { z } from 'zod';
import { Frequency } from '../events/frequency.js';
import { page, search, timeRange } from './lists.js';
import { Note } from './payments.js';
import {
  choice,
  ChosenSource,
  notice,
  NOTHING_TO_CHANGE,
  progress,
  recipient,
  RecipientId,
  ScheduledAmount,
  SEARCHED,
} from './schedule-body.js';

const FREQUENCIES = 'The frequency is daily, weekly or monthly.';
const STATUSES = 'The status is active, paused or cancelled.';

/** POST /api/subscriptions. */
export const CreateSubscription = z.object(
  {
    toUserId: RecipientId,
    amount: ScheduledAmount,
    frequency: choice(Frequency.options, FREQUENCIES),
    description: Note,
    source: ChosenSource.optional(),
  },
  { error: 'Send the subscription as a JSON object.' },
);
export type CreateSubscription = z.infer<typeof CreateSubscription>;

export const SubscriptionStatus = z.enum(['active', 'paused', 'cancelled']);
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>;

/** PATCH /api/subscriptions/{id}/status. */
export const PatchSubscription = z.object(
  { status: choice(SubscriptionStatus.options, STATUSES) },
  { error: 'Send the status as a JSON object.' },
);
export type PatchSubscription = z.infer<typeof PatchSubscription>;

/** PATCH /api/subscriptions/{id}: what is left out stays as it is. */
export const ChangeSubscription = z
  .object(
    { amount: ScheduledAmount.optional(), source: ChosenSource.optional() },
    { error: 'Send the change as a JSON object.' },
  )
  .refine((change) => Object.values(change).some((value) => value !== undefined), NOTHING_TO_CHANGE);
export type ChangeSubscription = z.infer<typeof ChangeSubscription>;

/** One row of GET /api/subscriptions, newest first. */
export const Subscription = z.object({
  id: z.string(),
  ...recipient,
  amount: z.string().describe('Decimal dollars.'),
  frequency: Frequency,
  description: z.string().nullable(),
  status: SubscriptionStatus,
  nextPaymentDate: z.iso.datetime().nullable().describe('Null while it is paused and once it is cancelled.'),
  pauseReason: z.string().nullable().describe('Why it paused by itself; null where the payer did it.'),
  lastPaymentAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  ...progress,
});
export type Subscription = z.infer<typeof Subscription>;

/** What creating and changing one answer. */
export const SubscriptionAnswer = Subscription.extend(notice);
export type SubscriptionAnswer = z.infer<typeof SubscriptionAnswer>;

/** The query of GET /api/subscriptions. */
export const SubscriptionsQuery = z.object({
  ...page(),
  ...timeRange('created'),
  status: z.enum(SubscriptionStatus.options, { error: STATUSES }).optional(),
  frequency: z.enum(Frequency.options, { error: FREQUENCIES }).optional(),
  search: search(SEARCHED),
});
export type SubscriptionsQuery = z.infer<typeof SubscriptionsQuery>;
