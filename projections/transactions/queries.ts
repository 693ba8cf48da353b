/**
 * Reads of payments and transfers: a person's list, one payment for its payer, and what the workers must look
 * after.
 */
import type { ListRequest, Page } from '#contracts/api/lists';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { ANONYMOUS_GUEST } from '#contracts/plain/guest';
import { searchedAmount } from '#contracts/plain/searched-amount';
import { personHolds, SHOWN_NAME } from '../users/queries.js';
import { transactions, type TransactionStatus } from './columns.js';

type TransactionType = 'payment_received' | 'payment_sent';

/** One line of one person's list, with what a receipt says besides. */
export type TransactionView = ViewOf<typeof transactions, 'payer' | 'recipient'> & {
  readonly type: TransactionType;
  readonly counterpartyId: string;
  readonly counterpartyUsername: string | null;
  /** First and last name; null in privacy mode, and of somebody who is forgotten. */
  readonly counterpartyName: string | null;
  /**
   * When it happened, in whole seconds: what brought it into this person's list, by the provider's word where
   * there is one.
   */
  readonly createdAt: Date;
  /**
   * What disputes took and have not given back: to the payer's bank, or, for the recipient, of what they were
   * paid.
   */
  readonly disputedMinor: number;
};
type Row = TransactionView & { readonly place: number };

/** The text is looked for in the note and the counterparty's username and name. */
export interface TransactionFilter extends ListRequest {
  readonly type?: TransactionType | undefined;
  readonly method?: 'card' | 'cashapp' | 'balance' | undefined;
  readonly status?: keyof typeof STATUSES | undefined;
}

/** What people call a status, and what a row has. */
const STATUSES = {
  completed: ['completed'],
  failed: ['failed'],
  refunded: ['partially_refunded', 'refunded'],
  disputed: ['disputed', 'dispute_lost'],
} as const satisfies Record<string, readonly TransactionStatus[]>;

function amountBeginning(text: string | undefined): string | null {
  const decimal = searchedAmount(text ?? '');
  return decimal === undefined ? null : `${decimal}%`;
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

/**
 * What disputes have taken, seen from one side: nobody bears more than they were paid, whatever a bank takes
 * back.
 */
const DISPUTED = (mine: 'payer' | 'recipient'): string =>
  mine === 'payer' ? 't.disputed_minor' : 't.borne_minor';

/** What one line holds, seen from one side. */
const SEEN = (type: TransactionType, mine: 'payer' | 'recipient', theirs: string): string => `
  '${type}' as type, ${transactions.seenBy(mine, 't')}, ${DISPUTED(mine)} as "disputedMinor",
  ${theirs === 'payer' ? 'coalesce(t.guest_id, t.payer_id)' : 't.recipient_id'} as "counterpartyId",
  ${theirs === 'payer' ? 't.guest_id' : 'null::text'} as "guestId", ${theirs === 'payer' ? 't.guest_name' : 'null::text'} as "guestName", t.${mine}_shown_at as "createdAt", t.${mine}_place as place`;

// A guest is called as they called themselves, also by whoever was paid after an account has claimed the
// payment.
const NAMED = `select t.*, u.username as "counterpartyUsername",
  case when t."guestId" is null then ${SHOWN_NAME} else coalesce(t."guestName", '${ANONYMOUS_GUEST}') end as "counterpartyName" from`;
const COUNTERPARTY = `t left join users u on u.id = t."counterpartyId" left join settings p on p.user_id = t."counterpartyId"`;

/** Whose lines, and which of them. */
const NARROWED = (type: TransactionType, mine: 'payer' | 'recipient', theirs: string): string => `
  t.${mine}_id = $1 and t.${mine}_place is not null
  and ${within(`t.${mine}_shown_at`, '$2', '$3')}
  and ($4::text is null or $4 = '${type}')
  and ($5::text is null or coalesce(t.method, 'balance') = $5)
  and ($6::text[] is null or t.status = any($6))
  and ($7::text is null or t.note ilike $7
       or ($8::text is not null and to_char(t.amount_minor / 100.0, 'FM999999999990.00') like $8)
       or ${theirs === 'payer' ? `(t.guest_name ilike $7 or ${personHolds('coalesce(t.guest_id, t.payer_id)', '$7')})` : personHolds('t.recipient_id', '$7')})`;

const narrowing = (userId: string, filter: TransactionFilter): unknown[] => [
  userId,
  filter.from ?? null,
  filter.until ?? null,
  filter.type ?? null,
  filter.method ?? null,
  filter.status === undefined ? null : STATUSES[filter.status],
  anywhere(filter.text),
  amountBeginning(filter.text),
];

// Each side is one walk down its index, cut at the limit, before the two are merged.
const SIDE = (type: TransactionType, mine: 'payer' | 'recipient', theirs: string): string => `
  (select ${SEEN(type, mine, theirs)}
     from transactions t
    where ${NARROWED(type, mine, theirs)}
      and ($9::timestamptz is null or (t.${mine}_shown_at, t.${mine}_place) < ($9, $10::bigint))
    order by t.${mine}_shown_at desc, t.${mine}_place desc limit $11)`;

const LIST = `
  ${NAMED} (${SIDE('payment_sent', 'payer', 'recipient')} union all
          ${SIDE('payment_received', 'recipient', 'payer')}
           order by "createdAt" desc, place desc limit $11) ${COUNTERPARTY}
   order by "createdAt" desc, place desc`;

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
  const { rows } = await db.query<Row>({
    name: 'transactions-of-user',
    text: LIST,
    values: [...narrowing(userId, filter), at, place, rowsFor(filter.limit)],
  });
  return pageOf(rows, filter.limit, (last) => `${last.createdAt.getTime() / 1000}-${last.place}`);
}

