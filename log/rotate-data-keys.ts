/**
 * Gives people new data keys: what is sealed from then on is under them, and the older ones go on opening
 * theirs.
 */
import type { Pool } from 'pg';
import { masterKeyFrom, newDataKey, wrapDataKey } from './vault-encryption.js';
import { FIRST_VERSION } from './vault-reader.js';

const PAGE = 500;

/**
 * Makes a further version of each living user's data key whose newest one was made before a time, and answers
 * how many. Each page is stored by itself: interrupted, it goes on when it is called again with the same
 * time. Keys that are no user's (their names begin with @) stay: what they have sealed stands outside.
 */
export async function rotateDataKeys(
  pool: Pool,
  masterKeyHex: string,
  { madeBefore, userId }: { readonly madeBefore: Date; readonly userId?: string | undefined },
): Promise<number> {
  const master = masterKeyFrom(masterKeyHex);
  let count = 0;
  for (let last = ''; ;) {
    const { rows } = await pool.query<{ user_id: string; version: number }>(
      `select user_id, max(version) as version from vault.data_keys
        where user_id > $1 and user_id not like '@%' and ($2::text is null or user_id = $2)
        group by user_id having bool_and(destroyed_at is null) and max(created_at) < $3
        order by user_id limit ${PAGE}`,
      [last, userId ?? null, madeBefore],
    );
    const end = rows.at(-1);
    if (end === undefined) return count;
    const next = rows.map((row) => ({
      id: row.user_id,
      version: row.version + 1,
      wrapped: wrapDataKey(master, row.user_id, row.version + 1, newDataKey()),
    }));
    // The first version's row is locked: whoever is forgotten meanwhile gets no further key.
    const stored = await pool.query(
      `insert into vault.data_keys (user_id, version, wrapped_key, wrapped_by)
       select n.user_id, n.version, n.wrapped_key, $4
         from unnest($1::text[], $2::int[], $3::bytea[]) as n (user_id, version, wrapped_key)
         join (select user_id from vault.data_keys
                where user_id = any($1) and version = ${FIRST_VERSION} and destroyed_at is null
                order by user_id for update) as living using (user_id)
       on conflict do nothing`,
      [
        next.map(({ id }) => id),
        next.map(({ version }) => version),
        next.map(({ wrapped }) => wrapped),
        master.wrappedBy,
      ],
    );
    count += stored.rowCount ?? 0;
    last = end.user_id;
  }
}
