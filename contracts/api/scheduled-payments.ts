/** The calls about scheduled payments. */
import { z } from 'zod';
import { page, search, timeRange } from './lists.js';
import {
  choice,
  Description,
  MISSING,
  notice,
  progress,
  recipient,
  RecipientId,
  ScheduledAmount,
  SEARCHED,
} from './schedule-body.js';

const DATE = 'The date must be a date and time with its offset from UTC, such as 2026-12-24T18:00:00-05:00.';

/** POST /api/scheduled-payments. */
export const CreateScheduledPayment = z.object(
  {
    toUserId: RecipientId,
    amount: ScheduledAmount,
    scheduledDate: z
      .string({ error: ({ input }) => (input === undefined || input === null ? MISSING : DATE) })
      .trim()
      .min(1, MISSING)
      .pipe(z.iso.datetime({ offset: true, error: DATE }))
      .transform((text, context): string => {
        const date = new Date(text);
        // No calendar of ours goes further than four digits, and no payer's plans either.
        if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0 && date.getUTCFullYear() < 10_000)
          return date.toISOString();
        context.addIssue({ code: 'custom', message: DATE });
        return z.NEVER;
      })
      .describe('ISO 8601 with an offset; in the future.'),
    description: Description,
  },
  { error: 'Send the scheduled payment as a JSON object.' },
);
export type CreateScheduledPayment = z.infer<typeof CreateScheduledPayment>;

export const ScheduledPaymentStatus = z.enum(['pending', 'completed', 'failed', 'cancelled']);
export type ScheduledPaymentStatus = z.infer<typeof ScheduledPaymentStatus>;

/** PATCH /api/scheduled-payments/{id}/status. */
export const PatchScheduledPayment = z.object(
  { status: choice(['cancelled'], 'A scheduled payment can only be cancelled.') },
  { error: 'Send the status as a JSON object.' },
);
export type PatchScheduledPayment = z.infer<typeof PatchScheduledPayment>;

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