/** What a person's lines come to, in minor units; what failed counts nowhere, what went back is taken off. */
interface TransactionSums {
  readonly receivedMinor: number;
  readonly sentMinor: number;
  /** How many did not fail. */
  readonly count: number;
  readonly lines: number;
}

/** The sums of what {@link transactionsOf} lists under the same filter, over all its pages. */
export async function transactionSumsOf(
  db: Queryable,
  userId: string,
  filter: TransactionFilter = {},
): Promise<TransactionSums> {
  const side = (type: TransactionType, mine: 'payer' | 'recipient', theirs: string): string =>
    `select '${type}' as type, t.status <> 'failed' as counts,
            greatest(0, t.amount_minor - t.refunded_minor - ${DISPUTED(mine)}) as minor
       from transactions t where ${NARROWED(type, mine, theirs)}`;
  const { rows } = await db.query<{ received: string; sent: string; count: number; lines: number }>({
    name: 'transaction-sums-of-user',
    text: `select coalesce(sum(minor) filter (where counts and type = 'payment_received'), 0)::text as received,
                  coalesce(sum(minor) filter (where counts and type = 'payment_sent'), 0)::text as sent,
                  count(*) filter (where counts)::int as count, count(*)::int as lines
             from (${side('payment_sent', 'payer', 'recipient')} union all
                   ${side('payment_received', 'recipient', 'payer')}) lines`,
    values: narrowing(userId, filter),
  });
  const [sums] = rows;
  const { received = '0', sent = '0', count = 0, lines = 0 } = sums ?? {};
  return { receivedMinor: Number(received), sentMinor: Number(sent), count, lines };
}

/**
 * What a person received from each of these times to the next, and from the last one on, in minor units: what
 * {@link transactionSumsOf} would say of each.
 */
