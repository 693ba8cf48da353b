/** The hash of the picture that a user has uploaded: a table of the ledger's own, which is no read model. */
import type { Queryable } from '../engine/read-model.js';

export async function pictureHashOf(db: Queryable, userId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ hash: string }>({
    name: 'picture-of-user',
    text: 'select hash from edge.pictures where user_id = $1',
    values: [userId],
  });
  return rows[0]?.hash;
}
