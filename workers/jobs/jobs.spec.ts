import { describe, expect, it } from '@jest/globals';
import type { InternalCommand } from '#contracts/api/internal';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import { jobIdOf } from './due-schedules.js';
import type { JobContext, JobName } from './context.js';
import { JOBS } from './jobs.js';

const NOON = new Date('2026-03-10T12:00:00.000Z');
const ago = (minutes: number): Date => new Date(NOON.getTime() - minutes * 60_000);

const charge = (chargeId: string) => ({ chargeId, receivedAt: ago(5) });
/** Two at a time, as a read model gives them. */
const pagesOf =
  <T, K extends keyof T>(all: readonly T[], key: K) =>
  (after: T | undefined): Promise<readonly T[]> => {
    const from = after ? all.findIndex((one) => one[key] === after[key]) + 1 : 0;
    return Promise.resolve(all.slice(from, from + 2));
  };

function world(over: Partial<JobContext> = {}) {
  const asked: InternalCommand[] = [];
  const declined: InternalCommand[] = [];
  const marks = new Map<JobName, Date>();
  const behind = new Map<string, Date>();
  const value: JobContext = {
    now: () => NOON,
    marks: {
      get: (job) => Promise.resolve(marks.get(job)),
      set: (job, at) => Promise.resolve(void marks.set(job, at)),
      behind: (kind) =>
        Promise.resolve(
          new Map(
            [...behind].flatMap(([name, since]) =>
              name.startsWith(`${kind} `) ? [[name.slice(kind.length + 1), since]] : [],
            ),
          ),
        ),
      leaveBehind: (kind, id, since) =>
        Promise.resolve(void (behind.has(`${kind} ${id}`) || behind.set(`${kind} ${id}`, since))),
      caughtUp: (kind, id) => Promise.resolve(void behind.delete(`${kind} ${id}`)),
    },
    ask: (command) => {
      asked.push(command);
      return Promise.resolve({ looked: 1, failed: [] });
    },
    attempts: { due: (names) => Promise.resolve(new Set(names)), note: () => Promise.resolve() },
    unappliedCharges: () => Promise.resolve([]),
    unresolvedPayments: () => Promise.resolve([]),
    unfinishedPayouts: () => Promise.resolve([]),
    payoutAccounts: () => Promise.resolve([]),
    payoutRetryMs: 300_000,
    usersWithStuckBankAccounts: () => Promise.resolve([]),
    halfForgotten: () => Promise.resolve([]),
    dueSchedules: () => Promise.resolve([]),
    enqueue: () => Promise.resolve(),
    declined: (command) => void declined.push(command),
    ...over,
  };
  return { value, asked, declined, marks, behind };
}

