/**
 * Which of the provider's objects are ours. The provider's account has other people's objects too, and people
 * edit metadata. So whatever we make there carries, beside our ids, all that is needed to book it again,
 * sealed by a MAC over it and over its amount, under a key of its own that is kept in the vault. Metadata
 * holds ids only, and no text that a person wrote.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Occurrence, PaymentMethod } from '#contracts/events/journal';
import { Unavailable } from '../rejection.js';

/** What a payment's object carries, so that the payment could be booked again from it alone. */
export interface PaymentBooking {
  readonly paymentId: string;
  /** The key under which the payment was opened. */
  readonly key: string | undefined;
  readonly payerId: string;
  readonly recipientId: string;
  readonly method: PaymentMethod;
  readonly occurrence?: Occurrence | undefined;
}

/** What a payout's transfer, and its payout at the provider, carry of the payout. */
export interface PayoutBooking {
  readonly payoutId: string;
  /** The key under which the payout was asked for. */
  readonly key: string | undefined;
  readonly userId: string;
  readonly bankAccountId: string;
  readonly attempt: number;
}

/**
 * The fields that a seal covers, in this order, by the kind of object. `destination`: the connected account
 * of a transfer, the bank account's id at the provider of a payout.
 */
const FIELDS = {
  payment: [
    'paymentId',
    'ledger',
    'key',
    'payerId',
    'recipientId',
    'method',
    'occurrenceId',
    'scheduleKind',
    'scheduleId',
    'dueAt',
    'attempt',
  ],
  transfer: ['payoutId', 'ledger', 'key', 'userId', 'bankAccountId', 'destination', 'attempt'],
  payout: ['payoutId', 'ledger', 'key', 'userId', 'bankAccountId', 'destination', 'attempt'],
  reversal: ['payoutId', 'ledger', 'attempt'],
  refund: ['chargeId', 'ledger', 'attempt'],
  customer: ['userId', 'ledger'],
  account: ['userId', 'ledger'],
  'bank-account': ['bankAccountId', 'ledger'],
  'setup-intent': ['customerId', 'ledger', 'key'],
} as const;

export type SealedKind = keyof typeof FIELDS;
type Fields<K extends SealedKind> = {
  readonly [name in Exclude<(typeof FIELDS)[K][number], 'ledger'>]: string | undefined;
};

/** Where the seal stands among an object's metadata, and where the ledger's id. */
const MAC = 'mac';
export const LEDGER = 'ledger';

export interface Sum {
  readonly amountMinor: number;
  readonly currency: string;
}
type Metadata = Readonly<Record<string, string>>;

export class OwnershipSeal {
  readonly #key: Buffer;

  /** `ledgerId` answers undefined as long as the journal has no entry. */
  constructor(
    key: Buffer,
    private readonly ledgerId: () => string | undefined,
  ) {
    this.#key = key;
  }

