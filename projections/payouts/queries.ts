/**
 * Reads of payouts: a person's list, one of them, and what the workers must take further. Amounts are minor
 * units.
 */
import type { ListRequest, Page } from '#contracts/api/lists';
import type { PayoutStatus } from '#contracts/api/payouts';
import { ACCOUNT_CLOSED } from '#contracts/events/bank-account';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import { BANK_ACCOUNTS_PREFIX } from '#contracts/events/bank-account';
import { PAYOUT_PREFIX } from '#contracts/events/payout-process';
import { isParked } from '../engine/parking.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { payouts, type PayoutStep } from './columns.js';
import { CHANGED_AT, QUEUED } from './funds.js';

/** What a person is told of each step (spec §4). */
export const STATUS: Readonly<Record<PayoutStep, PayoutStatus>> = {
  requested: 'pending',
  transferred: 'processing',
  submitted: 'processing',
  completed: 'completed',
  // On its way back to the user: not over before they have it.
  returned: 'processing',
  failed: 'failed',
};

export type PayoutView = ViewOf<typeof payouts, 'owner'> & {
  /** Why its last attempt at the provider came to nothing, while it stands at that step. */
  readonly delayReason: string | null;
  /** Its own stream cannot be read: it stands still. */
  readonly isParked: boolean;
  /** Its owner's bank accounts cannot be read: it cannot be sent. */
  readonly isBankParked: boolean;
};

const VIEW = `${payouts.seenBy('owner', 'p')},
  case when p.delayed_at >= ${CHANGED_AT} then p.delay_reason end as "delayReason",
  ${isParked(PAYOUT_PREFIX, 'p.id')} as "isParked", ${isParked(BANK_ACCOUNTS_PREFIX, 'p.user_id')} as "isBankParked"`;

/** The text is looked for in the bank account and in why it failed. */
export interface PayoutFilter extends ListRequest {
  readonly status?: PayoutStatus | undefined;
}

const stepsOf = (status: PayoutStatus | undefined): string[] | null =>
  status === undefined
    ? null
    : Object.entries(STATUS).flatMap(([step, shown]) => (shown === status ? [step] : []));

/** A person's payouts, newest first. */
export async function payoutsOf(
  db: Queryable,
  userId: string,
  { limit, cursor, from, until, status, text }: PayoutFilter = {},
): Promise<Page<PayoutView>> {
  const { rows } = await db.query<PayoutView & { place: number }>({
    name: 'payouts-of-user',
    text: `select ${VIEW}, p.place from payouts p
            where user_id = $1 and ($2::bigint is null or place < $2) and ${within('requested_at', '$3', '$4')}
              and ($5::text[] is null or step = any($5))
              and ($6::text is null or failure_reason ilike $6
                   or exists (select from bank_accounts b
                               where b.id = bank_account_id and (b.bank_name ilike $6 or b.account_last4 ilike $6)))
            order by place desc limit $7`,
    values: [
      userId,
      cursor ?? null,
      from ?? null,
      until ?? null,
      stepsOf(status),
      anywhere(text),
      rowsFor(limit),
    ],
  });
  return pageOf(rows, limit);
}

/** One payout as its owner may see it; undefined for anybody else's and for one that does not exist. */
export async function payoutOf(
  db: Queryable,
  userId: string,
  payoutId: string,
): Promise<PayoutView | undefined> {
  const { rows } = await db.query<PayoutView>({
    name: 'payout-of-user',
    text: `select ${VIEW} from payouts p where id = $1 and user_id = $2`,
    values: [payoutId, userId],
  });
  return rows[0];
}

/** A payout that has not ended, with all that says whether it can be taken further. */
export interface UnfinishedPayoutView {
  readonly id: string;
  readonly step: 'requested' | 'transferred' | 'submitted' | 'returned';
  readonly changedAt: Date;
  readonly payoutsEnabled: boolean;
  /** Nothing can be paid to its bank account any more: it was removed, refused or closed. */
  readonly isBankGone: boolean;
  readonly delays: number;
  readonly delayCode: string | null;
  readonly delayedAt: Date | null;
  /** The money that is available covers it and all before it in the queue, as far as that is known. */
  readonly isCovered: boolean;
  /** It does not, and this is not the first in the queue, which is never told to wait. */
  readonly waitsItsTurn: boolean;
}

/**
 * Payouts that have not ended and do not stand still, oldest first; `after`: the id of the last one of the
 * page before. `availableMinor` is what the queue can go by; without it none waits for its turn.
 */
export async function unfinishedPayouts(
  db: Queryable,
  limit: number,
  after?: string,
  availableMinor?: number,
): Promise<UnfinishedPayoutView[]> {
  const { rows } = await db.query<UnfinishedPayoutView>({
    name: 'unfinished-payouts',
    text: `with queue as (select p.id, sum(p.amount_minor) over (order by p.place) as through,
                                 row_number() over (order by p.place) as n from ${QUEUED})
           select p.id, p.step, ${CHANGED_AT} as "changedAt", p.delays, p.delay_code as "delayCode",
                  p.delayed_at as "delayedAt", coalesce(q.n > 1 and q.through > $3 and p.transfer_begun_at is null, false) as "waitsItsTurn",
                  coalesce(q.through <= $3, true) as "isCovered",
                  coalesce(a.payouts_enabled, false) as "payoutsEnabled",
                  coalesce(b.status, 'removed') in ('removed', 'refused') or coalesce(b.error, '') = '${ACCOUNT_CLOSED}' as "isBankGone"
             from payouts p
             left join payout_accounts a on a.user_id = p.user_id
             left join bank_accounts b on b.id = p.bank_account_id
             left join queue q on q.id = p.id
            where p.step not in ('completed', 'failed') and not ${isParked(PAYOUT_PREFIX, 'p.id')}
              and (p.step not in ('requested', 'transferred') or not ${isParked(BANK_ACCOUNTS_PREFIX, 'p.user_id')})
              and ($2::text is null or p.place > (select place from payouts where id = $2))
            order by p.place limit $1`,
    values: [limit, after ?? null, availableMinor ?? null],
  });
  return rows;
}

/**
 * How many payouts were put off at the step at which they stand, by the provider's code, and since when the
 * oldest stands there. Those that the available money does not reach are among `balance_insufficient`.
 */
export async function payoutsPutOff(
  db: Queryable,
  availableMinor?: number,
): Promise<{ code: string; count: number; oldest: Date }[]> {
  const { rows } = await db.query<{ code: string; count: number; oldest: Date }>({
    name: 'payouts-put-off',
    text: `with queue as (select p.id, sum(p.amount_minor) over (order by p.place) as through from ${QUEUED})
           select code, count(*) as count, min(since) as oldest
             from (select case when q.through > $1 then 'balance_insufficient'
                               when p.delayed_at >= ${CHANGED_AT} then p.delay_code end as code, ${CHANGED_AT} as since
                     from payouts p left join queue q on q.id = p.id
                    where p.step not in ('completed', 'failed')) standing
            where code is not null group by code order by code`,
    values: [availableMinor ?? null],
  });
  return rows;
}
