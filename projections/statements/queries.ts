/**
 * Reads of a person's own accounts: months, and lines with the balance after each. Amounts are minor units.
 */
import type { Page } from '#contracts/api/lists';
import { available, payouts, wallet } from '#contracts/plain/accounts';
import { DEFAULT_TIME_ZONE, spanOfMonth } from '#contracts/plain/months';
import { pageOf, rowsFor } from '../engine/lists.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { SHOWN_NAME } from '../users/queries.js';
import { accountLines, accountMonths, closedMonths } from './columns.js';

/** One line of an account as its owner sees it. */
export type AccountLineView = ViewOf<typeof accountLines, 'owner'> & {
  readonly counterpartyUsername: string | null;
  readonly counterpartyName: string | null;
  /** The note of the payment, or what its owner wrote of a move between wallets. */
  readonly description: string | null;
  readonly bankAccountLabel: string | null;
  readonly walletName: string | null;
};

export type AccountMonthView = ViewOf<typeof accountMonths, 'owner'>;

/** How the books' months are cut, and up to which one they are closed. */
export interface BookFacts {
  readonly timeZone: string;
  /** The last month that is closed; null where none is. */
  readonly closedThrough: string | null;
}

/**
 * The account that a person means by `available`, `payouts` or the id of a wallet: whose it is is asked
 * besides.
 */
export function accountNamed(userId: string, name: string): string {
  if (name === 'available') return available(userId);
  return name === 'payouts' ? payouts(userId) : wallet(name);
}

/** Whether an account is this person's: by its name, or because they opened the wallet. */
export async function ownsAccount(db: Queryable, userId: string, name: string): Promise<boolean> {
  if (name === 'available' || name === 'payouts') return true;
  const { rows } = await db.query({
    name: 'wallet-of-owner',
    text: 'select from wallets where id = $1 and user_id = $2',
    values: [name, userId],
  });
  return rows.length > 0;
}

export async function bookFactsOf(db: Queryable): Promise<BookFacts> {
  const { rows } = await db.query<{ timeZone: string | null; closedThrough: string | null }>({
    name: 'book-facts',
    text: `select (select value from book_facts where name = 'timeZone') as "timeZone",
                  (select max(month) from closed_months) as "closedThrough"`,
  });
  return {
    timeZone: rows[0]?.timeZone ?? DEFAULT_TIME_ZONE,
    closedThrough: rows[0]?.closedThrough ?? null,
  };
}

/**
 * What proves a closed month: the entry that closed it, with its chain hash; undefined for a month that is
 * open.
 */
export interface MonthProof {
  readonly closedAt: Date;
  readonly revision: number;
  readonly hash: string;
}

export async function proofOfMonth(db: Queryable, month: string): Promise<MonthProof | undefined> {
  const { rows } = await db.query<MonthProof & { hash: string }>({
    name: 'proof-of-month',
    text: `select ${closedMonths.inner('closedAt', 'revision', 'hash')} from closed_months where month = $1`,
    values: [month],
  });
  return rows[0];
}

/** The months of an account that have entries, newest first. */
export async function monthsOf(db: Queryable, userId: string, account: string): Promise<AccountMonthView[]> {
  const { rows } = await db.query<AccountMonthView>({
    name: 'account-months',
    text: `select ${accountMonths.seenBy('owner', 'm')} from account_months m
            where m.account = $1 and m.user_id = $2 order by m.month desc`,
    values: [account, userId],
  });
  return rows;
}

/** A month of an account: its own figures, or, where it has no entry, what the last entry before it left. */
export async function monthOf(
  db: Queryable,
  userId: string,
  account: string,
  month: string,
): Promise<AccountMonthView> {
  const { rows } = await db.query<AccountMonthView>({
    name: 'account-month',
    text: `select ${accountMonths.seenBy('owner', 'm')} from account_months m
            where m.account = $1 and m.user_id = $2 and m.month <= $3 order by m.account desc, m.month desc limit 1`,
    values: [account, userId, month],
  });
  const last = rows[0];
  if (last?.month === month) return last;
  const balanceMinor = last?.closingMinor ?? 0;
  return {
    month,
    openingMinor: balanceMinor,
    receivedMinor: 0,
    sentMinor: 0,
    closingMinor: balanceMinor,
    entryCount: 0,
  };
}