  /** Metadata for an object, sealed. Throws Unavailable before the ledger has an id. */
  of<K extends SealedKind>(kind: K, fields: Fields<K>, sum?: Sum): Record<string, string> {
    const ledger = this.ledgerId();
    if (ledger === undefined)
      throw new Unavailable('The ledger is still starting. Please try again in a moment.');
    const metadata: Record<string, string> = {};
    for (const [name, value] of Object.entries<string | undefined>({ ...fields, [LEDGER]: ledger }))
      if (value !== undefined) metadata[name] = value;
    return { ...metadata, [MAC]: this.#macOf(kind, metadata, sum) };
  }

  ofPayment({ occurrence, ...booking }: PaymentBooking, sum: Sum): Record<string, string> {
    const { occurrenceId, kind, scheduleId, dueAt, attempt } = occurrence ?? {};
    const { paymentId, key, payerId, recipientId, method } = booking;
    const terms = { paymentId, key, payerId, recipientId, method };
    const of = { occurrenceId, scheduleKind: kind, scheduleId, dueAt, attempt: attempt?.toString() };
    return this.of('payment', { ...terms, ...of }, sum);
  }

  ofPayout(
    kind: 'transfer' | 'payout',
    { payoutId, key, userId, bankAccountId, attempt }: PayoutBooking,
    destination: string,
    sum: Sum,
  ): Record<string, string> {
    const fields = { payoutId, key, userId, bankAccountId, destination, attempt: String(attempt) };
    return this.of(kind, fields, sum);
  }

  /**
   * Whether an object's metadata were sealed by this ledger, for this kind and sum, and nothing of them was
   * changed.
   */
  isOurs(kind: SealedKind, metadata: Metadata | null | undefined, sum?: Sum): boolean {
    const mac = metadata?.[MAC];
    if (!metadata || typeof mac !== 'string' || metadata[LEDGER] !== this.ledgerId()) return false;
    const ours = Buffer.from(this.#macOf(kind, metadata, sum));
    const theirs = Buffer.from(mac);
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  }

  /** Whether it may be the object that we look for: sealed, or of before objects of its kind were sealed. */
  mayBeOurs(kind: SealedKind, metadata: Metadata | null | undefined, sum?: Sum): boolean {
    return metadata?.[MAC] === undefined || this.isOurs(kind, metadata, sum);
  }

  /** What a payment's metadata say, where they are sealed. */
  paymentIn(metadata: Metadata | null | undefined, sum: Sum): PaymentBooking | undefined {
    if (!metadata || !this.isOurs('payment', metadata, sum)) return undefined;
    const { paymentId, key, payerId, recipientId, method, occurrenceId, scheduleId, dueAt } = metadata;
    if (paymentId === undefined || payerId === undefined || recipientId === undefined) return undefined;
    const isOfSchedule = occurrenceId !== undefined && scheduleId !== undefined && dueAt !== undefined;
    const kind =
      metadata['scheduleKind'] === 'scheduled-payment'
        ? ('scheduled-payment' as const)
        : ('subscription' as const);
    return {
      paymentId,
      key,
      payerId,
      recipientId,
      method: method === 'cashapp' ? 'cashapp' : 'card',
      ...(isOfSchedule && {
        occurrence: { occurrenceId, kind, scheduleId, dueAt, attempt: Number(metadata['attempt']) },
      }),
    };
  }

  /**
   * What the metadata of a payout's transfer, or of its payout at the provider, say, where they are sealed.
   * `destination` is where the object itself goes: a copy of the metadata on one that goes elsewhere says
   * nothing.
   */
  payoutIn(
    kind: 'transfer' | 'payout',
    metadata: Metadata | null | undefined,
    sum: Sum,
    destination: string | undefined,
  ): PayoutBooking | undefined {
    if (!metadata || !this.isOurs(kind, metadata, sum) || metadata['destination'] !== destination)
      return undefined;
    const { payoutId, key, userId, bankAccountId, attempt } = metadata;
    if (payoutId === undefined || userId === undefined || bankAccountId === undefined) return undefined;
    return { payoutId, key, userId, bankAccountId, attempt: Number(attempt) };
  }

  #macOf(kind: SealedKind, metadata: Metadata, sum: Sum | undefined): string {
    const values = FIELDS[kind].map((name) => metadata[name] ?? null);
    // The kind of object stands first, so that one kind's seal never passes for another's.
    const covered = JSON.stringify([kind, values, ...(sum ? [sum.amountMinor, sum.currency] : [])]);
    return createHmac('sha256', this.#key).update(covered).digest('base64url');
  }
}

interface Sealable {
  readonly metadata?: Metadata | null | undefined;
}

/** Whether an object says that a ledger sealed it: not yet that the seal holds. */
export const isSealed = ({ metadata }: Sealable): boolean => metadata?.[MAC] !== undefined;

/**
 * Of a list's objects of ours that name the same thing, the newest first: the oldest that is sealed, since a
 * copy of its metadata is younger; without one, the oldest of before there were seals.
 */
export const oldestSealed = <T extends Sealable>(found: readonly T[]): T | undefined =>
  found.findLast(isSealed) ?? found.at(-1);
