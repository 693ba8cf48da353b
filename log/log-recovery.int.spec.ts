/** The row that says that the log has lost something, on a real Postgres. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EDGE } from '#processes/migrations';
import { useStack } from '#test/support/stack';
import { LogRecoveryWatch } from './log-recovery-watch.js';
import { clearLogRecovery, readLogRecovery, writeLogRecovery, type LogRecovery } from './log-recovery.js';
import { migrate } from './migrations.js';

const stack = useStack(['postgres']);
const LOST = {
  reason: 'The rows have seen journal revision 9, and the log ends at 4.',
  logRevision: 4,
  logHash: 'a4',
  knownRevision: 9,
  knownHash: 'a9',
  knownFrom: 'rows',
} as const;

describe('the recovery row', () => {
  let pool: pg.Pool;
  let unmigrated: LogRecovery | undefined;
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 2 });
    unmigrated = await readLogRecovery(pool);
    await migrate(stack().env.DATABASE_URL!, [EDGE]);
  });
  beforeEach(() => clearLogRecovery(pool));
  afterAll(() => pool.end());

  it('is absent before a ledger has made its table', () => expect(unmigrated).toBeUndefined());

  it('gives back what was written, and is gone once it is cleared', async () => {
    await writeLogRecovery(pool, LOST);
    expect(await readLogRecovery(pool)).toEqual({ ...LOST, foundAt: expect.any(Date) });
    await clearLogRecovery(pool);
    expect(await readLogRecovery(pool)).toBeUndefined();
  });

  it('keeps what was found first, whoever finds something after it', async () => {
    await writeLogRecovery(pool, LOST);
    const later = { reason: 'No entry names it.', logRevision: -1, knownFrom: 'provider' } as const;
    expect(await writeLogRecovery(pool, later)).toMatchObject(LOST);
    await clearLogRecovery(pool);
    expect(await writeLogRecovery(pool, later)).toEqual({ ...later, foundAt: expect.any(Date) });
  });

  it('is noticed by every process, and so is its end', async () => {
    const told: (LogRecovery | undefined)[] = [];
    const watch = new LogRecoveryWatch({ db: pool, changed: (recovery) => told.push(recovery) });
    await watch.look();
    await writeLogRecovery(pool, LOST);
    await watch.look();
    await watch.look();
    expect(watch.recovery).toMatchObject(LOST);
    await clearLogRecovery(pool);
    await watch.look();
    expect(told).toEqual([expect.objectContaining(LOST), undefined]);
  });

  it('stays known while Postgres does not answer', async () => {
    await writeLogRecovery(pool, LOST);
    let isAway = false;
    const db = {
      query: (...asked: [string]) => (isAway ? Promise.reject(new Error('away')) : pool.query(...asked)),
    } as unknown as Pick<pg.Pool, 'query'>;
    const watch = new LogRecoveryWatch({ db, changed: () => undefined });
    await watch.look();
    isAway = true;
    await watch.look();
    expect(watch.recovery).toMatchObject(LOST);
  });
});
