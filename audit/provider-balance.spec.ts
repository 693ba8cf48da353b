/** The books against the balance at the card provider: what each side has and the other has not. */
import { describe, expect, it } from '@jest/globals';
import { Journal } from '#ledger/journal/journal';
import type { JournalCommand } from '#ledger/journal/commands';
import { archiveOf } from '#test/support/log-archive';
import {
  AT,
  contextOf,
  JUNO,
  MILO,
  open,
  openAccount,
  providerFee,
  refund,
  settle,
} from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { checkProvider, type ProviderMovement } from './provider-balance.js';

const tip = { paymentId: 'pay_1', amount: '20.00' };
const paid: readonly JournalCommand[] = [
  openAccount(JUNO),
  openAccount(MILO),
  open(tip),
  settle(tip),
  providerFee(tip, '0.88'),
];
const movement = (id: string, netMinor: number, over: Partial<ProviderMovement> = {}): ProviderMovement => ({
  id,
  type: 'charge',
  netMinor,
  currency: 'usd',
  createdAt: AT,
  source: { kind: 'other' },
  ...over,
});
const charge = movement('txn_fee_pay_1', 1_912, { source: { kind: 'charge', id: 'ch_pay_1' } });

/** What the audit finds, all of it, and whether it passed. */
async function found(
  commands: readonly JournalCommand[],
  movements: readonly ProviderMovement[],
  { balance = movements.reduce((sum, { netMinor }) => sum + netMinor, 0), foreign = [] as string[] } = {},
): Promise<string[]> {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  for (const command of commands) await journal.execute(command, contextOf(command));
  const checks = await checkProvider(log, {
    total: () => Promise.resolve(new Map([['usd', balance]])),
    movements: async function* () {
      await Promise.resolve();
      yield* movements;
    },
    counted: () => Promise.resolve(new Map(foreign.map((id) => [id, 'foreign' as const]))),
  });
  return checks.flatMap(({ findings }) => findings);
}

describe('the books and the balance at the card provider', () => {
  it('are the same where every movement has its entry, and every entry its movement', async () => {
    expect(await found(paid, [charge])).toEqual([]);
  });
  it('are the same beside what was counted as somebody else’s', async () => {
    expect(await found(paid, [movement('txn_x', 500), charge], { foreign: ['txn_x'] })).toEqual([]);
  });
  it('differ by a movement that nobody has counted', async () => {
    expect(await found(paid, [movement('txn_x', 500, { type: 'topup' }), charge])).toEqual([
      'the balance is 5.00 usd off what books and foreign movements explain',
      expect.stringContaining('txn_x (topup'),
    ]);
  });
  it('differ by a movement of ours that was called somebody else’s: the log knows better', async () => {
    expect(await found(paid, [{ ...charge, netMinor: 1_900 }], { foreign: [charge.id] })).toEqual([
      'the balance is -0.12 usd off what books and foreign movements explain',
      expect.stringContaining('the books have 19.12 usd of it'),
    ]);
  });
  it('differ by an entry of which the provider knows nothing', async () => {
    expect(await found([...paid, refund(tip, '5.00', 're_1')], [charge])).toEqual([
      'the balance is 5.00 usd off what books and foreign movements explain',
      expect.stringContaining('refund re_1 usd, and the provider shows none'),
    ]);
  });
  it('are the same where a refund left and came back before anybody booked it', async () => {
    const source = { kind: 'refund', id: 're_1' };
    const pair = [
      movement('txn_back', 500, { type: 'refund_failure', source }),
      movement('txn_out', -500, { type: 'refund', source }),
    ];
    expect(await found(paid, [...pair, charge])).toEqual([]);
  });
  it('cannot be judged where the provider’s movements are not its balance', async () => {
    expect(await found(paid, [charge], { balance: 2_000 })).toEqual([
      "the provider's movements add up to 19.12 usd, and its balance is 20.00 usd",
      'the balance is 0.88 usd off what books and foreign movements explain',
    ]);
  });
});
