/**
 * What happened at the provider in a time, read by lists alone: a hundred objects a call, never one call an
 * object. A recovery of the log books from it what the log has lost.
 */
import Stripe from 'stripe';
import type { SavedCard } from '#contracts/events/journal';
import { idOf } from './card-provider.js';
import { chargeOf, disputeOf, refundOf } from './provider-charge.js';
import type { OwnershipSeal, PaymentBooking, PayoutBooking } from './ownership.js';
import { payoutOf, sumOf } from './payout-objects.js';
import type { ProviderCharge, ProviderPayment } from './provider-payment.js';
import type { ProviderPayout } from './provider-payout.js';
import { idIn, readable, type ReadableKind, type UnreadableAnswer } from './answers.js';
import { wordsOf } from './provider-words.js';
import { claimsAccountGone } from './refusals.js';
import {
  translatingRefusals,
  isAccountGone,
  isoFrom,
  openStripe,
  PAGE,
  readableOf,
  readableOr,
  type StripeAccess,
} from './stripe-client.js';

/** What the lists hold of one intent: of one that was made before the time, only what happened in it. */
export interface ListedPayment extends ProviderPayment {
  /** The first thing that the lists tell of it. */
  readonly at: string;
  /** What its seal covers; undefined without a seal that holds, and for one that was made before the time. */
  readonly booking:
    | (PaymentBooking & { readonly amountMinor: number; readonly currency: string })
    | undefined;
  /** The card that it was charged to in its payer's absence, or may be. */
  readonly savedCard: SavedCard | undefined;
  /**
   * Charges of which we gave money back ourselves, by a refund's seal: another one had settled their payment.
   */
  readonly returnedByUs: readonly string[];
}

export interface ListedTransfer {
  readonly providerTransferId: string;
  readonly connectAccountId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly at: string;
  /** What its metadata names; people may have edited it. */
  readonly payoutId: string | undefined;
  /** What its seal covers. */
  readonly booking: PayoutBooking | undefined;
  /** What proves that all of it came back. */
  readonly reversal: { readonly reversalId: string; readonly at: string } | undefined;
}

/** Money of a transfer that came back, all of it or a part. */
export interface ListedReversal {
  readonly reversalId: string;
  readonly providerTransferId: string;
  readonly amountMinor: number;
  readonly at: string;
}

export interface ListedPayout extends ProviderPayout {
  readonly connectAccountId: string;
}

/**
 * What was made at the provider for one of our users, under our seal: a customer, or an account for payouts.
 */
export interface ListedLink {
  readonly providerId: string;
  readonly userId: string;
  readonly at: string;
}

/** What a list shows and nobody can read: nothing of it is booked. */
export interface UnreadableObject {
  /** Its kind in the provider's word, and its id where it has one. */
  readonly kind: string;
  readonly objectId: string | undefined;
  /** What cannot be read of it. */
  readonly field: string;
}

export interface ProviderHistory {
  /** In the order of time. */
  payments(since: Date): Promise<readonly ListedPayment[]>;
  transfers(since: Date): Promise<readonly ListedTransfer[]>;
  /** Also of transfers that were made before the time. */
  reversals(since: Date): Promise<readonly ListedReversal[]>;
  /** One list an account, side by side. */
  payouts(connectAccountIds: readonly string[], since: Date): Promise<readonly ListedPayout[]>;
  /** Customers of ours, to which saved cards belong; in the order of time, as all lists. */
  customers(since: Date): Promise<readonly ListedLink[]>;
  /** Connected accounts of ours, to which payouts go. */
  accounts(since: Date): Promise<readonly ListedLink[]>;
  /** What all lists had so far that could not be read, each once. It has kept nothing else out. */
  unreadable(): readonly UnreadableObject[];
}

const REFUSED = 'The card provider did not answer a list. Please run the recovery again.';
/** Word of an end that may have no balance transaction. */
const ENDINGS = [
  'payment_intent.canceled',
  'charge.dispute.closed',
  'refund.updated',
  'refund.failed',
] as const;
/** What they tell of. */
const ENDED: ReadonlySet<string> = new Set(['payment_intent', 'dispute', 'refund']);
/** Lists of connected accounts that are read at a time. */
const AT_A_TIME = 4;

