/** What is due, stuck or put off, as figures. */
import type pg from 'pg';
import { moneySummary, safeguardingSummary, type MoneySummary } from '#projections/balances/queries';
import { payoutFunds } from '#projections/payouts/funds';
import { payoutsPutOff } from '#projections/payouts/queries';
import { dueBacklog } from '#projections/schedules/queries';
import { unclaimedByAge } from '#projections/unclaimed/queries';
import { unappliedBacklog } from '#projections/unapplied/queries';
import type { Figures } from '../shell/figures.js';

/** What has been due for so long is stuck. */
const STUCK_DUE_MS = 10 * 60_000;

/** For how long something has waited, in seconds; 0 when nothing waits. */
const secondsSince = (oldest: Date | null, now: Date): number =>
  oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);

/** What is due, stuck or put off, as figures. */
export function showBacklogs(figures: Figures, reads: pg.Pool, scheduleNow: () => Date): void {
  figures.gauge(
    'encore_schedules_due',
    'Schedules that must be looked after now',
    async () => (await dueBacklog(reads, scheduleNow())).count,
  );
  figures.gauge('encore_schedules_due_seconds', 'For how long the oldest of them has been due', async () =>
    secondsSince((await dueBacklog(reads, scheduleNow())).oldest, scheduleNow()),
  );
  figures.gauge(
    'encore_schedules_stuck',
    'Schedules that have been due for more than ten minutes',
    async () => (await dueBacklog(reads, new Date(scheduleNow().getTime() - STUCK_DUE_MS))).count,
  );
  figures.gauge(
    'encore_unapplied_seconds',
    'For how long the oldest charge that no payment explains has been kept',
    async () => secondsSince((await unappliedBacklog(reads)).oldest, new Date()),
  );
  const summarised = async (minorOf: (summary: MoneySummary) => number) =>
    (await moneySummary(reads)).map((summary) => [{ currency: summary.currency }, minorOf(summary)] as const);
  figures.gauges(
    'encore_owed_minor',
    'What people are owed by the books, in minor units: the sum of their positive balances',
    ['currency'],
    () => summarised(({ owedMinor }) => owedMinor),
  );
  figures.gauges(
    'encore_debts_minor',
    'What people owe after refunds and disputes, in minor units; it never lessens what others are owed',
    ['currency'],
    () => summarised(({ debtsMinor }) => debtsMinor),
  );
  figures.gauges(
    'encore_platform_own_minor',
    'The platform’s own money by the books, in minor units: what it brought along, less fees and losses',
    ['currency'],
    () => summarised(({ ownMinor }) => ownMinor),
  );
  figures.gauges(
    'encore_safeguarding_minor',
    'What belongs to others (required), the money that is there (held), and what is missing (shortfall), in minor units',
    ['currency', 'part'],
    async () =>
      (await safeguardingSummary(reads)).flatMap(({ currency, requiredMinor, heldMinor, shortfallMinor }) => [
        [{ currency, part: 'required' }, requiredMinor] as const,
        [{ currency, part: 'held' }, heldMinor] as const,
        [{ currency, part: 'shortfall' }, shortfallMinor] as const,
      ]),
  );
  figures.gauges(
    'encore_unclaimed_items',
    'How often money came back for somebody whose account is closed and was neither paid nor used up since, by its age',
    ['age'],
    async () => (await unclaimedByAge(reads, new Date())).map(({ age, count }) => [{ age }, count]),
  );
  figures.gauges(
    'encore_unclaimed_minor',
    'How much of that is left, in minor units, by its age',
    ['age'],
    async () =>
      (await unclaimedByAge(reads, new Date())).map(({ age, amountMinor }) => [{ age }, amountMinor]),
  );
  const availableNow = async (): Promise<number> => (await payoutFunds(reads)).availableMinor;
  figures.gauges(
    'encore_payouts_put_off',
    'Payouts that the provider does not make now, by its code',
    ['code'],
    async () =>
      (await payoutsPutOff(reads, await availableNow())).map(({ code, count }) => [{ code }, count]),
  );
  figures.gauges(
    'encore_payouts_put_off_seconds',
    'For how long the oldest of them has stood where it stands',
    ['code'],
    async () =>
      (await payoutsPutOff(reads, await availableNow())).map(({ code, oldest }) => [
        { code },
        secondsSince(oldest, new Date()),
      ]),
  );
}
