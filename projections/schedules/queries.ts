/**
 * Reads of subscriptions and scheduled payments: a payer's lists, one of them, and what is due. Amounts are
 * minor units.
 */
import type { ListRequest, Page } from '#contracts/api/lists';
import type { ScheduleKind } from '#contracts/events/occurrence';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import { SCHEDULED_PAYMENT_PREFIX } from '#contracts/events/schedule';
import { SUBSCRIPTION_PREFIX } from '#contracts/events/subscription';
import { USER_PREFIX } from '#contracts/events/user';
import { isParked } from '../engine/parking.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { LEFT_ON_CLOSED } from '../unclaimed/queries.js';
import { personHolds, SHOWN_FIRST_NAME, SHOWN_LAST_NAME } from '../users/queries.js';
import { LIVING, schedules, type ScheduleStatus } from './columns.js';

/** A schedule as its payer sees it. */
export type ScheduleView = ViewOf<typeof schedules, 'payer'> & {
  /** Null for somebody who is gone. */
  readonly recipientUsername: string | null;
  readonly recipientFirstName: string | null;
  readonly recipientLastName: string | null;
  /** Its stream cannot be read: it stands still. */
  readonly isParked: boolean;
  /** Its recipient has asked to be forgotten: nothing is begun meanwhile. */
  readonly isLeaving: boolean;
};

/** The text is looked for in the description and the recipient's username and name. */
interface ScheduleFilter extends ListRequest {
  readonly kind: ScheduleKind;
  readonly status?: ScheduleStatus | undefined;
  readonly frequency?: string | undefined;
}

/** The time by which each kind is looked for. */
const LISTED_BY: Readonly<Record<ScheduleKind, string>> = {
  subscription: 's.created_at',
  'scheduled-payment': 's.first_due_at',
};

/** Whether the stream of a schedule `s` is parked, of either kind. */
const STANDS_STILL = `(${isParked(SUBSCRIPTION_PREFIX, 's.id')} or ${isParked(SCHEDULED_PAYMENT_PREFIX, 's.id')})`;

/**
 * Whether what is due of a schedule `s` waits because its recipient has asked to be forgotten; what is under
 * way goes on. The ledger holds it too: here nobody asks for it in vain, and no figure counts it as late.
 */
export const HELD = `(coalesce(s.stage, 'waiting') = 'waiting'
  and s.recipient_id in (select l.id from users l where l.forgetting_due_at is not null))`;

const VIEW = `${schedules.seenBy('payer', 's')}, u.username as "recipientUsername",
  ${SHOWN_FIRST_NAME} as "recipientFirstName", ${SHOWN_LAST_NAME} as "recipientLastName",
  ${STANDS_STILL} as "isParked", u.forgetting_due_at is not null as "isLeaving"`;

const SCHEDULES = `schedules s left join users u on u.id = s.recipient_id left join settings p on p.user_id = s.recipient_id`;

/** One kind of a payer's schedules, newest first. */
export async function schedulesOf(
  db: Queryable,
  payerId: string,
  { kind, limit, cursor, from, until, status, frequency, text }: ScheduleFilter,
): Promise<Page<ScheduleView>> {
  const { rows } = await db.query<ScheduleView & { place: number }>({
    name: `${kind}s-of-payer`,
    text: `select ${VIEW}, s.place from ${SCHEDULES}
            where s.payer_id = $1 and s.kind = $2 and ($3::bigint is null or s.place < $3)
              and ${within(LISTED_BY[kind], '$4', '$5')}
              and ($6::text is null or s.status = $6) and ($7::text is null or s.frequency = $7)
              and ($8::text is null or s.description ilike $8 or ${personHolds('s.recipient_id', '$8')})
            order by s.place desc limit $9`,
    values: [
      payerId,
      kind,
      cursor ?? null,
      from ?? null,
      until ?? null,
      status ?? null,
      frequency ?? null,
      anywhere(text),
      rowsFor(limit),
    ],
  });
  return pageOf(rows, limit);
}

/** A schedule as its payer may see it; undefined for anybody else's and for one that does not exist. */
export async function scheduleForPayer(
  db: Queryable,
  id: string,
  payerId: string,
): Promise<ScheduleView | undefined> {
  const { rows } = await db.query<ScheduleView>({
    name: 'schedule-for-payer',
    text: `select ${VIEW} from ${SCHEDULES} where s.id = $1 and s.payer_id = $2`,
    values: [id, payerId],
  });
  return rows[0];
}

/** The schedules that still go on and that a user pays or is paid by. */
export async function livingSchedulesOf(
  db: Queryable,
  userId: string,
): Promise<{ id: string; kind: ScheduleKind; payerId: string }[]> {
  const { rows } = await db.query<{ id: string; kind: ScheduleKind; payerId: string }>({
    name: 'schedules-living-of-user',
    text: `select s.id, s.kind, s.payer_id as "payerId" from schedules s
            where (s.payer_id = $1 or s.recipient_id = $1) and ${LIVING} order by s.place`,
    values: [userId],
  });
  return rows;
}

/**
 * Users whose forgetting was begun and not finished, and forgotten ones for whom a schedule still goes on or
 * on whose account an older version left something, after one of them.
 */
export async function halfForgotten(db: Queryable, limit: number, afterId = ''): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'half-forgotten',
    text: `select u.id from users u
            where u.id > $2 and not ${isParked(USER_PREFIX, 'u.id')} and (u.being_forgotten or u.forgotten
                                   and (exists (select from schedules s
                                                 where (s.payer_id = u.id or s.recipient_id = u.id) and ${LIVING})
                                        or ${LEFT_ON_CLOSED}))
            order by u.id limit $1`,
    values: [limit, afterId],
  });
  return rows.map(({ id }) => id);
}

/**
 * A schedule that must be looked after: something is due, to be tried again, or has stopped half way. No
 * amount is part of it.
 */
export interface DueSchedule {
  readonly id: string;
  readonly kind: ScheduleKind;
  readonly dueAt: Date;
  readonly attempt: number;
  readonly wakeAt: Date;
}

/**
 * What must be looked after at a moment, the longest overdue first, after the last one of the page before.
 */
export async function dueSchedules(
  db: Queryable,
  now: Date,
  limit: number,
  after?: Pick<DueSchedule, 'id' | 'wakeAt'>,
): Promise<DueSchedule[]> {
  const { rows } = await db.query<DueSchedule>({
    name: 'schedules-due',
    // An attempt that waits is followed by the next one; milliseconds, as JavaScript's dates have them.
    text: `select id, kind, coalesce(occurrence_due_at, next_due_at, first_due_at) as "dueAt",
                  coalesce(attempt, 0) + case when stage is null or stage = 'waiting' then 1 else 0 end as attempt,
                  wake_at as "wakeAt"
             from schedules s
            where wake_at is not null and wake_at <= $1 and not ${STANDS_STILL} and not ${HELD} and ($2::timestamptz is null or (wake_at, id) > ($2, $3::text))
            order by wake_at, id limit $4`,
    values: [now, after?.wakeAt ?? null, after?.id ?? null, limit],
  });
  return rows;
}

/** How many must be looked after at a moment, and since when the oldest. */
export async function dueBacklog(db: Queryable, now: Date): Promise<{ count: number; oldest: Date | null }> {
  const { rows } = await db.query<{ count: number; oldest: Date | null }>({
    name: 'schedules-due-backlog',
    text: `select count(*) as count, min(wake_at) as oldest from schedules s where wake_at is not null and wake_at <= $1 and not ${STANDS_STILL} and not ${HELD}`,
    values: [now],
  });
  return rows[0] ?? { count: 0, oldest: null };
}
