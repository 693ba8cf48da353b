/** Wraps the vault's data keys by the present master key, while everything runs. */
import type { Pool } from 'pg';
import { masterKeyFrom, unwrapDataKey, wrapDataKey, type WrappedKey } from './vault-encryption.js';

/** A data key is not wrapped by the keys that were said to wrap it; nothing was changed. */
export class NotWrappedByIt extends Error {
  override readonly name = 'NotWrappedByIt';
  constructor(userId: string) {
    super(
      `The data key of user ${userId} is wrapped by neither of the two master keys. Nothing was changed.`,
    );
  }
}

const REWRAP_PAGE = 1000;
type Row = WrappedKey & { readonly user_id: string };

/**
 * Wraps all data keys by the present master key and answers how many were not; `previousHex` is the key that may wrap them
 * still. Each page is stored by itself: interrupted, it goes on when it is called again, and processes that have both keys
 * read and make data keys meanwhile. Throws {@link NotWrappedByIt} before anything is changed.
 */
export async function rewrap(pool: Pool, presentHex: string, previousHex?: string): Promise<number> {
  const present = masterKeyFrom(presentHex);
  const masters = [present, ...(previousHex === undefined ? [] : [masterKeyFrom(previousHex)])];
  const pages = (): AsyncGenerator<readonly Row[]> => pagesOf(pool, present.wrappedBy);
  for await (const rows of pages())
    for (const row of rows)
      if (!unwrapDataKey(masters, row.user_id, row)) throw new NotWrappedByIt(row.user_id);
  let count = 0;
  for await (const rows of pages()) {
    const wrapped = rows.map((row) => {
      const drawn = unwrapDataKey(masters, row.user_id, row);
      if (!drawn) throw new NotWrappedByIt(row.user_id);
      return wrapDataKey(present, row.user_id, row.version, drawn);
    });
    // One that was destroyed meanwhile stays so.
    const stored = await pool.query(
      `update vault.data_keys k set wrapped_key = n.wrapped_key, wrapped_by = $4
         from unnest($1::text[], $2::int[], $3::bytea[]) as n (user_id, version, wrapped_key)
        where k.user_id = n.user_id and k.version = n.version and k.wrapped_key is not null`,
      [rows.map(({ user_id: id }) => id), rows.map(({ version }) => version), wrapped, present.wrappedBy],
    );
    count += stored.rowCount ?? 0;
  }
  return count;
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
