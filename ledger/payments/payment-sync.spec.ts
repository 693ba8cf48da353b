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
import { declinesWith } from '#test/support/declines';
import { CountedFigures } from '#test/support/provider-figures';
import { WritesClosed } from '../rejection.js';
import { BookedHints } from './booked-hints.js';
import { DeclinedPayments } from './declined-payments.js';
import { PaymentOwnership } from './payment-ownership.js';
import { PaymentProcess } from './payments.handlers.js';
import { PaymentSync } from './payment-sync.js';

const now = (): string => new Date().toISOString();
const BY = { correlationId: 'spec' };
const toJuno = { paymentId: 'pay_juno', amount: '20.00' };
const toAda = { paymentId: 'pay_ada', amount: '20.00', to: ADA };

/** What the provider shows of the payment to Juno. */
const paid = (over: Partial<ProviderPayment> = {}): ProviderPayment => ({
  intentId: 'pi_pay_juno',
  paymentId: 'pay_juno',
  isSealed: true,
  canceled: undefined,
  charges: [
    {
      chargeId: 'ch_1',
      status: 'succeeded',
      amountMinor: 2_000,
      currency: 'usd',
      createdAt: AT,
      failure: undefined,
      fee: {
        balanceTransactionId: 'txn_fee',
        amountMinor: 88,
        currency: 'usd',
        netMinor: 1912,
        availableOn: AT,
        at: AT,
      },
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
  const figures = new CountedFigures();
  const ownership = new PaymentOwnership(journal);
  const silent = pino({ level: 'silent' });
  let shown = paid();
  const refundsAsked: string[] = [];
  const canceled: string[] = [];
  let isAway = false;
  let isPastCanceling = false;
  const provider = {
    payment: () => Promise.resolve(shown),
    cancel: (intentId: string) => {
      if (isAway) return Promise.reject(new Error('The provider is away.'));
      canceled.push(intentId);
      if (canceled.length > 10) return Promise.reject(new Error('It is asked again and again.'));
      if (!isPastCanceling) shown = { ...shown, canceled: { reason: 'abandoned', at: AT } };
      return Promise.resolve();
    },
    refundRest: (chargeId: string) => {
      refundsAsked.push(chargeId);
      return Promise.resolve([{ ...refund(`re_${chargeId}`, 2_000), chargeId, createdAt: now() }]);
    },
  };
  const bus = {
    execute: ({ command, context }: ExecuteJournalCommand) => journal.execute(command, context),
  };
  const sync = new PaymentSync(
    bus as unknown as CommandBus,
    ownership,
    new BookedHints(journal),
    figures,
    provider as unknown as CardProvider,
    new InternalCommands(),
    silent,
    { found: (kind, id) => Promise.reject(new WritesClosed(`lost ${kind} ${id}`)) },
    new DeclinedPayments(
      journal,
      declinesWith(),
      provider as unknown as CardProvider,
      { perPayment: 5 },
      silent,
    ),
  );
  const process = new PaymentProcess(
    journal,
    provider as unknown as CardProvider,
    sync,
    ownership,
    figures,
    { perHour: 2 },
    new InternalCommands(),
    silent,
  );
  const people = [JUNO, MILO, ADA].map(openAccount);
  for (const command of [...people, open(toJuno), open(toAda), submit(toJuno)])
    await journal.execute(command, contextOf(command));
  return {
    journal,
    figures,
    refundsAsked,
    canceled,
    /** The provider cancels nothing while it is away. */
    away: (away: boolean) => void (isAway = away),
    /** What is being paid right now is not canceled, and that is no failure. */
    pastCanceling: () => void (isPastCanceling = true),
    follow: (next: ProviderPayment, chargeId: string) => {
      shown = next;
      const told = { chargeId, tells: 'declined', isTwin: false, isMarked: true } as const;
      return sync.follow({ intentId: next.intentId, ...told }, BY);
    },
    giveBack: (chargeId: string) => process.refundUnapplied(chargeId, BY),
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
      fees: [],
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

describe('an object of somebody else’s in the same account', () => {
  const foreign = (over: Partial<ProviderPayment> = {}): ProviderPayment => ({
    ...paid({ refunds: [refund('re_theirs', 100)] }),
    intentId: 'pi_theirs',
    isSealed: false,
    ...over,
  });

  it.each([undefined, 'pay_nobodys', 'pay_juno', 'pay_ada', ''])(
    'is counted and not booked, whatever its metadata name (%s)',
    async (paymentId) => {
      const { sees, entries, figures } = await world();
      const before = entries().length;
      await sees(foreign({ paymentId }));
      expect(entries()).toHaveLength(before);
      expect(figures.seen).toEqual(['foreign payment']);
    },
  );

  it('is not booked either when all of our metadata were copied to it', async () => {
    const { sees, entries, balances, figures } = await world();
    await sees(foreign({ isSealed: true, paymentId: 'pay_juno' }));
    expect(balances()).toEqual({ juno: 0, ada: 0 });
    expect(entries()).toHaveLength(6);
    expect(figures.seen).toEqual(['unknown payment pi_theirs']);
  });
});

describe('an object of ours that the log does not know', () => {
  it('closes the gate before the log, and is neither booked nor refunded: the log has lost something', async () => {
    const { sees, entries, figures } = await world();
    await expect(sees(paid({ intentId: 'pi_lost', paymentId: 'pay_lost' }))).rejects.toThrow(WritesClosed);
    expect(entries()).toHaveLength(6);
    expect(figures.seen).toEqual(['unknown payment pi_lost']);
  });

  it('is its payment’s where no object was recorded yet: its answer was lost', async () => {
    const { sees, journal, balances } = await world();
    await sees(paid({ intentId: 'pi_ada', paymentId: 'pay_ada' }));
    expect(balances()).toEqual({ juno: 0, ada: 2_000 });
    expect(await journal.paymentOfIntent('pi_ada')).toBe('pay_ada');
  });
});

describe('a second object that failures of the provider made for a payment', () => {
  it('is recorded too when it was made by us, and both name the payment', async () => {
    const { journal, sees, entries, figures } = await world();
    const second = { type: 'SubmitPayment', paymentId: 'pay_juno', intentId: 'pi_second' } as const;
    await journal.execute(second, BY);
    expect(await journal.paymentOfIntent('pi_pay_juno')).toBe('pay_juno');
    expect(await journal.paymentOfIntent('pi_second')).toBe('pay_juno');
    expect(await journal.look('payment', 'pay_juno')).toMatchObject({ intentId: 'pi_pay_juno' });
    await sees(paid());
    const again = { ...paid().charges[0]!, chargeId: 'ch_2', fee: undefined };
    await sees(paid({ intentId: 'pi_second', charges: [again] }));
    expect(entries().at(-1)).toMatchObject({ type: 'UnappliedReceived', data: { chargeId: 'ch_2' } });
    expect(figures.seen).toEqual([]);
  });
});

describe('a refund by ourselves', () => {
  const again = (chargeId: string): ProviderPayment =>
    paid({ charges: [...paid().charges, { ...paid().charges[0]!, chargeId, fee: undefined }] });

  it('touches a charge whose object the journal recorded', async () => {
    const { sees, giveBack, refundsAsked, figures } = await world();
    await sees(again('ch_2'));
    await giveBack('ch_2');
    expect(refundsAsked).toEqual(['ch_2']);
    expect(figures.seen).toEqual(['refunded']);
  });

  it('never touches another, also one that an older version booked as unapplied', async () => {
    const { journal, giveBack, refundsAsked, figures } = await world();
    const theirs = { paymentId: undefined, intentId: 'pi_theirs', chargeId: 'ch_theirs' };
    await journal.execute(
      { type: 'SettlePayment', ...theirs, amountMinor: 2_000, currency: 'usd', occurredAt: AT },
      BY,
    );
    await expect(giveBack('ch_theirs')).rejects.toMatchObject({ reason: 'RefundNotOurs' });
    expect(refundsAsked).toEqual([]);
    expect(figures.seen).toEqual(['withheld not-recorded']);
  });

  it('is made so often within an hour and no more; the rest waits', async () => {
    const { sees, giveBack, refundsAsked, figures } = await world();
    for (const chargeId of ['ch_2', 'ch_3', 'ch_4']) await sees(again(chargeId));
    await giveBack('ch_2');
    await giveBack('ch_3');
    await expect(giveBack('ch_4')).rejects.toThrow('has to wait');
    expect(refundsAsked).toEqual(['ch_2', 'ch_3']);
    expect(figures.seen.at(-1)).toBe('withheld cap');
  });
});

describe('a payment that settles after its recipient has left', () => {
  it('is unapplied, goes back to its payer and is open no more', async () => {
    const { sees, entries, journal, giveBack, balances } = await world();
    await journal.execute({ type: 'CloseAccount', userId: JUNO }, { correlationId: 'spec' });
    await sees(paid());
    await sees(paid());
    expect(
      entries()
        .map(({ type }) => type)
        .slice(-4),
    ).toEqual(['AccountClosed', 'UnappliedReceived', 'ProviderFeeBooked', 'PaymentCanceled']);
    await giveBack('ch_1');
    expect(entries().at(-1)?.type).toBe('UnappliedRefunded');
    expect(balances()).toEqual({ juno: 0, ada: 0 });
  });
});

describe('a payment that is declined', () => {
  const declined = (n: number): ProviderPayment =>
    paid({
      charges: Array.from({ length: n }, (_, i) => ({
        ...paid().charges[0]!,
        chargeId: `ch_${i}`,
        status: 'failed' as const,
        failure: { code: 'card_declined', reason: 'Your card was declined.' },
        fee: undefined,
        card: `fp_${i}`,
      })),
    });
  const types = (entries: JournalEvent[]): string[] => entries.map(({ type }) => type);

  it('may be tried with another card four times, and is canceled at the provider by the fifth decline', async () => {
    const { sees, canceled, entries } = await world();
    for (const n of [1, 2, 3, 4]) await sees(declined(n));
    expect(canceled).toEqual([]);
    await sees(declined(5));
    expect(canceled).toEqual(['pi_pay_juno']);
    expect(types(entries()).filter((type) => type === 'PaymentAttemptFailed')).toHaveLength(5);
    expect(types(entries()).at(-1)).toBe('PaymentCanceled');
  });

  it('is asked to be canceled once a look where it is past canceling: its money is on the way', async () => {
    const { sees, pastCanceling, canceled, entries } = await world();
    pastCanceling();
    await sees(declined(5));
    await sees(declined(5));
    expect(canceled).toEqual(['pi_pay_juno', 'pi_pay_juno']);
    expect(types(entries()).at(-1)).toBe('PaymentAttemptFailed');
  });

  it('is canceled also where whoever booked the fifth decline ended before it', async () => {
    const { sees, away, follow, canceled, entries } = await world();
    away(true);
    await expect(sees(declined(5))).rejects.toThrow('away');
    expect(types(entries()).filter((type) => type === 'PaymentAttemptFailed')).toHaveLength(5);
    away(false);
    await follow(declined(5), 'ch_4');
    expect(canceled).toEqual(['pi_pay_juno']);
    expect(types(entries()).at(-1)).toBe('PaymentCanceled');
  });

  it('is counted once, however often the provider tells of it', async () => {
    const { sees, follow, canceled } = await world();
    for (let times = 0; times < 12; times++) {
      await sees(declined(1));
      await follow(declined(1), 'ch_0');
    }
    // Ten declines of one payer would have stopped it.
    expect(canceled).toEqual([]);
  });
});