/**
 * Lines as their reader sees them. `picked` is the condition, order and limit that pick them. Its queries
 * have no name on purpose: for a named one Postgres keeps a plan made for any account, which read and sorted
 * every line of a long account for each page.
 */
const linesOver = (picked: string, order: string): string => `
  select ${accountLines.seenBy('owner', 'l')}, l.place, l.leg,
    u.username as "counterpartyUsername", ${SHOWN_NAME} as "counterpartyName",
    coalesce(t.note, m.description) as description, w.display_name as "walletName",
    case when b.account_last4 is null then b.bank_name
         else concat_ws(' ', b.bank_name, '••' || b.account_last4) end as "bankAccountLabel"
  from (select * from account_lines where account = $1 and user_id = $2 ${picked}) l
  left join users u on u.id = l.counterparty_id
  left join settings p on p.user_id = l.counterparty_id
  left join transactions t on t.id = l.payment_id
  left join wallet_transactions m on m.id = l.movement_id
  left join wallets w on w.id = l.wallet_id
  left join payouts o on o.id = l.payout_id
  left join bank_accounts b on b.id = o.bank_account_id
 order by ${order}`;

/** The lines of a month in the order in which they were booked, `most` at most. */
export async function monthLines(
  db: Queryable,
  owner: { readonly userId: string; readonly account: string },
  month: string,
  timeZone: string,
  most: number,
): Promise<AccountLineView[]> {
  const { fromMs, untilMs } = spanOfMonth(month, timeZone);
  const { rows } = await db.query<AccountLineView & { place: number; leg: number }>({
    text: linesOver(
      'and recorded_at >= $3 and recorded_at < $4 order by account, place, leg limit $5',
      'l.place, l.leg',
    ),
    values: [owner.account, owner.userId, new Date(fromMs), new Date(untilMs), most],
  });
  return rows.map(({ place: _, leg: __, ...line }) => line);
}

/**
 * What a month came to, and the lines that make it up, `most` at most: the figures first, and no line that
 * was booked after they were read. Lines only come behind those that are there, so the first so many add up
 * to the figures.
 */
export async function wholeMonth(
  db: Queryable,
  owner: { readonly userId: string; readonly account: string },
  month: string,
  timeZone: string,
  most: number,
): Promise<{ readonly figures: AccountMonthView; readonly lines: AccountLineView[] }> {
  const figures = await monthOf(db, owner.userId, owner.account, month);
  const lines = await monthLines(db, owner, month, timeZone, Math.min(most, figures.entryCount));
  return { figures, lines };
}

/** When an entry moved a person's available balance last; undefined where none ever did. */
export async function lastMovedAt(db: Queryable, userId: string): Promise<Date | undefined> {
  const { rows } = await db.query<{ recordedAt: Date }>({
    name: 'account-last-moved-at',
    text: `select ${accountLines.inner('recordedAt')} from account_lines l
            where l.account = $1 order by l.account desc, l.place desc, l.leg desc limit 1`,
    values: [available(userId)],
  });
  return rows[0]?.recordedAt;
}

/** An account's lines, newest first. */
export async function linesOf(
  db: Queryable,
  owner: { readonly userId: string; readonly account: string },
  { limit, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<Page<AccountLineView>> {
  const [place = null, leg = null] = cursor?.split('-') ?? [];
  const { rows } = await db.query<AccountLineView & { place: number; leg: number }>({
    text: linesOver(
      `and ($3::bigint is null or (place, leg) < ($3, $4::integer))
       order by account desc, place desc, leg desc limit $5`,
      'l.place desc, l.leg desc',
    ),
    values: [owner.account, owner.userId, place, leg, rowsFor(limit)],
  });
  const { lines, next } = pageOf(rows, limit, (last) => `${last.place}-${last.leg}`);
  return { lines: lines.map(({ leg: _, ...line }) => line), next };
}
