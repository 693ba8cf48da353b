/**
 * The platform's balance at the card provider, and the movements that make it up. Read by lists only: one
 * call for a hundred movements, each with its source.
 */
import type Stripe from 'stripe';
import { idIn, readable, UnreadableAnswer } from './answers.js';
import type { BalanceSource, BalanceTransaction } from './balance-transaction.js';
import type { OwnershipSeal, SealedKind } from './ownership.js';
import { wordsOf } from './provider-words.js';
import { isMissing } from './refusals.js';
import { translatingRefusals, isoFrom, openStripe, PAGE, type StripeAccess } from './stripe-client.js';

const REFUSED = 'The card provider does not show its balance to this key: check STRIPE_SECRET_KEY.';

/** What the ids of charges, refunds, disputes, transfers and reversals begin with. */
const MAY_BE_OURS = /^(ch|py|re|pyr|du|dp|tr|trr)_/;

/** What a movement of another balance of the account's comes to in this one. */
const NOTHING = { amount: 0, fee: 0, net: 0 } as const;

/**
 * Whether it moves the balance that {@link ProviderBalance.total} tells. The list has also what is held in
 * reserve, whose counterpart in this balance is a movement of its own
 * (https://docs.stripe.com/changelog/clover/2026-01-28/monitor-reserve-activity-on-balance-transactions).
 */
const isOfThisBalance = ({ balance_type: balance }: Stripe.BalanceTransaction): boolean =>
  (balance ?? 'payments') === 'payments';

/** A charge that was taken and has not moved the balance yet: the provider says later what it keeps of it. */
export interface WaitingCharge {
  readonly id: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** The provider says what it keeps of a charge within an hour. */
const TOLD_WITHIN_MS = 3_600_000;

interface BalancePage {
  /** The newest first. */
  readonly transactions: readonly BalanceTransaction[];
  readonly hasMore: boolean;
}

export class ProviderBalance {
  private readonly stripe: Stripe;

  constructor(
    private readonly access: StripeAccess,
    private readonly seal: Pick<OwnershipSeal, 'isOurs'>,
  ) {
    this.stripe = openStripe(access);
  }

  /**
   * A page of the balance's movements, the newest first: those made at or after `since`, and older than the
   * movement `after`. Throws Unavailable and ProviderRefused.
   */
  page({ since, after }: { since?: Date | undefined; after?: string | undefined }): Promise<BalancePage> {
    return this.asked(async () => {
      const { data, has_more } = await this.stripe.balanceTransactions.list({
        limit: PAGE,
        expand: ['data.source'],
        ...(since && { created: { gte: Math.floor(since.getTime() / 1000) } }),
        ...(after !== undefined && { starting_after: after }),
      });
      if (!Array.isArray(data)) throw new UnreadableAnswer('list', 'data', '');
      const transactions = data.map((transaction) => this.transactionOf(transaction));
      // Without a movement to go on from there is no next page.
      return { transactions, hasMore: has_more === true && transactions.length > 0 };
    });
  }

  /** Every movement there ever was, the newest first. */
  async *all(): AsyncGenerator<BalanceTransaction> {
    let after: string | undefined;
    do {
      const page = await this.page({ after });
      yield* page.transactions;
      after = page.hasMore ? page.transactions.at(-1)?.id : undefined;
    } while (after !== undefined);
  }

