/** A Postgres that falls silent holds nobody for ever, and is an outage: whoever asked may ask again. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isOutage } from '#contracts/outage';
import { useStack } from '#test/support/stack';
import { connectionTo, connectPatiently, HOWEVER_LONG, openReadPool } from './database.js';

const stack = useStack(['postgres']);
const SOON_MS = 200;

describe('a pool for the read models', () => {
  let silent: Server;
  beforeAll(async () => {
    silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => void silent.close());

  const failure = async (url: string, sql: string): Promise<unknown> => {
    const pool = openReadPool(url, 1, SOON_MS);
    const error = await pool.query(sql).catch((failed: unknown) => failed);
    await pool.end();
    return error;
  };

  it('does not wait for ever for a connection', async () => {
    const { port } = silent.address() as { port: number };
    const error = await failure(`postgres://nobody@127.0.0.1:${port}/none`, 'select 1');
    expect([error, isOutage(error)]).toEqual([expect.any(Error), true]);
  });

  it('does not wait for ever for an answer', async () => {
    const error = await failure(stack().env.DATABASE_URL!, 'select pg_sleep(20)');
    expect([error, isOutage(error)]).toEqual([expect.any(Error), true]);
  });

  it('has Postgres end a query that nobody waits for any more', async () => {
    const url = stack().env.DATABASE_URL!;
    await failure(url, 'select pg_sleep(21)');
    const pool = openReadPool(url, 1);
    const unheard = async (): Promise<number | null> =>
      (
        await pool.query(
          `select from pg_stat_activity where query = 'select pg_sleep(21)' and state = 'active'`,
        )
      ).rowCount;
    for (let looks = 0; looks < 100 && (await unheard()) !== 0; looks += 1)
      await new Promise((again) => setTimeout(again, 50));
    expect(await unheard()).toBe(0);
    await pool.end();
  });

  it('has a limit for connecting that connections for making rows have too', async () => {
    const { port } = silent.address() as { port: number };
    const settings = connectionTo(`postgres://nobody@127.0.0.1:${port}/none`);
    const error = await connectPatiently(settings, SOON_MS).catch((failed: unknown) => failed);
    expect([error, isOutage(error)]).toEqual([expect.any(Error), true]);
  });

  it('waits ten seconds unless told otherwise, and however long it takes where that is meant', async () => {
    const limits = (pool: { options: { connectionTimeoutMillis?: number; query_timeout?: unknown } }) => [
      pool.options.connectionTimeoutMillis,
      pool.options.query_timeout,
    ];
    const [usual, patient] = [openReadPool('postgres://x'), openReadPool('postgres://x', 1, HOWEVER_LONG)];
    expect([limits(usual), limits(patient)]).toEqual([
      [10_000, 10_000],
      [0, 0],
    ]);
    await Promise.all([usual.end(), patient.end()]);
  });
});