describe('a tick', () => {
  it('reconciles up to now and remembers it', async () => {
    const { value, asked, marks } = world();
    marks.set('reconcile', ago(60));
    await JOBS.reconcile(value);
    expect(asked).toHaveLength(1);
    expect(marks.get('reconcile')).toEqual(NOON);
  });

  it('remembers a long way back stretch by stretch, and stops where the ledger goes away', async () => {
    let answers = 0;
    const { value, marks } = world({
      ask: () =>
        ++answers > 3 ? Promise.reject(new LedgerAway('away')) : Promise.resolve({ looked: 0, failed: [] }),
    });
    await expect(JOBS.reconcile(value)).rejects.toThrow(LedgerAway);
    expect(marks.get('reconcile')).toEqual(ago(27 * 24 * 60));
  });

  it('goes on past a payment that could not be booked, and asks for it by itself at each pass until it can be', async () => {
    const { value, marks, behind } = world();
    marks.set('reconcile', ago(60));
    const asked: InternalCommand[] = [];
    let stumbles = 2;
    const pass = () =>
      JOBS.reconcile({
        ...value,
        ask: (command) => {
          asked.push(command);
          if (command.type === 'SyncPayment' && command.intentId === 'pi_a' && stumbles-- > 0)
            return Promise.reject(new LedgerDeclined('a fault', false));
          return Promise.resolve({ looked: 2, failed: asked.length === 1 ? ['pi_a', 'pi_b'] : [] });
        },
      });
    await pass();
    expect(marks.get('reconcile')).toEqual(NOON);
    expect([...behind]).toEqual([
      ['payments pi_a', ago(75)],
      ['payments pi_b', ago(75)],
    ]);
    await expect(pass()).rejects.toThrow('1 of the payments');
    expect(asked.slice(2)).toEqual(['pi_a', 'pi_b'].map((intentId) => ({ type: 'SyncPayment', intentId })));
    await expect(pass()).rejects.toThrow('1 of the payments');
    await pass();
    expect(behind.size).toBe(0);
  });

  it('looks at the later stretches too when an earlier one is not answered, which holds the mark', async () => {
    const stretches: InternalCommand[] = [];
    const { value, marks } = world({
      ask: (command) =>
        stretches.push(command) === 2
          ? Promise.reject(new LedgerAway('timed out'))
          : Promise.resolve({ looked: 1, failed: [] }),
    });
    await expect(JOBS.reconcile(value)).rejects.toThrow('timed out');
    expect(stretches).toHaveLength(30);
    expect(marks.get('reconcile')).toEqual(ago(29 * 24 * 60));
  });

  it('asks for each unapplied charge to be given back, by its id and no amount', async () => {
    const { value, asked } = world({
      unappliedCharges: pagesOf([charge('ch_a'), charge('ch_b')], 'chargeId'),
    });
    await JOBS['refund-unapplied'](value);
    expect(asked).toEqual([
      { type: 'RefundUnapplied', chargeId: 'ch_a' },
      { type: 'RefundUnapplied', chargeId: 'ch_b' },
    ]);
  });

  it('goes on after a command that the ledger declines', async () => {
    const asked: InternalCommand[] = [];
    const { value, declined } = world({
      unappliedCharges: pagesOf([charge('ch_a'), charge('ch_b')], 'chargeId'),
      ask: (command) => {
        asked.push(command);
        return Promise.reject(new LedgerDeclined('no', true));
      },
    });
    await JOBS['refund-unapplied'](value);
    expect(asked).toHaveLength(2);
    expect(declined).toHaveLength(2);
  });

  it('leaves a refund that does not work alone for a while, and the charges behind it are not kept waiting', async () => {
    const tried: string[] = [];
    const { value, asked } = world({
      unappliedCharges: pagesOf([charge('ch_a'), charge('ch_b'), charge('ch_c')], 'chargeId'),
      attempts: {
        due: (names) => Promise.resolve(new Set(names.filter((name) => !tried.includes(name)))),
        note: (name) => Promise.resolve(tried.push(name)),
      },
    });
    tried.push('ch_a', 'ch_b');
    await JOBS['refund-unapplied'](value);
    expect(asked).toEqual([{ type: 'RefundUnapplied', chargeId: 'ch_c' }]);
    await JOBS['refund-unapplied'](value);
    expect(asked).toHaveLength(1);
  });

  it('notes no try of what could not even be asked, and one of what the ledger could not do', async () => {
    const noted: string[] = [];
    const { value } = world({
      unappliedCharges: pagesOf([charge('ch_a'), charge('ch_b')], 'chargeId'),
      attempts: {
        due: (names) => Promise.resolve(new Set(names)),
        note: (name) => Promise.resolve(noted.push(name)),
      },
      ask: (command) =>
        Promise.reject(
          new LedgerAway('away', { isOutage: 'chargeId' in command && command.chargeId === 'ch_a' }),
        ),
    });
    await expect(JOBS['refund-unapplied'](value)).rejects.toThrow(LedgerAway);
    expect(noted).toEqual(['ch_b']);
  });

  it('leaves no account behind in an outage, and goes on from where it was', async () => {
    const { value, marks, behind } = world({
      payoutAccounts: (after) =>
        Promise.resolve(after ? [] : [{ userId: 'usr_a', connectAccountId: 'acct_a', payoutsEnabled: true }]),
      ask: () => Promise.reject(new LedgerAway('away', { isOutage: true })),
    });
    marks.set('reconcile-payouts', ago(60));
    await expect(JOBS['reconcile-payouts'](value)).rejects.toThrow(LedgerAway);
    expect([behind.size, marks.get('reconcile-payouts')]).toEqual([0, ago(60)]);
  });

  it('looks through all pages of open payments, then remembers when', async () => {
    const all = [
      { id: 'pay_a', intentId: 'pi_a', openedAt: ago(26 * 60) },
      { id: 'pay_b', intentId: 'pi_b', openedAt: ago(5) },
      { id: 'pay_c', intentId: null, openedAt: ago(4) },
      { id: 'pay_d', intentId: 'pi_d', openedAt: ago(1) },
    ];
    const { value, asked, marks } = world({
      unresolvedPayments: (after) => {
        const from = after ? all.findIndex(({ id }) => id === after.id) + 1 : 0;
        return Promise.resolve(all.slice(from, from + 2));
      },
    });
    await JOBS['care-for-payments'](value);
    expect(asked).toEqual([
      { type: 'CancelAbandoned', paymentId: 'pay_a' },
      { type: 'SyncPayment', intentId: 'pi_b' },
      { type: 'ResumePayment', paymentId: 'pay_c' },
    ]);
    await JOBS['care-for-payments'](value);
    expect(asked).toHaveLength(3);
    expect(marks.get('care-for-payments')).toEqual(NOON);
  });

  it('does not keep the others waiting for one payment that cannot be looked at now, and makes the pass again', async () => {
    const { value, asked, marks } = world({
      unresolvedPayments: (after) =>
        Promise.resolve(
          after
            ? []
            : ['a', 'b', 'c'].map((id) => ({ id: `pay_${id}`, intentId: `pi_${id}`, openedAt: ago(5) })),
        ),
    });
    const { ask } = value;
    const choosy = (command: Parameters<typeof ask>[0]) =>
      'intentId' in command && command.intentId === 'pi_a'
        ? Promise.reject(new LedgerAway('the provider chokes on it'))
        : ask(command);
    await expect(JOBS['care-for-payments']({ ...value, ask: choosy })).rejects.toThrow(LedgerAway);
    expect(asked).toEqual([
      { type: 'SyncPayment', intentId: 'pi_b' },
      { type: 'SyncPayment', intentId: 'pi_c' },
    ]);
    expect(marks.has('care-for-payments')).toBe(false);
  });

  it('looks again at the next tick when the ledger was away', async () => {
    const { value, marks } = world({
      unresolvedPayments: (after) =>
        Promise.resolve(after ? [] : [{ id: 'pay_a', intentId: 'pi_a', openedAt: ago(5) }]),
      ask: () => Promise.reject(new LedgerAway('away')),
    });
    await expect(JOBS['care-for-payments'](value)).rejects.toThrow(LedgerAway);
    expect(marks.has('care-for-payments')).toBe(false);
  });

  const account = (name: string, payoutsEnabled = true) => ({
    userId: `usr_${name}`,
    connectAccountId: `acct_${name}`,
    payoutsEnabled,
  });
  const named = (...names: string[]) =>
    names.map((name) => ({ connectAccountId: `acct_${name}`, isToVerify: name === 'c' }));

  it('looks into payouts since the last pass, day by day and then account by account, and remembers it', async () => {
    const { value, asked, marks } = world({
      payoutAccounts: pagesOf([account('a'), account('b'), account('c', false)], 'userId'),
    });
    marks.set('reconcile-payouts', ago(36 * 60));
    await JOBS['reconcile-payouts'](value);
    const [since, between, until] = [ago(36 * 60 + 15), ago(12 * 60 + 15), NOON].map((at) =>
      at.toISOString(),
    );
    expect(asked).toEqual([
      { type: 'ReconcileTransfers', since, until: between },
      { type: 'ReconcileTransfers', since: between, until },
      { type: 'ReconcilePayoutAccounts', accounts: named('a', 'b'), since, until },
      { type: 'ReconcilePayoutAccounts', accounts: named('c'), since, until },
    ]);
    expect(marks.get('reconcile-payouts')).toEqual(NOON);
  });

  it('goes on past an account and a payout that could not be looked into, and asks for those by themselves until they can', async () => {
    const { value, marks, behind } = world({
      payoutAccounts: pagesOf([account('a'), account('b'), account('d')], 'userId'),
    });
    marks.set('reconcile-payouts', ago(60));
    let isBroken = true;
    const asked: InternalCommand[] = [];
    const pass = () =>
      JOBS['reconcile-payouts']({
        ...value,
        ask: (command) => {
          asked.push(command);
          if (command.type === 'AdvancePayout' && isBroken)
            return Promise.reject(new LedgerAway('the provider chokes on it'));
          const isOfA =
            command.type === 'ReconcilePayoutAccounts' && command.accounts[0]?.connectAccountId === 'acct_a';
          // A page that is not answered leaves all of it behind; an account by itself may be what the ledger
          // stumbles over.
          if (isOfA && isBroken)
            return Promise.reject(
              command.accounts.length > 1
                ? new LedgerAway('timed out')
                : new LedgerDeclined('a fault', false),
            );
          return Promise.resolve({
            looked: 1,
            failed: isBroken && command.type === 'ReconcileTransfers' ? ['out_a'] : [],
          });
        },
      });
    await pass();
    const since = ago(75);
    expect(marks.get('reconcile-payouts')).toEqual(NOON);
    expect([...behind.keys()]).toEqual(['payouts out_a', 'payout-accounts acct_a', 'payout-accounts acct_b']);
    expect(asked).toHaveLength(3);
    asked.length = 0;
    await expect(pass()).rejects.toThrow('1 of the payout-accounts');
    const itself = (name: string) => ({
      type: 'ReconcilePayoutAccounts',
      accounts: [{ connectAccountId: `acct_${name}`, isToVerify: true }],
      since: since.toISOString(),
      until: NOON.toISOString(),
    });
    expect(asked.slice(3)).toEqual([itself('a'), itself('b'), { type: 'AdvancePayout', payoutId: 'out_a' }]);
    isBroken = false;
    await pass();
    expect(behind.size).toBe(0);
  });

  it('lets go of what the ledger will never do', async () => {
    const { value, behind, declined } = world({
      ask: () => Promise.reject(new LedgerDeclined('no such payout', true)),
    });
    behind.set('payouts out_a', ago(60));
    await expect(JOBS['reconcile-payouts'](value)).rejects.toThrow('no such payout');
    expect([behind.size, declined.at(-1)]).toEqual([0, { type: 'AdvancePayout', payoutId: 'out_a' }]);
  });

  it('does not move on past days that were not answered', async () => {
    const { value, marks } = world({ ask: () => Promise.reject(new LedgerAway('away')) });
    marks.set('reconcile-payouts', ago(60));
    await expect(JOBS['reconcile-payouts'](value)).rejects.toThrow(LedgerAway);
    expect(marks.get('reconcile-payouts')).toEqual(ago(60));
  });

  it('takes every payout further whose time it is, page after page, by its id and no amount', async () => {
    const ready = {
      step: 'requested',
      changedAt: ago(5),
      payoutsEnabled: true,
      isRemoved: false,
      delays: 0,
      delayCode: null,
      waitsItsTurn: false,
      delayedAt: null,
    } as const;
    const all = [
      { ...ready, id: 'out_a' },
      { ...ready, id: 'out_b', payoutsEnabled: false },
      { ...ready, id: 'out_c', step: 'returned' },
    ] as const;
    const { value, asked, marks } = world({
      unfinishedPayouts: (after) => {
        const from = after ? all.findIndex(({ id }) => id === after.id) + 1 : 0;
        return Promise.resolve(all.slice(from, from + 2));
      },
    });
    await JOBS['advance-payouts'](value);
    expect(asked).toEqual([
      { type: 'AdvancePayout', payoutId: 'out_a' },
      { type: 'AdvancePayout', payoutId: 'out_c' },
    ]);
    expect(marks.get('advance-payouts')).toEqual(NOON);
  });

  it('asks for bank accounts that got stuck, user by user', async () => {
    const { value, asked } = world({ usersWithStuckBankAccounts: () => Promise.resolve(['usr_a', 'usr_b']) });
    await JOBS['care-for-bank-accounts'](value);
    expect(asked).toEqual([
      { type: 'CareForBankAccounts', userId: 'usr_a' },
      { type: 'CareForBankAccounts', userId: 'usr_b' },
    ]);
  });

  it('asks once more for everybody who is forgotten by half, page after page', async () => {
    const all = ['usr_a', 'usr_b', 'usr_c'];
    const { value, asked } = world({
      halfForgotten: (after) =>
        Promise.resolve(all.slice(after === undefined ? 0 : all.indexOf(after) + 1).slice(0, 2)),
    });
    await JOBS['finish-forgetting'](value);
    expect(asked).toEqual(all.map((userId) => ({ type: 'ForgetUser', userId })));
  });

  it('makes a job of everything that is due, page after page, and asks nothing of the ledger itself', async () => {
    const all = [1, 2, 3, 4, 5].map((n) => ({
      id: `sub_${n}`,
      kind: 'subscription' as const,
      dueAt: ago(n),
      attempt: 1,
      wakeAt: ago(n),
    }));
    const enqueued: string[] = [];
    const { value, asked } = world({
      dueSchedules: (now, after) => {
        expect(now).toEqual(NOON);
        const from = after ? all.findIndex(({ id }) => id === after.id) + 1 : 0;
        return Promise.resolve(all.slice(from, from + 2));
      },
      enqueue: (dues) => {
        enqueued.push(...dues.map(({ id }) => id));
        return Promise.resolve();
      },
    });
    await JOBS['find-due-schedules'](value);
    expect(enqueued).toEqual(['sub_1', 'sub_2', 'sub_3', 'sub_4', 'sub_5']);
    expect(asked).toEqual([]);
  });

  it('makes no job of what was just tried in vain, until something happens to it', async () => {
    const due = { id: 'sub_a', kind: 'subscription' as const, dueAt: ago(9), attempt: 1, wakeAt: ago(9) };
    const enqueued: string[] = [];
    const seen = (now: typeof due) =>
      JOBS['find-due-schedules'](
        world({
          dueSchedules: (_, after) => pagesOf([now], 'id')(after === undefined ? undefined : now),
          attempts: {
            due: (names) => Promise.resolve(new Set(names.filter((name) => name !== jobIdOf(due)))),
            note: () => Promise.resolve(),
          },
          enqueue: (dues) => Promise.resolve(void enqueued.push(...dues.map(jobIdOf))),
        }).value,
      );
    await seen(due);
    expect(enqueued).toEqual([]);
    const woken = { ...due, wakeAt: ago(1) };
    await seen(woken);
    expect(enqueued).toEqual([jobIdOf(woken)]);
  });
});
