/** Reads of unclaimed money, for operators. Amounts are minor units. */
import type { Queryable } from '../engine/read-model.js';
import { unclaimed } from './columns.js';

export interface UnclaimedMoney {
  readonly itemId: string;
  readonly userId: string;
  /** What waits of it: what was taken from its owner later is not. */
  readonly leftMinor: number;
  readonly cause: string;
  readonly receivedAt: Date;
}

/** All that waits for somebody to claim it, the oldest first. */
export async function unclaimedMoney(db: Queryable): Promise<UnclaimedMoney[]> {
  const { rows } = await db.query<UnclaimedMoney>({
    name: 'unclaimed-money',
    text: `select ${unclaimed.inner('itemId', 'userId', 'leftMinor', 'cause', 'receivedAt')}
             from unclaimed where left_minor > 0 order by received_at, item_id`,
  });
  return rows;
}

/** How old unclaimed money may be before the law of a place asks for it: counted so. */
const UNCLAIMED_AGES = ['under 30 days', '30 days to a year', 'over a year'] as const;
type UnclaimedAge = (typeof UNCLAIMED_AGES)[number];

/** How many items wait, and how much they come to, by their age. Every age is answered. */
export async function unclaimedByAge(
  db: Queryable,
  now: Date,
): Promise<{ age: UnclaimedAge; count: number; amountMinor: number }[]> {
  const { rows } = await db.query<{ age: UnclaimedAge; count: number; amountMinor: number }>({
    name: 'unclaimed-by-age',
    text: `select a.age, count(u.item_id) as count, coalesce(sum(u.left_minor), 0)::bigint as "amountMinor"
             from unnest($2::text[]) with ordinality as a(age, n)
             left join unclaimed u on u.left_minor > 0 and a.n =
               case when u.received_at > $1::timestamptz - interval '30 days' then 1
                    when u.received_at > $1::timestamptz - interval '365 days' then 2 else 3 end
            group by a.age, a.n order by a.n`,
    values: [now, [...UNCLAIMED_AGES]],
  });
  return rows;
}

/** Closed accounts on which entries of an older version left something: to be cleared. */
export const LEFT_ON_CLOSED = `exists (select from balances b
  where b.account = 'user/' || u.id || '/available' and b.balance_minor <> 0)`;