/** What is read of an intent. A day has many, and nothing else of them is kept. */
type ReadOfIntent = Pick<
  Stripe.PaymentIntent,
  | 'amount'
  | 'currency'
  | 'metadata'
  | 'customer'
  | 'payment_method'
  | 'status'
  | 'cancellation_reason'
  | 'canceled_at'
  | 'created'
>;
const readOf = (intent: Stripe.PaymentIntent): ReadOfIntent => ({
  amount: intent.amount,
  currency: intent.currency,
  metadata: intent.metadata,
  customer: intent.customer,
  payment_method: intent.payment_method,
  status: intent.status,
  cancellation_reason: intent.cancellation_reason,
  canceled_at: intent.canceled_at,
  created: intent.created,
});

/** One intent while its objects are gathered. */
interface Gathered {
  intent: ReadOfIntent | undefined;
  readonly charges: ProviderCharge[];
  readonly refunds: Stripe.Refund[];
  readonly disputes: Stripe.Dispute[];
  firstS: number;
}

export class StripeHistory implements ProviderHistory {
  private readonly stripe: Stripe;
  readonly #unreadable = new Map<string, UnreadableObject>();
  readonly #left = ({ object: kind, id: objectId, field }: UnreadableAnswer): void =>
    void this.#unreadable.set(`${kind} ${objectId}`, { kind, objectId, field });

  constructor(private readonly options: StripeAccess & { readonly seal: OwnershipSeal }) {
    this.stripe = openStripe(options);
  }

  /** Throws Unavailable and ProviderRefused. */
  payments(since: Date): Promise<readonly ListedPayment[]> {
    return this.asked(async () => {
      const created = createdSince(since);
      const found = new Map<string, Gathered>();
      const of = (intentId: string, createdS: number): Gathered => {
        const known = found.get(intentId) ?? {
          intent: undefined,
          charges: [],
          refunds: [],
          disputes: [],
          firstS: createdS,
        };
        known.firstS = Math.min(known.firstS, createdS);
        found.set(intentId, known);
        return known;
      };
      const { paymentIntents, charges, refunds, disputes } = this.stripe;
      // Four lists, side by side: each has pages of its own.
      await Promise.all([
        this.each('payment_intent', paymentIntents.list({ created, limit: PAGE }), (intent) => {
          of(intent.id, intent.created).intent = readOf(intent);
        }),
        this.each(
          'charge',
          charges.list({ created, limit: PAGE, expand: ['data.balance_transaction'] }),
          (charge) => {
            const intentId = idOf(charge.payment_intent);
            if (intentId !== undefined) of(intentId, charge.created).charges.push(chargeOf(charge));
          },
        ),
        this.each('refund', refunds.list({ created, limit: PAGE }), (refund) => {
          const intentId = idOf(refund.payment_intent);
          if (intentId !== undefined) of(intentId, refund.created).refunds.push(refund);
        }),
        this.each('dispute', disputes.list({ created, limit: PAGE }), (dispute) => {
          const intentId = idOf(dispute.payment_intent);
          if (intentId !== undefined) of(intentId, dispute.created).disputes.push(dispute);
        }),
      ]);
      await this.gatherOfEvents(since, of);
      await this.gatherOfOlder(since, of);
      // Lists have the newest first: of one second the older one stands first, as of all others.
      return [...found]
        .reverse()
        .sort(([, a], [, b]) => a.firstS - b.firstS)
        .map(([intentId, gathered]) => this.paymentOf(intentId, gathered));
    });
  }

  /**
   * Refunds that came back and disputes that went on in the time, of objects that were made before it: their
   * balance transactions name them.
   */
  private async gatherOfOlder(
    since: Date,
    of: (intentId: string, createdS: number) => Gathered,
  ): Promise<void> {
    const list = { created: createdSince(since), limit: PAGE, expand: ['data.source'] };
    await this.each('balance_transaction', this.stripe.balanceTransactions.list(list), (movement) => {
      const { source, created } = movement;
      if (typeof source !== 'object' || source === null) return;
      if (source.object !== 'refund' && source.object !== 'dispute') return;
      if (this.read(source.object, source) === undefined) return;
      const intentId = idOf(source.payment_intent);
      if (intentId === undefined || source.created >= list.created.gte) return;
      const gathered = of(intentId, created);
      if (source.object === 'refund') {
        if (!gathered.refunds.some(({ id }) => id === source.id)) gathered.refunds.push(source);
      } else if (!gathered.disputes.some(({ id }) => id === source.id)) gathered.disputes.push(source);
    });
  }

