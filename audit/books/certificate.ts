/**
 * A day's certificate: what was due that day and what became of it, whether the books balance at its end, and
 * whether all that belongs to others was there. A text of a few lines, which a key can sign. Days are those
 * of schedules: UTC.
 */
import type { LogSource } from '#log/event-log';
import { textFromMinor } from '../reconcile/amounts.js';
import { isInOrder, SchedulesReport, type SchedulesDay } from '../schedules-report.js';
import { untilFrom } from './moments.js';
import { balancesAt } from './fold.js';
import { safeguardingOf, type Safeguarding } from './safeguarding.js';

/** How the books stand to the provider's own record: as compared by `reconcile`, or not compared. */
export type Reconciled = 'yes' | 'no' | 'not compared';

interface Certificate {
  readonly day: string;
  readonly journal: { readonly revision: number; readonly hash: string } | null;
  readonly schedules: SchedulesDay;
  /** Every due time of the day was collected, failed or was skipped, once. */
  readonly isScheduleComplete: boolean;
  readonly isBalanced: boolean;
  readonly safeguarding: readonly Safeguarding[];
  readonly isSafeguarded: boolean;
  readonly reconciled: Reconciled;
  readonly isInOrder: boolean;
}

/**
 * Certifies a day, as it stands at `now`. Throws RangeError for what is no day, and for a day that is not
 * over: what is due later in it is in no figure yet, and a signature lasts.
 */
export async function certificate(
  source: LogSource,
  day: string,
  now: Date,
  reconciled: Reconciled = 'not compared',
): Promise<Certificate> {
  const until = untilFrom(day, 'UTC');
  if (now.getTime() < until.beforeMs)
    throw new RangeError(
      `${day} is not over: its certificate can be made from ${new Date(until.beforeMs).toISOString()} on.`,
    );
  const schedules = (await SchedulesReport.of(source)).on(day, now);
  const { last, derivation } = await balancesAt(source, until);
  const safeguarding = safeguardingOf(derivation.balances);
  const ended =
    schedules.collected +
    schedules.failed +
    schedules.skipped.superseded +
    schedules.skipped.paused +
    schedules.skipped.canceled;
  const isScheduleComplete = ended === schedules.due && isInOrder(schedules);
  const isBalanced = [...derivation.balances.sums().values()].every((sum) => sum === 0n);
  const isSafeguarded = safeguarding.every(({ shortfallMinor }) => shortfallMinor === 0);
  return {
    day,
    journal: last ? { revision: last.revision, hash: last.hash } : null,
    schedules,
    isScheduleComplete,
    isBalanced,
    safeguarding,
    isSafeguarded,
    reconciled,
    isInOrder: isScheduleComplete && isBalanced && isSafeguarded && reconciled !== 'no',
  };
}

/** The text that is signed, its last line ended too. */
export function certificateText({ day, journal, schedules, ...rest }: Certificate): string {
  const { superseded, paused, canceled } = schedules.skipped;
  const lines = [
    'encore certificate',
    `day ${day} UTC`,
    journal ? `journal ${journal.revision} ${journal.hash}` : 'journal empty',
    `schedules due ${schedules.due} collected ${schedules.collected} failed ${schedules.failed} skipped ${superseded + paused + canceled} open ${schedules.open + schedules.fresh + schedules.held} missing ${schedules.missing.length} doubled ${schedules.doubled.length}`,
    `complete ${rest.isScheduleComplete ? 'yes' : 'no'}`,
    `balanced ${rest.isBalanced ? 'yes' : 'no'}`,
    ...rest.safeguarding.map(
      (one) =>
        `safeguarded ${one.currency} required ${textFromMinor(one.requiredMinor, one.currency)} held ${textFromMinor(one.heldMinor, one.currency)} shortfall ${textFromMinor(one.shortfallMinor, one.currency)}`,
    ),
    `reconciled ${rest.reconciled}`,
    `in order ${rest.isInOrder ? 'yes' : 'no'}`,
  ];
  return `${lines.join('\n')}\n`;
}
