import { describe, expect, it } from '@jest/globals';
import { asUrgent, bucketsOf, CallLimiter, endpointOf, OwnCallCounter, urgencyNow } from './call-limiter.js';

const TEST_KEYS = { total: 25, endpoint: 25 };
const READ = 'GET /v1/payment_intents/:id';

/** A limiter in a time of its own, in which calls come when told to. */
function world(limits = TEST_KEYS, counter?: OwnCallCounter) {
  let now = 0;
  const sleeping: { readonly at: number; readonly go: () => void }[] = [];
  const limiter = new CallLimiter(
    counter ??
      new OwnCallCounter(
        () => 1,
        () => now,
      ),
    limits,
    () => now,
    (ms) => new Promise((go) => sleeping.push({ at: now + ms, go })),
  );
  const pass = async (untilMs: number): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      sleeping.sort((a, b) => a.at - b.at);
      if (sleeping[0] === undefined || sleeping[0].at > untilMs) break;
      const next = sleeping.shift()!;
      now = Math.max(now, next.at);
      next.go();
    }
    now = untilMs;
  };
  const admitted: { readonly name: string; readonly at: number; readonly isAdmitted: boolean }[] = [];
  const call = (endpoint: string, how: 'click' | 'webhook' | 'job', name = endpoint): void =>
    void limiter.admit(endpoint, how).then((isAdmitted) => admitted.push({ name, at: now, isAdmitted }));
  return { limiter, call, pass, admitted };
}
/** The most that was admitted in any second. */
const busiest = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));

describe('calls of the provider', () => {
  it('stay under what it publishes in every second, whatever comes at once', async () => {
    const { call, pass, admitted } = world();
    for (let n = 0; n < 100; n += 1) call(`GET /v1/endpoint-${n % 7}`, 'click');
    await pass(10_000);
    const times = admitted.filter(({ isAdmitted }) => isAdmitted).map(({ at }) => at);
    expect(busiest(times)).toBeLessThanOrEqual(TEST_KEYS.total);
    expect(times.length).toBeGreaterThanOrEqual(50);
  });

  it('of one endpoint stay under its own limit', async () => {
    const { call, pass, admitted } = world({ total: 100, endpoint: 25 });
    for (let n = 0; n < 60; n += 1) call(READ, 'webhook');
    await pass(10_000);
    expect(admitted.every(({ isAdmitted }) => isAdmitted)).toBe(true);
    expect(busiest(admitted.map(({ at }) => at))).toBeLessThanOrEqual(25);
  });

  it('of jobs and webhooks keep room for a payer, who waits for none of them', async () => {
    const { call, pass, admitted } = world();
    for (let n = 0; n < 200; n += 1) call('GET /v1/events', 'job');
    for (let n = 0; n < 200; n += 1) call(READ, 'webhook');
    await pass(2_000);
    for (let n = 0; n < 3; n += 1) call('POST /v1/payment_intents', 'click', 'payer');
    await pass(3_500);
    const payers = admitted.filter(({ name }) => name === 'payer');
    expect(payers).toHaveLength(3);
    expect(Math.max(...payers.map(({ at }) => at))).toBeLessThanOrEqual(3_000);
    const ofJobs = admitted.filter(({ name, at }) => name === 'GET /v1/events' && at <= 2_000);
    expect(ofJobs.length).toBeLessThanOrEqual(2 * 0.4 * TEST_KEYS.total);
  });

  it('wait for a bounded time, and are not made then', async () => {
    const { call, pass, admitted } = world();
    for (let n = 0; n < 400; n += 1) call('POST /v1/payment_intents', 'click');
    await pass(4_000);
    expect(admitted).toHaveLength(400);
    const late = admitted.filter(({ isAdmitted }) => !isAdmitted);
    expect(late.length).toBeGreaterThan(300);
    expect(Math.min(...late.map(({ at }) => at))).toBeGreaterThanOrEqual(3_000);
  });

  it('are held back, all of them, when the provider has refused one, for as long as it says', async () => {
    const { limiter, call, pass, admitted } = world();
    await limiter.refused(1, 2_000);
    call(READ, 'webhook');
    await pass(1_999);
    expect(admitted).toEqual([]);
    await pass(2_100);
    expect(admitted).toMatchObject([{ isAdmitted: true }]);
  });

  it('go on within a minute, whatever time the provider names', async () => {
    const { limiter, call, pass, admitted } = world();
    await limiter.refused(1, 86_400_000);
    await pass(60_000);
    call(READ, 'click');
    await pass(64_000);
    expect(admitted).toMatchObject([{ isAdmitted: true }]);
  });

  it('of one ledger among three, without Redis, stay within its third', async () => {
    let now = 0;
    const counter = new OwnCallCounter(
      () => 1 / 3,
      () => now,
    );
    let taken = 0;
    for (; now < 10_000; now += 5)
      if ((await counter.take(bucketsOf(READ, 'click', TEST_KEYS))) === 0) taken += 1;
    expect(taken).toBeLessThanOrEqual((10 * TEST_KEYS.total) / 3);
    expect(taken).toBeGreaterThan(50);
  });

  it('are as urgent as the work that they are made in', async () => {
    expect(urgencyNow()).toBe('click');
    await asUrgent('job', async () => {
      await Promise.resolve();
      expect(urgencyNow()).toBe('job');
    });
  });

  it('are counted by endpoint, whatever object they are about', () => {
    expect(endpointOf('GET', '/v1/payment_intents/pi_3Abc9?expand[0]=latest_charge')).toBe(READ);
    expect(endpointOf('POST', '/v1/payment_intents')).toBe('POST /v1/payment_intents');
    expect(endpointOf('GET', '/v1/accounts/acct_1X/external_accounts')).toBe(
      'GET /v1/accounts/:id/external_accounts',
    );
  });
});
