/** Reads over payouts and what they wait for: beside the journal's rows, those of accounts and of courses. */
import type { Queryable } from '../engine/read-model.js';

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

/** Payouts that have not ended, oldest first; `after`: the id of the last one of the page before. */
export async function unfinishedPayouts(db: Queryable, limit: number, after?: string): Promise<UnfinishedPayoutView[]> {
  const { rows } = await db.query<UnfinishedPayoutView>({
    name: 'unfinished-payouts',
    text: `select p.id, p.step, coalesce(p.returned_at, p.submitted_at, p.transferred_at, p.requested_at) as "changedAt",
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

/** Why the last attempts at these payouts came to nothing; those that were never put off are not in it. */
export async function delayReasonsOf(db: Queryable, payoutIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ payout_id: string; delay_reason: string }>({
    name: 'delay-reasons',
    text: 'select payout_id, delay_reason from payout_courses where payout_id = any($1::text[]) and delay_reason is not null',
    values: [payoutIds],
  });
  return new Map(rows.map((row) => [row.payout_id, row.delay_reason]));
}
