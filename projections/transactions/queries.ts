/**
 * Reads of payments and transfers: a person's list, one payment for its payer, and what the workers must look
 * after.
 */
import type { ListAsked, Page } from '#contracts/api/lists';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import { wholeNumber, type Queryable } from '../engine/read-model.js';
import { personHolds, SHOWN_NAME } from '../users/queries.js';

/** What a person is told. `open` and `canceled` (without an attempt) are in nobody's list. */
export type TransactionStatus =
  | 'open'
  | 'canceled'
  | 'failed'
  | 'completed'
  | 'partially_refunded'
  | 'refunded'
  | 'disputed'
  | 'dispute_lost';
export type DisputeStatus = 'open' | 'won' | 'lost';
export type ScheduleKind = 'subscription' | 'scheduled-payment';
export type TransactionType = 'payment_received' | 'payment_sent';

/** One line of one person's list. Amounts are minor units. */
export interface TransactionView {
  readonly id: string;
  readonly type: TransactionType;
  readonly kind: 'payment' | 'transfer';
  readonly amountMinor: number;
  readonly refundedMinor: number;
  /** What the payer's bank has taken back by a dispute and not given up. */
  readonly disputedMinor: number;
  readonly disputeStatus: DisputeStatus | null;
  /** Of a schedule's payment: which kind. The schedule itself is the payer's, and told to them only. */
  readonly scheduleKind: ScheduleKind | null;
  readonly scheduleId: string | null;
  readonly currency: string;
  readonly method: string | null;
  readonly note: string | null;
  readonly status: TransactionStatus;
  /** Why the last attempt failed; told to the payer only. */
  readonly failureReason: string | null;
  readonly counterpartyId: string;
  readonly counterpartyUsername: string | null;
  /** First and last name; null in privacy mode, and of somebody who is forgotten. */
  readonly counterpartyName: string | null;
  /**
   * When it happened, in whole seconds: what brought it into this person's list, by the provider's word where
   * there is one.
   */
  readonly createdAt: Date;
}

/** The text is looked for in the note and the counterparty's username and name. */
export interface TransactionFilter extends ListAsked {
  readonly type?: TransactionType | undefined;
}

// The second and the place of the last line: neither ever moves, so what is booked meanwhile leaves no gap
// and no repeat.
const CURSOR = /^(\d{1,11})-(\d{1,15})$/;

function cursorOf(text: string | undefined): { at: Date | null; place: string | null } {
  if (text === undefined) return { at: null, place: null };
  const [, seconds, place] = CURSOR.exec(text) ?? [];
  if (seconds === undefined || place === undefined) throw new RangeError('Not a cursor of this list');
  return { at: new Date(Number(seconds) * 1000), place };
}

interface Line {
  id: string;
  type: TransactionType;
  kind: 'payment' | 'transfer';
  amount_minor: string;
  refunded_minor: string;
  disputed_minor: string;
  dispute_status: DisputeStatus | null;
  schedule_kind: ScheduleKind | null;
  schedule_id: string | null;
  currency: string;
  method: string | null;
  note: string | null;
  status: TransactionStatus;
  failure_reason: string | null;
  counterparty_id: string;
  username: string | null;
  name: string | null;
  shown_at: Date;
  place: string;
}

/** What one line holds, seen from one side. */
const SEEN = (type: TransactionType, mine: string, theirs: string): string => `
  t.id, '${type}' as type, t.kind, t.amount_minor, t.refunded_minor, t.disputed_minor, t.dispute_status, t.currency, t.method,
  t.note, t.status, t.schedule_kind, ${mine === 'payer' ? 't.schedule_id, t.failure_reason' : 'null::text as schedule_id, null::text as failure_reason'},
  t.${theirs}_id as counterparty_id, t.${mine}_shown_at as shown_at, t.${mine}_place as place`;

