/** The calls about scheduled payments. */
import { z } from 'zod';
import { page, search, timeRange } from './lists.js';
import { Note } from './payments.js';
import {
  choice,
  ChosenSource,
  DueTime,
  notice,
  NOTHING_TO_CHANGE,
  progress,
  recipient,
  RecipientId,
  ScheduledAmount,
  SEARCHED,
} from './schedule-body.js';

/** POST /api/scheduled-payments. */
export const CreateScheduledPayment = z.object(
  {
    toUserId: RecipientId,
    amount: ScheduledAmount,
    scheduledDate: DueTime,
    description: Note,
    source: ChosenSource.optional(),
  },
  { error: 'Send the scheduled payment as a JSON object.' },
);
export type CreateScheduledPayment = z.infer<typeof CreateScheduledPayment>;

const ScheduledPaymentStatus = z.enum(['pending', 'completed', 'failed', 'cancelled']);
type ScheduledPaymentStatus = z.infer<typeof ScheduledPaymentStatus>;

/** PATCH /api/scheduled-payments/{id}/status. */
export const PatchScheduledPayment = z.object(
  { status: choice(['cancelled'], 'A scheduled payment can only be cancelled.') },
  { error: 'Send the status as a JSON object.' },
);
export type PatchScheduledPayment = z.infer<typeof PatchScheduledPayment>;

/** PATCH /api/scheduled-payments/{id}: what is left out stays as it is. */
export const ChangeScheduledPayment = z
  .object(
    {
      amount: ScheduledAmount.optional(),
      scheduledDate: DueTime.optional(),
      source: ChosenSource.optional(),
    },
    { error: 'Send the change as a JSON object.' },
  )
  .refine((change) => Object.values(change).some((value) => value !== undefined), NOTHING_TO_CHANGE);
export type ChangeScheduledPayment = z.infer<typeof ChangeScheduledPayment>;

/** One row of GET /api/scheduled-payments, newest first. */
export const ScheduledPayment = z.object({
  id: z.string(),
  ...recipient,
  amount: z.string().describe('Decimal dollars.'),
  scheduledDate: z.iso.datetime(),
  description: z.string().nullable(),
  status: ScheduledPaymentStatus,
  completedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  ...progress,
});
export type ScheduledPayment = z.infer<typeof ScheduledPayment>;

/** What creating and changing one answer. */
export const ScheduledPaymentAnswer = ScheduledPayment.extend(notice);
export type ScheduledPaymentAnswer = z.infer<typeof ScheduledPaymentAnswer>;

/** The query of GET /api/scheduled-payments. */
export const ScheduledPaymentsQuery = z.object({
  ...page(),
  ...timeRange('due'),
  status: z
    .enum(ScheduledPaymentStatus.options, { error: 'The status is pending, completed, failed or cancelled.' })
    .optional(),
  search: search(SEARCHED),
});
export type ScheduledPaymentsQuery = z.infer<typeof ScheduledPaymentsQuery>;