  /** One movement by its id; undefined where the balance has none of that id. */
  transaction(id: string): Promise<BalanceTransaction | undefined> {
    return this.asked(async () => {
      try {
        return this.transactionOf(await this.stripe.balanceTransactions.retrieve(id, { expand: ['source'] }));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  /** All there is, what is pending included, in minor units by currency. */
  total(): Promise<ReadonlyMap<string, number>> {
    return this.asked(async () => {
      const { available, pending } = readable('balance', await this.stripe.balance.retrieve());
      const totals = new Map<string, number>();
      for (const { amount, currency } of [...available, ...pending])
        totals.set(currency, (totals.get(currency) ?? 0) + amount);
      return totals;
    });
  }

  /**
   * Charges that were taken and have not moved the balance yet, of the newest hundred of the last hour.
   * Throws Unavailable and ProviderRefused.
   */
  waitingCharges(): Promise<readonly WaitingCharge[]> {
    return this.asked(async () => {
      const gte = Math.floor((Date.now() - TOLD_WITHIN_MS) / 1000);
      const { data } = await this.stripe.charges.list({ created: { gte }, limit: PAGE });
      if (!Array.isArray(data)) throw new UnreadableAnswer('list', 'data', '');
      return data
        .map((charge) => readable('charge', charge))
        .filter(({ status, balance_transaction: movement }) => status === 'succeeded' && !movement)
        .map(({ id, amount, amount_captured, currency }) => ({
          id,
          amountMinor: amount_captured || amount,
          currency,
        }));
    });
  }

  /** The payout that a transfer was made for, by what cannot be edited afterwards. */
  payoutOfTransfer(transferId: string): Promise<string | undefined> {
    return this.asked(async () =>
      payoutOf(readable('transfer', await this.stripe.transfers.retrieve(transferId))),
    );
  }

  private transactionOf(given: Stripe.BalanceTransaction): BalanceTransaction {
    const transaction = readable('balance_transaction', given);
    const { id, type, currency, created } = transaction;
    const { amount, fee, net } = isOfThisBalance(transaction) ? transaction : NOTHING;
    return {
      id,
      type: wordsOf(type),
      amountMinor: amount,
      feeMinor: fee,
      netMinor: net,
      currency,
      createdAt: isoFrom(created),
      source: this.readSource(transaction.source),
    };
  }

  /**
   * A source that cannot be read leaves its movement unexplained, and keeps no other from being looked at.
   */
  private readSource(source: Stripe.BalanceTransaction['source'] | undefined): BalanceSource {
    if (source === null || source === undefined) return { kind: 'other' };
    // It was asked for and not shown: what is of these kinds may be ours.
    if (typeof source === 'string')
      return { kind: MAY_BE_OURS.test(source) ? 'unreadable' : 'other', id: wordsOf(source) };
    try {
      return this.sourceOf(source);
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      return { kind: 'unreadable', id: typeof source.id === 'string' ? wordsOf(source.id) : undefined };
    }
  }

  private sourceOf(source: Exclude<Stripe.BalanceTransaction['source'], string | null>): BalanceSource {
    switch (source.object) {
      case 'charge':
        readable('charge', source);
        return {
          kind: 'charge',
          id: source.id,
          intentId: idOf(source.payment_intent),
          isSealed: this.isSealed('payment', source),
        };
      case 'refund':
        readable('refund', source);
        return {
          kind: 'refund',
          ...namedBy(source),
          isSealed: this.isSealed('refund', source),
          isFailed: source.status === 'failed' || source.status === 'canceled',
        };
      case 'dispute':
        readable('dispute', source);
        return { kind: 'dispute', ...namedBy(source) };
      case 'transfer':
        readable('transfer', source);
        return {
          kind: 'transfer',
          id: source.id,
          payoutId: payoutOf(source),
          isSealed: this.isSealed('transfer', source),
        };
      case 'transfer_reversal':
        readable('transfer_reversal', source);
        return {
          kind: 'reversal',
          id: source.id,
          transferId: idOf(source.transfer),
          isSealed: this.isSealed('reversal', source),
        };
      default:
        return { kind: 'other', id: readable('made', source).id };
    }
  }

  private isSealed(
    kind: SealedKind,
    {
      metadata,
      amount: amountMinor,
      currency,
    }: Stripe.Charge | Stripe.Refund | Stripe.Transfer | Stripe.TransferReversal,
  ): boolean {
    return this.seal.isOurs(kind, metadata, { amountMinor, currency });
  }

  private asked<T>(work: () => Promise<T>): Promise<T> {
    return translatingRefusals(work, REFUSED, this.access);
  }
}

const namedBy = ({ id, charge, payment_intent: intent }: Stripe.Refund | Stripe.Dispute) => ({
  id,
  chargeId: idOf(charge),
  intentId: idOf(intent),
});

const payoutOf = ({ transfer_group: group, metadata }: Stripe.Transfer): string | undefined =>
  group ?? idIn(metadata, 'payoutId');

const idOf = (named: string | { id: string } | null | undefined): string | undefined =>
  typeof named === 'string' ? named : named?.id;
