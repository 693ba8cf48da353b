import { describe, expect, it } from '@jest/globals';
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import type { UnfinishedPayoutView } from '#projections/payouts/queries';
import type { DueSchedule } from '#projections/schedules/queries';
import type { UnresolvedPayment } from '#projections/transactions/queries';
import { JobWorld, NOON, pagesOf } from '#test/support/job-world';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import { jobIdOf } from './due-schedules.js';
import { JOBS } from './jobs.js';

const ago = (minutes: number): Date => new Date(NOON.getTime() - minutes * 60_000);
const charge = (chargeId: string) => ({ chargeId, receivedAt: ago(5) });
const away = (): never => {
  throw new LedgerAway('the provider chokes on it');
};
const outage = (): never => {
  throw new LedgerAway('away', { isOutage: true });
};
const done: InternalAnswer = { looked: 1, failed: [] };
/** The first piece of a time is not all of it. */
const failing =
  (...failed: string[]) =>
  (): InternalAnswer => ({ looked: 1, failed });
const timesIn = (asked: readonly InternalCommand[]) =>
  asked.flatMap((command) => ('since' in command && 'until' in command ? [command] : []));

describe('comparing with the provider', () => {
  it('goes on from its mark up to now, and remembers it', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    expect(await JOBS.reconcile(world.context)).toBe('done');
    expect(timesIn(world.asked)).toMatchObject([
      { type: 'ReconcileSince', since: ago(60).toISOString(), until: NOON.toISOString() },
    ]);
    expect(world.marks.get('reconcile')?.at).toEqual(ago(15));
  });

  it('is gone on with where the time of a pass was over, as far as the ledger says it came', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    const through = [ago(40), ago(20), NOON].map((at) => at.toISOString());
    world.answers('ReconcileSince', () => {
      world.pass(3_000);
      return { ...done, through: through.shift()! };
    });
    expect(await JOBS.reconcile(world.context)).toBe('more');
    expect(world.marks.get('reconcile')?.at).toEqual(ago(20));
    expect(await JOBS.reconcile(world.context)).toBe('done');
    expect(world.marks.get('reconcile')?.at.getTime()).toBeGreaterThan(ago(15).getTime());
  });

  it('looks at all of the time again where marks were lost during a pass, with what had stayed behind', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    let passes = 0;
    world.answers('ReconcileSince', () => {
      passes += 1;
      return { ...done, failed: passes === 1 ? ['pi_stuck'] : [] };
    });
    const { leaveBehind } = world.context.marks;
    world.context.marks.leaveBehind = async (...args) => {
      await leaveBehind(...args);
      world.marks.clear();
      world.behind.clear();
    };
    expect(await JOBS.reconcile(world.context)).toBe('more');
    expect(world.marks.has('reconcile')).toBe(false);
    world.asked.length = 0;
    await JOBS.reconcile(world.context);
    expect(timesIn(world.asked)[0]?.since).toBe(ago(30 * 24 * 60).toISOString());
  });

  it('does not believe a mark that was set on another log: all of it is looked at again', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    world.log = { revision: 3, hash: 'restored' };
    await JOBS.reconcile(world.context);
    expect(timesIn(world.asked)[0]?.since).toBe(ago(30 * 24 * 60).toISOString());
    expect(world.marks.get('reconcile')).toEqual({ at: ago(15), log: world.log });
  });

  it('does not believe a mark of before such were set, nor one of the future', async () => {
    for (const mark of [
      { at: ago(60), log: undefined },
      { at: ago(-60), log: { revision: 9, hash: 'h9' } },
    ]) {
      const world = new JobWorld();
      world.marks.set('reconcile', mark);
      await JOBS.reconcile(world.context);
      expect(timesIn(world.asked)).toHaveLength(30);
    }
  });

  it('sets its mark upon what the log holds after the comparison, so that a copy of in between has none', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    world.answers('ReconcileSince', () => {
      world.log = { revision: 12, hash: 'h12' };
      world.heads.add('12 h12');
      return done;
    });
    await JOBS.reconcile(world.context);
    expect(world.marks.get('reconcile')?.log).toEqual({ revision: 12, hash: 'h12' });
  });

  it('goes on past a payment that could not be booked, and asks for it by itself until it can be', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    world.answers('ReconcileSince', failing('pi_a', 'pi_b'));
    await JOBS.reconcile(world.context);
    expect(world.marks.get('reconcile')?.at).toEqual(ago(15));
    expect([...world.behind.keys()]).toEqual(['payments pi_a', 'payments pi_b']);
    world.answers('ReconcileSince', () => done);
    world.answers('SyncPayment', ({ intentId }) => (intentId === 'pi_a' ? away() : done));
    await expect(JOBS.reconcile(world.context)).rejects.toThrow('1 of 2');
    expect([...world.behind.keys()]).toEqual(['payments pi_a']);
    world.answers('SyncPayment', () => done);
    expect(await JOBS.reconcile(world.context)).toBe('done');
    expect(world.behind.size).toBe(1);
    world.pass(60_000);
    await JOBS.reconcile(world.context);
    expect(world.behind.size).toBe(0);
  });

  it('leaves a time of which nothing can be learnt behind by name, and its mark moves on', async () => {
    const world = new JobWorld();
    world.mark('reconcile', ago(60));
    world.answers('ReconcileSince', away);
    await JOBS.reconcile(world.context);
    expect(world.marks.get('reconcile')?.at).toEqual(ago(15));
    expect([...world.behind.keys()]).toEqual([
      `payment-times ${ago(60).toISOString()}/${NOON.toISOString()}`,
    ]);
    world.answers('ReconcileSince', () => done);
    await JOBS.reconcile(world.context);
    expect(world.behind.size).toBe(0);
  });

  it('moves no mark in an outage, and leaves nothing behind', async () => {
    const world = new JobWorld();
    for (const mark of ['reconcile', 'reconcile-transfers', 'reconcile-payouts'] as const)
      world.mark(mark, ago(60));
    for (const type of ['ReconcileSince', 'ReconcileTransfers', 'ReconcilePayoutAccounts'] as const)
      world.answers(type, outage);
    for (const job of ['reconcile', 'reconcile-payouts'] as const)
      await expect(JOBS[job](world.context)).rejects.toMatchObject({ isOutage: true });
    expect(world.marks.get('reconcile')?.at).toEqual(ago(60));
    expect(world.marks.get('reconcile-payouts')?.at).toEqual(ago(60));
    expect(world.behind.size).toBe(0);
  });

  const account = (name: string, payoutsEnabled = true) => ({
    userId: `usr_${name}`,
    connectAccountId: `acct_${name}`,
    payoutsEnabled,
  });

  it('looks into payouts since its mark, day by day, and into all accounts, side by side', async () => {
    const world = new JobWorld({
      payoutAccounts: pagesOf([account('a'), account('b'), account('c', false)], 'userId'),
    });
    world.mark('reconcile-transfers', ago(36 * 60));
    world.mark('reconcile-payouts', ago(36 * 60));
    expect(await JOBS['reconcile-payouts'](world.context)).toBe('done');
    const [since, between, until] = [ago(36 * 60), ago(12 * 60), NOON].map((at) => at.toISOString());
    const asked = timesIn(world.asked);
    expect(asked.filter(({ type }) => type === 'ReconcileTransfers')).toEqual([
      { type: 'ReconcileTransfers', since, until: between },
      { type: 'ReconcileTransfers', since: between, until },
    ]);
    expect(asked.filter(({ type }) => type === 'ReconcilePayoutAccounts')).toMatchObject([
      { since, until, accounts: [{ connectAccountId: 'acct_a' }, { connectAccountId: 'acct_b' }] },
      { since, until, accounts: [{ connectAccountId: 'acct_c', isToVerify: true }] },
    ]);
    expect(world.marks.get('reconcile-payouts')?.at).toEqual(ago(15));
  });

  it('looks at each account once in a round, over as many passes as that takes, up to the moment the round began', async () => {
    const all = Array.from({ length: 60 }, (_, n) => account(String(n).padStart(2, '0')));
    const world = new JobWorld({ payoutAccounts: pagesOf(all, 'userId') });
    world.mark('reconcile-transfers', ago(60));
    world.mark('reconcile-payouts', ago(60));
    const looked: string[] = [];
    world.answers('ReconcilePayoutAccounts', ({ accounts, until }) => {
      expect(until).toBe(NOON.toISOString());
      looked.push(...accounts.map(({ connectAccountId }) => connectAccountId));
      world.pass(500);
      return done;
    });
    let passes = 1;
    while ((await JOBS['reconcile-payouts'](world.context)) === 'more') passes += 1;
    expect(passes).toBeGreaterThan(1);
    expect(looked.sort()).toEqual(all.map(({ connectAccountId }) => connectAccountId));
    expect(world.marks.get('reconcile-payouts')?.at.getTime()).toBeLessThanOrEqual(NOON.getTime());
  });

  it('goes on past an account and a payout that could not be looked into, and asks for those by themselves', async () => {
    const world = new JobWorld({ payoutAccounts: pagesOf([account('a'), account('b')], 'userId') });
    world.mark('reconcile-transfers', ago(60));
    world.mark('reconcile-payouts', ago(60));
    world.answers('ReconcileTransfers', failing('out_a'));
    world.answers('ReconcilePayoutAccounts', away);
    await expect(JOBS['reconcile-payouts'](world.context)).rejects.toThrow(LedgerAway);
    expect([...world.behind.keys()].sort()).toEqual([
      'payout-accounts acct_a',
      'payout-accounts acct_b',
      'payouts out_a',
    ]);
    world.answers('ReconcileTransfers', () => done);
    world.answers('ReconcilePayoutAccounts', () => done);
    world.pass(60_000);
    await JOBS['reconcile-payouts'](world.context);
    expect(world.behind.size).toBe(0);
    expect(world.marks.get('reconcile-payouts')?.at.getTime()).toBeLessThanOrEqual(NOON.getTime());
  });

  it('skips no account when one before it is gone after an interrupted round', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => account(id));
    const world = new JobWorld({ payoutAccounts: (after) => pagesOf(all, 'userId')(after) });
    world.mark('reconcile-payouts', ago(60));
    world.mark('reconcile-transfers', ago(60));
    const looked = new Set<string>();
    world.answers('ReconcilePayoutAccounts', ({ accounts }) => {
      const ids = accounts.map(({ connectAccountId }) => connectAccountId);
      if (ids.includes('acct_c') && all.length === 5) return outage();
      ids.forEach((id) => looked.add(id));
      return done;
    });
    await expect(JOBS['reconcile-payouts'](world.context)).rejects.toThrow(LedgerAway);
    expect(looked.has('acct_a')).toBe(true);
    all.splice(1, 1);
    await JOBS['reconcile-payouts'](world.context);
    expect([...looked].sort()).toEqual(['acct_a', 'acct_b', 'acct_c', 'acct_d', 'acct_e']);
  });

  it('lets go of what the ledger will never do', async () => {
    const world = new JobWorld();
    world.behind.set('payouts out_a', ago(60));
    world.answers('AdvancePayout', () => {
      throw new LedgerDeclined('no such payout', true);
    });
    await JOBS['reconcile-payouts'](world.context);
    expect([world.behind.size, world.declined]).toEqual([0, [{ type: 'AdvancePayout', payoutId: 'out_a' }]]);
  });
});

