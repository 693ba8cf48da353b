/**
 * Holds the books against the balance at the card provider, movement by movement: what is the platform's own
 * is booked where the account is ours alone, what is somebody else's is counted, and what is left over is
 * shown. Any of it may be run again at any time.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { InternalAnswer } from '#contracts/api/internal';
import type { Provenance } from '#log/record';
import { LookAtBalance } from '../bus/balance.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { InternalCommands } from '../bus/internal-commands.js';
import type { Command } from '../journal/commands.js';
import { Journal } from '../journal/journal.js';
import { platformMoneyKey } from '../journal/platform-rules.js';
import { LOG } from '../parts.js';
import { Rejected } from '../rejection.js';
import type { BalanceTransaction } from '../stripe/balance-transaction.js';
import { ProviderBalance, type WaitingCharge } from '../stripe/provider-balance.js';
import { BalanceOwnership, type BalanceOwner } from './balance-ownership.js';
import {
  BalanceTables,
  type BalancePass,
  type CountedSum,
  type CountedTransaction,
  type CurrencyComparison,
} from './balance-tables.js';

/** Whether the account at the provider has nobody else's money in it. */
export abstract class ProviderAccountUse {
  abstract readonly isExclusive: boolean;
}

/** Pages of a hundred movements that one command looks at; the worker asks on. */
const PAGES_AT_ONCE = 20;
/** Two clocks are at work, and a movement may be listed late. */
const OVERLAP_MS = 15 * 60_000;
/** So often it is compared again because something was booked for the comparison. */
const TRIES = 5;
/** A difference that stays has the whole account read again, but no oftener. */
const WHOLE_PASS_EVERY_MS = 6 * 3_600_000;

/** What the journal is told of a movement of the platform's own. */
const platformMoneyCommand = (transaction: BalanceTransaction): Command<'BookPlatformMoney'> => ({
  type: 'BookPlatformMoney',
  balanceTransactionId: transaction.id,
  providerType: transaction.type,
  sourceId: transaction.source.id,
  amountMinor: transaction.amountMinor,
  feeMinor: transaction.feeMinor,
  currency: transaction.currency,
  occurredAt: transaction.createdAt,
});

@Injectable()
export class PlatformMoney {
  constructor(
    private readonly bus: CommandBus,
    private readonly journal: Journal,
    private readonly provider: ProviderBalance,
    private readonly ownership: BalanceOwnership,
    private readonly tables: BalanceTables,
    private readonly account: ProviderAccountUse,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands
      .on('CompareProviderBalance', (_, provenance) => this.compareOnce(provenance))
      .on('BookPlatformMoney', ({ balanceTransactionId }, provenance) =>
        this.bookOne(balanceTransactionId, provenance),
      );
  }

  /**
   * Books one movement as the platform's own, because an operator says that it is; told again, it is booked
   * already. Throws Rejected('NotPlatformMoney') for what a payment or a payout explains,
   * Rejected('BalanceTransactionNotFound') for one that the provider does not know, ProviderRefused and
   * Unavailable.
   */
  async bookOne(balanceTransactionId: string, provenance: Provenance): Promise<void> {
    const transaction = await this.provider.transaction(balanceTransactionId);
    if (!transaction) throw new Rejected('BalanceTransactionNotFound', { balanceTransactionId });
    await this.journal.readToEnd();
    const owner = await this.ownership.of(transaction);
    const isOwn = owner === 'platform' || (await this.journal.hasEntry(platformMoneyKey(transaction.id)));
    if (!isOwn) throw new Rejected('NotPlatformMoney', { balanceTransactionId, owner });
    await this.bus.execute(new ExecuteJournalCommand(platformMoneyCommand(transaction), provenance));
    await this.tables.settle([balanceTransactionId]);
  }

  /**
   * Reads the movements since the last pass, and compares when all are read: unfinished, it goes on when
   * asked again. Throws Unavailable and ProviderRefused.
   */
  async compareOnce(provenance: Provenance): Promise<InternalAnswer> {
    const answer = await this.tables.alone(async () => {
      const { looked, isOver } = await this.pass(provenance);
      if (isOver && this.account.isExclusive) await this.bookCounted(provenance);
      const isUnfinished = !isOver || (await this.compare(provenance)) === 'look again';
      return { looked, failed: [], isUnfinished };
    });
    return answer ?? { looked: 0, failed: [] };
  }

