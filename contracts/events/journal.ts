/**
 * The journal's events: each is one journal entry, named for what happened, in one stream. An entry that moves
 * money carries its postings, which balance by construction: one debit, one credit, one amount.
 */
import { z } from 'zod';
import { AmountMinor } from '../money.js';

/** The one stream in which every cent that moves is an event. */
export const JOURNAL = 'journal';

/** One leg pair: `amountMinor` leaves `debit` and reaches `credit`. Both accounts are of one currency. */
export const Posting = z.object({ debit: z.string().min(1), credit: z.string().min(1), amountMinor: AmountMinor });
export type Posting = z.infer<typeof Posting>;

export const PaymentMethod = z.enum(['card', 'cashapp']);
export type PaymentMethod = z.infer<typeof PaymentMethod>;

/** A text that only its owner's data key opens: see ledger/vault. */
export const Sealed = z.string().startsWith('sealed:');
export type Sealed = z.infer<typeof Sealed>;

const postings = z.array(Posting).min(1);
/** The parties and the sum of a payment, repeated in each entry that a reader must understand by itself. */
const parties = {
  paymentId: z.string(),
  payerId: z.string(),
  recipientId: z.string(),
  amountMinor: AmountMinor,
  currency: z.string(),
};
const occurredAt = z.iso.datetime();

export const journalEvents = {
  /** A user's available balance exists from here on, at zero. */
  AccountOpened: z.object({ account: z.string(), userId: z.string() }),
  /** A payer means to pay by card or Cash App. No money has moved. */
  PaymentOpened: z.object({ ...parties, method: PaymentMethod, note: Sealed.optional() }),
  /** The provider knows the payment, under its own id. */
  PaymentSubmitted: z.object({ paymentId: z.string(), intentId: z.string() }),
  /** The provider declined one attempt; the payer may try another card. Resolves nothing. */
  PaymentAttemptFailed: z.object({
    paymentId: z.string(),
    attemptId: z.string(),
    code: z.string(),
    reason: z.string(),
    occurredAt,
  }),
  /** The provider has the money: card clearing is debited, the recipient credited. Names the charge that proves it. */
  PaymentSettled: z.object({ ...parties, intentId: z.string(), chargeId: z.string(), occurredAt, postings }),
  /** The provider says that this payment will never be paid. */
  PaymentCanceled: z.object({ paymentId: z.string(), reason: z.string(), occurredAt }),
  /** The provider gave some or all of it back to the payer's card. May leave the recipient in debt. */
  PaymentRefunded: z.object({
    paymentId: z.string(),
    payerId: z.string(),
    recipientId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    refundedMinor: AmountMinor,
    originalMinor: AmountMinor,
    occurredAt,
    postings,
  }),
  /** A refund did not reach the payer's card: the money is back with the recipient. */
  RefundFailed: z.object({
    paymentId: z.string(),
    payerId: z.string(),
    recipientId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    refundedMinor: z.number().int().nonnegative(),
    originalMinor: AmountMinor,
    reason: z.string(),
    occurredAt,
    postings,
  }),
  /** Money that we hold and that no payment explains; a worker gives it back. */
  UnappliedReceived: z.object({
    chargeId: z.string(),
    intentId: z.string(),
    paymentId: z.string().optional(),
    amountMinor: AmountMinor,
    currency: z.string(),
    reason: z.enum(['unknown-payment', 'already-settled', 'amount-differs', 'currency-differs']),
    occurredAt,
    postings,
  }),
  /** Unapplied money went back where it came from. */
  UnappliedRefunded: z.object({
    chargeId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    occurredAt,
    postings,
  }),
  /** Money moved from one user's available balance to another's. */
  TransferPosted: z.object({
    transferId: z.string(),
    payerId: z.string(),
    recipientId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    note: Sealed.optional(),
    postings,
  }),
} as const;

export type JournalEventType = keyof typeof journalEvents;
/** A journal event: its type and data, as decided or as read back. */
export type JournalEvent = { [T in JournalEventType]: { type: T; data: z.infer<(typeof journalEvents)[T]> } }[JournalEventType];
export type JournalEventOf<T extends JournalEventType> = Extract<JournalEvent, { type: T }>;

/** The postings of an entry; none where no money moved. */
export const postingsOf = (event: JournalEvent): readonly Posting[] => ('postings' in event.data ? event.data.postings : []);