// Each side is one walk down its index, cut at the limit, before the two are merged.
const SIDE = (type: TransactionType, mine: string, theirs: string): string => `
  (select ${SEEN(type, mine, theirs)}
     from transactions t
    where t.${mine}_id = $1 and t.${mine}_place is not null
      and ($2::timestamptz is null or (t.${mine}_shown_at, t.${mine}_place) < ($2, $3::bigint))
      and ${within(`t.${mine}_shown_at`, '$4', '$5')}
      and ($6::text is null or $6 = '${type}')
      and ($8::text is null or t.note ilike $8 or ${personHolds(`t.${theirs}_id`, '$8')})
    order by t.${mine}_shown_at desc, t.${mine}_place desc limit $7)`;

const LIST = `
  select t.*, u.username, ${SHOWN_NAME} as name
    from (${SIDE('payment_sent', 'payer', 'recipient')} union all
          ${SIDE('payment_received', 'recipient', 'payer')}
           order by shown_at desc, place desc limit $7) t
    left join users u on u.id = t.counterparty_id left join settings p on p.user_id = t.counterparty_id
   order by shown_at desc, place desc`;

/**
 * A person's payments and transfers, newest first by when they happened, so that money of Monday that the
 * ledger hears of on Friday stands under Monday. Throws RangeError for a cursor that is none of ours.
 */
export async function transactionsOf(
  db: Queryable,
  userId: string,
  filter: TransactionFilter = {},
): Promise<Page<TransactionView>> {
  const { at, place } = cursorOf(filter.cursor);
  const { rows } = await db.query<Line>({
    name: 'transactions-of-user',
    text: LIST,
    values: [
      userId,
      at,
      place,
      filter.from ?? null,
      filter.until ?? null,
      filter.type ?? null,
      rowsFor(filter.limit),
      anywhere(filter.text),
    ],
  });
  return pageOf(rows, filter.limit, viewOf, (last) => `${last.shown_at.getTime() / 1000}-${last.place}`);
}

const viewOf = (line: Line): TransactionView => ({
  id: line.id,
  type: line.type,
  kind: line.kind,
  amountMinor: wholeNumber(line.amount_minor),
  refundedMinor: wholeNumber(line.refunded_minor),
  disputedMinor: wholeNumber(line.disputed_minor),
  disputeStatus: line.dispute_status,
  scheduleKind: line.schedule_kind,
  scheduleId: line.schedule_id,
  currency: line.currency,
  method: line.method,
  note: line.note,
  status: line.status,
  failureReason: line.failure_reason,
  counterpartyId: line.counterparty_id,
  counterpartyUsername: line.username,
  counterpartyName: line.name,
  createdAt: line.shown_at,
});

/** One line with all that a receipt says. */
export interface ReceiptView extends TransactionView {
  /** When the payer asked for it. */
  readonly openedAt: Date;
  /** When the ledger booked the money; null where none came. */
  readonly settledAt: Date | null;
}

const RECEIPT = (type: TransactionType, mine: string, theirs: string): string =>
  `select ${SEEN(type, mine, theirs)}, t.opened_at, t.settled_at from transactions t
    where t.id = $2 and t.${mine}_id = $1 and t.${mine}_place is not null`;

/** One line of a person's list; undefined for what is not in it, whosever it may be. */
export async function transactionOf(
  db: Queryable,
  userId: string,
  id: string,
): Promise<ReceiptView | undefined> {
  const { rows } = await db.query<Line & { opened_at: Date; settled_at: Date | null }>({
    name: 'transaction-of-user',
    text: `select t.*, u.username, ${SHOWN_NAME} as name
             from (${RECEIPT('payment_sent', 'payer', 'recipient')} union all
                   ${RECEIPT('payment_received', 'recipient', 'payer')}) t
             left join users u on u.id = t.counterparty_id left join settings p on p.user_id = t.counterparty_id`,
    values: [userId, id],
  });
  const line = rows[0];
  return line && { ...viewOf(line), openedAt: line.opened_at, settledAt: line.settled_at };
}

/** How many lines {@link transactionsOf} holds for a user, kept as a counter. */
export async function transactionCountOf(db: Queryable, userId: string): Promise<number> {
  const { rows } = await db.query<{ shown_count: string }>({
    name: 'transaction-count-of-user',
    text: 'select shown_count from transaction_counts where user_id = $1',
    values: [userId],
  });
  return wholeNumber(rows[0]?.shown_count ?? '0');
}

