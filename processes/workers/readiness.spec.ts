/** What workers say of themselves when something that they need is amiss. */
import { describe, expect, it } from '@jest/globals';
import { redisState } from '../shell/redis-health.js';
import { workersReadiness } from './readiness.js';

const WELL = 'rdb_last_bgsave_status:ok\r\naof_last_write_status:ok\r\nused_memory:10\r\nmaxmemory:0\r\n';
const answers = () => Promise.resolve({ rows: [] });
const refuses = () => Promise.reject(new Error('ECONNREFUSED'));

const readinessWith = (changes: {
  info?: () => Promise<string>;
  set?: () => Promise<unknown>;
  query?: () => Promise<unknown>;
  away?: boolean;
  recovery?: string;
  otherInstallation?: string;
}) =>
  workersReadiness({
    redis: {
      info: changes.info ?? (() => Promise.resolve(WELL)),
      set: (changes.set ?? (() => Promise.resolve('OK'))) as never,
    },
    reads: { query: (changes.query ?? answers) as never },
    isLedgerAway: () => changes.away ?? false,
    recovery: () => changes.recovery,
    otherInstallation: () => changes.otherInstallation,
  });

describe('workers', () => {
  it('are ready when Redis, Postgres and a ledger answer', async () =>
    expect(await readinessWith({})).toEqual({ ready: true, reasons: [] }));

  it.each([
    ['Postgres', { query: refuses }, /^Postgres does not answer: .*DATABASE_URL/],
    ['Redis', { info: refuses }, /^Redis does not answer: .*REDIS_URL/],
    [
      'room on Redis’ disk',
      { info: () => Promise.resolve(WELL.replace('bgsave_status:ok', 'bgsave_status:err')) },
      /^Redis could not write to its disk.*make room/,
    ],
    [
      'memory in Redis',
      { info: () => Promise.resolve(WELL.replace('maxmemory:0', 'maxmemory:10')) },
      /^Redis has used all of the memory.*raise maxmemory/,
    ],
    [
      'the Redis that leads',
      { info: () => Promise.resolve(`${WELL}role:slave\r\nmaster_host:10.0.0.7\r\n`) },
      /^Redis is the replica of another one \(10\.0\.0\.7\).*REDIS_URL/,
    ],
    [
      'replicas that Redis waits for',
      { set: () => Promise.reject(new Error('NOREPLICAS Not enough good replicas to write.')) },
      /^Redis takes no writes, and so no jobs: NOREPLICAS Not enough good replicas to write\.$/,
    ],
  ])('are not ready without %s, and say what to do', async (_, changes, sentence) =>
    expect(await readinessWith(changes)).toEqual({
      ready: false,
      reasons: [expect.stringMatching(sentence)],
    }),
  );

  it('are degraded while the log is in recovery, whatever the ledgers say', async () =>
    expect(await readinessWith({ recovery: 'The log is in recovery.', away: true })).toEqual({
      ready: true,
      degraded: true,
      reasons: ['The log is in recovery. Jobs wait until it has ended.'],
    }));

  it('are not ready where Redis is silent, and say so within seconds', async () => {
    const silent = { info: () => new Promise<string>(() => undefined), set: answers as never };
    expect(await redisState(silent, 10)).toEqual({
      problem: expect.stringMatching(/^Redis does not answer/),
    });
  });

  it.each([
    ['role:slave\r\nslave_read_only:0\r\n'],
    ['role:master\r\n'],
    ['maxmemory_policy:allkeys-lru\r\n'],
  ])('are ready where Redis says %j', async (more) =>
    expect(await readinessWith({ info: () => Promise.resolve(WELL + more) })).toEqual({
      ready: true,
      reasons: [],
    }),
  );

  it('are degraded where Redis may throw away what it holds', async () => {
    const full = `${WELL.replace('maxmemory:0', 'maxmemory:99')}maxmemory_policy:allkeys-lru\r\n`;
    const warning = expect.stringMatching(/^Redis throws away.*\(maxmemory-policy allkeys-lru\).*noeviction/);
    const info = () => Promise.resolve(full);
    expect(await readinessWith({ info })).toEqual({ ready: true, degraded: true, reasons: [warning] });
    expect((await readinessWith({ info, away: true })).reasons).toEqual([
      expect.stringMatching(/^No ledger/),
      warning,
    ]);
  });

  it('are degraded where others use their Redis', async () => {
    const reason = 'Workers of another installation use the same Redis.';
    expect(await readinessWith({ otherInstallation: reason })).toEqual({
      ready: true,
      degraded: true,
      reasons: [reason],
    });
  });

  it('are degraded while no ledger takes commands', async () =>
    expect(await readinessWith({ away: true })).toEqual({
      ready: true,
      degraded: true,
      reasons: [expect.stringMatching(/^No ledger takes commands: jobs wait/)],
    }));
});
