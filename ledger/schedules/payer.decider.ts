/**
 * How many schedules a payer may have, and how much they may schedule ahead. Pure; time and limits arrive in
 * the command. A place is taken before its schedule is made, and given up when somebody needs it and finds
 * that its schedule has ended: what ends a schedule need not know of this. A schedule whose amount changes is
 * counted again.
 */
import { payerStream, type PayerEvent } from '#contracts/events/payer';
import type { ScheduleKind } from '#contracts/events/occurrence';
import type { Limits } from '#contracts/limits';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';

export interface Place {
  readonly scheduleId: string;
  readonly scheduleKind: ScheduleKind;
  readonly amountMinor: number;
  /** When it was taken. */
  readonly at: Date;
}

interface Payer {
  /** Whether anything was ever counted: before that, what older versions made is not known here. */
  readonly isCounted: boolean;
  readonly places: ReadonlyMap<string, Place>;
}

export interface CountSchedule {
  readonly type: 'CountSchedule';
  readonly userId: string;
  readonly scheduleId: string;
  readonly scheduleKind: ScheduleKind;
  readonly amountMinor: number;
  /** What is there of the time before anything was counted; of no meaning later. */
  readonly existing: readonly Place[];
  /** Schedules that were found to have ended. */
  readonly ended: readonly string[];
  readonly limits: Pick<Limits, 'subscriptions' | 'scheduled-payments' | 'scheduled-dollars'>;
  readonly now: Date;
}

export const payer: Decider<Payer, CountSchedule, PayerEvent> = {
  streamOf: payerStream,
  initial: { isCounted: false, places: new Map() },

  decide(command, state) {
    const { userId, scheduleId, scheduleKind, amountMinor, existing, ended, now } = command;
    if (state.places.get(scheduleId)?.amountMinor === amountMinor) return [];
    const found = state.isCounted ? [] : existing.filter((place) => place.scheduleId !== scheduleId);
    const gone = ended.filter((id) => state.places.has(id));
    const others = [...state.places.values(), ...found].filter(
      (place) => place.scheduleId !== scheduleId && !gone.includes(place.scheduleId),
    );
    assertRoom(command, others);
    const at = now.toISOString();
    return [
      ...found.map((place): PayerEvent => counted(userId, place, at)),
      ...gone.map((id): PayerEvent => ({ type: 'ScheduleUncounted', data: { userId, scheduleId: id, at } })),
      counted(userId, { scheduleId, scheduleKind, amountMinor }, at),
    ];
  },

  evolve({ places }, event) {
    const next = new Map(places);
    const { scheduleId, at } = event.data;
    if (event.type === 'ScheduleUncounted') next.delete(scheduleId);
    else {
      const { scheduleKind, amountMinor } = event.data;
      next.set(scheduleId, { scheduleId, scheduleKind, amountMinor, at: new Date(at) });
    }
    return { isCounted: true, places: next };
  },
};

const counted = (
  userId: string,
  { scheduleId, scheduleKind, amountMinor }: Omit<Place, 'at'>,
  at: string,
): PayerEvent => ({
  type: 'ScheduleCounted',
  data: { userId, scheduleKind, scheduleId, amountMinor, at },
});

/** Throws Rejected where one more of its kind is too many, or all scheduled payments together too much. */
function assertRoom({ scheduleKind, amountMinor, limits }: CountSchedule, others: readonly Place[]): void {
  const same = others.filter((place) => place.scheduleKind === scheduleKind);
  if (scheduleKind === 'subscription') {
    const most = limits.subscriptions;
    if (same.length >= most) throw new Rejected('TooManySubscriptions', { most });
    return;
  }
  const most = limits['scheduled-payments'];
  if (same.length >= most) throw new Rejected('TooManyScheduledPayments', { most });
  const aheadMinor = same.reduce((sum, place) => sum + place.amountMinor, 0);
  const mostMinor = limits['scheduled-dollars'] * 100;
  if (aheadMinor + amountMinor > mostMinor) throw new Rejected('ScheduledTooMuch', { mostMinor, aheadMinor });
}
