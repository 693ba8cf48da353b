/** Reads over payouts and what they wait for: beside the journal's rows, those of accounts and of courses. */
import { wholeNumber, type Queryable } from '../engine/read-model.js';

/** A payout that has not ended, with all that says whether it can be taken further. */
export interface UnfinishedPayoutView {
  readonly id: string;
  readonly step: 'requested' | 'transferred' | 'submitted' | 'returned';
  readonly changedAt: Date;
  readonly payoutsEnabled: boolean;
  readonly isRemoved: boolean;
  readonly delays: number;
  readonly delayedAt: Date | null;
}

/** When a payout came to the step at which it stands. */
const CHANGED_AT = 'coalesce(p.returned_at, p.submitted_at, p.transferred_at, p.requested_at)';

/** Payouts that have not ended, oldest first; `after`: the id of the last one of the page before. */
export async function unfinishedPayouts(
  db: Queryable,
  limit: number,
  after?: string,
): Promise<UnfinishedPayoutView[]> {
  const { rows } = await db.query<UnfinishedPayoutView>({
    name: 'unfinished-payouts',
    text: `select p.id, p.step, ${CHANGED_AT} as "changedAt",
                  coalesce(a.payouts_enabled, false) as "payoutsEnabled", coalesce(b.status, 'removed') = 'removed' as "isRemoved",
                  coalesce(c.delays, 0) as delays, c.delayed_at as "delayedAt"
             from payouts p
             left join payout_accounts a on a.user_id = p.user_id
             left join bank_accounts b on b.id = p.bank_account_id
             left join payout_courses c on c.payout_id = p.id
            where p.step not in ('completed', 'failed')
              and ($2::text is null or p.place > (select place from payouts where id = $2))
            order by p.place limit $1`,
    values: [limit, after ?? null],
  });
  return rows;
}

/**
 * Why the last attempts at these payouts came to nothing; those that were not put off at the step at which
 * they stand are not in it.
 */
export async function delayReasonsOf(
  db: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ payout_id: string; delay_reason: string }>({
    name: 'delay-reasons',
    text: `select c.payout_id, c.delay_reason from payout_courses c join payouts p on p.id = c.payout_id
            where c.payout_id = any($1::text[]) and c.delay_reason is not null and c.delayed_at >= ${CHANGED_AT}`,
    values: [payoutIds],
  });
  return new Map(rows.map((row) => [row.payout_id, row.delay_reason]));
}

/**
 * How many payouts were put off at the step at which they stand, by the provider's code, and since when the
 * oldest stands there.
 */
export async function payoutsPutOff(db: Queryable): Promise<{ code: string; count: number; oldest: Date }[]> {
  const { rows } = await db.query<{ code: string; count: string; oldest: Date }>({
    name: 'payouts-put-off',
    text: `select c.delay_code as code, count(*) as count, min(${CHANGED_AT}) as oldest
             from payout_courses c join payouts p on p.id = c.payout_id
            where p.step not in ('completed', 'failed') and c.delay_code is not null and c.delayed_at >= ${CHANGED_AT}
            group by c.delay_code order by c.delay_code`,
    values: [],
  });
  return rows.map(({ count, ...row }) => ({ ...row, count: wholeNumber(count) }));
}
