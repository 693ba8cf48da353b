/**
 * A payment as the card provider shows it, in our words and without the SDK's types: what `sync` reads.
 * Amounts are minor units; times are ISO texts of the provider's clock.
 */
import type { ProviderRefusal, RefusedThing } from './refusals.js';

export interface ProviderCharge {
  readonly chargeId: string;
  readonly status: 'succeeded' | 'failed' | 'pending';
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdAt: string;
  /** Why it failed: the provider's code, and its sentence for the payer. */
  readonly failure: { readonly code: string; readonly reason: string } | undefined;
  /** The card that was tried, the same for one number whoever uses it; undefined where it was none. */
  readonly card?: string | undefined;
  /** What the provider took for it, perhaps nothing; undefined while its balance transaction is not there. */
  readonly fee: ProviderFee | undefined;
}

export interface ProviderFee {
  readonly balanceTransactionId: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** What is left of the charge; null where the provider gives no sum. */
  readonly netMinor: number | null;
  /** From when on that can be used; null where the provider gives no time. */
  readonly availableOn: string | null;
  readonly at: string;
}

/** Money that a dispute took from us or gave back. Amounts are positive whichever way they went. */
export interface ProviderDisputeMovement {
  readonly balanceTransactionId: string;
  readonly kind: 'withdrawn' | 'reinstated';
  readonly amountMinor: number;
  readonly currency: string;
  readonly feeMinor: number;
  readonly feeCurrency: string;
  readonly at: string;
}

/**
 * A fee of a dispute's that stands apart from its money: a balance transaction of nothing, or of another way.
 */
export interface ProviderDisputeFee {
  readonly balanceTransactionId: string;
  readonly providerType: string;
  /** Above zero where the provider took it, below where it gave it back. */
  readonly feeMinor: number;
  readonly currency: string;
  readonly at: string;
}

export interface ProviderDispute {
  readonly disputeId: string;
  readonly chargeId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reason: string;
  readonly openedAt: string;
  /** In the order of time. */
  readonly movements: readonly ProviderDisputeMovement[];
  readonly fees: readonly ProviderDisputeFee[];
  readonly outcome: 'won' | 'lost' | undefined;
}

export interface ProviderRefund {
  readonly refundId: string;
  readonly chargeId: string;
  /** `given`: the money has left us (it may still be under way). `failed`: it came back, or never left. */
  readonly status: 'given' | 'failed';
  /** The payer's bank has it, as far as the provider can tell. */
  readonly isFinal: boolean;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdAt: string;
  readonly failureReason: string | undefined;
}

/** How far a payment is read: the provider shows the latest charge with the intent, the others in a list. */
export type ReadingDepth = 'latest-charge' | 'all-charges';

export interface ProviderPayment {
  readonly intentId: string;
  /** What its metadata names; absent on what we did not make. People may have edited it. */
  readonly paymentId: string | undefined;
  /** Its metadata are as this ledger wrote them, and for this sum. */
  readonly isSealed: boolean;
  readonly canceled: { readonly reason: string; readonly at: string } | undefined;
  /** An attempt in the payer's absence that was refused, and of which the provider made no charge. */
  readonly attemptWithoutCharge?:
    | { readonly attemptId: string; readonly code: string; readonly reason: string; readonly at: string }
    | undefined;
  readonly charges: readonly ProviderCharge[];
  readonly refunds: readonly ProviderRefund[];
  readonly disputes: readonly ProviderDispute[];
}

/** The provider's answer to a request to pay: what the browser needs, and how far it is. */
export interface ProviderIntent {
  readonly intentId: string;
  readonly clientSecret: string;
  readonly isCanceled: boolean;
  /** The payer's bank asks for its payer. */
  readonly needsAction: boolean;
  /** The money is on its way, or has arrived. */
  readonly isUnderWay: boolean;
  /** What it can be paid with, where the provider says so. */
  readonly methods: readonly string[] | undefined;
  /** The customer for whom the card that pays it is saved. */
  readonly savesFor: string | undefined;
}

/**
 * The provider understood and said no. Unless `refusal` says `never`, only a fault of ours explains it: an id
 * that it does not know, a wrong key, a request that it does not take. Then nothing is changed for anybody.
 */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
  readonly answer = { status: 502, message: this.message };
  readonly refusal: ProviderRefusal;

  constructor(message: string, { refusal, ...options }: ErrorOptions & { refusal?: ProviderRefusal } = {}) {
    super(message, options);
    this.refusal = refusal ?? { kind: 'our-fault', code: 'unknown' };
  }
}

/** The provider's word for an object that is not there. */
const MISSING = 'resource_missing';

/**
 * Does something for a user's customer; once more where the provider has lost that one, and `open`, told
 * which was refused, has another.
 */
export async function withCustomer<T>(
  open: (refusedId?: string) => Promise<string>,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await open();
  try {
    return await work(customerId);
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.refusal.code !== MISSING) throw error;
    const other = await open(customerId);
    if (other === customerId) throw error;
    return work(other);
  }
}

/** What came of an attempt: done, not now (a later attempt may), or never. */
export type AttemptOutcome<T> =
  | ({ readonly kind: 'done' } & T)
  | { readonly kind: 'not-now'; readonly code: string; readonly reason: string }
  | (RefusedForGood & { readonly reason: string });

/** A no for good: of what, and why in a code. */
export interface RefusedForGood {
  readonly kind: 'never';
  readonly about: RefusedThing;
  readonly code: string;
}