export interface PaymentView {
  readonly id: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly refundedMinor: number;
  readonly currency: string;
  readonly method: string;
  readonly note: string | null;
  readonly status: TransactionStatus;
  /** Neither settled nor canceled: another attempt may still pay it. */
  readonly unresolved: boolean;
  readonly failureReason: string | null;
  /** The provider's id, once it knows the payment. */
  readonly intentId: string | null;
  readonly openedAt: Date;
  readonly settledAt: Date | null;
}

interface PaymentLine {
  id: string;
  payer_id: string;
  recipient_id: string;
  amount_minor: string;
  refunded_minor: string;
  currency: string;
  method: string;
  note: string | null;
  status: TransactionStatus;
  unresolved: boolean;
  failure_reason: string | null;
  intent_id: string | null;
  opened_at: Date;
  settled_at: Date | null;
}

const PAYMENT_COLUMNS = `id, payer_id, recipient_id, amount_minor, refunded_minor, currency, method, note, status, unresolved,
  failure_reason, intent_id, opened_at, settled_at`;

const paymentOf = (line: PaymentLine): PaymentView => ({
  id: line.id,
  payerId: line.payer_id,
  recipientId: line.recipient_id,
  amountMinor: wholeNumber(line.amount_minor),
  refundedMinor: wholeNumber(line.refunded_minor),
  currency: line.currency,
  method: line.method,
  note: line.note,
  status: line.status,
  unresolved: line.unresolved,
  failureReason: line.failure_reason,
  intentId: line.intent_id,
  openedAt: line.opened_at,
  settledAt: line.settled_at,
});

/** A payment as its payer may see it; undefined for anybody else's and for one that does not exist. */
export async function paymentForPayer(
  db: Queryable,
  paymentId: string,
  payerId: string,
): Promise<PaymentView | undefined> {
  const { rows } = await db.query<PaymentLine>({
    name: 'payment-for-payer',
    text: `select ${PAYMENT_COLUMNS} from transactions where id = $1 and payer_id = $2 and kind = 'payment'`,
    values: [paymentId, payerId],
  });
  return rows[0] && paymentOf(rows[0]);
}

/** Who pays a payment; undefined for one that does not exist. */
export async function payerOf(db: Queryable, paymentId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ payer_id: string }>({
    name: 'payer-of-payment',
    text: 'select payer_id from transactions where id = $1',
    values: [paymentId],
  });
  return rows[0]?.payer_id;
}

/** Where a walk over unresolved payments stands: the last one it was given. */
export type UnresolvedAfter = Pick<PaymentView, 'openedAt' | 'id'>;

async function unresolved(
  db: Queryable,
  openedBefore: Date | null,
  submittedOnly: boolean,
  limit: number,
  after: UnresolvedAfter | undefined,
): Promise<PaymentView[]> {
  const { rows } = await db.query<PaymentLine>({
    name: 'payments-unresolved',
    text: `select ${PAYMENT_COLUMNS} from transactions
            where unresolved and ($1::timestamptz is null or opened_at < $1) and (not $2::boolean or intent_id is not null)
              and ($3::timestamptz is null or (opened_at, id) > ($3, $4::text))
            order by opened_at, id limit $5`,
    values: [openedBefore, submittedOnly, after?.openedAt ?? null, after?.id ?? null, limit],
  });
  return rows.map(paymentOf);
}

/**
 * Payments opened before a time and neither settled nor canceled, oldest first: what is to be canceled as
 * abandoned.
 */
export const unresolvedPaymentsBefore = (
  db: Queryable,
  openedBefore: Date,
  limit = 500,
  after?: UnresolvedAfter,
): Promise<PaymentView[]> => unresolved(db, openedBefore, false, limit, after);

/**
 * Payments that the provider knows and that are neither settled nor canceled, oldest first: what it is to be
 * asked about.
 */
export const submittedPayments = (
  db: Queryable,
  limit = 500,
  after?: UnresolvedAfter,
): Promise<PaymentView[]> => unresolved(db, null, true, limit, after);
