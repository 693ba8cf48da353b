/**
 * A day of schedules, by the log and nothing else: what was due by the calendar, and what became of it by the
 * schedules' own streams, held against the money that moved by the journal. Neither the queue nor a read
 * model is asked, so neither can hide anything.
 */
import { isOurStream } from '#contracts/events/our-streams';
import { JOURNAL } from '#contracts/events/journal';
import { isOccurrenceEvent, type OccurrenceEvent } from '#contracts/events/occurrence';
import { SCHEDULED_PAYMENT_PREFIX } from '#contracts/events/schedule';
import { SUBSCRIPTION_PREFIX } from '#contracts/events/subscription';
import { USER_PREFIX } from '#contracts/events/user';
import { START, type RecordedEvent } from '#contracts/log';
import { dueTime, lastDueNumber, type Frequency } from '#contracts/plain/recurrence';
import { recorded, type LogSource } from '#log/event-log';
import { readQuarantine } from '#log/quarantine';
import { storedEvent } from '#log/stored-event';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What is claimed so long after its due time is late; what is not even claimed by then is missing. */
const LATE_AFTER_MS = 15 * MINUTE_MS;

/** How the due times of one day stand. Each is counted once, under what became of it. */
export interface SchedulesDay {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly due: number;
  /** Claimed, whatever came of it. */
  readonly run: number;
  readonly collected: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<'superseded' | 'paused' | 'canceled', number>>;
  /** Claimed and not ended: under way, to be confirmed, or waiting for another attempt. */
  readonly open: number;
  /** Due a moment ago, and not claimed yet. */
  readonly fresh: number;
  /** Not claimed because its recipient has asked to be forgotten. */
  readonly held: number;
  /** Further attempts that were made at them. */
  readonly retried: number;
  /** Claimed more than a quarter of an hour after the due time, or after its recipient stayed after all. */
  readonly late: number;
  /** Due times that nothing became of. */
  readonly missing: readonly string[];
  /** Due times that were claimed, ended or paid more than once. */
  readonly doubled: readonly string[];
  /** What the streams, the calendar and the money do not agree on otherwise. */
  readonly disagreements: readonly string[];
}

interface Fate {
  readonly dueAt: string;
  claims: number;
  claimedAtMs: number | undefined;
  retries: number;
  ends: ('collected' | 'failed' | 'superseded' | 'paused' | 'canceled')[];
}

interface Story {
  readonly id: string;
  readonly recipientId: string;
  /** Of a scheduled payment: when it is due now. */
  anchor: Date;
  /**
   * Of a scheduled payment: the due times that it had before it was moved, where something became of them.
   */
  readonly before: number[];
  /** Undefined: once. */
  readonly frequency: Frequency | undefined;
  /** From each moment on, what it was. */
  readonly statusChanges: { readonly atMs: number; readonly status: 'active' | 'paused' | 'canceled' }[];
  readonly fates: Map<string, Fate>;
  readonly skips: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly why: 'superseded' | 'paused' | 'canceled';
  }[];
}

/** While somebody waits to be forgotten: nothing that falls due to them is begun. */
interface Leaving {
  readonly fromMs: number;
  /** Infinity while they wait. */
  untilMs: number;
}

/** Money that moved for an occurrence, by the journal. */
type MovementsByOccurrence = Map<string, string[]>;

export class SchedulesReport {
  readonly #stories = new Map<string, Story>();
  /** By schedule and due time. */
  readonly #moved: MovementsByOccurrence = new Map();
  /** By user, in order. */
  readonly #leaving = new Map<string, Leaving[]>();