describe('what is asked item by item', () => {
  const charges = (...ids: string[]) => pagesOf(ids.map(charge), 'chargeId');
  const refund = (chargeId: string) => ({ type: 'RefundUnapplied', chargeId });

  it('names each by its id, and no amount', async () => {
    const world = new JobWorld({ unappliedCharges: charges('ch_a', 'ch_b') });
    await JOBS['refund-unapplied'](world.context);
    expect(world.asked).toEqual(expect.arrayContaining([refund('ch_a'), refund('ch_b')]));
    expect(world.asked).toHaveLength(2);
  });

  it('goes on after any number that are declined or cannot be done now, and tries those later', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `ch_${n}`);
    const world = new JobWorld({ unappliedCharges: charges(...ids) });
    world.answers('RefundUnapplied', ({ chargeId }) => {
      if (chargeId === 'ch_0') throw new LedgerDeclined('no', false);
      return away();
    });
    await expect(JOBS['refund-unapplied'](world.context)).rejects.toThrow('29 of 30');
    expect(world.asked).toHaveLength(30);
    expect(await JOBS['refund-unapplied'](world.context)).toBe('done');
    expect(world.asked).toHaveLength(30);
    world.pass(60_000);
    await expect(JOBS['refund-unapplied'](world.context)).rejects.toThrow(LedgerAway);
    expect(world.asked).toHaveLength(60);
  });

  it('notes no try of what could not even be asked', async () => {
    const world = new JobWorld({ unappliedCharges: charges('ch_a') });
    world.answers('RefundUnapplied', outage);
    await expect(JOBS['refund-unapplied'](world.context)).rejects.toThrow(LedgerAway);
    world.answers('RefundUnapplied', () => done);
    await JOBS['refund-unapplied'](world.context);
    expect(world.asked).toHaveLength(2);
  });

  it('looks at each open payment once at each of its ages', async () => {
    const all = [
      { id: 'pay_a', intentId: 'pi_a', openedAt: ago(26 * 60) },
      { id: 'pay_b', intentId: 'pi_b', openedAt: ago(5) },
      { id: 'pay_c', intentId: null, openedAt: ago(4) },
      { id: 'pay_d', intentId: 'pi_d', openedAt: ago(1) },
    ];
    const world = new JobWorld({ unresolvedPayments: pagesOf(all, 'id') });
    await JOBS['care-for-payments'](world.context);
    await JOBS['care-for-payments'](world.context);
    expect(world.asked).toHaveLength(3);
    expect(world.asked).toEqual(
      expect.arrayContaining([
        { type: 'CancelAbandoned', paymentId: 'pay_a' },
        { type: 'SyncPayment', intentId: 'pi_b' },
        { type: 'ResumePayment', paymentId: 'pay_c' },
      ]),
    );
  });

  it('comes to a payment however many stand before it that were looked at already', async () => {
    const all = Array.from({ length: 20_001 }, (_, n): UnresolvedPayment => ({
      id: `pay_${n}`,
      intentId: `pi_${n}`,
      openedAt: ago(n === 20_000 ? 5 : 12),
    }));
    const world = new JobWorld({ unresolvedPayments: pagesOf(all, 'id', 1_000) });
    for (const { id } of all.slice(0, -1)) await world.context.attempts.done(`${id}-2`);
    await JOBS['care-for-payments'](world.context);
    expect(world.asked).toEqual([{ type: 'SyncPayment', intentId: 'pi_20000' }]);
  });

  it('looks again soon at the one payment of which that was in vain, and at no other', async () => {
    const all = ['a', 'b', 'c'].map((id): UnresolvedPayment => ({
      id: `pay_${id}`,
      intentId: `pi_${id}`,
      openedAt: ago(5),
    }));
    const world = new JobWorld({ unresolvedPayments: pagesOf(all, 'id') });
    world.answers('SyncPayment', ({ intentId }) => (intentId === 'pi_a' ? away() : done));
    await expect(JOBS['care-for-payments'](world.context)).rejects.toThrow('1 of 3');
    world.pass(60_000);
    await expect(JOBS['care-for-payments'](world.context)).rejects.toThrow('1 of 1');
    expect(world.asked).toHaveLength(4);
  });

  it('takes every payout further whose time it is, by its id and no amount', async () => {
    const ready = {
      step: 'requested',
      changedAt: ago(5),
      payoutsEnabled: true,
      isBankGone: false,
      delays: 0,
      delayCode: null,
      isCovered: true,
      waitsItsTurn: false,
      delayedAt: null,
    } as const;
    const all: readonly UnfinishedPayoutView[] = [
      { ...ready, id: 'out_a' },
      { ...ready, id: 'out_b', payoutsEnabled: false },
      { ...ready, id: 'out_c', step: 'returned' },
    ];
    const world = new JobWorld({ unfinishedPayouts: pagesOf(all, 'id') });
    await JOBS['advance-payouts'](world.context);
    expect(world.asked).toHaveLength(2);
    expect(world.asked).toEqual(
      expect.arrayContaining(['out_a', 'out_c'].map((payoutId) => ({ type: 'AdvancePayout', payoutId }))),
    );
  });

  it('finishes bank accounts and forgetting that stopped half way', async () => {
    const world = new JobWorld({
      usersWithStuckBankAccounts: (after) => Promise.resolve(after === undefined ? ['usr_a'] : []),
      halfForgotten: (after) => Promise.resolve(after === undefined ? ['usr_b'] : []),
    });
    await JOBS['care-for-bank-accounts'](world.context);
    await JOBS['finish-forgetting'](world.context);
    expect(world.asked).toEqual([
      { type: 'CareForBankAccounts', userId: 'usr_a' },
      { type: 'ForgetUser', userId: 'usr_b' },
    ]);
  });

  it('comes to every bank account that is stuck, however many before it are tried in vain', async () => {
    const stuck = ['usr_a', 'usr_b', 'usr_c'];
    const world = new JobWorld({
      usersWithStuckBankAccounts: (after) =>
        Promise.resolve(stuck.filter((id) => id > (after ?? '')).slice(0, 2)),
    });
    await JOBS['care-for-bank-accounts'](world.context);
    expect(new Set(world.asked)).toEqual(
      new Set(stuck.map((userId) => ({ type: 'CareForBankAccounts', userId }))),
    );
  });

  it('asks for everybody whose wait to be forgotten is over, each once a page', async () => {
    const world = new JobWorld({
      dueToBeForgotten: (_now, after) => Promise.resolve(after === undefined ? ['usr_a', 'usr_b'] : []),
    });
    await JOBS['forget-who-asked'](world.context);
    expect(world.asked).toEqual([
      { type: 'CarryOutForgetting', userId: 'usr_a' },
      { type: 'CarryOutForgetting', userId: 'usr_b' },
    ]);
  });
});

