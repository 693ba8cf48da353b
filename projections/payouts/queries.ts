/**
 * Reads of payouts: a person's list, one of them, and what the workers must take further. Amounts are minor
 * units.
 */
import type { ListAsked, Page } from '#contracts/api/lists';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import { wholeNumber, type Queryable } from '../engine/read-model.js';

/** How far it has come, by the journal. */
export type PayoutStep = 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';
/** What a person is told (spec §4). */
export type PayoutStatus = 'pending' | 'processing' | 'completed' | 'failed';

export const STATUS: Readonly<Record<PayoutStep, PayoutStatus>> = {
  requested: 'pending',
  transferred: 'processing',
  submitted: 'processing',
  completed: 'completed',
  // On its way back to the user: not over before they have it.
  returned: 'processing',
  failed: 'failed',
};

export interface PayoutView {
  readonly id: string;
  readonly userId: string;
  readonly bankAccountId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: PayoutStatus;
  readonly step: PayoutStep;
  readonly connectAccountId: string | null;
  readonly providerTransferId: string | null;
  readonly providerPayoutId: string | null;
  readonly reversalId: string | null;
  readonly createdAt: Date;
  readonly transferredAt: Date | null;
  readonly submittedAt: Date | null;
  readonly completedAt: Date | null;
  /** When the bank or the provider sent it back. */
  readonly returnedAt: Date | null;
  readonly failedAt: Date | null;
  readonly failureCode: string | null;
  /** Known from the moment it is sent back, also while the money is still on its way to the user. */
  readonly failureReason: string | null;
}

interface Row {
  id: string;
  user_id: string;
  bank_account_id: string;
  amount_minor: string;
  currency: string;
  step: PayoutStep;
  connect_account_id: string | null;
  provider_transfer_id: string | null;
  provider_payout_id: string | null;
  reversal_id: string | null;
  requested_at: Date;
  transferred_at: Date | null;
  submitted_at: Date | null;
  completed_at: Date | null;
  returned_at: Date | null;
  failed_at: Date | null;
  failure_code: string | null;
  failure_reason: string | null;
  place: string;
}

const COLUMNS = `id, user_id, bank_account_id, amount_minor, currency, step, connect_account_id, provider_transfer_id,
  provider_payout_id, reversal_id, requested_at, transferred_at, submitted_at, completed_at, returned_at, failed_at,
  failure_code, failure_reason, place`;

const viewOf = (row: Row): PayoutView => ({
  id: row.id,
  userId: row.user_id,
  bankAccountId: row.bank_account_id,
  amountMinor: wholeNumber(row.amount_minor),
  currency: row.currency,
  status: STATUS[row.step],
  step: row.step,
  connectAccountId: row.connect_account_id,
  providerTransferId: row.provider_transfer_id,
  providerPayoutId: row.provider_payout_id,
  reversalId: row.reversal_id,
  createdAt: row.requested_at,
  transferredAt: row.transferred_at,
  submittedAt: row.submitted_at,
  completedAt: row.completed_at,
  returnedAt: row.returned_at,
  failedAt: row.failed_at,
  failureCode: row.failure_code,
  failureReason: row.failure_reason,
});

/** The text is looked for in the bank account and in why it failed. */
export interface PayoutFilter extends ListAsked {
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
  const { rows } = await db.query<Row>({
    name: 'payouts-of-user',
    text: `select ${COLUMNS} from payouts
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
  return pageOf(rows, limit, viewOf);
}

/** One payout, whoever's it is. */
export async function payoutById(db: Queryable, payoutId: string): Promise<PayoutView | undefined> {
  const { rows } = await db.query<Row>({
    name: 'payout-by-id',
    text: `select ${COLUMNS} from payouts where id = $1`,
    values: [payoutId],
  });
  return rows[0] && viewOf(rows[0]);
}

/** The payout that the provider knows under this id. */
export async function payoutByProviderId(
  db: Queryable,
  providerPayoutId: string,
): Promise<PayoutView | undefined> {
  const { rows } = await db.query<Row>({
    name: 'payout-by-provider-id',
    text: `select ${COLUMNS} from payouts where provider_payout_id = $1`,
    values: [providerPayoutId],
  });
  return rows[0] && viewOf(rows[0]);
}

/** Payouts that have not ended, oldest first; `after`: the last one of the page before. */
export async function payoutsUnderWay(
  db: Queryable,
  limit = 500,
  after?: Pick<PayoutView, 'id'>,
): Promise<PayoutView[]> {
  const { rows } = await db.query<Row>({
    name: 'payouts-under-way',
    text: `select ${COLUMNS} from payouts
            where step not in ('completed', 'failed')
              and ($1::text is null or place > (select place from payouts where id = $1))
            order by place limit $2`,
    values: [after?.id ?? null, limit],
  });
  return rows.map(viewOf);
}

/**
 * Payouts completed in a time and not returned since, oldest first: a bank may still send them back. `until`
 * is exclusive.
 */
export async function payoutsCompletedBetween(
  db: Queryable,
  since: Date,
  until: Date,
  limit = 500,
): Promise<PayoutView[]> {
  const { rows } = await db.query<Row>({
    name: 'payouts-completed-between',
    text: `select ${COLUMNS} from payouts
            where step = 'completed' and completed_at >= $1 and completed_at < $2 order by completed_at, place limit $3`,
    values: [since, until, limit],
  });
  return rows.map(viewOf);
}