  /** Reads the whole log. */
  static async of(log: LogSource): Promise<SchedulesReport> {
    const report = new SchedulesReport();
    const { quarantined } = await readQuarantine(log);
    const neverMade = new Set<string>();
    const prefixes = [SUBSCRIPTION_PREFIX, SCHEDULED_PAYMENT_PREFIX, USER_PREFIX, JOURNAL];
    for await (const raw of log.readAll(START, prefixes)) {
      if (!isOurStream(raw.stream)) continue;
      if (raw.stream === JOURNAL) {
        report.add(recorded(raw));
        continue;
      }
      // What parks or is quarantined is told by the audit, and collects nothing.
      const event = quarantined.has(raw) ? undefined : storedEvent(raw).event;
      // Without its first event nobody knows what a schedule was to collect.
      if (!event && raw.revision === 0 && !raw.stream.startsWith(USER_PREFIX)) neverMade.add(raw.stream);
      if (event && !neverMade.has(raw.stream)) report.add(event);
    }
    return report;
  }

  add(event: RecordedEvent): void {
    switch (event.type) {
      case 'SubscriptionCreated': {
        const { subscriptionId, recipientId, firstDueAt, frequency, at } = event.data;
        this.#begin(subscriptionId, recipientId, new Date(firstDueAt), frequency, at);
        return;
      }
      case 'PaymentScheduled': {
        const { scheduleId, recipientId, dueAt, at } = event.data;
        this.#begin(scheduleId, recipientId, new Date(dueAt), undefined, at);
        return;
      }
      case 'SubscriptionPaused':
      case 'SubscriptionResumed':
      case 'SubscriptionCanceled': {
        const status =
          event.type === 'SubscriptionPaused'
            ? 'paused'
            : event.type === 'SubscriptionResumed'
              ? 'active'
              : 'canceled';
        this.#story(event.data.subscriptionId).statusChanges.push({
          atMs: Date.parse(event.data.at),
          status,
        });
        return;
      }
      case 'ScheduledPaymentCanceled':
        this.#story(event.data.scheduleId).statusChanges.push({
          atMs: Date.parse(event.data.at),
          status: 'canceled',
        });
        return;
      case 'ForgettingRequested': {
        const { userId, requestedAt } = event.data;
        const times = this.#leaving.get(userId) ?? [];
        this.#leaving.set(userId, [...times, { fromMs: Date.parse(requestedAt), untilMs: Infinity }]);
        return;
      }
      case 'ForgettingRequestEnded':
        this.#left(event.data.userId, Date.parse(event.data.endedAt));
        return;
      case 'UserForgotten':
        this.#left(event.data.userId, Date.parse(event.metadata.recordedAt));
        return;
      case 'ScheduledPaymentMoved':
        this.#move(this.#story(event.data.scheduleId), event.data.dueAt);
        return;
      case 'TransferPosted':
      case 'PaymentSettled': {
        const { occurrence } = event.data;
        if (!occurrence) return;
        const id = event.type === 'TransferPosted' ? event.data.transferId : event.data.paymentId;
        const of = `${occurrence.scheduleId} ${iso(occurrence.dueAt)}`;
        this.#moved.set(of, [...(this.#moved.get(of) ?? []), id]);
        return;
      }
      default:
        if (isOccurrenceEvent(event)) this.#occurrence(event);
    }
  }

  /** How the day's due times stand at a moment. */
  on(day: string, now: Date): SchedulesDay {
    const fromMs = Date.parse(`${day}T00:00:00.000Z`);
    if (Number.isNaN(fromMs)) throw new RangeError(`"${day}" is not a day, such as 2026-11-21.`);
    const untilMs = Math.min(fromMs + DAY_MS, now.getTime() + 1);
    const count = {
      due: 0,
      run: 0,
      collected: 0,
      failed: 0,
      open: 0,
      fresh: 0,
      held: 0,
      retried: 0,
      late: 0,
    };
    const skipped = { superseded: 0, paused: 0, canceled: 0 };
    const missing: string[] = [];
    const doubled: string[] = [];
    const disagreements: string[] = [];
    for (const story of this.#stories.values()) {
      const calendar = dueTimes(story, fromMs, untilMs);
      for (const dueMs of calendar) {
        const dueAt = new Date(dueMs).toISOString();
        const name = `${story.id} ${dueAt}`;
        const fate = story.fates.get(dueAt);
        const moved = this.#moved.get(name) ?? [];
        const skips = story.skips
          .filter((skip) => skip.fromMs <= dueMs && dueMs <= skip.toMs)
          .map(({ why }) => why);
        const ends = [...(fate?.ends ?? []), ...skips];
        const status = statusAt(story, dueMs);
        // After a cancel nothing is due; nor in a pause, unless something became of it all the same.
        if (status !== 'active' && !fate && ends.length === 0 && moved.length === 0) continue;
        count.due += 1;
        if (fate) {
          count.run += 1;
          count.retried += fate.retries;
          const { claimedAtMs = dueMs } = fate;
          if (claimedAtMs - this.#claimableFrom(story, dueMs, claimedAtMs) > LATE_AFTER_MS) count.late += 1;
        }
        if ((fate?.claims ?? 0) > 1) doubled.push(`${name}: claimed ${fate?.claims} times`);
        if (ends.length > 1) doubled.push(`${name}: ended ${ends.length} times (${ends.join(', ')})`);
        if (moved.length > 1) doubled.push(`${name}: paid ${moved.length} times (${moved.join(', ')})`);
        const end = ends[0];
        const sinceMs = this.#claimableFrom(story, dueMs, now.getTime());
        const isStale = now.getTime() - sinceMs > LATE_AFTER_MS;
        if (end === 'collected' || end === 'failed') count[end] += 1;
        else if (end !== undefined) skipped[end] += 1;
        else if (fate) count.open += 1;
        else if (isStale) missing.push(name);
        else if (sinceMs === now.getTime() && sinceMs > dueMs) count.held += 1;
        else count.fresh += 1;
        if (end === 'collected' && moved.length === 0)
          disagreements.push(`${name}: collected, and no money moved`);
        if (moved.length > 0 && end !== undefined && end !== 'collected')
          disagreements.push(`${name}: ${end}, and money moved (${moved.join(', ')})`);
        if (moved.length > 0 && !fate)
          disagreements.push(`${name}: money moved (${moved.join(', ')}) and nobody claimed it`);
      }
      const due = new Set(calendar);
      for (const { dueAt } of story.fates.values()) {
        const dueMs = Date.parse(dueAt);
        if (dueMs >= fromMs && dueMs < untilMs && !due.has(dueMs))
          disagreements.push(`${story.id} ${dueAt}: claimed at a time that its calendar does not have`);
      }
    }
    return { day, ...count, skipped, missing, doubled, disagreements };
  }

  /** The days on which anything was due, up to a moment, in order. */
  days(now: Date): string[] {
    const firsts = [...this.#stories.values()]
      .flatMap(({ anchor, before }) => [anchor.getTime(), ...before])
      .filter((ms) => ms <= now.getTime());
    if (firsts.length === 0) return [];
    const days: string[] = [];
    for (
      let ms = Math.min(...firsts);
      new Date(ms).toISOString().slice(0, 10) <= now.toISOString().slice(0, 10);
      ms += DAY_MS
    )
      days.push(new Date(ms).toISOString().slice(0, 10));
    return days;
  }

  #left(userId: string, untilMs: number): void {
    const last = this.#leaving.get(userId)?.at(-1);
    if (last?.untilMs === Infinity) last.untilMs = untilMs;
  }

  /**
   * From when on a due time may be claimed, as of a moment: not while its recipient waits to be forgotten.
   */
  #claimableFrom({ recipientId }: Story, dueMs: number, atMs: number): number {
    const held = this.#leaving
      .get(recipientId)
      ?.findLast(({ fromMs, untilMs }) => fromMs <= atMs && untilMs > dueMs);
    return held ? Math.max(dueMs, Math.min(held.untilMs, atMs)) : dueMs;
  }

  #begin(id: string, recipientId: string, anchor: Date, frequency: Frequency | undefined, at: string): void {
    const statusChanges = [{ atMs: Date.parse(at), status: 'active' as const }];
    this.#stories.set(id, {
      id,
      recipientId,
      anchor,
      before: [],
      frequency,
      statusChanges,
      fates: new Map(),
      skips: [],
    });
  }

  #move(story: Story, dueAt: string): void {
    const dueMs = story.anchor.getTime();
    const isPassed =
      story.fates.has(story.anchor.toISOString()) || story.skips.some(({ fromMs }) => fromMs === dueMs);
    if (isPassed) story.before.push(dueMs);
    story.anchor = new Date(dueAt);
  }

  #story(id: string): Story {
    const story = this.#stories.get(id);
    if (!story) throw new Error(`The log says something of schedule ${id} before it says that it was made.`);
    return story;
  }

  #occurrence({ type, data }: OccurrenceEvent): void {
    const story = this.#story(data.scheduleId);
    if (type === 'OccurrencesSkipped') {
      const { firstDueAt, lastDueAt, why } = data;
      story.skips.push({ fromMs: Date.parse(firstDueAt), toMs: Date.parse(lastDueAt), why });
      return;
    }
    const dueAt = iso(data.dueAt);
    const fate = story.fates.get(dueAt) ?? { dueAt, claims: 0, claimedAtMs: undefined, retries: 0, ends: [] };
    story.fates.set(dueAt, fate);
    if (type === 'OccurrenceClaimed') {
      fate.claims += 1;
      fate.claimedAtMs ??= Date.parse(data.at);
    } else if (type === 'OccurrenceRetried') {
      fate.retries += 1;
      // Its payer took it up again.
      if (fate.ends.at(-1) === 'failed') fate.ends.pop();
    } else if (type === 'OccurrenceCollected') fate.ends.push('collected');
    else if (type === 'OccurrenceFailed') fate.ends.push('failed');
  }
}

