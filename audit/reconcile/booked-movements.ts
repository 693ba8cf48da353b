/**
 * What the journal has booked in card clearing, each posting under the one movement of the provider's balance
 * that it belongs to: by the balance transaction where the entry names it, else by the provider's object that
 * caused it.
 */
import type { JournalEvent, Posting } from '#contracts/events/journal';
import { currencyOf, platform } from '#contracts/plain/accounts';
import type { ProviderMovement } from './provider-movement.js';

/** An entry as it is compared: {@link JournalEvent} with its postings and place. */
export type ReconciledEntry = JournalEvent & {
  readonly revision: number;
  readonly recordedAt: string;
  readonly postings: readonly Posting[];
};

/** One posting to card clearing: above zero came in. */
interface ClearingPosting {
  readonly revision: number;
  readonly recordedAtMs: number;
  readonly netMinor: number;
}

interface Leg {
  readonly recordedAtMs: number;
  readonly netMinor: number;
  readonly isFee: boolean;
}

/** Everything that the books have of one movement, in one currency. */
export interface BookedMovement {
  /** As `charge ch_1`. */
  readonly subject: string;
  readonly currency: string;
  readonly postings: ClearingPosting[];
  /** The balance transactions that its entries name; more than one is wrong. */
  readonly transactionIds: Set<string>;
  /** When the provider says that it happened, by its first entry. */
  occurredAtMs: number;
  netMinor: number;
  /** What of the net the books call the provider's fee: above zero was taken. */
  feeMinor: number;
  /** A charge whose fee has not been booked, not even at zero. */
  lacksFee: boolean;
}

/** The books' side: what is booked, and which of the provider's objects the log knows. */
export class BookedMovements {
  readonly #bySubject = new Map<string, BookedMovement>();
  readonly #known = new Set<string>();
  /** What an entry names by its last part: a transfer that came back in several. */
  readonly #wholes = new Map<string, string>();

  /** Takes the next entry, in the journal's order. */
  add(entry: ReconciledEntry): void {
    for (const id of idsIn(entry)) this.#known.add(id);
    const subject = subjectOf(entry);
    const recordedAtMs = Date.parse(entry.recordedAt);
    entry.postings.forEach(({ debit, credit, amountMinor }, leg) => {
      const isFee = isFeeLeg(entry, leg);
      const post = (account: string, netMinor: number): void =>
        this.#post(entry, subject, currencyOf(account), { recordedAtMs, netMinor, isFee });
      if (isClearing(debit)) post(debit, amountMinor);
      if (isClearing(credit)) post(credit, -amountMinor);
    });
    if (entry.type === 'PayoutTransferred')
      this.#wholes.set(`reversal of ${entry.data.providerTransferId}`, `reversal of ${entry.data.payoutId}`);
    if (entry.type === 'PayoutFailed') this.#wholes.set(`reversal of ${entry.data.payoutId}`, subject);
    if (entry.type === 'ProviderFeeBooked') {
      const charge = this.#bySubject.get(keyOf(subject, entry.data.currency));
      charge?.transactionIds.add(entry.data.balanceTransactionId);
      if (charge) charge.lacksFee = false;
    }
  }

  all(): Iterable<BookedMovement> {
    return this.#bySubject.values();
  }

  /** What the books have under the subjects by which they may know this movement. */
  of(movement: ProviderMovement): BookedMovement | undefined {
    // What an entry names by the balance transaction itself is certain; an object may have moved the balance
    // twice.
    for (const subject of subjectsOf(movement).toReversed()) {
      const booked = this.#bySubject.get(keyOf(subject, movement.currency));
      if (booked) return booked;
    }
    return this.#partOf(movement);
  }