describe('schedules that are due', () => {
  const due = (id: string, wakeAt = ago(9)): DueSchedule => ({
    id,
    kind: 'subscription',
    dueAt: ago(9),
    attempt: 1,
    wakeAt,
  });

  it('are made jobs of, all pages of them', async () => {
    const all = [1, 2, 3, 4, 5].map((n) => due(`sub_${n}`));
    const pages = pagesOf(all, 'id');
    const enqueued: string[] = [];
    const world = new JobWorld({
      dueSchedules: (now, after) => {
        expect(now).toEqual(NOON);
        return pages(after);
      },
      enqueue: (dues) => Promise.resolve(void enqueued.push(...dues.map(({ id }) => id))),
    });
    await JOBS['find-due-schedules'](world.context);
    expect(enqueued).toEqual(['sub_1', 'sub_2', 'sub_3', 'sub_4', 'sub_5']);
    expect(world.asked).toEqual([]);
  });

  it('are left alone where they were just tried in vain, and come after the others when they are due again', async () => {
    const [tried, fresh] = [due('sub_a'), due('sub_b')];
    const enqueued: string[] = [];
    const world = new JobWorld({
      dueSchedules: (_, after) => pagesOf([tried, fresh], 'id')(after),
      enqueue: (dues, isRetry) =>
        Promise.resolve(void enqueued.push(...dues.map(({ id }) => `${id} ${isRetry}`))),
    });
    await world.context.attempts.note(jobIdOf(tried));
    await JOBS['find-due-schedules'](world.context);
    expect(enqueued).toEqual(['sub_b false']);
    world.pass(60_000);
    await JOBS['find-due-schedules'](world.context);
    expect(enqueued.slice(1)).toEqual(['sub_b false', 'sub_a true']);
  });

  it('makes only as many jobs as Redis can hold, the oldest first, with few retries among them', async () => {
    const wakeAt = new Date(NOON);
    const all = Array.from({ length: 20_000 }, (_, n) => ({
      id: `sub_${n}`,
      kind: 'subscription' as const,
      dueAt: wakeAt,
      attempt: 1,
      wakeAt,
    }));
    const made = { fresh: new Set<string>(), retried: new Set<string>() };
    const world = new JobWorld({
      dueSchedules: (_, after) => {
        const from = after ? all.findIndex(({ id }) => id === after.id) + 1 : 0;
        return Promise.resolve(all.slice(from, from + 200));
      },
      enqueue: (dues, isRetry) => {
        for (const { id } of dues) made[isRetry ? 'retried' : 'fresh'].add(id);
        return Promise.resolve();
      },
    });
    // The first half is in trouble.
    for (const due of all.slice(0, 10_000)) world.tries.set(jobIdOf(due), { tries: 3, againAtMs: 0 });
    await JOBS['find-due-schedules'](world.context);
    expect([made.fresh.size, made.retried.size]).toEqual([5_000, 1_000]);
    expect(made.fresh.has('sub_10000')).toBe(true);
    expect(made.retried.has('sub_0')).toBe(true);
    // What was done is due no more.
    all.splice(10_000, 5_000);
    await JOBS['find-due-schedules'](world.context);
    expect(made.fresh.size).toBe(10_000);
  });
});