const iso = (text: string): string => new Date(text).toISOString();

/** By the calendar alone, whatever the streams say. */
function dueTimes({ anchor, before, frequency }: Story, fromMs: number, untilMs: number): number[] {
  if (frequency === undefined)
    return [...before, anchor.getTime()].filter((dueMs) => dueMs >= fromMs && dueMs < untilMs);
  const times: number[] = [];
  for (let n = Math.max(0, lastDueNumber(anchor, frequency, new Date(fromMs - 1)) + 1); ; n += 1) {
    const due = dueTime(anchor, frequency, n).getTime();
    if (due >= untilMs) return times;
    times.push(due);
  }
}

function statusAt({ statusChanges }: Story, ms: number): 'active' | 'paused' | 'canceled' {
  return statusChanges.findLast(({ atMs }) => atMs <= ms)?.status ?? 'active';
}

/** The day as lines for people. */
export function dayLines(day: SchedulesDay): string[] {
  const { superseded, paused, canceled } = day.skipped;
  const line = (name: string, figure: number, more = ''): string =>
    `${name.padEnd(10)}${String(figure).padStart(8)}  ${more}`.trimEnd();
  const list = (name: string, all: readonly string[]): string[] =>
    all.length === 0 ? [] : ['', `${name}:`, ...all.map((one) => `  ${one}`)];
  return [
    `Schedules due on ${day.day} (UTC), by the log`,
    '',
    line('due', day.due),
    line('run', day.run),
    line('collected', day.collected),
    line('failed', day.failed),
    line('open', day.open, 'under way, to be confirmed or waiting for another attempt'),
    line('fresh', day.fresh, 'due a moment ago'),
    line('held', day.held, 'its recipient is closing their account'),
    line('retried', day.retried, 'further attempts'),
    line(
      'skipped',
      superseded + paused + canceled,
      `${superseded} superseded, ${paused} paused, ${canceled} canceled`,
    ),
    line('late', day.late, 'claimed more than 15 minutes after the due time'),
    line('missing', day.missing.length),
    line('doubled', day.doubled.length),
    ...list('missing', day.missing),
    ...list('doubled', day.doubled),
    ...list('does not agree', day.disagreements),
  ];
}

export const isInOrder = ({ missing, doubled, disagreements }: SchedulesDay): boolean =>
  missing.length + doubled.length + disagreements.length === 0;