  private async pass(provenance: Provenance): Promise<{ looked: number; isOver: boolean }> {
    let pass = await this.passUnderWay();
    let looked = 0;
    for (let pages = 0; pages < PAGES_AT_ONCE; pages++) {
      const since = pass.since === undefined ? undefined : new Date(pass.since);
      const { transactions, hasMore } = await this.provider.page({ since, after: pass.after });
      const { counted, booked } = await this.look(transactions, provenance);
      looked += transactions.length;
      const newestId = pass.newestId ?? transactions[0]?.id;
      if (!hasMore) {
        const readThrough = new Date(pass.beganAt);
        await this.tables.keepPage({ counted, booked, pass: undefined, readThrough, newestId });
        return { looked, isOver: true };
      }
      pass = { ...pass, newestId, after: transactions.at(-1)?.id };
      await this.tables.keepPage({ counted, booked, pass });
    }
    return { looked, isOver: false };
  }

  private async passUnderWay(): Promise<BalancePass> {
    const { pass, readThrough } = await this.tables.state();
    if (pass) return pass;
    const beganAt = new Date().toISOString();
    if (readThrough) return { beganAt, since: new Date(readThrough.getTime() - OVERLAP_MS).toISOString() };
    await this.tables.beginWholePass({ beganAt });
    return { beganAt };
  }

  /** What was counted while the account was shared is booked once it is ours alone. */
  private async bookCounted(provenance: Provenance): Promise<void> {
    const { booked } = await this.look(await this.tables.foreignWithoutPayment(), provenance);
    if (booked.length > 0) await this.tables.settle(booked);
  }

  /**
   * Whose each movement is, at present or as of an entry of the journal; what is the platform's own is
   * booked, where it is to be.
   */
  private async look(
    transactions: readonly BalanceTransaction[],
    provenance: Provenance,
    throughRevision?: number,
  ): Promise<{ counted: CountedTransaction[]; booked: string[]; hasBooked: boolean }> {
    if (throughRevision === undefined) await this.journal.readToEnd();
    const counted: CountedTransaction[] = [];
    const booked: string[] = [];
    let hasBooked = false;
    for (const transaction of transactions) {
      const owner = await this.ownership.of(transaction, throughRevision);
      const isBookedNow =
        owner === 'platform' && this.account.isExclusive && (await this.book(transaction, provenance));
      hasBooked ||= isBookedNow;
      if (isBookedNow || owner === 'booked') booked.push(transaction.id);
      else counted.push(countedAs(owner, transaction));
    }
    return { counted, booked, hasBooked };
  }

  /** A no of the journal's to one movement keeps no other out: it is counted, and shown. */
  private async book(transaction: BalanceTransaction, provenance: Provenance): Promise<boolean> {
    try {
      await this.bus.execute(new ExecuteJournalCommand(platformMoneyCommand(transaction), provenance));
      return true;
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const { reason, details } = error;
      const about = { correlationId: provenance.correlationId, balanceTransactionId: transaction.id };
      this.log.error({ ...about, reason, details }, 'the journal declined money of the platform’s own');
      return false;
    }
  }

  /**
   * Compares as of one entry of the journal, while both sides may move: every movement that this entry or one
   * before it booked was there before, so that listing it afterwards finds it, but for charges of which the
   * provider says later what it keeps: those are asked for by themselves. And the balance is that of before,
   * between or after the movements that come while it is read. A difference has the whole account read once
   * more: a log that was restored lacks what was read long ago.
   */
  private async compare(provenance: Provenance): Promise<'done' | 'look again'> {
    for (let tries = 1; tries <= TRIES; tries++) {
      await this.journal.readToEnd();
      const { throughRevision, byCurrency } = this.journal.cardClearing();
      const waiting = await this.bookedAhead(throughRevision);
      const fresh = await this.movementsSinceNewest();
      if (!fresh) return 'look again';
      const { counted, booked, hasBooked } = await this.look(fresh, provenance, throughRevision);
      await this.tables.keepPage({ counted, booked, pass: undefined, newestId: fresh[0]?.id });
      // What was just booked stands in an entry after that one.
      if (hasBooked) continue;
      await this.settleUnbooked(throughRevision);
      const balance = await this.provider.total();
      const meanwhile = await this.movementsSinceNewest();
      if (!meanwhile) return 'look again';
      const sums = [...(await this.tables.sums()), ...notMoved(waiting, fresh)];
      const comparisons = balancesWithout(meanwhile, balance).map((before) =>
        comparisonOf(before, byCurrency, sums),
      );
      const comparison = comparisons.find(isExplained) ?? comparisons[0]!;
      return this.conclude(comparison, provenance);
    }
    return 'done';
  }

  /**
   * Charges that this entry of the journal or one before it booked, and that have not moved the balance yet.
   */
  private async bookedAhead(throughRevision: number): Promise<readonly WaitingCharge[]> {
    const booked: WaitingCharge[] = [];
    for (const charge of await this.provider.waitingCharges())
      if (await this.ownership.isBookedCharge(charge.id, throughRevision)) booked.push(charge);
    return booked;
  }

