/**
 * What is known of the balance at the card provider and stands in no journal: movements that are somebody
 * else's, and those of ours that are not booked yet; how far it was read; and the last comparison. In the
 * schema `edge` of Postgres. Lost, it is read from the provider again.
 */
import type { Pool } from 'pg';
import type { Migration } from '#log/migrations';
import { inTransaction } from '#log/transaction';
import type { BalanceTransaction } from '../stripe/balance-transaction.js';

export const BALANCE_TABLES: Migration = {
  name: 'provider-balance',
  sql: `
  create table if not exists edge.provider_transactions (
    id text primary key,
    kind text not null,
    currency text not null,
    net_minor bigint not null,
    created_at timestamptz not null,
    transaction jsonb not null
  );
  create table if not exists edge.provider_balance (
    only_one boolean primary key default true check (only_one),
    read_through timestamptz,
    newest_id text,
    pass jsonb,
    whole_pass_at timestamptz,
    compared_at timestamptz,
    comparison jsonb
  )`,
};

/** `foreign`: somebody else's, or not to be booked unasked. `unbooked`: ours, and its entry is to come. */
type CountedKind = 'foreign' | 'unbooked';

export interface CountedTransaction {
  readonly kind: CountedKind;
  /** What of it the books do not have, in minor units. */
  readonly netMinor: number;
  readonly transaction: BalanceTransaction;
}

/** A reading of the balance's movements that is under way, the newest first. Times are ISO texts. */
export interface BalancePass {
  /** Absent: from the first movement on. */
  readonly since?: string | undefined;
  readonly beganAt: string;
  readonly newestId?: string | undefined;
  /** The movement that was looked at last. */
  readonly after?: string | undefined;
}

/** One currency's balance at the provider against the books, in minor units. */
export interface CurrencyComparison {
  readonly currency: string;
  readonly balanceMinor: number;
  /** Card clearing's debit. */
  readonly booksMinor: number;
  readonly foreignMinor: number;
  readonly unbookedMinor: number;
  /** What of the balance nothing explains. */
  readonly differenceMinor: number;
}

export interface BalanceState {
  readonly readThrough: Date | undefined;
  readonly newestId: string | undefined;
  readonly pass: BalancePass | undefined;
  readonly wholePassAt: Date | undefined;
  readonly comparedAt: Date | undefined;
  readonly comparison: readonly CurrencyComparison[];
}

/** The sums of what was counted, by kind and currency. */
export interface CountedSum {
  readonly kind: CountedKind;
  readonly currency: string;
  readonly netMinor: number;
  readonly count: number;
  readonly oldest: Date;
}

/** What a page of a pass comes to. */
interface PageResult {
  readonly counted: readonly CountedTransaction[];
  /** No longer counted: the books have them. */
  readonly booked: readonly string[];
  /** Where the pass goes on; undefined: it is over. */
  readonly pass: BalancePass | undefined;
  readonly readThrough?: Date | undefined;
  readonly newestId?: string | undefined;
}

const ONE_PASS_LOCK = 'encore.provider-balance';

export class BalanceTables {
  constructor(private readonly pool: Pool) {}

