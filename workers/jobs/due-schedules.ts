/**
 * The process of collecting what is due: a schedule's row, folded from its own stream and the journal, says
 * when somebody must look after it; this says what is then asked. Pure. It holds no state: whatever a process
 * that died had begun is due again in the row.
 */
import type { InternalCommand } from '#contracts/api/internal';
import type { DueSchedule } from '#projections/schedules/queries';

export type CollectDue = Extract<InternalCommand, { type: 'CollectDue' }>;

/** What is asked of the ledger: which schedule, and what was seen of it. Never an amount. */
export const commandFor = ({ id, kind, dueAt, attempt }: DueSchedule): CollectDue => ({
  type: 'CollectDue',
  scheduleKind: kind,
  scheduleId: id,
  dueAt: dueAt.toISOString(),
  attempt,
});

/**
 * The same thing seen again, while a job for it waits or runs, is that job. Only a convenience: the ledger
 * knows what has been done. BullMQ takes no colon.
 */
export const jobIdOf = ({ id, attempt, wakeAt }: DueSchedule): string =>
  `${id}-${attempt}-${wakeAt.getTime()}`;