  /** The entry of a whole reversal of which this movement is a part. */
  #partOf({
    source: { kind, transferId, payoutId },
    currency,
  }: ProviderMovement): BookedMovement | undefined {
    if (kind !== 'reversal') return undefined;
    const ofPayout = this.#wholes.get(`reversal of ${transferId}`) ?? `reversal of ${payoutId}`;
    const whole = this.#wholes.get(ofPayout);
    return whole === undefined ? undefined : this.#bySubject.get(keyOf(whole, currency));
  }

  /** Whether the log names the object that a movement came from, or one that it belongs to. */
  knows({ id, source }: ProviderMovement): boolean {
    const named = [id, source.id, source.chargeId, source.intentId, source.payoutId, source.paymentId];
    return named.some((each) => each !== undefined && this.#known.has(each));
  }

  #post(
    entry: ReconciledEntry,
    subject: string,
    currency: string,
    { recordedAtMs, netMinor, isFee }: Leg,
  ): void {
    const key = keyOf(subject, currency);
    const { data, revision } = entry;
    const occurredAtMs = 'occurredAt' in data ? Date.parse(data.occurredAt) : recordedAtMs;
    const booked: BookedMovement = this.#bySubject.get(key) ?? {
      subject,
      currency,
      postings: [],
      transactionIds: new Set(),
      occurredAtMs,
      netMinor: 0,
      feeMinor: 0,
      lacksFee: entry.type === 'PaymentSettled' || entry.type === 'UnappliedReceived',
    };
    this.#bySubject.set(key, booked);
    booked.postings.push({ revision, recordedAtMs, netMinor });
    booked.netMinor += netMinor;
    booked.feeMinor += isFee ? -netMinor : 0;
    booked.occurredAtMs = Math.min(booked.occurredAtMs, occurredAtMs);
    if ('balanceTransactionId' in data) booked.transactionIds.add(data.balanceTransactionId);
  }
}

const keyOf = (subject: string, currency: string): string => `${subject} ${currency}`;
const isClearing = (account: string): boolean => account === platform('card-clearing', currencyOf(account));

/**
 * Whether a posting is the fee of its movement, not the movement itself: the last leg of an entry that has a
 * fee, but for what makes up for a debt, which stands behind it.
 */
function isFeeLeg({ type, data, postings }: ReconciledEntry, leg: number): boolean {
  if (type === 'ProviderFeeBooked') return true;
  if (!('feeMinor' in data) || data.feeMinor === 0) return false;
  const behind = 'madeUpMinor' in data && (data.madeUpMinor ?? 0) > 0 ? 1 : 0;
  return leg === postings.length - 1 - behind;
}

/** The movement that an entry books: one for each entry, and one for all entries of a charge. */
function subjectOf({ type, data, revision }: ReconciledEntry): string {
  switch (type) {
    case 'PaymentSettled':
    case 'UnappliedReceived':
    case 'ProviderFeeBooked':
      return `charge ${data.chargeId}`;
    case 'PaymentRefunded':
    case 'UnappliedRefunded':
      return `refund ${data.refundId}`;
    case 'RefundFailed':
    case 'UnappliedRefundFailed':
      return `failed refund ${data.refundId}`;
    case 'PayoutTransferred':
      return `transfer ${data.providerTransferId}`;
    case 'PayoutFailed':
      return `reversal ${data.reversalId ?? `of ${data.payoutId}`}`;
    default:
      return 'balanceTransactionId' in data
        ? `movement ${data.balanceTransactionId}`
        : `entry ${revision} (${type})`;
  }
}

/** The subjects under which the books may have a movement: by its object, and by itself. */
export function subjectsOf({ id, type, source }: ProviderMovement): string[] {
  const kind = source.kind === 'refund' && type.endsWith('_failure') ? 'failed refund' : source.kind;
  return source.id === undefined ? [`movement ${id}`] : [`${kind} ${source.id}`, `movement ${id}`];
}

/** The fields that name an object of the provider's, or what of ours such an object carries. */
const NAMING = [
  'chargeId',
  'intentId',
  'refundId',
  'disputeId',
  'providerTransferId',
  'reversalId',
  'balanceTransactionId',
  'paymentId',
  'payoutId',
] as const;

function idsIn({ data }: JournalEvent): string[] {
  const fields: Readonly<Record<string, unknown>> = data;
  return NAMING.flatMap((name) => {
    const id = fields[name];
    return typeof id === 'string' ? [id] : [];
  });
}