  /** Does the work unless another process is at it; then undefined. */
  async alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ locked: boolean }>(
        'select pg_try_advisory_lock(hashtext($1)) as locked',
        [ONE_PASS_LOCK],
      );
      if (rows[0]?.locked !== true) return undefined;
      try {
        return await work();
      } finally {
        await client.query('select pg_advisory_unlock(hashtext($1))', [ONE_PASS_LOCK]);
      }
    } catch (error) {
      // It may hold the lock still, and would for as long as it is open.
      broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async state(): Promise<BalanceState> {
    const { rows } = await this.pool.query<{
      read_through: Date | null;
      newest_id: string | null;
      pass: BalancePass | null;
      whole_pass_at: Date | null;
      compared_at: Date | null;
      comparison: CurrencyComparison[] | null;
    }>('select * from edge.provider_balance');
    const row = rows[0];
    return {
      readThrough: row?.read_through ?? undefined,
      newestId: row?.newest_id ?? undefined,
      pass: row?.pass ?? undefined,
      wholePassAt: row?.whole_pass_at ?? undefined,
      comparedAt: row?.compared_at ?? undefined,
      comparison: row?.comparison ?? [],
    };
  }

  /** Keeps what a page came to, and where the pass stands: both or neither. */
  async keepPage({ counted, booked, pass, readThrough, newestId }: PageResult): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query(
        `insert into edge.provider_transactions (id, kind, currency, net_minor, created_at, transaction)
         select line->'transaction'->>'id', line->>'kind', line->'transaction'->>'currency',
                (line->>'netMinor')::bigint, (line->'transaction'->>'createdAt')::timestamptz,
                line->'transaction'
           from jsonb_array_elements($1::jsonb) as line
         on conflict (id) do update set kind = excluded.kind, net_minor = excluded.net_minor,
           transaction = excluded.transaction`,
        [JSON.stringify(counted)],
      );
      await client.query('delete from edge.provider_transactions where id = any($1::text[])', [booked]);
      await client.query(
        `insert into edge.provider_balance (pass, read_through, newest_id) values ($1, $2, $3)
         on conflict (only_one) do update set pass = excluded.pass,
           read_through = coalesce(excluded.read_through, provider_balance.read_through),
           newest_id = coalesce(excluded.newest_id, provider_balance.newest_id)`,
        [pass === undefined ? null : JSON.stringify(pass), readThrough ?? null, newestId ?? null],
      );
    });
  }

  /** Has the next pass begin with the first movement there ever was. */
  async beginWholePass(pass: BalancePass): Promise<void> {
    await this.pool.query(
      `insert into edge.provider_balance (pass, whole_pass_at) values ($1, $2)
       on conflict (only_one) do update set pass = excluded.pass, whole_pass_at = excluded.whole_pass_at`,
      [JSON.stringify(pass), pass.beganAt],
    );
  }

  /** Forgets those that are booked by now. */
  async settle(booked: readonly string[]): Promise<void> {
    await this.pool.query('delete from edge.provider_transactions where id = any($1::text[])', [booked]);
  }

  async unbooked(): Promise<readonly BalanceTransaction[]> {
    const { rows } = await this.pool.query<{ transaction: BalanceTransaction }>(
      `select transaction from edge.provider_transactions where kind = 'unbooked' order by created_at, id`,
    );
    return rows.map(({ transaction }) => transaction);
  }

  /**
   * Those of no payment that are counted as somebody else's: the platform's own, where the account is ours
   * alone.
   */
  async foreignWithoutPayment(): Promise<readonly BalanceTransaction[]> {
    const { rows } = await this.pool.query<{ transaction: BalanceTransaction }>(
      `select transaction from edge.provider_transactions
        where kind = 'foreign' and transaction->'source'->>'kind' = 'other' order by created_at, id`,
    );
    return rows.map(({ transaction }) => transaction);
  }

  /** Has everything read again from the first movement on: the log is another than it was. */
  async startOver(): Promise<void> {
    await this.pool.query('delete from edge.provider_transactions');
    await this.pool.query('delete from edge.provider_balance');
  }

  /** The kinds of what is counted, by the movement's id. */
  async kinds(): Promise<ReadonlyMap<string, CountedKind>> {
    const { rows } = await this.pool.query<{ id: string; kind: CountedKind }>(
      'select id, kind from edge.provider_transactions',
    );
    return new Map(rows.map(({ id, kind }) => [id, kind]));
  }

  async sums(): Promise<readonly CountedSum[]> {
    const { rows } = await this.pool.query<{
      kind: CountedKind;
      currency: string;
      net: string;
      count: string;
      oldest: Date;
    }>(
      `select kind, currency, sum(net_minor)::text as net, count(*)::text as count, min(created_at) as oldest
         from edge.provider_transactions group by kind, currency order by kind, currency`,
    );
    return rows.map(({ kind, currency, net, count, oldest }) => ({
      kind,
      currency,
      netMinor: Number(net),
      count: Number(count),
      oldest,
    }));
  }

  async keepComparison(at: Date, comparison: readonly CurrencyComparison[]): Promise<void> {
    await this.pool.query('update edge.provider_balance set compared_at = $1, comparison = $2', [
      at,
      JSON.stringify(comparison),
    ]);
  }
}