export async function earningsOf(
  db: Queryable,
  userId: string,
  begins: readonly Date[],
): Promise<readonly number[]> {
  const { rows } = await db.query<{ bar: number; minor: string }>({
    name: 'earnings-of-user',
    text: `select width_bucket(t.recipient_shown_at, $2::timestamptz[]) as bar,
                  sum(greatest(0, t.amount_minor - t.refunded_minor - ${DISPUTED('recipient')}))::text as minor
             from transactions t
            where t.recipient_id = $1 and t.recipient_place is not null and t.recipient_shown_at >= $3
              and t.status <> 'failed'
            group by 1`,
    values: [userId, begins, begins[0]],
  });
  const minorOf = new Map(rows.map(({ bar, minor }) => [bar, Number(minor)]));
  return begins.map((_, index) => minorOf.get(index + 1) ?? 0);
}

/** One line of a person's list; undefined for what is not in it, whosever it may be. */
export async function transactionOf(
  db: Queryable,
  userId: string,
  id: string,
): Promise<TransactionView | undefined> {
  const one = (type: TransactionType, mine: 'payer' | 'recipient', theirs: string): string =>
    `select ${SEEN(type, mine, theirs)} from transactions t
      where t.id = $2 and t.${mine}_id = $1 and t.${mine}_place is not null`;
  const { rows } = await db.query<TransactionView>({
    name: 'transaction-of-user',
    text: `${NAMED} (${one('payment_sent', 'payer', 'recipient')} union all
                    ${one('payment_received', 'recipient', 'payer')}) ${COUNTERPARTY}`,
    values: [userId, id],
  });
  return rows[0];
}

/**
 * The journal's entry that a person's receipt is about, by its revision: what settled the payment, or, of one
 * that was not settled, what brought it into their list. Undefined for what is not in it.
 */
export async function receiptEntryOf(db: Queryable, userId: string, id: string): Promise<number | undefined> {
  const { rows } = await db.query<{ revision: number }>({
    name: 'receipt-entry-of-user',
    text: `select coalesce(recipient_place, payer_place) as revision from transactions
            where id = $2 and ((payer_id = $1 and payer_place is not null)
                            or (recipient_id = $1 and recipient_place is not null))`,
    values: [userId, id],
  });
  return rows[0]?.revision;
}

/** How many lines {@link transactionsOf} holds for a user, kept as a counter. */
export async function transactionCountOf(db: Queryable, userId: string): Promise<number> {
  const { rows } = await db.query<{ shown_count: number }>({
    name: 'transaction-count-of-user',
    text: 'select shown_count from transaction_counts where user_id = $1',
    values: [userId],
  });
  return rows[0]?.shown_count ?? 0;
}

/** What somebody received, for thanks; undefined for what they did not receive. */
export async function receivedPaymentOf(
  db: Queryable,
  recipientId: string,
  id: string,
): Promise<{ readonly payerId: string; readonly isReturned: boolean } | undefined> {
  const { rows } = await db.query<{ payerId: string; isReturned: boolean }>({
    name: 'received-payment',
    text: `select payer_id as "payerId", status in ('refunded', 'dispute_lost') as "isReturned" from transactions
            where id = $2 and recipient_id = $1 and recipient_place is not null`,
    values: [recipientId, id],
  });
  return rows[0];
}

/** The notes of these payments, as far as this recipient was sent one. */
export async function notesTo(
  db: Queryable,
  recipientId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; note: string }>({
    name: 'notes-to-recipient',
    text: `select id, note from transactions
            where id = any($2) and recipient_id = $1 and recipient_place is not null and note is not null`,
    values: [recipientId, ids],
  });
  return new Map(rows.map(({ id, note }) => [id, note]));
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

/** A payment that is neither settled nor canceled. */
export interface UnresolvedPayment {
  readonly id: string;
  readonly openedAt: Date;
  /** The provider's id, once it knows the payment. */
  readonly intentId: string | null;
}

/**
 * Payments opened before a time and neither settled nor canceled, oldest first: what is to be canceled as
 * abandoned. `after`: the last one of the page before.
 */
