/** Moments of the books as people write them: a day or a month counts to its end, in the books' time zone. */
import { JOURNAL } from '#contracts/events/journal';
import { DEFAULT_TIME_ZONE, MONTH_FORM, spanOfDay, spanOfMonth, timeMs } from '#contracts/plain/months';
import { recorded, type LogSource } from '#log/event-log';

/** Up to where the journal is read. */
export interface Moment {
  /** As it was written. */
  readonly at: string;
  /** Entries recorded from this moment on do not count, in milliseconds since 1970. */
  readonly beforeMs: number;
  /** Entries after this revision do not count. */
  readonly throughRevision: number;
}

export const THE_END: Moment = {
  at: 'the end of the log',
  beforeMs: Number.POSITIVE_INFINITY,
  throughRevision: Number.MAX_SAFE_INTEGER,
};

/** The time zone in which the months of a log's books are cut: the journal's first entry says it. */
export async function timeZoneOf(source: Pick<LogSource, 'readStream'>): Promise<string> {
  for await (const raw of source.readStream(JOURNAL, 0, 1)) {
    if (raw.type !== 'LedgerFounded') break;
    const event = recorded(raw);
    if (event.type === 'LedgerFounded') return event.data.timeZone ?? DEFAULT_TIME_ZONE;
  }
  return DEFAULT_TIME_ZONE;
}

/**
 * Reads `2026-11`, `2026-11-30`, a time such as `2026-11-30T09:00:00Z`, or a revision of the journal such as
 * `1204`. What is recorded at the very moment of a time counts. Throws RangeError for anything else.
 */
export function untilFrom(at: string, timeZone: string): Moment {
  const before = (beforeMs: number): Moment => ({ ...THE_END, at, beforeMs });
  if (/^\d{1,15}$/.test(at)) return { ...THE_END, at, throughRevision: Number(at) };
  if (MONTH_FORM.test(at)) return before(spanOfMonth(at, timeZone).untilMs);
  if (/^\d{4}-\d\d-\d\d$/.test(at)) return before(spanOfDay(at, timeZone).untilMs);
  const ms = timeMs(at);
  if (ms === undefined)
    throw new RangeError(
      `"${at}" is no moment of the books: write a month (2026-11), a day (2026-11-30), a time (2026-11-30T09:00:00Z) or a revision (1204).`,
    );
  return before(ms + 1);
}

/** From where on the journal is looked at. */
export interface From {
  readonly fromMs: number;
  readonly fromRevision: number;
}

/**
 * Reads what {@link untilFrom} reads, as a beginning: a month or a day from its first moment on, a revision
 * or a time itself included. Throws RangeError for anything else.
 */
export function fromMoment(at: string, timeZone: string): From {
  const { beforeMs, throughRevision } = untilFrom(at, timeZone);
  if (throughRevision !== THE_END.throughRevision)
    return { fromMs: -Infinity, fromRevision: throughRevision };
  if (MONTH_FORM.test(at)) return { fromMs: spanOfMonth(at, timeZone).fromMs, fromRevision: 0 };
  if (/^\d{4}-\d\d-\d\d$/.test(at)) return { fromMs: spanOfDay(at, timeZone).fromMs, fromRevision: 0 };
  return { fromMs: beforeMs - 1, fromRevision: 0 };
}
