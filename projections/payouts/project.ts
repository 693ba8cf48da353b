/**
 * Folds each payout's entries into its row. Rows that a batch continues are read in one query and written in
 * one.
 */
import type { JournalEvent, JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { PayoutStep } from './queries.js';

/** A row as it stands in the table; times as text, to the microsecond, so that they go back as they came. */
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
  requested_at: string;
  transferred_at: string | null;
  submitted_at: string | null;
  completed_at: string | null;
  returned_at: string | null;
  failed_at: string | null;
  failure_code: string | null;
  failure_reason: string | null;
  place: string;
}

type PayoutEntry = JournalEventOf<
  | 'PayoutRequested'
  | 'PayoutTransferred'
  | 'PayoutSubmitted'
  | 'PayoutCompleted'
  | 'PayoutReturned'
  | 'PayoutFailed'
>;

const isPayoutEntry = (event: RecordedEvent): event is RecordedEvent<JournalEvent> & PayoutEntry =>
  'payoutId' in event.data && 'postings' in event.data;

export async function projectPayouts(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const entries = events.filter(isPayoutEntry);
  if (entries.length === 0) return;
  const known = await tx.query<Row>({
    name: 'payouts-continued',
    text: `select ${COLUMNS.map(({ name, type }) => (type === 'timestamptz' ? `${name}::text` : name)).join(', ')}
             from payouts where id = any($1::text[])`,
    values: [[...new Set(entries.map(({ data }) => data.payoutId))]],
  });
  const rows = new Map(known.rows.map((row) => [row.id, row]));
  for (const entry of entries) rows.set(entry.data.payoutId, next(entry, rows.get(entry.data.payoutId)));
  const written = [...rows.values()];
  await tx.query({
    name: 'payouts-written',
    text: UPSERT,
    values: COLUMNS.map(({ name }) => written.map((row) => row[name])),
  });
}

function next(entry: RecordedEvent<JournalEvent> & PayoutEntry, row: Row | undefined): Row {
  const { recordedAt } = entry.metadata;
  if (entry.type === 'PayoutRequested') {
    if (row) throw new BrokenBooks(`Payout ${row.id} is requested a second time.`);
    return requested(entry.data, recordedAt, entry.revision);
  }
  const { payoutId } = entry.data;
  if (!row)
    throw new BrokenBooks(
      `${entry.type} at revision ${entry.revision} is about payout ${payoutId}, which was never requested.`,
    );
  switch (entry.type) {
    case 'PayoutTransferred': {
      const { providerTransferId: provider_transfer_id, connectAccountId: connect_account_id } = entry.data;
      return {
        ...row,
        step: 'transferred',
        provider_transfer_id,
        connect_account_id,
        transferred_at: recordedAt,
      };
    }
    case 'PayoutSubmitted':
      return {
        ...row,
        step: 'submitted',
        provider_payout_id: entry.data.providerPayoutId,
        submitted_at: recordedAt,
      };
    case 'PayoutCompleted':
      return { ...row, step: 'completed', completed_at: recordedAt };
    case 'PayoutReturned': {
      // What came back was not completed after all.
      const { code: failure_code, reason: failure_reason } = entry.data;
      return {
        ...row,
        step: 'returned',
        completed_at: null,
        returned_at: recordedAt,
        failure_code,
        failure_reason,
      };
    }
    case 'PayoutFailed': {
      const { code: failure_code, reason: failure_reason, reversalId = null } = entry.data;
      return {
        ...row,
        step: 'failed',
        failed_at: recordedAt,
        reversal_id: reversalId,
        failure_code,
        failure_reason,
      };
    }
  }
}

const requested = (
  data: JournalEventOf<'PayoutRequested'>['data'],
  recordedAt: string,
  revision: number,
): Row => ({
  id: data.payoutId,
  user_id: data.userId,
  bank_account_id: data.bankAccountId,
  amount_minor: String(data.amountMinor),
  currency: data.currency,
  step: 'requested',
  connect_account_id: null,
  provider_transfer_id: null,
  provider_payout_id: null,
  reversal_id: null,
  requested_at: recordedAt,
  transferred_at: null,
  submitted_at: null,
  completed_at: null,
  returned_at: null,
  failed_at: null,
  failure_code: null,
  failure_reason: null,
  place: String(revision),
});

/** Each column once, with its type. What a payout was requested with never changes. */
const COLUMNS: readonly { name: keyof Row; type: string; fixed?: true }[] = [
  { name: 'id', type: 'text', fixed: true },
  { name: 'user_id', type: 'text', fixed: true },
  { name: 'bank_account_id', type: 'text', fixed: true },
  { name: 'amount_minor', type: 'bigint', fixed: true },
  { name: 'currency', type: 'text', fixed: true },
  { name: 'step', type: 'text' },
  { name: 'connect_account_id', type: 'text' },
  { name: 'provider_transfer_id', type: 'text' },
  { name: 'provider_payout_id', type: 'text' },
  { name: 'reversal_id', type: 'text' },
  { name: 'requested_at', type: 'timestamptz', fixed: true },
  { name: 'transferred_at', type: 'timestamptz' },
  { name: 'submitted_at', type: 'timestamptz' },
  { name: 'completed_at', type: 'timestamptz' },
  { name: 'returned_at', type: 'timestamptz' },
  { name: 'failed_at', type: 'timestamptz' },
  { name: 'failure_code', type: 'text' },
  { name: 'failure_reason', type: 'text' },
  { name: 'place', type: 'bigint', fixed: true },
];

const UPSERT = `insert into payouts (${COLUMNS.map(({ name }) => name).join(', ')})
  select * from unnest(${COLUMNS.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})
  on conflict (id) do update set ${COLUMNS.filter(({ fixed }) => !fixed)
    .map(({ name }) => `${name} = excluded.${name}`)
    .join(', ')}`;