  /** The newest first; undefined where they are so many that a pass has to look at them. */
  private async movementsSinceNewest(): Promise<readonly BalanceTransaction[] | undefined> {
    const { newestId } = await this.tables.state();
    const { transactions, hasMore } = await this.provider.page({});
    const at = transactions.findIndex(({ id }) => id === newestId);
    if (at < 0) return hasMore ? undefined : transactions;
    return transactions.slice(0, at);
  }

  private async conclude(
    comparison: readonly CurrencyComparison[],
    { correlationId }: Provenance,
  ): Promise<'done' | 'look again'> {
    const now = new Date();
    await this.tables.keepComparison(now, comparison);
    const different = comparison.filter(({ differenceMinor }) => differenceMinor !== 0);
    if (different.length === 0) return 'done';
    const { wholePassAt } = await this.tables.state();
    if (wholePassAt && wholePassAt.getTime() > now.getTime() - WHOLE_PASS_EVERY_MS) {
      this.log.error(
        { correlationId, different },
        'the balance at the card provider is not what the books say: run `encore audit provider`',
      );
      return 'done';
    }
    await this.tables.beginWholePass({ beganAt: now.toISOString() });
    return 'look again';
  }

  /** What was not booked may be by now, and of a charge all but its fee. */
  private async settleUnbooked(throughRevision: number): Promise<void> {
    const [counted, booked]: [CountedTransaction[], string[]] = [[], []];
    for (const transaction of await this.tables.unbooked()) {
      const owner = await this.ownership.of(transaction, throughRevision);
      if (owner === 'booked') booked.push(transaction.id);
      else if (owner === 'unbooked' || owner === 'without fee') counted.push(countedAs(owner, transaction));
    }
    await this.tables.keepPage({ counted, booked, pass: undefined });
  }
}

@CommandHandler(LookAtBalance)
export class LookAtBalanceHandler implements ICommandHandler<LookAtBalance> {
  constructor(private readonly platformMoney: PlatformMoney) {}

  async execute({ provenance }: LookAtBalance): Promise<void> {
    await this.platformMoney.compareOnce(provenance);
  }
}

/** A movement that the books do not have, or not all of. */
const countedAs = (
  owner: Exclude<BalanceOwner, 'booked'>,
  transaction: BalanceTransaction,
): CountedTransaction => ({
  kind: owner === 'unbooked' || owner === 'without fee' ? 'unbooked' : 'foreign',
  netMinor: owner === 'without fee' ? -transaction.feeMinor : transaction.netMinor,
  transaction,
});

type ComparedSum = Pick<CountedSum, 'kind' | 'currency' | 'netMinor'>;

const isExplained = (comparison: readonly CurrencyComparison[]): boolean =>
  comparison.every(({ differenceMinor }) => differenceMinor === 0);

/**
 * What the books have of charges and the balance has not: of those that waited, the ones that are not listed
 * since.
 */
function notMoved(waiting: readonly WaitingCharge[], listed: readonly BalanceTransaction[]): ComparedSum[] {
  const moved = new Set(listed.flatMap(({ source }) => (source.kind === 'charge' ? [source.id] : [])));
  return waiting
    .filter(({ id }) => !moved.has(id))
    .map(({ amountMinor, currency }) => ({ kind: 'unbooked', currency, netMinor: -amountMinor }));
}

/**
 * What the balance was before movements that may have come while it was read: before none, the first, the
 * first two …
 */
function balancesWithout(
  meanwhile: readonly BalanceTransaction[],
  balance: ReadonlyMap<string, number>,
): ReadonlyMap<string, number>[] {
  const balances = [balance];
  const before = new Map(balance);
  for (const { currency, netMinor } of [...meanwhile].reverse()) {
    before.set(currency, (before.get(currency) ?? 0) - netMinor);
    balances.push(new Map(before));
  }
  return balances;
}

/**
 * The provider's balance against the books. `clearing` is card clearing's debit by currency; what others have
 * in the account and what is not booked yet stands beside it.
 */
function comparisonOf(
  balance: ReadonlyMap<string, number>,
  clearing: ReadonlyMap<string, number>,
  sums: readonly ComparedSum[],
): CurrencyComparison[] {
  const currencies = new Set([
    ...balance.keys(),
    ...clearing.keys(),
    ...sums.map(({ currency }) => currency),
  ]);
  return [...currencies].sort().map((currency) => {
    const sumOf = (kind: CountedSum['kind']): number =>
      sums
        .filter((sum) => sum.kind === kind && sum.currency === currency)
        .reduce((total, { netMinor }) => total + netMinor, 0);
    const balanceMinor = balance.get(currency) ?? 0;
    const booksMinor = clearing.get(currency) ?? 0;
    const foreignMinor = sumOf('foreign');
    const unbookedMinor = sumOf('unbooked');
    const differenceMinor = balanceMinor - booksMinor - foreignMinor - unbookedMinor;
    return { currency, balanceMinor, booksMinor, foreignMinor, unbookedMinor, differenceMinor };
  });
}
