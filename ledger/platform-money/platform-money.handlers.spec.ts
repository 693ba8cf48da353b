/**
 * The books against the balance at the card provider, movement by movement: in an account of our own, and in
 * one that others use too.
 */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { JOURNAL } from '#contracts/events/journal';
import type { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import type { JournalCommand } from '#ledger/journal/commands';
import { idFrom } from '#ledger/journal/keys';
import { Journal } from '#ledger/journal/journal';
import type { BalanceSource, BalanceTransaction } from '#ledger/stripe/balance-transaction';
import type { ProviderBalance, WaitingCharge } from '#ledger/stripe/provider-balance';
import { archiveOf } from '#test/support/log-archive';
import {
  AT,
  contextOf,
  dispute,
  JUNO,
  minor,
  MILO,
  open,
  openAccount,
  providerFee,
  refund,
  settle,
  submit,
} from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { BalanceOwnership } from './balance-ownership.js';
import type {
  BalancePass,
  BalanceState,
  BalanceTables,
  CountedSum,
  CountedTransaction,
  CurrencyComparison,
} from './balance-tables.js';
import { PlatformMoney } from './platform-money.handlers.js';

const BY = { correlationId: 'spec' };
const PAGE = 10;

type Movement = Partial<BalanceTransaction> & { readonly type: string; readonly net: string };
const signed = (decimal: string): number =>
  decimal.startsWith('-') ? -minor(decimal.slice(1)) : minor(decimal);

/** The provider's balance: what moved in it, the newest last. */
class BalanceAtProvider {
  readonly moved: BalanceTransaction[] = [];
  /** Runs before and after each reading: what happens meanwhile. */
  meanwhile: () => Promise<void> = () => Promise.resolve();

  move({ net, type, feeMinor = 0, ...over }: Movement): BalanceTransaction {
    const netMinor = signed(net);
    const id = `txn_${this.moved.length + 1}`;
    const source: BalanceSource = { kind: 'other' };
    const amountMinor = netMinor + feeMinor;
    const currency = 'usd';
    const transaction = {
      id,
      type,
      netMinor,
      feeMinor,
      amountMinor,
      currency,
      createdAt: AT,
      source,
      ...over,
    };
    this.moved.push(transaction);
    return transaction;
  }

  async page({ after }: { after?: string }) {
    await this.meanwhile();
    const newestFirst = [...this.moved].reverse();
    const from = after === undefined ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
    const transactions = newestFirst.slice(from, from + PAGE);
    await this.meanwhile();
    return { transactions, hasMore: from + PAGE < newestFirst.length };
  }
  /** Taken, and not in the balance yet. */
  readonly waiting: WaitingCharge[] = [];
  async waitingCharges() {
    await this.meanwhile();
    return [...this.waiting];
  }
  transaction = (wanted: string) => Promise.resolve(this.moved.find(({ id }) => id === wanted));
  payoutOfTransfer = () => Promise.resolve(PAYOUT);
  async total() {
    await this.meanwhile();
    const totals = new Map<string, number>();
    for (const { currency, netMinor } of this.moved)
      totals.set(currency, (totals.get(currency) ?? 0) + netMinor);
    await this.meanwhile();
    return totals;
  }
}
const PAYOUT = idFrom('out', 'spec');

class MemoryTables {
  readonly counted = new Map<string, CountedTransaction>();
  kept: BalanceState = {
    readThrough: undefined,
    newestId: undefined,
    pass: undefined,
    wholePassAt: undefined,
    comparedAt: undefined,
    comparison: [],
  };
  alone = <T>(work: () => Promise<T>) => work();
  state = () => Promise.resolve(this.kept);
  keepPage({ counted, booked, pass, readThrough, newestId }: Parameters<BalanceTables['keepPage']>[0]) {
    for (const each of counted) this.counted.set(each.transaction.id, each);
    for (const id of booked) this.counted.delete(id);
    this.kept = {
      ...this.kept,
      pass,
      readThrough: readThrough ?? this.kept.readThrough,
      newestId: newestId ?? this.kept.newestId,
    };
    return Promise.resolve();
  }
  beginWholePass(pass: BalancePass) {
    this.kept = { ...this.kept, pass, wholePassAt: new Date(pass.beganAt) };
    return Promise.resolve();
  }
  foreignWithoutPayment = () =>
    Promise.resolve(
      [...this.counted.values()]
        .filter(({ kind, transaction: { source } }) => kind === 'foreign' && source.kind === 'other')
        .map(({ transaction }) => transaction),
    );
  settle = (ids: readonly string[]) => Promise.resolve(ids.forEach((id) => this.counted.delete(id)));
  unbooked = () =>
    Promise.resolve(
      [...this.counted.values()].filter(({ kind }) => kind === 'unbooked').map((each) => each.transaction),
    );
  sums(): Promise<CountedSum[]> {
    return Promise.resolve(
      (['foreign', 'unbooked'] as const).map((kind) => {
        const ofKind = [...this.counted.values()].filter((each) => each.kind === kind);
        const netMinor = ofKind.reduce((sum, each) => sum + each.netMinor, 0);
        return { kind, currency: 'usd', netMinor, count: ofKind.length, oldest: new Date(AT) };
      }),
    );
  }
  keepComparison(comparedAt: Date, comparison: readonly CurrencyComparison[]) {
    this.kept = { ...this.kept, comparedAt, comparison };
    return Promise.resolve();
  }
}

async function world(isExclusive: boolean) {
  const log = new MemoryLog();
  const journal = await Journal.open(log, { archive: archiveOf(log) });
  const balance = new BalanceAtProvider();
  const provider = balance as unknown as ProviderBalance;
  const tables = new MemoryTables();
  const bus = {
    execute: ({ command, context }: ExecuteJournalCommand) => journal.execute(command, context),
  } as unknown as CommandBus;
  const platformMoney = new PlatformMoney(
    bus,
    journal,
    provider,
    new BalanceOwnership(journal, provider),
    tables as unknown as BalanceTables,
    { isExclusive },
    new InternalCommands(),
    pino({ level: 'silent' }),
  );
  const book = async (...commands: readonly JournalCommand[]): Promise<void> => {
    for (const command of commands) await journal.execute(command, contextOf(command));
  };
  const types = (): string[] => log.all.filter(({ stream }) => stream === JOURNAL).map(({ type }) => type);
  /** Asks until all is looked at, as the worker does; answers the comparison. */
  const compared = async (): Promise<CurrencyComparison | undefined> => {
    while ((await platformMoney.compareOnce(BY)).isUnfinished);
    return tables.kept.comparison[0];
  };
  return { journal, balance, tables, platformMoney, book, types, compared };
}

const tip = { paymentId: 'pay_1', amount: '20.00' };
const charge = (over: Partial<Extract<BalanceSource, { kind: 'charge' }>> = {}) => ({
  type: 'charge',
  net: '19.12',
  feeMinor: 88,
  source: { kind: 'charge' as const, id: 'ch_pay_1', intentId: 'pi_pay_1', isSealed: true, ...over },
});
const opened = [openAccount(JUNO), openAccount(MILO), open(tip), submit(tip)];
/** Its fee names the balance transaction that the specs' provider fees name. */
const ITS_FEE = 'txn_fee_pay_1';

describe('an account of our own', () => {
  it('has its top-ups, payouts and charges booked unasked, each once', async () => {
    const { balance, compared, types, tables } = await world(true);
    balance.move({ type: 'topup', net: '500.00', source: { kind: 'other', id: 'tu_1' } });
    balance.move({ type: 'payout', net: '-200.00', source: { kind: 'other', id: 'po_1' } });
    balance.move({ type: 'payout_failure', net: '200.00', source: { kind: 'other', id: 'po_1' } });
    balance.move({ type: 'stripe_fee', net: '-2.00' });
    const figures = { balanceMinor: 49_800, booksMinor: 49_800, foreignMinor: 0, differenceMinor: 0 };
    expect(await compared()).toMatchObject(figures);
    expect(await compared()).toMatchObject(figures);
    expect(types().sort()).toEqual([
      'PlatformFunded',
      'PlatformPaidOut',
      'PlatformPayoutReturned',
      'ProviderCharged',
    ]);
    expect(tables.counted.size).toBe(0);
  });

  it('has what was counted while others used it booked too', async () => {
    const shared = await world(false);
    shared.balance.move({ type: 'topup', net: '500.00' });
    shared.balance.move(charge({ id: 'ch_theirs', intentId: 'pi_theirs', isSealed: false }));
    await shared.compared();
    const own = await world(true);
    own.balance.moved.push(...shared.balance.moved);
    for (const [id, each] of shared.tables.counted) own.tables.counted.set(id, each);
    // Nothing is new since.
    own.tables.kept = { ...shared.tables.kept };
    own.balance.page = () => Promise.resolve({ transactions: [], hasMore: false });
    expect(await own.compared()).toMatchObject({
      booksMinor: 50_000,
      foreignMinor: 1912,
      differenceMinor: 0,
    });
    expect(own.types()).toEqual(['PlatformFunded']);
  });

  it('has nothing booked of which the source cannot be read: it may be a dispute of ours', async () => {
    const { balance, compared, types } = await world(true);
    balance.move({ type: 'adjustment', net: '-35.00', source: { kind: 'unreadable', id: 'du_1' } });
    expect(await compared()).toMatchObject({ booksMinor: 0, unbookedMinor: -3500, differenceMinor: 0 });
    expect(types()).toEqual([]);
  });

  it('counts somebody else’s payments all the same, and books nothing of them', async () => {
    const { balance, compared, types } = await world(true);
    balance.move(charge({ id: 'ch_theirs', intentId: 'pi_theirs', isSealed: false }));
    balance.move({
      type: 'refund',
      net: '-5.00',
      source: { kind: 'refund', id: 're_x', chargeId: 'ch_theirs', isSealed: false, isFailed: false },
    });
    balance.move({
      type: 'transfer',
      net: '-3.00',
      source: { kind: 'transfer', id: 'tr_x', payoutId: 'their order', isSealed: false },
    });
    expect(await compared()).toMatchObject({ booksMinor: 0, foreignMinor: 1112, differenceMinor: 0 });
    expect(types()).toEqual([]);
  });
});

describe('an account that others use too', () => {
  it('has nothing booked unasked, and what is there is counted', async () => {
    const { balance, compared, types, tables } = await world(false);
    balance.move({ type: 'topup', net: '500.00' });
    expect(await compared()).toMatchObject({ booksMinor: 0, foreignMinor: 50_000, differenceMinor: 0 });
    expect(types()).toEqual([]);
    expect([...tables.counted.values()].map(({ kind }) => kind)).toEqual(['foreign']);
  });

  it('has a top-up booked when an operator says so, once, and nothing that a payment explains', async () => {
    const { balance, compared, platformMoney, types } = await world(false);
    const topUp = balance.move({ type: 'topup', net: '500.00' });
    const theirs = balance.move(charge({ id: 'ch_theirs', intentId: 'pi_theirs', isSealed: false }));
    await compared();
    await platformMoney.bookOne(topUp.id, BY);
    await platformMoney.bookOne(topUp.id, BY);
    await expect(platformMoney.bookOne(theirs.id, BY)).rejects.toMatchObject({ reason: 'NotPlatformMoney' });
    expect(types()).toEqual(['PlatformFunded']);
    expect(await compared()).toMatchObject({ booksMinor: 50_000, foreignMinor: 1912, differenceMinor: 0 });
  });

  it('refuses an id that the provider does not know, and books nothing', async () => {
    const { platformMoney, types } = await world(false);
    await expect(platformMoney.bookOne('txn_mistyped', BY)).rejects.toMatchObject({
      reason: 'BalanceTransactionNotFound',
    });
    expect(types()).toEqual([]);
  });

  it('counts it no longer once an operator booked it', async () => {
    const { balance, compared, book, tables } = await world(false);
    const { id: balanceTransactionId } = balance.move({ type: 'topup', net: '500.00' });
    await compared();
    await book({
      type: 'BookPlatformMoney',
      balanceTransactionId,
      providerType: 'topup',
      amountMinor: 50_000,
      feeMinor: 0,
      currency: 'usd',
      occurredAt: AT,
    });
    expect(await compared()).toMatchObject({ booksMinor: 50_000, foreignMinor: 0, differenceMinor: 0 });
    expect(tables.counted.size).toBe(0);
  });
});

describe('a movement of ours', () => {
  it('waits for its entry, and no longer when that is there', async () => {
    const { balance, compared, book } = await world(false);
    await book(...opened);
    balance.move({ ...charge(), id: ITS_FEE });
    expect(await compared()).toMatchObject({ booksMinor: 0, unbookedMinor: 1912, differenceMinor: 0 });
    await book(settle(tip), providerFee(tip, '0.88'));
    expect(await compared()).toMatchObject({ booksMinor: 1912, unbookedMinor: 0, differenceMinor: 0 });
  });

  it('that is booked but for its fee lacks the fee alone', async () => {
    const { balance, compared, book } = await world(false);
    await book(...opened);
    balance.move({ ...charge(), id: ITS_FEE });
    await compared();
    await book(settle(tip));
    expect(await compared()).toMatchObject({ booksMinor: 2000, unbookedMinor: -88, differenceMinor: 0 });
    await book(providerFee(tip, '0.88'));
    expect(await compared()).toMatchObject({ booksMinor: 1912, unbookedMinor: 0, differenceMinor: 0 });
  });

  it('that is booked before the provider has it in its balance is no difference', async () => {
    const { balance, compared, book } = await world(false);
    await book(...opened, settle(tip));
    const inBalance = charge();
    const before = { balanceMinor: 0, booksMinor: 2000, unbookedMinor: -2000, differenceMinor: 0 };
    balance.waiting.push({ id: inBalance.source.id, amountMinor: 2000, currency: 'usd' });
    expect(await compared()).toMatchObject(before);
    // It comes while the comparison is made: before the movements are listed, between that and the balance,
    // or later.
    for (const atReading of [2, 3, 4, 5, 6, 7]) {
      const late = await world(false);
      await late.book(...opened, settle(tip));
      await late.compared();
      late.balance.waiting.push({ id: inBalance.source.id, amountMinor: 2000, currency: 'usd' });
      let readings = 0;
      late.balance.meanwhile = () => {
        readings += 1;
        if (readings !== atReading) return Promise.resolve();
        late.balance.waiting.length = 0;
        late.balance.move({ ...inBalance, id: ITS_FEE });
        return Promise.resolve();
      };
      expect([atReading, (await late.compared())?.differenceMinor]).toEqual([atReading, 0]);
    }
  });

  it('is ours by its seal where no entry names it yet, and somebody else’s without', async () => {
    const { balance, compared } = await world(false);
    balance.move(charge({ id: 'ch_a', intentId: 'pi_a' }));
    balance.move(charge({ id: 'ch_b', intentId: 'pi_b', isSealed: false }));
    expect(await compared()).toMatchObject({ unbookedMinor: 1912, foreignMinor: 1912, differenceMinor: 0 });
  });

  it('that was refunded is booked by the refund’s entry, whatever the refund’s metadata say', async () => {
    const { balance, compared, book } = await world(false);
    await book(...opened, settle(tip), providerFee(tip, '0.88'));
    balance.move({ ...charge(), id: ITS_FEE });
    balance.move({
      type: 'refund',
      net: '-5.00',
      source: { kind: 'refund', id: 're_1', chargeId: 'ch_pay_1', isSealed: false, isFailed: false },
    });
    expect(await compared()).toMatchObject({ booksMinor: 1912, unbookedMinor: -500, differenceMinor: 0 });
    await book(refund(tip, '5.00', 're_1'));
    expect(await compared()).toMatchObject({
      booksMinor: 1412,
      unbookedMinor: 0,
      foreignMinor: 0,
      differenceMinor: 0,
    });
  });

  it.each([
    ['taken', 1500],
    ['given back', -1500],
  ])('is booked where a dispute moved a fee alone, %s', async (_, feeMinor) => {
    const { balance, compared, book } = await world(false);
    await book(...opened, settle(tip), providerFee(tip, '0.88'), dispute(tip));
    balance.move({ ...charge(), id: ITS_FEE });
    const { id: balanceTransactionId } = balance.move({
      type: 'adjustment',
      net: feeMinor > 0 ? '-15.00' : '15.00',
      feeMinor,
      source: { kind: 'dispute', id: 'dp_1', chargeId: 'ch_pay_1' },
    });
    const waits = { unbookedMinor: -feeMinor, differenceMinor: 0 };
    expect(await compared()).toMatchObject({ booksMinor: 1912, ...waits });
    const told = { balanceTransactionId, currency: 'usd', occurredAt: AT } as const;
    await book(
      feeMinor > 0
        ? {
            type: 'BookProviderFee',
            paymentId: tip.paymentId,
            chargeId: 'ch_pay_1',
            ...told,
            amountMinor: feeMinor,
            netMinor: null,
            availableOn: null,
          }
        : { type: 'BookPlatformMoney', ...told, providerType: 'adjustment', amountMinor: 0, feeMinor },
    );
    const booksMinor = 1912 - feeMinor;
    expect(await compared()).toMatchObject({ booksMinor, unbookedMinor: 0, differenceMinor: 0 });
  });

  it('that was refunded in vain before anybody saw it leaves nothing to book', async () => {
    const { balance, compared, book } = await world(false);
    await book(...opened, settle(tip), providerFee(tip, '0.88'));
    balance.move({ ...charge(), id: ITS_FEE });
    const source = {
      kind: 'refund' as const,
      id: 're_2',
      chargeId: 'ch_pay_1',
      isSealed: false,
      isFailed: true,
    };
    balance.move({ type: 'refund', net: '-5.00', source });
    balance.move({ type: 'refund_failure', net: '5.00', source });
    expect(await compared()).toMatchObject({ booksMinor: 1912, unbookedMinor: 0, differenceMinor: 0 });
  });
});

describe('the comparison', () => {
  it('shows what nothing explains, and has the whole account read once more for it', async () => {
    const { balance, compared, book, tables } = await world(true);
    balance.move({ type: 'topup', net: '500.00' });
    await compared();
    // The books say something that the provider never did.
    await book(...opened, settle(tip));
    tables.kept = { ...tables.kept, wholePassAt: new Date(0) };
    expect(await compared()).toMatchObject({ differenceMinor: -2000 });
    const { wholePassAt } = tables.kept;
    expect(wholePassAt?.getTime()).toBeGreaterThan(0);
    expect(await compared()).toMatchObject({ differenceMinor: -2000 });
    expect(tables.kept.wholePassAt).toBe(wholePassAt);
  });

  it('wins back what a restored log has lost', async () => {
    const first = await world(true);
    first.balance.move({ type: 'topup', net: '500.00' });
    await first.compared();
    const restored = await world(true);
    restored.balance.moved.push(...first.balance.moved);
    restored.tables.kept = { ...first.tables.kept, wholePassAt: new Date(0) };
    expect(await restored.compared()).toMatchObject({ booksMinor: 50_000, differenceMinor: 0 });
    expect(restored.types()).toEqual(['PlatformFunded']);
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'is of one moment, while people pay and are booked all the time (seed %i)',
    async (seed) => {
      const { balance, compared, book, tables } = await world(seed % 2 === 0);
      let state = seed;
      const chance = (percent: number): boolean => (state = (state * 48_271) % 2_147_483_647) % 100 < percent;
      await book(openAccount(JUNO), openAccount(MILO));
      let tips = 0;
      const waiting: { readonly paymentId: string; readonly amount: string }[] = [];
      balance.meanwhile = async () => {
        if (chance(20)) {
          const paymentId = `pay_${++tips}`;
          const one = { paymentId, amount: '20.00' };
          await book(open(one), submit(one));
          const id = `txn_fee_${paymentId}`;
          balance.move({ ...charge({ id: `ch_${paymentId}`, intentId: `pi_${paymentId}` }), id });
          waiting.push(one);
        }
        if (chance(10)) balance.move({ type: 'topup', net: '1.00' });
        const one = chance(30) ? waiting.shift() : undefined;
        if (one) await book(settle(one), providerFee(one, '0.88'));
      };
      for (let n = 0; n < 15; n++) {
        const comparedAt = tables.kept.comparedAt;
        const { differenceMinor = 0 } = (await compared()) ?? {};
        expect(differenceMinor).toBe(0);
        if (comparedAt !== undefined) expect(tables.kept.comparedAt).not.toBe(comparedAt);
      }
      expect(tips).toBeGreaterThan(5);
    },
  );

  it('goes on where it was when many movements are to be looked at', async () => {
    const { balance, platformMoney, tables } = await world(false);
    for (let n = 0; n < 20 * PAGE + 1; n++) balance.move({ type: 'topup', net: '1.00' });
    expect(await platformMoney.compareOnce(BY)).toMatchObject({ looked: 20 * PAGE, isUnfinished: true });
    expect(tables.kept.pass?.after).toBe('txn_2');
    expect(await platformMoney.compareOnce(BY)).toMatchObject({ looked: 1, isUnfinished: false });
    expect(tables.kept.comparison[0]).toMatchObject({
      foreignMinor: (20 * PAGE + 1) * 100,
      differenceMinor: 0,
    });
  });
});