  /**
   * What ended in the time without moving money, of objects that were made before it. An event holds its
   * object as it was then; the newest comes first.
   */
  private async gatherOfEvents(
    since: Date,
    of: (intentId: string, createdS: number) => Gathered,
  ): Promise<void> {
    const created = createdSince(since);
    const events = this.stripe.events.list({ created, types: [...ENDINGS], limit: PAGE });
    await this.each('event', events, (event) => {
      const { object } = event.data as {
        readonly object: Stripe.Refund | Stripe.Dispute | Stripe.PaymentIntent;
      };
      if (!ENDED.has(object.object) || this.read(object.object, object) === undefined) return;
      if (object.created >= created.gte) return;
      if (object.object === 'payment_intent') {
        of(object.id, event.created).intent ??= readOf(object);
        return;
      }
      const intentId = idOf(object.payment_intent);
      if (intentId === undefined) return;
      const gathered = of(intentId, event.created);
      if (object.object === 'refund') {
        if (!gathered.refunds.some(({ id }) => id === object.id)) gathered.refunds.push(object);
      } else if (!gathered.disputes.some(({ id }) => id === object.id)) gathered.disputes.push(object);
    });
  }

  /** Throws Unavailable and ProviderRefused. */
  transfers(since: Date): Promise<readonly ListedTransfer[]> {
    return this.asked(async () => {
      const found: ListedTransfer[] = [];
      const list = this.stripe.transfers.list({ created: createdSince(since), limit: PAGE });
      await this.each('transfer', list, (transfer) => {
        const connectAccountId = idOf(transfer.destination);
        if (connectAccountId !== undefined)
          found.push({
            providerTransferId: transfer.id,
            connectAccountId,
            amountMinor: transfer.amount,
            currency: transfer.currency,
            at: isoFrom(transfer.created),
            payoutId: idIn(transfer.metadata, 'payoutId'),
            booking: this.options.seal.payoutIn(
              'transfer',
              transfer.metadata,
              sumOf(transfer),
              connectAccountId,
            ),
            reversal: this.reversalOf(transfer),
          });
      });
      return found.reverse();
    });
  }

  /** Throws Unavailable and ProviderRefused. */
  reversals(since: Date): Promise<readonly ListedReversal[]> {
    return this.asked(async () => {
      const found: ListedReversal[] = [];
      const list = {
        created: createdSince(since),
        type: 'transfer_refund',
        limit: PAGE,
        expand: ['data.source'],
      };
      await this.each('balance_transaction', this.stripe.balanceTransactions.list(list), ({ source }) => {
        if (typeof source !== 'object' || source?.object !== 'transfer_reversal') return;
        if (this.read('transfer_reversal', source) === undefined) return;
        const providerTransferId = idOf(source.transfer);
        if (providerTransferId === undefined) return;
        const { id: reversalId, amount: amountMinor, created } = source;
        found.push({ reversalId, providerTransferId, amountMinor, at: isoFrom(created) });
      });
      return found.reverse();
    });
  }

