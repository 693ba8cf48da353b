/** The trail's table on a real Postgres: what is written is read back, and what is old is deleted. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { openReadPool } from '#projections/engine/database';
import { EDGE } from '#processes/migrations';
import { migrate } from '#log/migrations';
import { useStack } from '#test/support/stack';
import { appendTrail, deleteOldTrail, readTrail, rowOf } from './trail-table.js';

const stack = useStack(['postgres']);
const DAY_MS = 24 * 3_600_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

describe('the security trail’s table', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const url = stack().env.DATABASE_URL!;
    await migrate(url, [EDGE]);
    pool = openReadPool(url, 2);
  });
  afterAll(() => pool.end());

  const read = (question: { userId?: string; what?: string } = {}) =>
    readTrail(pool, { ...question, since: daysAgo(1_000), until: new Date(), limit: 100 });

  it('gives back by user, by act and in order what was written, once however often it is sent', async () => {
    const rows = [
      rowOf({ what: 'signed_in', userId: 'usr_juno', network: '203.0.113.0/24' }, daysAgo(2)),
      rowOf(
        { what: 'refused', outcome: 'refused', detail: { route: '/api/payouts', status: 403 } },
        daysAgo(1),
        7,
      ),
      rowOf({ what: 'operator_act', operator: 'ada@till', detail: { verb: 'reopen' } }, daysAgo(0)),
    ];
    await appendTrail(pool, rows);
    await appendTrail(pool, rows);
    expect(await read()).toMatchObject([
      { what: 'signed_in', user_id: 'usr_juno', network: '203.0.113.0/24', count: 1 },
      { what: 'refused', outcome: 'refused', count: 7, detail: { route: '/api/payouts', status: 403 } },
      { what: 'operator_act', operator: 'ada@till' },
    ]);
    expect(await read({ userId: 'usr_juno' })).toHaveLength(1);
    expect(await read({ what: 'refused' })).toHaveLength(1);
    expect(await read({ userId: 'usr_nobody' })).toEqual([]);
  });

  it('deletes the oldest first, and no more at once than it is told', async () => {
    await appendTrail(
      pool,
      [401, 402, 403, 399].map((days) => rowOf({ what: 'signed_out', userId: 'usr_old' }, daysAgo(days))),
    );
    expect(await deleteOldTrail(pool, 400, 2)).toBe(2);
    expect(await read({ userId: 'usr_old' })).toHaveLength(2);
    expect(await deleteOldTrail(pool, 400, 2)).toBe(1);
    expect(await deleteOldTrail(pool, 400, 2)).toBe(0);
    expect(await read({ userId: 'usr_old' })).toHaveLength(1);
  });
});
