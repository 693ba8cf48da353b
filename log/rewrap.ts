/** Wraps the vault's data keys by another master key. */
import type { Pool } from 'pg';
import { decrypt, encrypt, masterKeyFrom } from './vault-encryption.js';

/** A data key is not wrapped by the key that was said to wrap it; nothing was changed. */
export class NotWrappedByIt extends Error {
  override readonly name = 'NotWrappedByIt';
  constructor(userId: string) {
    super(
      `The data key of user ${userId} is wrapped by neither of the two master keys. Nothing was changed.`,
    );
  }
}

const REWRAP_PAGE = 1000;

/**
 * Wraps all data keys by another master key, all or none, and answers how many. Those that it wraps already
 * are passed over, so it may be done again. Processes that hold the old key must be stopped first: they could
 * not open a key any more. Throws {@link NotWrappedByIt}.
 */
export async function rewrap(pool: Pool, oldKeyHex: string, newKeyHex: string): Promise<number> {
  const [before, after] = [masterKeyFrom(oldKeyHex), masterKeyFrom(newKeyHex)];
  const client = await pool.connect();
  try {
    await client.query('begin');
    // Nobody makes a key under the old one meanwhile.
    await client.query('lock table vault.data_keys in share row exclusive mode');
    let count = 0;
    for (let last = ''; ;) {
      const { rows } = await client.query<{ user_id: string; wrapped_key: Buffer; wrapped_by: string }>(
        `select user_id, wrapped_key, wrapped_by from vault.data_keys
         where wrapped_key is not null and user_id > $1 order by user_id limit ${REWRAP_PAGE}`,
        [last],
      );
      const found = rows.filter(({ wrapped_by: by }) => by !== after.id);
      const wrapped = found.map(({ user_id: id, wrapped_key: box }) =>
        encrypt(after.key, opened(before.key, box, id), id),
      );
      await client.query(
        `update vault.data_keys k set wrapped_key = n.wrapped_key, wrapped_by = $3
         from unnest($1::text[], $2::bytea[]) as n (user_id, wrapped_key) where k.user_id = n.user_id`,
        [found.map(({ user_id: id }) => id), wrapped, after.id],
      );
      count += found.length;
      const end = rows.at(-1);
      if (end === undefined || rows.length < REWRAP_PAGE) break;
      last = end.user_id;
    }
    await client.query('commit');
    return count;
  } catch (failure) {
    await client.query('rollback');
    throw failure;
  } finally {
    client.release();
  }
}

function opened(key: Buffer, box: Buffer, userId: string): Buffer {
  try {
    return decrypt(key, box, userId);
  } catch {
    throw new NotWrappedByIt(userId);
  }
}
