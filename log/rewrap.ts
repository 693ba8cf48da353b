/** Wraps the vault's data keys by the present master key, while everything runs. */
import type { Pool } from 'pg';
import {
  masterKeyFrom,
  unwrapDataKey,
  wrapDataKey,
  type MasterKey,
  type WrappedKey,
} from './vault-encryption.js';

/** A data key is not wrapped by the keys that were said to wrap it; nothing was changed. */
export class NotWrappedByIt extends Error {
  override readonly name = 'NotWrappedByIt';
  constructor(userId: string) {
    super(
      `The data key of user ${userId} is wrapped by neither of the two master keys. Nothing was changed.`,
    );
  }
}

/** Another master key wraps data keys that were made meanwhile. What was wrapped anew stays so. */
export class WrappedByOthers extends Error {
  override readonly name = 'WrappedByOthers';
  constructor(count: number, { others, ids }: { readonly others: number; readonly ids: readonly string[] }) {
    super(
      `${count} data keys are wrapped by the present master key now, and ${others} still by another (${ids.join(', ')}): ` +
        'a process has made them meanwhile. Once every process has the present key as ENCORE_MASTER_KEY, run this again.',
    );
  }
}

const REWRAP_PAGE = 1000;
/**
 * A key that is made behind the page that is read is found by the next pass; whoever makes them all the time
 * is told of.
 */
const PASSES = 10;
type Row = WrappedKey & { readonly user_id: string };

/**
 * Wraps all data keys by the present master key and answers how many were not; `previousHex` is the key that
 * may wrap them still. Each page is stored by itself: interrupted, it goes on when it is called again, and
 * processes that have both keys read and make data keys meanwhile. When it returns, a look at all of them has
 * found none that another key wraps. Throws {@link NotWrappedByIt} before anything is changed, and {@link
 * WrappedByOthers}.
 */
export async function rewrap(pool: Pool, presentHex: string, previousHex?: string): Promise<number> {
  const present = masterKeyFrom(presentHex);
  const masters = [present, ...(previousHex === undefined ? [] : [masterKeyFrom(previousHex)])] as const;
  for await (const rows of pagesOf(pool, present.wrappedBy))
    for (const row of rows)
      if (!unwrapDataKey(masters, row.user_id, row)) throw new NotWrappedByIt(row.user_id);
  let count = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const wrapped = await wrapOnce(pool, masters);
    if (wrapped === 0) break;
    count += wrapped;
  }
  const left = await wrappedByOthers(pool, present.wrappedBy);
  if (left.others > 0) throw new WrappedByOthers(count, left);
  return count;
}

/** One pass over all data keys. */
async function wrapOnce(pool: Pool, masters: readonly [MasterKey, ...MasterKey[]]): Promise<number> {
  const [present] = masters;
  let count = 0;
  for await (const rows of pagesOf(pool, present.wrappedBy)) {
    const wrapped = rows.flatMap((row) => {
      const drawn = unwrapDataKey(masters, row.user_id, row);
      // One that came meanwhile and that a third key wraps is counted in the end.
      return drawn ? [{ ...row, box: wrapDataKey(present, row.user_id, row.version, drawn) }] : [];
    });
    // One that was destroyed meanwhile stays so.
    const stored = await pool.query(
      `update vault.data_keys k set wrapped_key = n.wrapped_key, wrapped_by = $4
         from unnest($1::text[], $2::int[], $3::bytea[]) as n (user_id, version, wrapped_key)
        where k.user_id = n.user_id and k.version = n.version and k.wrapped_key is not null`,
      [
        wrapped.map(({ user_id: id }) => id),
        wrapped.map(({ version }) => version),
        wrapped.map(({ box }) => box),
        present.wrappedBy,
      ],
    );
    count += stored.rowCount ?? 0;
  }
  return count;
}

/** How many data keys another master key wraps, and which ones do. */
async function wrappedByOthers(
  pool: Pool,
  wrappedBy: string,
): Promise<{ readonly others: number; readonly ids: readonly string[] }> {
  const { rows } = await pool.query<{ by: string; count: number }>(
    `select split_part(wrapped_by, '/', 1) as by, count(*)::int as count from vault.data_keys
      where wrapped_key is not null and wrapped_by <> $1 group by 1 order by 1`,
    [wrappedBy],
  );
  return { others: rows.reduce((sum, { count }) => sum + count, 0), ids: rows.map(({ by }) => by) };
}

/** The rows that another key wraps, or the same one in the way of before. */
async function* pagesOf(pool: Pool, wrappedBy: string): AsyncGenerator<readonly Row[]> {
  for (let last: readonly [string, number] = ['', 0]; ;) {
    const { rows } = await pool.query<Row>(
      `select user_id, version, wrapped_key, wrapped_by from vault.data_keys
        where wrapped_key is not null and wrapped_by <> $1 and (user_id, version) > ($2, $3)
        order by user_id, version limit ${REWRAP_PAGE}`,
      [wrappedBy, ...last],
    );
    const end = rows.at(-1);
    if (end === undefined) return;
    yield rows;
    last = [end.user_id, end.version];
  }
}
