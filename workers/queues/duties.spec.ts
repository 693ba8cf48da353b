import { describe, expect, it } from '@jest/globals';
import type { InternalCommand } from '#contracts/api/internal';
import { LedgerAway, LedgerDeclined } from '../ledger-client.js';
import { DUTIES, type DutyName, type World } from './duties.js';

const NOON = new Date('2026-03-10T12:00:00.000Z');
const ago = (minutes: number): Date => new Date(NOON.getTime() - minutes * 60_000);

function world(over: Partial<World> = {}) {
  const asked: InternalCommand[] = [];
  const declined: InternalCommand[] = [];
  const marks = new Map<DutyName, Date>();
  const value: World = {
    now: () => NOON,
    marks: {
      get: (duty) => Promise.resolve(marks.get(duty)),
      set: (duty, at) => Promise.resolve(void marks.set(duty, at)),
    },
    ask: (command) => {
      asked.push(command);
      return Promise.resolve({ looked: 1, failed: [] });
    },
    unappliedCharges: () => Promise.resolve([]),
    unresolvedPayments: () => Promise.resolve([]),
    unfinishedPayouts: () => Promise.resolve([]),
    payoutRetryMs: 300_000,
    usersWithStuckBankAccounts: () => Promise.resolve([]),
    dueSchedules: () => Promise.resolve([]),
    enqueue: () => Promise.resolve(),
    declined: (command) => void declined.push(command),
    ...over,
  };
  return { value, asked, declined, marks };
}

