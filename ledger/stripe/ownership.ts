/**
 * Which of the provider's objects are ours. The provider's account has other people's objects too, and people
 * edit metadata. So whatever we make there carries, beside our ids, all that is needed to book it again, sealed
 * by a MAC over it and over its amount: under a key of its own that derives from the master key. Metadata
 * holds ids only, and no text that a person wrote.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
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

/** The fields that a payment's seal covers, in this order. */
const FIELDS = [
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
] as const;

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
    masterKeyHex: string,
    private readonly ledgerId: () => string | undefined,
  ) {
    const master = Buffer.from(masterKeyHex, 'hex');
    this.#key = Buffer.from(hkdfSync('sha256', master, '', 'encore/provider-metadata/1', 32));
  }

  /** Metadata for a payment's object. Throws Unavailable before the ledger has an id. */
  ofPayment({ occurrence, ...booking }: PaymentBooking, sum: Sum): Metadata {
    const ledger = this.ledgerId();
    if (ledger === undefined)
      throw new Unavailable('The ledger is still starting. Please try again in a moment.');
    const { occurrenceId, kind, scheduleId, dueAt, attempt } = occurrence ?? {};
    const fields = {
      ...booking,
      occurrenceId,
      scheduleKind: kind,
      scheduleId,
      dueAt,
      attempt: attempt?.toString(),
      [LEDGER]: ledger,
    };
    const metadata: Record<string, string> = {};
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) metadata[name] = value;
    return { ...metadata, [MAC]: this.#macOf(metadata, sum) };
  }

  /** Whether a payment's metadata were sealed by this ledger, for this sum, and nothing of them was changed. */
  isOurs(metadata: Metadata | null | undefined, sum: Sum): boolean {
    const mac = metadata?.[MAC];
    if (!metadata || mac === undefined || metadata[LEDGER] !== this.ledgerId()) return false;
    const ours = Buffer.from(this.#macOf(metadata, sum));
    const theirs = Buffer.from(mac);
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  }

  #macOf(metadata: Metadata, { amountMinor, currency }: Sum): string {
    const values = FIELDS.map((name) => metadata[name] ?? null);
    // The kind of object stands first, so that a seal of another kind could never pass for a payment's.
    const covered = JSON.stringify(['payment', values, amountMinor, currency]);
    return createHmac('sha256', this.#key).update(covered).digest('base64url');
  }
}
