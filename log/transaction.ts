/** Transactions on a connection of a pool that others have before and after. */
import type { Pool, PoolClient } from 'pg';

/** How a transaction begins that reads all of one moment. */
export const SNAPSHOT = 'begin isolation level repeatable read read only';

/**
 * Does work in a transaction: all of it or nothing. A connection that did not take the end of its transaction
 * is closed: what whoever has it next writes would be part of that transaction, answered as written and never
 * kept. Throws what the work throws, and what Postgres says.
 */
export async function inTransaction<T>(
  pool: Pick<Pool, 'connect'>,
  work: (client: PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const done = await work(client);
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.release(broken);
  }
}
