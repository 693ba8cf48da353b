/** Counts a payer's schedules before each new one, and looks which have ended where there is no room. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Limits } from '#contracts/limits';
import type { Provenance } from '#log/record';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { Rejected, StreamParked, type RejectionReason } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { payer, type CountSchedule, type Place } from './payer.decider.js';
import { ScheduleClock } from './schedule-clock.js';
import { scheduledPayment, type ScheduledPayment } from './scheduled-payment.decider.js';
import { LivingSchedules } from './schedules.handlers.js';
import { subscription, type Subscription } from './subscription.decider.js';

/** The numbers that hold. */
export abstract class ScheduleLimits {
  abstract readonly limits: CountSchedule['limits'] & Partial<Limits>;
}

export type NewPlace = Pick<Place, 'scheduleId' | 'scheduleKind' | 'amountMinor'>;

const NO_ROOM: ReadonlySet<RejectionReason> = new Set([
  'TooManySubscriptions',
  'TooManyScheduledPayments',
  'ScheduledTooMuch',
]);
/** A schedule that is not there so long after its place was taken was never made. */
const MADE_WITHIN_MS = 10 * 60_000;
const AT_A_TIME = 10;

@Injectable()
export class ScheduleCounts {
  /**
   * What a payer's next request waits for: many at once would only be in each other's way at their one
   * stream.
   */
  readonly #before = new Map<string, Promise<unknown>>();

  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly living: LivingSchedules,
    private readonly limits: ScheduleLimits,
    private readonly clock: ScheduleClock,
  ) {}

  /**
   * Takes a place for a schedule; the same again is nothing. Throws Rejected where there is no room for it.
   */
  async take(userId: string, schedule: NewPlace, provenance: Provenance): Promise<void> {
    const before = this.#before.get(userId);
    const turn = (async () => {
      await before?.catch(() => undefined);
      await this.#take(userId, schedule, provenance);
    })();
    this.#before.set(userId, turn);
    try {
      await turn;
    } finally {
      if (this.#before.get(userId) === turn) this.#before.delete(userId);
    }
  }

  async #take(userId: string, schedule: NewPlace, provenance: Provenance): Promise<void> {
    const before = await this.streams.read(payer, userId);
    const existing = before.isCounted ? [] : await this.#living(userId);
    const count = async (ended: readonly string[]): Promise<void> => {
      const command: CountSchedule = {
        type: 'CountSchedule',
        userId,
        ...schedule,
        existing,
        ended,
        limits: this.limits.limits,
        now: this.clock.now(),
      };
      await this.bus.execute(new ExecuteStreamCommand(payer, userId, command, provenance));
    };
    try {
      await count([]);
    } catch (error) {
      if (!(error instanceof Rejected) || !NO_ROOM.has(error.reason)) throw error;
      const ended = await this.#ended([...before.places.values()], schedule.scheduleKind);
      if (ended.length === 0) throw error;
      await count(ended);
    }
  }

  /** What a payer has from before anything was counted, as the read model and its streams show it. */
  async #living(userId: string): Promise<Place[]> {
    const found: Place[] = [];
    for (const { id, kind, payerId } of await this.living.of(userId)) {
      if (payerId !== userId) continue;
      const state = await this.#stateOf(kind, id);
      if (state.status === 'none') continue;
      const { amountMinor } = state.terms;
      found.push({ scheduleId: id, scheduleKind: kind, amountMinor, at: this.clock.now() });
    }
    return found;
  }

  #stateOf(kind: Place['scheduleKind'], id: string): Promise<Subscription | ScheduledPayment> {
    return kind === 'subscription'
      ? this.streams.read(subscription, id)
      : this.streams.read(scheduledPayment, id);
  }

  /** Which of these have ended. One that cannot be read may go on. */
  async #ended(places: readonly Place[], kind: Place['scheduleKind']): Promise<string[]> {
    const ended: string[] = [];
    const waiting = places.filter(({ scheduleKind }) => scheduleKind === kind).values();
    const work = async (): Promise<void> => {
      for (const place of waiting) if (await this.#hasEnded(place)) ended.push(place.scheduleId);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return ended;
  }

  async #hasEnded({ scheduleId, scheduleKind, at }: Place): Promise<boolean> {
    try {
      const { status } = await this.#stateOf(scheduleKind, scheduleId);
      if (status === 'none') return this.clock.now().getTime() - at.getTime() > MADE_WITHIN_MS;
      return scheduleKind === 'subscription' ? status === 'canceled' : status !== 'pending';
    } catch (error) {
      if (error instanceof StreamParked) return false;
      throw error;
    }
  }
}
