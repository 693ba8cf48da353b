import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import { pino } from 'pino';
import type { TrailEntry } from './security-trail.js';
import { StoredTrail } from './stored-trail.js';

type Line = Record<string, unknown>;
let written: Line[];
let isAway: boolean;
let lost: number;
let trail: StoredTrail;

const pool = {
  query(query: { values: [string] }) {
    if (isAway) return Promise.reject(new Error('Postgres is away'));
    written.push(...(JSON.parse(query.values[0]) as Line[]));
    return Promise.resolve({ rowCount: 0 });
  },
} as unknown as Pick<Pool, 'query'>;

beforeEach(() => {
  jest.useFakeTimers();
  [written, isAway, lost] = [[], false, 0];
  const onLost = (count: number): void => void (lost += count);
  trail = new StoredTrail({ pool, days: 400, log: pino({ level: 'silent' }), onLost });
});
afterEach(async () => {
  jest.useRealTimers();
  await trail.close();
});

const passTime = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const refusal = (network: string): TrailEntry => ({
  what: 'refused',
  outcome: 'refused',
  network,
  correlationId: network,
  detail: { method: 'POST', route: '/api/payouts', status: 403 },
});

describe('the security trail', () => {
  it('writes what a person did without anybody waiting for it', async () => {
    trail.note({
      what: 'payout_asked',
      userId: 'usr_juno',
      device: 'Chrome on Android',
      detail: { id: 'po_1' },
    });
    expect(written).toEqual([]);
    await passTime(0);
    expect(written).toMatchObject([
      { what: 'payout_asked', outcome: 'done', count: 1, user_id: 'usr_juno', detail: { id: 'po_1' } },
    ]);
  });

  it('keeps nothing that could be a name, an address or a note', async () => {
    trail.note({
      what: 'bank_account_added',
      userId: 'juno@example.org',
      device: 'Odalys <odalys@example.org>',
      detail: { bank: 'Harbor Bank of Odalys', email: 'odalys@example.org', id: 'bnk_1' },
    });
    await passTime(0);
    expect(written).toMatchObject([
      { user_id: null, device: null, detail: { bank: null, email: null, id: 'bnk_1' } },
    ]);
  });

  it('counts refusals by the minute, in few lines, however many there are and from wherever', async () => {
    for (let each = 0; each < 100_000; each++)
      trail.note(refusal(`10.${(each >> 8) % 256}.${each % 256}.0/24`));
    await passTime(60_000);
    expect(written.length).toBeLessThanOrEqual(61);
    expect(written.reduce((sum, { count }) => sum + (count as number), 0)).toBe(100_000);
  });

  it('counts what one user does over and over, and keeps the next user’s acts apart', async () => {
    for (let each = 0; each < 500; each++) trail.note({ what: 'payout_asked', userId: 'usr_loop' });
    trail.note({ what: 'payout_asked', userId: 'usr_juno' });
    await passTime(60_000);
    const of = (userId: string) => written.filter((line) => line['user_id'] === userId);
    expect(of('usr_juno')).toHaveLength(1);
    expect(of('usr_loop')).toHaveLength(31);
    expect(of('usr_loop').reduce((sum, { count }) => sum + (count as number), 0)).toBe(500);
  });

  it('keeps each act of an operator apart, however many there are', async () => {
    for (let each = 0; each < 200; each++)
      trail.note({ what: 'operator_act', operator: 'ada@till', detail: { command: 'WriteOffDebt' } });
    await passTime(0);
    expect(written).toHaveLength(200);
  });

  it('writes later, once, what Postgres did not take', async () => {
    isAway = true;
    trail.note({ what: 'signed_in', userId: 'usr_juno' });
    await passTime(5_000);
    expect(written).toEqual([]);
    isAway = false;
    await passTime(5_000);
    expect(written).toHaveLength(1);
    expect(lost).toBe(0);
  });

  it('counts what is lost in a long outage, and holds no more than so much of it', async () => {
    isAway = true;
    for (let each = 0; each < 5_100; each++) trail.note({ what: 'operator_act', operator: 'ada@till' });
    await passTime(0);
    expect(lost).toBe(100);
    await Promise.all([trail.close(), passTime(2_000)]);
    expect(lost).toBe(5_100);
  });

  it('writes what is counted before its process ends', async () => {
    trail.note(refusal('203.0.113.0/24'));
    await trail.close();
    expect(written).toMatchObject([{ what: 'refused', network: '203.0.113.0/24', count: 1 }]);
  });
});