export async function unresolvedPaymentsBefore(
  db: Queryable,
  openedBefore: Date,
  limit = 500,
  after?: Pick<UnresolvedPayment, 'id' | 'openedAt'>,
): Promise<UnresolvedPayment[]> {
  const { rows } = await db.query<UnresolvedPayment>({
    name: 'payments-unresolved',
    text: `select ${transactions.inner('id', 'openedAt', 'intentId')} from transactions
            where unresolved and opened_at < $1 and ($2::timestamptz is null or (opened_at, id) > ($2, $3::text))
            order by opened_at, id limit $4`,
    values: [openedBefore, after?.openedAt ?? null, after?.id ?? null, limit],
  });
  return rows;
}

/** What was paid on a tip page, or tried to: what its receipt shows. */
export type PaidTip = Pick<TransactionView, (typeof OF_PAID_TIP)[number]> & {
  readonly recipientId: string;
  readonly guestName: string | null;
  /** Whether somebody signed in has it in their list. */
  readonly isClaimed: boolean;
};

const OF_PAID_TIP = [
  'id',
  'kind',
  'amountMinor',
  'refundedMinor',
  'disputedMinor',
  'status',
  'method',
  'note',
  'thanks',
  'failureReason',
  'openedAt',
  'settledAt',
] as const;
const PAID_TIP = `${transactions.inner(...OF_PAID_TIP, 'recipientId', 'guestName')},
  guest_id is not null and payer_id <> guest_id as "isClaimed"`;

/** The last thing that a guest paid; before that, what they tried last. Undefined for nobody. */
export async function paymentOfGuest(db: Queryable, guestId: string): Promise<PaidTip | undefined> {
  const { rows } = await db.query<PaidTip>({
    name: 'payment-of-guest',
    text: `select ${PAID_TIP} from transactions where guest_id = $1
            order by settled_at desc nulls last, opened_at desc, id limit 1`,
    values: [guestId],
  });
  return rows[0];
}

/** A payment or transfer as its payer may see it; undefined for one of somebody else. */
export async function paymentOfPayer(
  db: Queryable,
  id: string,
  payerId: string,
): Promise<PaidTip | undefined> {
  const { rows } = await db.query<PaidTip>({
    name: 'payment-of-payer',
    text: `select ${PAID_TIP} from transactions where id = $1 and payer_id = $2`,
    values: [id, payerId],
  });
  return rows[0];
}

/** What disputes that have not ended took of what a user was paid, in minor units. */
export async function takenByOpenDisputes(db: Queryable, recipientId: string): Promise<number> {
  const { rows } = await db.query<{ taken: number }>({
    name: 'taken-by-open-disputes',
    text: `select coalesce(sum(borne_minor), 0)::bigint as taken from transactions
            where recipient_id = $1 and recipient_place is not null and dispute_status = 'open'`,
    values: [recipientId],
  });
  return rows[0]?.taken ?? 0;
}

/** The guests whose receipts a user has claimed. */
export async function guestsClaimedBy(db: Queryable, userId: string): Promise<string[]> {
  const { rows } = await db.query<{ guest_id: string }>({
    name: 'guests-claimed-by',
    text: `select distinct guest_id from transactions where payer_id = $1 and guest_id <> payer_id order by 1`,
    values: [userId],
  });
  return rows.map((row) => row.guest_id);
}

/** How guests call themselves, by their ids; those who gave no name are not among them. */
export async function guestNames(
  db: Queryable,
  guestIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (guestIds.length === 0) return new Map();
  const { rows } = await db.query<{ guest_id: string; guest_name: string }>({
    name: 'names-of-guests',
    text: `select distinct on (guest_id) guest_id, guest_name from transactions
            where guest_id = any($1) and guest_name is not null order by guest_id, opened_at desc`,
    values: [guestIds],
  });
  return new Map(rows.map((row) => [row.guest_id, row.guest_name]));
}
