/**
 * Payments read at a provider whose account is not ours alone and whose metadata people edit: each object is
 * booked to the payment that the journal recorded it for.
 */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import type { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { Journal } from '#ledger/journal/journal';
import type { CardProvider } from '#ledger/stripe/card-provider';
import type { ProviderPayment } from '#ledger/stripe/provider-payment';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import { available } from '#contracts/plain/accounts';
import { recorded } from '#log/event-log';
import { archiveOf } from '#test/support/log-archive';
import {
  ADA,
  AT,
  contextOf,
  JUNO,
  MILO,
  open,
  openAccount,
  submit,
  transfer,
} from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { PaymentSync } from './payment-sync.js';

const BY = { correlationId: 'spec' };
const toJuno = { paymentId: 'pay_juno', amount: '20.00' };
const toAda = { paymentId: 'pay_ada', amount: '20.00', to: ADA };

/** What the provider shows of the payment to Juno. */
const paid = (over: Partial<ProviderPayment> = {}): ProviderPayment => ({
  intentId: 'pi_pay_juno',
  paymentId: 'pay_juno',
  canceled: undefined,
  charges: [
    {
      chargeId: 'ch_1',
      status: 'succeeded',
      amountMinor: 2_000,
      currency: 'usd',
      createdAt: AT,
      failure: undefined,
      fee: { balanceTransactionId: 'txn_fee', amountMinor: 88, currency: 'usd', at: AT },
    },
  ],
  refunds: [],
  disputes: [],
  ...over,
});
const refund = (refundId: string, amountMinor: number) => ({
  refundId,
  chargeId: 'ch_1',
  status: 'given' as const,
  isFinal: true,
  amountMinor,
  currency: 'usd',
  createdAt: AT,
  failureReason: undefined,
});

async function world(window = { ms: 600_000, entries: 200_000 }) {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log), window });
  let shown = paid();
  const bus = {
    execute: ({ command, context }: ExecuteJournalCommand) => journal.execute(command, context),
  };
  const sync = new PaymentSync(
    bus as unknown as CommandBus,
    journal,
    { payment: () => Promise.resolve(shown) } as unknown as CardProvider,
    new InternalCommands(),
    pino({ level: 'silent' }),
  );
  const people = [JUNO, MILO, ADA].map(openAccount);
  for (const command of [...people, open(toJuno), open(toAda), submit(toJuno)])
    await journal.execute(command, contextOf(command));
  return {
    journal,
    /** The provider shows this, and it is booked. */
    async sees(next: ProviderPayment): Promise<void> {
      shown = next;
      await sync.payment(next.intentId, BY);
    },
    /** What came before leaves the memory. */
    async forgets(): Promise<void> {
      for (const n of [1, 2, 3, 4]) {
        const unrelated = transfer('0.01', JUNO, MILO, `trf_${n}`);
        await journal.execute(unrelated, contextOf(unrelated));
      }
    },
    entries: (): JournalEvent[] =>
      log.all
        .filter(({ stream }) => stream === JOURNAL)
        .map((raw) => recorded(raw) as unknown as JournalEvent),
    keys: () => log.all.map((raw) => recorded(raw).metadata.key),
    balances: () => ({
      juno: journal.balanceOf(available(JUNO)),
      ada: journal.balanceOf(available(ADA)),
    }),
  };
}

describe('metadata that people edited', () => {
  it('before the settlement does not change who is credited', async () => {
    const { sees, balances } = await world();
    await sees(paid({ paymentId: 'pay_ada' }));
    expect(balances()).toEqual({ juno: 2_000, ada: 0 });
  });

  it('before the settlement does not change it either when the payment has long been open', async () => {
    const { sees, forgets, journal, balances } = await world({ ms: 600_000, entries: 1 });
    const gift = open({ paymentId: 'pay_gift', amount: '1.00' });
    await journal.execute(gift, contextOf(gift));
    const given = { paymentId: 'pay_gift', intentId: 'pi_gift' };
    await sees(
      paid({ ...given, charges: [{ ...paid().charges[0]!, chargeId: 'ch_gift', amountMinor: 100 }] }),
    );
    await forgets();
    await sees(paid({ paymentId: 'pay_ada' }));
    expect(balances()).toEqual({ juno: 2_096, ada: 0 });
  });

  it('after it does not change whose money a refund, a dispute or a fee takes', async () => {
    const { sees, balances, entries } = await world();
    await sees(paid({ charges: [{ ...paid().charges[0]!, fee: undefined }] }));
    const movement = {
      balanceTransactionId: 'txn_out',
      kind: 'withdrawn' as const,
      amountMinor: 500,
      currency: 'usd',
      feeMinor: 0,
      feeCurrency: 'usd',
      at: AT,
    };
    const dispute = {
      disputeId: 'dp_1',
      chargeId: 'ch_1',
      amountMinor: 500,
      currency: 'usd',
      reason: 'fraudulent',
      openedAt: AT,
      movements: [movement],
      outcome: undefined,
    };
    const edited = paid({ paymentId: 'pay_ada', refunds: [refund('re_1', 700)], disputes: [dispute] });
    await sees(edited);
    expect(balances()).toEqual({ juno: 800, ada: 0 });
    const about = entries().filter(({ type }) => /Refunded|Dispute|Fee/.test(type));
    expect(about.map(({ data }) => 'paymentId' in data && data.paymentId)).toEqual(Array(4).fill('pay_juno'));
  });

  it('never has one refund booked twice, also when the payment has left the memory', async () => {
    const { sees, balances, keys, forgets } = await world({ ms: 600_000, entries: 1 });
    await sees(paid({ refunds: [refund('re_1', 700)] }));
    await forgets();
    for (const paymentId of ['pay_ada', 'pay_juno', undefined, 'pay_nobodys'])
      await sees(paid({ paymentId, refunds: [refund('re_1', 700)] }));
    expect(balances()).toEqual({ juno: 1_296, ada: 0 });
    expect(new Set(keys()).size).toBe(keys().length);
  });
});

describe('a second object that failures of the provider made for a payment', () => {
  it('is recorded too, and both name the payment', async () => {
    const { sees, journal, entries } = await world();
    await sees(paid({ intentId: 'pi_second', charges: [] }));
    const named = entries().flatMap((entry) =>
      entry.type === 'PaymentSubmitted' ? [entry.data.intentId] : [],
    );
    expect(named).toEqual(['pi_pay_juno', 'pi_second']);
    expect(await journal.paymentOfIntent('pi_pay_juno')).toBe('pay_juno');
    expect(await journal.paymentOfIntent('pi_second')).toBe('pay_juno');
    expect(await journal.look('payment', 'pay_juno')).toMatchObject({ intentId: 'pi_pay_juno' });
    await sees(paid({ intentId: 'pi_second', charges: [] }));
    expect(entries()).toHaveLength(7);
  });
});
