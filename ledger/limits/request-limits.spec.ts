/** How often calls may be made, and by whom. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS, type LimitName, type Limits } from '#contracts/limits';
import { LimitCounts, OwnCounter } from './counter.js';
import { groupOf, RequestLimits } from './request-limits.js';

const secret = Buffer.alloc(32);

class Clock {
  ms = 0;
}
function limitsWith(own: Partial<Limits>, { share = 1, clock = new Clock() } = {}) {
  const refused: LimitName[] = [];
  const counts = new LimitCounts({
    counter: new OwnCounter(share, () => clock.ms),
    limits: { ...DEFAULT_LIMITS, ...own },
    secret,
    refused: (limit) => refused.push(limit),
  });
  const requests = new RequestLimits(counts);
  const ask = (group: Parameters<RequestLimits['refusalOf']>[0], userId: string | undefined, ip: string) =>
    requests.refusalOf(group, { userId, ip });
  return { ask, refused, clock };
}
const passed = async (n: number, once: (n: number) => Promise<unknown>): Promise<number> => {
  let count = 0;
  for (let i = 0; i < n; i++) if ((await once(i)) === undefined) count++;
  return count;
};

describe('a call', () => {
  it.each([
    ['GET', '/api/users/:idOrEmail', '/api/users/juno@valastro.example', 'look-up'],
    ['GET', '/api/users/:idOrEmail', '/api/users/(555) 010-2030', 'look-up'],
    ['GET', '/api/users/:idOrEmail', '/api/users/@junoplays', 'look-up'],
    ['GET', '/api/users/:idOrEmail', '/api/users/junoplays', 'look-up'],
    ['PUT', '/api/tip-page/handle', '/api/tip-page/handle', 'handle'],
    ['GET', '/api/users/:idOrEmail', '/api/users/usr_0123456789', 'person'],
    ['POST', '/api/create-payment-intent', '/api/create-payment-intent', 'pay'],
    ['GET', '/api/payments/:id/client-secret', '/api/payments/pay_1/client-secret', 'pay'],
    ['POST', '/api/payments/:id/confirm', '/api/payments/pay_1/confirm', 'pay'],
    ['POST', '/api/setup-intent', '/api/setup-intent', 'card'],
    ['GET', '/api/events', '/api/events', 'events'],
    ['GET', '/api/statements/:month/pdf', '/api/statements/2026-10/pdf', 'paper'],
    ['HEAD', '/api/tip-page/print', '/api/tip-page/print', 'paper'],
    ['PUT', '/api/user/picture', '/api/user/picture', 'picture'],
    ['DELETE', '/api/user/picture', '/api/user/picture', 'change'],
    ['GET', '/api/statements/:month', '/api/statements/2026-10', 'read'],
    ['POST', '/api/treasury/wallets', '/api/treasury/wallets', 'change'],
    ['DELETE', '', '/api/nothing', 'change'],
    ['HEAD', '', '/api/transactions', 'read'],
    ['HEAD', '/api/events', '/api/events', 'events'],
    ['HEAD', '/api/payments/:id/client-secret', '/api/payments/pay_1/client-secret', 'pay'],
  ])('%s %s of %s is counted as %s', (method, route, path, group) =>
    expect(groupOf(method, route, path)).toBe(group),
  );
});

describe('the limit of requests', () => {
  it('counts each user, and all users behind one address', async () => {
    const { ask, refused } = limitsWith({ 'pay-user': 3, 'pay-address': 5 });
    expect(await passed(5, () => ask('pay', 'milo', '192.0.2.7'))).toBe(3);
    expect(await passed(5, (n) => ask('pay', `guest${n}`, '::ffff:192.0.2.7'))).toBe(0);
    expect(await passed(5, (n) => ask('pay', `guest${n}`, '192.0.2.8'))).toBe(5);
    expect(new Set(refused)).toEqual(new Set(['pay-user', 'pay-address']));
  });
  it('counts the addresses of one subscriber as one', async () => {
    const { ask } = limitsWith({ 'signed-out-address': 10 });
    expect(await passed(30, (n) => ask('signed-out', undefined, `2001:db8:1:${n}::${n + 1}`))).toBe(10);
    expect(await passed(30, (n) => ask('signed-out', undefined, `2001:db8:1:${n + 3}00::1`))).toBe(30);
  });
  it('lets through again after its time, and says how long that is', async () => {
    const { ask, clock } = limitsWith({ 'look-up-user': 6 });
    expect(await passed(599, () => ask('look-up', 'milo', '192.0.2.7'))).toBe(6);
    clock.ms = 30_000;
    const refusal = await ask('look-up', 'milo', '192.0.2.7');
    expect(refusal?.message).toBe('Too many people were looked up. Please wait 30 seconds and try again.');
    expect(refusal?.answer).toMatchObject({ status: 429, retryAfterSeconds: 30 });
    expect(await ask('look-up', 'juno', '192.0.2.8')).toBeUndefined();
    // Nor is a handle a way to ask for more names.
    expect(await ask('handle', 'milo', '192.0.2.7')).toMatchObject({
      message: expect.stringContaining('Too many handles were tried.'),
    });
    clock.ms = 60_001;
    expect(await ask('look-up', 'milo', '192.0.2.7')).toBeUndefined();
  });
  it('is half of it where a process counts by itself', async () => {
    const { ask } = limitsWith({ 'pay-user': 10 }, { share: 0.5 });
    expect(await passed(20, () => ask('pay', 'milo', '192.0.2.7'))).toBe(5);
  });
  it('lets 300 guests behind one address pay within ten minutes, as they come', async () => {
    const { ask, clock } = limitsWith({});
    for (let guest = 0; guest < 300; guest++) {
      // Half of them come in the first minute, when the band asks for it.
      clock.ms = guest < 150 ? guest * 400 : 60_000 + (guest - 150) * 3_600;
      const of = (group: Parameters<typeof ask>[0], times: number) =>
        passed(times, () =>
          ask(group, group === 'sign-in' || group === 'signed-out' ? undefined : `g${guest}`, '192.0.2.7'),
        );
      expect(await of('signed-out', 4)).toBe(4);
      expect(await of('sign-in', 4)).toBe(4);
      expect(await of('read', 25)).toBe(25);
      expect(await of('person', 2)).toBe(2);
      expect(await of('events', 2)).toBe(2);
      expect(await of('pay', 3)).toBe(3);
    }
  });
});
