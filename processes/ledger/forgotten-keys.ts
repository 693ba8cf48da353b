/** Whether the vault is of before somebody was forgotten, by what the rows say of people. */
import type pg from 'pg';
import { isOutage } from '#contracts/outage';
import { READ_SCHEMA } from '#projections/engine/database';

/**
 * Whether data keys are there of people whom the rows know as forgotten; false where there are no rows to
 * ask. Throws what Postgres says, an outage aside.
 */
export async function areKeysOfForgottenBack(pool: Pick<pg.Pool, 'query'>): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ are_back: boolean }>(
      `select exists (select from ${READ_SCHEMA}.users u join vault.data_keys k on k.user_id = u.id
                       where u.forgotten and k.wrapped_key is not null) as are_back`,
    );
    return rows[0]?.are_back === true;
  } catch (error) {
    if (!isOutage(error)) throw error;
    return false;
  }
}