  /** Throws Unavailable and ProviderRefused. */
  payouts(connectAccountIds: readonly string[], since: Date): Promise<readonly ListedPayout[]> {
    return this.asked(async () => {
      const created = createdSince(since);
      const found: ListedPayout[] = [];
      const waiting = [...new Set(connectAccountIds)];
      const work = async (): Promise<void> => {
        for (let account = waiting.shift(); account !== undefined; account = waiting.shift()) {
          const connectAccountId = account;
          const list = this.stripe.payouts.list(
            { created, limit: PAGE },
            { stripeAccount: connectAccountId },
          );
          try {
            await this.each('payout', list, (payout) =>
              found.push({ connectAccountId, ...payoutOf(payout, this.options.seal) }),
            );
          } catch (error) {
            if (!claimsAccountGone(error) || !(await isAccountGone(this.stripe, connectAccountId)))
              throw error;
            // With it went its list; whoever was paid out there is looked at by an operator.
            this.#unreadable.set(connectAccountId, {
              kind: 'account',
              objectId: connectAccountId,
              field: 'payouts, since the account is gone',
            });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, work));
      return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    });
  }

  /** Throws Unavailable and ProviderRefused. */
  customers(since: Date): Promise<readonly ListedLink[]> {
    return this.links('customer', this.stripe.customers.list({ created: createdSince(since), limit: PAGE }));
  }

  /** Throws Unavailable and ProviderRefused. */
  accounts(since: Date): Promise<readonly ListedLink[]> {
    return this.links('account', this.stripe.accounts.list({ created: createdSince(since), limit: PAGE }));
  }

  unreadable(): readonly UnreadableObject[] {
    return [...this.#unreadable.values()];
  }

  private links(
    kind: 'customer' | 'account',
    list: AsyncIterable<Stripe.Customer | Stripe.Account>,
  ): Promise<readonly ListedLink[]> {
    return this.asked(async () => {
      const found: ListedLink[] = [];
      await this.each('listed', list, ({ id: providerId, metadata, created }) => {
        const userId = this.options.seal.isOurs(kind, metadata) ? metadata?.['userId'] : undefined;
        if (userId !== undefined) found.push({ providerId, userId, at: isoFrom(created ?? 0) });
      });
      return found.reverse();
    });
  }

  private paymentOf(
    intentId: string,
    { intent, charges, refunds, disputes, firstS }: Gathered,
  ): ListedPayment {
    const sum = intent && { amountMinor: intent.amount, currency: intent.currency };
    const booking = intent && sum && this.options.seal.paymentIn(intent.metadata, sum);
    const customerId = idOf(intent?.customer);
    const paymentMethodId = idOf(intent?.payment_method);
    return {
      intentId,
      paymentId: idIn(intent?.metadata, 'paymentId'),
      isSealed: booking !== undefined,
      at: isoFrom(firstS),
      booking: booking && sum && { ...booking, ...sum },
      savedCard:
        customerId === undefined || paymentMethodId === undefined
          ? undefined
          : { customerId, paymentMethodId },
      canceled:
        intent?.status === 'canceled'
          ? {
              reason: wordsOf(intent.cancellation_reason ?? 'canceled'),
              at: isoFrom(intent.canceled_at ?? intent.created),
            }
          : undefined,
      charges,
      refunds: refunds.flatMap((refund) => refundOf(refund) ?? []),
      disputes: disputes.map(disputeOf),
      returnedByUs: refunds.flatMap((refund) => this.chargeReturnedByUs(refund) ?? []),
    };
  }

  /**
   * The charge that a refund of ours gave back. The seal names it, so that a copy on another charge's refund
   * is none.
   */
  private chargeReturnedByUs({ metadata, charge, amount, currency }: Stripe.Refund): string | undefined {
    const chargeId = idOf(charge);
    const isOurs = this.options.seal.isOurs('refund', metadata, { amountMinor: amount, currency });
    return isOurs && metadata?.['chargeId'] === chargeId ? chargeId : undefined;
  }

  /** A transfer that has been taken back whole; parts of it prove nothing. */
  private reversalOf({ reversed, reversals }: Stripe.Transfer): ListedTransfer['reversal'] {
    // What the description does not require may be missing.
    const data: unknown = reversals?.data;
    const [last] = Array.isArray(data) ? (data as readonly Stripe.TransferReversal[]) : [];
    if (!reversed || !last || this.read('transfer_reversal', last) === undefined) return undefined;
    return { reversalId: last.id, at: isoFrom(last.created) };
  }

  private read<T>(kind: ReadableKind, object: T): T | undefined {
    return readableOr(this.#left, () => readable(kind, object));
  }

  private async each<T>(
    kind: ReadableKind,
    pages: AsyncIterable<T>,
    take: (item: T) => unknown,
  ): Promise<void> {
    for await (const item of readableOf(kind, pages, this.#left)) take(item);
  }

  private asked<T>(work: () => Promise<T>): Promise<T> {
    return translatingRefusals(work, REFUSED, this.options);
  }
}

const createdSince = (since: Date): { readonly gte: number } => ({ gte: Math.floor(since.getTime() / 1000) });
