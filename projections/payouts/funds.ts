/**
 * The money that payouts wait for: what the provider has available, by a ledger's last look, what the payouts
 * that may go now come to, in the order of their requests, and what becomes available when. Amounts are minor
 * units.
 */
import { ACCOUNT_CLOSED, BANK_ACCOUNTS_PREFIX } from '#contracts/events/bank-account';
import { PAYOUT_PREFIX } from '#contracts/events/payout-process';
import { platform } from '#contracts/plain/accounts';
import type { Migration } from '#log/migrations';
import type { Queryable } from '../engine/read-model.js';

/** What a ledger read of the platform's balance at the provider, and when it began to read. */
export interface FundsReading {
  readonly availableMinor: number;
  readonly readAt: Date;
}

/** Not a read model: one row, by the last ledger that looked. Lost, the books say nearly the same. */
export const PAYOUT_FUNDS_TABLE: Migration = {
  name: 'payout-funds',
  sql: `
  create table if not exists edge.payout_funds (
    is_only boolean primary key default true check (is_only),
    available_minor bigint not null,
    read_at timestamptz not null
  )`,
};

/** Postgres' code for a table that is not there: before the first ledger of this build has started. */
const NO_TABLE = '42P01';
/** A look that is older says less than the books: top-ups and others' money came and went since. */
const READING_LASTS_MS = 3_600_000;
/** The clocks of ledgers differ by less: what was transferred just before a look may not be in it. */
const SKEW_MS = 2_000;
/**
 * A reading further in the future than this came from a clock that was wrong: it is ignored, and any other
 * replaces it.
 */
const AHEAD_MS = 60_000;
const notAfter = (now: Date): Date => new Date(now.getTime() + AHEAD_MS);

/** Notes what a ledger read; an older look than the one that is there changes nothing. */
export async function noteFunds(
  db: Queryable,
  { availableMinor, readAt }: FundsReading,
  now = new Date(),
): Promise<void> {
  await db.query({
    name: 'payout-funds-noted',
    text: `insert into edge.payout_funds (available_minor, read_at) values ($1, $2)
           on conflict (is_only) do update set available_minor = excluded.available_minor, read_at = excluded.read_at
             where edge.payout_funds.read_at < excluded.read_at or edge.payout_funds.read_at > $3`,
    values: [availableMinor, readAt, notAfter(now)],
  });
}

async function lastReading(db: Queryable, now: Date): Promise<FundsReading | undefined> {
  try {
    const { rows } = await db.query<{ availableMinor: number; readAt: Date }>({
      name: 'payout-funds',
      text: `select available_minor as "availableMinor", read_at as "readAt" from edge.payout_funds
              where read_at > $1 and read_at <= $2`,
      values: [new Date(now.getTime() - READING_LASTS_MS), notAfter(now)],
    });
    return rows[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_TABLE) return undefined;
    throw error;
  }
}

/** When a payout came to the step at which it stands. */
export const CHANGED_AT = 'coalesce(p.returned_at, p.submitted_at, p.transferred_at, p.requested_at)';

/**
 * Payouts `p` that wait for money and nothing else, in the order of their requests. One that waits for its
 * owner, or that the provider put off for another reason, holds up nobody, nor does one whose stream is
 * parked; it has its place again once it may go.
 */
export const QUEUED = `payouts p
  join payout_accounts a on a.user_id = p.user_id and a.payouts_enabled
  join bank_accounts b on b.id = p.bank_account_id and b.status = 'added'
   and coalesce(b.error, '') <> '${ACCOUNT_CLOSED}'
 where p.step = 'requested'
   and (p.delay_code is null or p.delay_code = 'balance_insufficient' or p.delayed_at < ${CHANGED_AT})
   and not exists (select from parked_streams s
                    where s.stream in ('${PAYOUT_PREFIX}' || p.id, '${BANK_ACCOUNTS_PREFIX}' || p.user_id))`;

/**
 * What must be available for a payout to go: its own sum, that of all before it in the queue, and what was
 * transferred since a look at the balance. Undefined while the rows do not have the payout.
 */
export async function neededFor(db: Queryable, payoutId: string, since: Date): Promise<number | undefined> {
  const { rows } = await db.query<{ needed: number }>({
    name: 'payout-needs',
    text: `select (mine.amount_minor
                   + coalesce((select sum(p.amount_minor) from ${QUEUED} and p.place < mine.place), 0)
                   + coalesce((select sum(amount_minor) from payouts where transferred_at >= $2), 0))::bigint as needed
             from payouts mine where mine.id = $1`,
    values: [payoutId, new Date(since.getTime() - SKEW_MS)],
  });
  return rows[0]?.needed;
}

/**
 * What each of these payouts needs, its own sum and all before it; those that are not in the queue are not in
 * it.
 */
export async function throughOf(
  db: Queryable,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ id: string; through: number }>({
    name: 'payouts-through',
    text: `select id, through from (
             select p.id, (sum(p.amount_minor) over (order by p.place))::bigint as through from ${QUEUED}) queue
            where id = any($1::text[])`,
    values: [payoutIds],
  });
  return new Map(rows.map(({ id, through }) => [id, through]));
}

/** Money that can be used from a time on. */
export interface Arrival {
  readonly on: Date;
  readonly netMinor: number;
}

export interface PayoutFundsState {
  /** What can be used at the provider now. */
  readonly availableMinor: number;
  /** What the payouts in the queue come to. */
  readonly queuedMinor: number;
  /** What comes, day by day: of each day the last time at which some of its money comes. */
  readonly arrivals: readonly Arrival[];
}

/** How it stands now: by a ledger's last look at the provider, or by the books where nobody looked lately. */
export async function payoutFunds(db: Queryable, now = new Date()): Promise<PayoutFundsState> {
  const reading = await lastReading(db, now);
  const [available, queued, arrivals] = await Promise.all([
    reading ? sinceReading(db, reading, now) : byTheBooks(db, now),
    db.query<{ queued: number }>({
      name: 'payouts-queued',
      text: `select coalesce(sum(p.amount_minor), 0)::bigint as queued from ${QUEUED}`,
      values: [],
    }),
    db.query<Arrival>({
      name: 'funds-arriving',
      text: `select max(available_on) as "on", sum(net_minor)::bigint as "netMinor" from funds_arriving
              where available_on > $1
              group by date_trunc('day', available_on at time zone 'UTC') order by 1`,
      values: [now],
    }),
  ]);
  return { availableMinor: available, queuedMinor: queued.rows[0]?.queued ?? 0, arrivals: arrivals.rows };
}

async function sinceReading(
  db: Queryable,
  { availableMinor, readAt }: FundsReading,
  now: Date,
): Promise<number> {
  const { rows } = await db.query<{ since: number }>({
    name: 'funds-since-reading',
    text: `select (coalesce((select sum(net_minor) from funds_arriving where available_on > $1 and available_on <= $2), 0)
                   - coalesce((select sum(amount_minor) from payouts where transferred_at >= $1), 0))::bigint as since`,
    values: [readAt, now],
  });
  return availableMinor + (rows[0]?.since ?? 0);
}

async function byTheBooks(db: Queryable, now: Date): Promise<number> {
  const { rows } = await db.query<{ available: number }>({
    name: 'funds-by-the-books',
    text: `select (coalesce((select -balance_minor from balances where account = $1), 0)
                   - coalesce((select sum(net_minor) from funds_arriving where available_on > $2), 0))::bigint as available`,
    values: [platform('card-clearing'), now],
  });
  return rows[0]?.available ?? 0;
}