describe('a tick', () => {
  it('reconciles up to now and remembers it', async () => {
    const { value, asked, marks } = world();
    marks.set('reconcile', ago(60));
    await DUTIES.reconcile(value);
    expect(asked).toHaveLength(1);
    expect(marks.get('reconcile')).toEqual(NOON);
  });

  it('remembers a long way back stretch by stretch, and stops where the ledger goes away', async () => {
    let answers = 0;
    const { value, marks } = world({
      ask: () => (++answers > 3 ? Promise.reject(new LedgerAway('away')) : Promise.resolve({ looked: 0, failed: [] })),
    });
    await expect(DUTIES.reconcile(value)).rejects.toThrow(LedgerAway);
    expect(marks.get('reconcile')).toEqual(ago(27 * 24 * 60));
  });

  it('does not pass over payments that could not be booked', async () => {
    const { value, marks } = world({ ask: () => Promise.resolve({ looked: 2, failed: ['pi_a'] }) });
    marks.set('reconcile', ago(60));
    await expect(DUTIES.reconcile(value)).rejects.toThrow('pi_a');
    expect(marks.get('reconcile')).toEqual(ago(60));
  });

  it('looks at the later stretches too when an earlier one has such a payment', async () => {
    const stretches: InternalCommand[] = [];
    const { value, marks } = world({
      ask: (command) => Promise.resolve({ looked: 1, failed: stretches.push(command) === 1 ? ['pi_a'] : [] }),
    });
    await expect(DUTIES.reconcile(value)).rejects.toThrow('pi_a');
    expect(stretches).toHaveLength(30);
    expect(marks.has('reconcile')).toBe(false);
  });

  it('asks for each unapplied charge to be given back, by its id and no amount', async () => {
    const { value, asked } = world({ unappliedCharges: () => Promise.resolve([{ chargeId: 'ch_a' }, { chargeId: 'ch_b' }]) });
    await DUTIES['refund-unapplied'](value);
    expect(asked).toEqual([
      { type: 'RefundUnapplied', chargeId: 'ch_a' },
      { type: 'RefundUnapplied', chargeId: 'ch_b' },
    ]);
  });

  it('goes on after a command that the ledger declines', async () => {
    const charges = [{ chargeId: 'ch_a' }, { chargeId: 'ch_b' }];
    const asked: InternalCommand[] = [];
    const { value, declined } = world({
      unappliedCharges: () => Promise.resolve(charges),
      ask: (command) => {
        asked.push(command);
        return Promise.reject(new LedgerDeclined('no'));
      },
    });
    await DUTIES['refund-unapplied'](value);
    expect(asked).toHaveLength(2);
    expect(declined).toHaveLength(2);
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
    await DUTIES['care-for-payments'](value);
    expect(asked).toEqual([
      { type: 'CancelAbandoned', paymentId: 'pay_a' },
      { type: 'SyncPayment', intentId: 'pi_b' },
      { type: 'ResumePayment', paymentId: 'pay_c' },
    ]);
    await DUTIES['care-for-payments'](value);
    expect(asked).toHaveLength(3);
    expect(marks.get('care-for-payments')).toEqual(NOON);
  });

  it('does not keep the others waiting for one payment that cannot be looked at now, and makes the pass again', async () => {
    const { value, asked, marks } = world({
      unresolvedPayments: (after) =>
        Promise.resolve(after ? [] : ['a', 'b', 'c'].map((id) => ({ id: `pay_${id}`, intentId: `pi_${id}`, openedAt: ago(5) }))),
    });
    const { ask } = value;
    const choosy = (command: Parameters<typeof ask>[0]) =>
      'intentId' in command && command.intentId === 'pi_a'
        ? Promise.reject(new LedgerAway('the provider chokes on it'))
        : ask(command);
    await expect(DUTIES['care-for-payments']({ ...value, ask: choosy })).rejects.toThrow(LedgerAway);
    expect(asked).toEqual([
      { type: 'SyncPayment', intentId: 'pi_b' },
      { type: 'SyncPayment', intentId: 'pi_c' },
    ]);
    expect(marks.has('care-for-payments')).toBe(false);
  });

  it('looks again at the next tick when the ledger was away', async () => {
    const { value, marks } = world({
      unresolvedPayments: (after) => Promise.resolve(after ? [] : [{ id: 'pay_a', intentId: 'pi_a', openedAt: ago(5) }]),
      ask: () => Promise.reject(new LedgerAway('away')),
    });
    await expect(DUTIES['care-for-payments'](value)).rejects.toThrow(LedgerAway);
    expect(marks.has('care-for-payments')).toBe(false);
  });

  it('looks into payouts since the last pass, in one stretch, and remembers it', async () => {
    const { value, asked, marks } = world();
    marks.set('reconcile-payouts', ago(3 * 24 * 60));
    await DUTIES['reconcile-payouts'](value);
    expect(asked).toEqual([{ type: 'ReconcilePayouts', since: ago(3 * 24 * 60 + 15).toISOString(), until: NOON.toISOString() }]);
    expect(marks.get('reconcile-payouts')).toEqual(NOON);
  });

  it('looks into them again when some could not be looked into', async () => {
    const { value, marks } = world({ ask: () => Promise.resolve({ looked: 2, failed: ['po_a'] }) });
    await expect(DUTIES['reconcile-payouts'](value)).rejects.toThrow('po_a');
    expect(marks.has('reconcile-payouts')).toBe(false);
  });

  it('takes every payout further whose time it is, page after page, by its id and no amount', async () => {
    const ready = {
      step: 'requested',
      changedAt: ago(5),
      payoutsEnabled: true,
      isRemoved: false,
      delays: 0,
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
    await DUTIES['advance-payouts'](value);
    expect(asked).toEqual([
      { type: 'AdvancePayout', payoutId: 'out_a' },
      { type: 'AdvancePayout', payoutId: 'out_c' },
    ]);
    expect(marks.get('advance-payouts')).toEqual(NOON);
  });

  it('asks for bank accounts that got stuck, user by user', async () => {
    const { value, asked } = world({ usersWithStuckBankAccounts: () => Promise.resolve(['usr_a', 'usr_b']) });
    await DUTIES['care-for-bank-accounts'](value);
    expect(asked).toEqual([
      { type: 'CareForBankAccounts', userId: 'usr_a' },
      { type: 'CareForBankAccounts', userId: 'usr_b' },
    ]);
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
    await DUTIES['find-due-schedules'](value);
    expect(enqueued).toEqual(['sub_1', 'sub_2', 'sub_3', 'sub_4', 'sub_5']);
    expect(asked).toEqual([]);
  });
});
