/**
 * The journal's events: each is one journal entry, named for what happened, in one stream. An entry that
 * moves money carries its postings, which balance by construction: one debit, one credit, one amount.
 */
import { z } from 'zod';
import { platform } from '../plain/accounts.js';
import { MONTH_FORM } from '../plain/months.js';
import { AmountMinor } from './amount.js';
import { ScheduleKind } from './occurrence.js';

/** The one stream in which every cent that moves is an event. */
export const JOURNAL = 'journal';

/** One leg pair: `amountMinor` leaves `debit` and reaches `credit`. Both accounts are of one currency. */
export const Posting = z.object({
  debit: z.string().min(1),
  credit: z.string().min(1),
  amountMinor: AmountMinor,
});
export type Posting = z.infer<typeof Posting>;

export const PaymentMethod = z.enum(['card', 'cashapp']);
export type PaymentMethod = z.infer<typeof PaymentMethod>;

/** A text that only its owner's data key opens: see log. */
export const Sealed = z.string().startsWith('sealed:');
export type Sealed = z.infer<typeof Sealed>;

/** The time-driven occurrence that an entry collects: one attempt at it. */
export const Occurrence = z.object({
  /** Derived from the schedule and the due time. */
  occurrenceId: z.string(),
  kind: ScheduleKind,
  scheduleId: z.string(),
  dueAt: z.iso.datetime(),
  attempt: z.number().int().positive(),
});
export type Occurrence = z.infer<typeof Occurrence>;

/** Why an attempt at an occurrence moves no money, by the journal itself. */
export const CollectionRefusal = z.enum([
  'no_funding',
  'recipient_not_found',
  'payer_not_found',
  'same_person',
]);
export type CollectionRefusal = z.infer<typeof CollectionRefusal>;

/**
 * A card that the provider keeps for a payer, by the provider's ids: nothing of it is secret, nothing of it
 * is a card number.
 */
export const SavedCard = z.object({ customerId: z.string(), paymentMethodId: z.string() });
export type SavedCard = z.infer<typeof SavedCard>;

/** Why money that the provider has for us is no payment’s. */
export const UnappliedReason = z.enum([
  'unknown-payment',
  'already-settled',
  'amount-differs',
  'currency-differs',
  /** Of older logs: another route had collected the occurrence that this payment was for. */
  'already-collected',
  /** The attempt at an occurrence that this payment was had been ended: the schedule goes by that. */
  'attempt-ended',
  /** Its recipient's account was closed before the money came. */
  'account-closed',
]);
export type UnappliedReason = z.infer<typeof UnappliedReason>;

/** Whether the card provider moves money (`live`), or plays at it (`test`). */
export const ProviderMode = z.enum(['test', 'live']);
export type ProviderMode = z.infer<typeof ProviderMode>;

/** What all accounts of one kind and currency held together: credits less debits. */
export const AccountTotal = z.object({
  /** `available`, `payouts`, `wallet`, or the platform's account. */
  kind: z.string().min(1),
  currency: z.string(),
  balanceMinor: z.number().int(),
});
export type AccountTotal = z.infer<typeof AccountTotal>;

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
const occurrence = Occurrence.optional();
/** How a guest calls themselves, sealed with the guest's key. */
const guestName = Sealed.optional();
/** Its payer showed no proof: it counts toward what may be tipped so in a day. */
const unproven = z.literal(true).optional();
/**
 * What of money that came back makes up for debts that were given up: the platform's, which bore that. Those
 * are the debts given up after the entry `madeUpSince`, since which the money had been gone, the oldest
 * first; of an entry that does not name it the newest first.
 */
const madeUp = {
  madeUpMinor: AmountMinor.optional(),
  madeUpSince: z.number().int().nonnegative().optional(),
};
/**
 * What is taken from money that waits unclaimed for somebody whose account is closed: of which item, and how
 * much.
 */
export const DrawnItem = z.object({ itemId: z.string(), amountMinor: AmountMinor });
export type DrawnItem = z.infer<typeof DrawnItem>;

/**
 * The items that bear what an entry takes from somebody whose account is closed, the oldest first: only the
 * rest is the platform's loss. Absent where nothing was waiting, and in entries of older ledgers, of which
 * the platform bore all.
 */
const drawn = z.array(DrawnItem).min(1).optional();
const payout = { payoutId: z.string(), userId: z.string(), amountMinor: AmountMinor, currency: z.string() };
const movement = {
  movementId: z.string(),
  walletId: z.string(),
  userId: z.string(),
  amountMinor: AmountMinor,
  currency: z.string(),
  description: Sealed.optional(),
  postings,
};
/**
 * What a charge that we hold paid for: a payment and its parties, or nothing that we know of (it is
 * unapplied).
 */
const charged = {
  chargeId: z.string(),
  paymentId: z.string().optional(),
  payerId: z.string().optional(),
  recipientId: z.string().optional(),
};
const dispute = {
  disputeId: z.string(),
  ...charged,
  amountMinor: AmountMinor,
  currency: z.string(),
  occurredAt,
};
/**
 * Money that a dispute moved, named by the provider's balance transaction: who bears how much of it, and the
 * fee for it.
 */
const disputed = {
  ...dispute,
  balanceTransactionId: z.string(),
  recipientMinor: z.number().int().nonnegative(),
  unappliedMinor: z.number().int().nonnegative(),
  platformMinor: z.number().int().nonnegative(),
  feeMinor: z.number().int().nonnegative(),
  feeCurrency: z.string(),
  postings,
};
/**
 * Money of the platform's own that moved at the provider, by the balance transaction that proves it.
 * `providerType` is the provider's word for it, `sourceId` the object that caused it. `feeMinor` is what the
 * provider took for it, or gave back with it where `feeReturned` stands.
 */
const platformMoney = {
  balanceTransactionId: z.string(),
  providerType: z.string(),
  sourceId: z.string().optional(),
  amountMinor: AmountMinor,
  feeMinor: z.number().int().nonnegative(),
  feeReturned: z.literal(true).optional(),
  currency: z.string(),
  occurredAt,
  postings,
};

export const journalEvents = {
  /**
   * The ledger begins, over this account of the card provider's: no other account's keys are taken
   * afterwards. The first entry of a journal; logs of before have it where the version that knows it began.
   */
  LedgerFounded: z.object({
    providerAccountId: z.string().min(1),
    mode: ProviderMode,
    /** In which the books' months begin and end; absent: UTC. */
    timeZone: z.string().min(1).optional(),
  }),
  /**
   * The log had lost its end and was won back as far as sources outside of it go, but not word for word: what
   * follows is another history than the one that was lost. `commonRevision` is the journal's last entry that
   * both have (-1: none); `lostRevision` and `lostHash` are the furthest entry of the lost history that
   * anybody knew.
   */
  EpochBegun: z.object({
    commonRevision: z.number().int().min(-1),
    commonHash: z.string().optional(),
    lostRevision: z.number().int().nonnegative().optional(),
    lostHash: z.string().optional(),
  }),
  /**
   * A month of the books is over and counted: its entries are those recorded in it, up to `throughRevision`,
   * and whatever comes later belongs to a later month. `totals` are the balances at its end by kind of
   * account, `balancesHash` covers those of all accounts. `treeSize` and `root` are of the log's tree where
   * one was known.
   */
  MonthClosed: z.object({
    month: z.string().regex(MONTH_FORM),
    timeZone: z.string().min(1),
    /** The last entry recorded before the month's end; -1 where there was none. */
    throughRevision: z.number().int().min(-1),
    /** Entries recorded in the month. */
    entryCount: z.number().int().nonnegative(),
    totals: z.array(AccountTotal),
    balancesHash: z.string(),
    treeSize: z.number().int().nonnegative().optional(),
    root: z.string().optional(),
  }),
  /**
   * Nothing leaves this user's accounts by their own act until an operator says so. They can still be paid.
   */
  DebitsSuspended: z.object({ userId: z.string(), reason: z.enum(['log-recovery']) }),
  /** An operator has looked at this user's accounts: they may use their money again. */
  DebitsResumed: z.object({ userId: z.string() }),
  /** A user's available balance exists from here on, at zero. */
  AccountOpened: z.object({ account: z.string(), userId: z.string() }),
  /**
   * A user was forgotten: nothing is paid to or by them any more, and no entry leaves money on their account.
   * A debt that they had is a loss of the platform's.
   */
  AccountClosed: z.object({
    account: z.string(),
    userId: z.string(),
    writtenOffMinor: z.number().int().nonnegative(),
    postings: z.array(Posting),
  }),
  /** Money that older entries had left on a closed account is unclaimed. */
  ClosedAccountCleared: z.object({
    itemId: z.string(),
    userId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    postings,
  }),
  /**
   * An operator gave up a user's debt, and said why: it is a loss of the platform's, but for what waits
   * unclaimed for a user whose account is closed.
   */
  DebtWrittenOff: z.object({
    userId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    because: Sealed.optional(),
    drawn,
    postings,
  }),
  /**
   * An operator gave what was left of unclaimed money to whom it belongs, out of the platform's own funds.
   * `reference` says where that can be looked up.
   */
  UnclaimedPaid: z.object({
    itemId: z.string(),
    userId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    reference: z.string(),
    postings,
  }),
  /** A payer means to pay by card or Cash App. No money has moved. */
  PaymentOpened: z.object({
    ...parties,
    method: PaymentMethod,
    note: Sealed.optional(),
    guestName,
    savedCard: SavedCard.optional(),
    occurrence,
    unproven,
  }),
  /** The provider knows the payment, under its own id. */
  PaymentSubmitted: z.object({ paymentId: z.string(), intentId: z.string() }),
  /** The provider declined one attempt; the payer may try another card. Resolves nothing. */
  PaymentAttemptFailed: z.object({
    paymentId: z.string(),
    attemptId: z.string(),
    code: z.string(),
    reason: z.string(),
    occurredAt,
    occurrence,
  }),
  /**
   * The provider has the money: card clearing is debited, the recipient credited. Names the charge that
   * proves it.
   */
  PaymentSettled: z.object({
    ...parties,
    intentId: z.string(),
    chargeId: z.string(),
    occurredAt,
    occurrence,
    postings,
  }),
  /** The provider says that this payment will never be paid. */
  PaymentCanceled: z.object({ paymentId: z.string(), reason: z.string(), occurredAt, occurrence }),
  /**
   * The provider gave some or all of it back to the payer's card. May leave the recipient in debt. It has its
   * parts only where a dispute had taken some of it before: that is the platform's cost.
   */
  PaymentRefunded: z.object({
    paymentId: z.string(),
    payerId: z.string(),
    recipientId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    refundedMinor: AmountMinor,
    originalMinor: AmountMinor,
    recipientMinor: z.number().int().nonnegative().optional(),
    disputedMinor: z.number().int().nonnegative().optional(),
    drawn,
    occurredAt,
    postings,
  }),
  /**
   * A refund did not reach the payer's card: the money is back with the recipient, but for what a dispute
   * took of it meanwhile at the platform's cost, and for what makes up for a debt of theirs that was given up
   * after the refund. Entries of older ledgers gave the recipient all, and have no parts.
   */
  RefundFailed: z.object({
    paymentId: z.string(),
    payerId: z.string(),
    recipientId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    refundedMinor: z.number().int().nonnegative(),
    originalMinor: AmountMinor,
    recipientMinor: z.number().int().nonnegative().optional(),
    disputedMinor: z.number().int().nonnegative().optional(),
    ...madeUp,
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
    reason: UnappliedReason,
    occurredAt,
    postings,
  }),
  /**
   * Unapplied money, or a part of it, went back where it came from. It has its parts only where a dispute had
   * taken some of it while it was on its way: that is the platform's cost.
   */
  UnappliedRefunded: z.object({
    chargeId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    unappliedMinor: z.number().int().nonnegative().optional(),
    disputedMinor: z.number().int().nonnegative().optional(),
    occurredAt,
    postings,
  }),
  /**
   * Unapplied money that had gone back did not arrive there: we hold it again, but for what a dispute took of
   * it meanwhile at the platform's cost. Entries of older ledgers held all of it, and have neither part.
   */
  UnappliedRefundFailed: z.object({
    chargeId: z.string(),
    refundId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    unappliedMinor: z.number().int().nonnegative().optional(),
    disputedMinor: z.number().int().nonnegative().optional(),
    reason: z.string(),
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
    occurrence,
    unproven,
    postings,
  }),
  /**
   * An attempt at an occurrence found neither balance nor card, or nobody to pay: by this attempt no money
   * will ever move.
   */
  CollectionRefused: z.object({
    payerId: z.string(),
    recipientId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    code: CollectionRefusal,
    occurrence: Occurrence,
  }),
  /**
   * A user asked for money to be sent to their bank: it leaves their available balance and is held until it
   * arrives.
   */
  PayoutRequested: z.object({ ...payout, bankAccountId: z.string(), postings }),
  /** The provider moved it to the user's connected account. */
  PayoutTransferred: z.object({
    ...payout,
    providerTransferId: z.string(),
    connectAccountId: z.string(),
    occurredAt,
    postings,
  }),
  /** The provider has sent it on to the bank. */
  PayoutSubmitted: z.object({
    ...payout,
    providerPayoutId: z.string(),
    arrivesOn: z.iso.date().optional(),
    occurredAt,
    postings,
  }),
  /** The provider says that the bank has it: we owe the user this money no longer. */
  PayoutCompleted: z.object({ ...payout, providerPayoutId: z.string(), occurredAt, postings }),
  /**
   * The bank or the provider sent it back, perhaps after it was completed: it is in the connected account
   * again.
   */
  PayoutReturned: z.object({
    ...payout,
    providerPayoutId: z.string(),
    code: z.string(),
    reason: z.string(),
    afterCompletion: z.boolean(),
    occurredAt,
    postings,
  }),
  /**
   * The payout ends without success: whatever was transferred is proven reversed, and the user has the money
   * again. It has its parts only where some of it makes up for a debt of theirs that was given up after they
   * had asked for the payout.
   */
  PayoutFailed: z.object({
    ...payout,
    ownerMinor: z.number().int().nonnegative().optional(),
    ...madeUp,
    code: z.string(),
    reason: z.string(),
    reversalId: z.string().optional(),
    occurredAt,
    postings,
  }),
  /** A treasury wallet of a user exists from here on, at zero. */
  WalletOpened: z.object({
    walletId: z.string(),
    account: z.string(),
    userId: z.string(),
    currency: z.string(),
    displayName: Sealed,
    description: Sealed.optional(),
  }),
  /** The owner moved money from their available balance into a wallet. */
  WalletFunded: z.object(movement),
  /** The owner moved money from a wallet back to their available balance. */
  WalletWithdrawn: z.object(movement),
  /** The owner gave a wallet another name, and another description or none. */
  WalletRenamed: z.object({
    walletId: z.string(),
    userId: z.string(),
    displayName: Sealed,
    description: Sealed.optional(),
  }),
  /** The owner closed a wallet: what was left in it, perhaps nothing, is in their available balance again. */
  WalletClosed: z.object({
    movementId: z.string(),
    walletId: z.string(),
    account: z.string(),
    userId: z.string(),
    amountMinor: z.number().int().nonnegative(),
    currency: z.string(),
    postings: z.array(Posting),
  }),
  /** A payer disputes a charge at their bank. No money has moved by this entry. */
  DisputeOpened: z.object({ ...dispute, reason: z.string() }),
  /**
   * The provider took disputed money from us, and a fee: the recipient bears the payment, the platform the
   * fee and any excess.
   */
  DisputeFundsWithdrawn: z.object({ ...disputed, drawn }),
  /**
   * The provider gave disputed money back to us, and with it the fee where it says so: each has back what
   * they bore. What makes up for a debt of the recipient's that was given up after the money was taken is no
   * part of theirs.
   */
  DisputeFundsReinstated: z.object({ ...disputed, ...madeUp }),
  /** The dispute ended for the recipient. What money came back is in an entry of its own. */
  DisputeWon: z.object(dispute),
  /** The dispute ended for the payer: what was withdrawn stays with them. */
  DisputeLost: z.object(dispute),
  /**
   * What the provider took for a charge, perhaps nothing, and when it lets us use the rest: by the charge's
   * balance transaction. The platform bears the fee.
   */
  ProviderFeeBooked: z.object({
    balanceTransactionId: z.string(),
    ...charged,
    amountMinor: z.number().int().nonnegative(),
    currency: z.string(),
    netMinor: z.number().int().nullable(),
    availableOn: z.iso.datetime().nullable(),
    occurredAt,
    postings: z.array(Posting),
  }),
  /** The platform brought money of its own to its balance at the provider: a top-up. */
  PlatformFunded: z.object(platformMoney),
  /** A top-up was taken back: its bank did not have the money after all. */
  PlatformFundingReversed: z.object(platformMoney),
  /** The provider sent money of the platform's balance to the platform's own bank. */
  PlatformPaidOut: z.object(platformMoney),
  /** A payout to the platform's own bank failed or was canceled: the money is in its balance again. */
  PlatformPayoutReturned: z.object(platformMoney),
  /** The provider took money that belongs to no payment: its own charges, or an adjustment. */
  ProviderCharged: z.object(platformMoney),
  /** The provider gave such money back, or credited the platform with some. */
  ProviderChargeReturned: z.object(platformMoney),
} as const;

export type JournalEventType = keyof typeof journalEvents;
/** A journal event: its type and data, as decided or as read back. */
export type JournalEvent = {
  [T in JournalEventType]: { type: T; data: z.infer<(typeof journalEvents)[T]> };
}[JournalEventType];
export type JournalEventOf<T extends JournalEventType> = Extract<JournalEvent, { type: T }>;

/** The postings of an entry; none where no money moved. */
export const postingsOf = (event: JournalEvent): readonly Posting[] =>
  'postings' in event.data ? event.data.postings : [];

/**
 * What an entry is about, by id: the payment, transfer, payout, wallet movement or unapplied charge, and the
 * occurrence that it collects. One entry of a payment names the payment only; money that no payment explains
 * is about its charge, whatever payment it names; money of the platform's own about its balance transaction.
 */
export function subjectsOf(event: JournalEvent): readonly string[] {
  switch (event.type) {
    case 'LedgerFounded':
    case 'EpochBegun':
    case 'MonthClosed':
    case 'DebitsSuspended':
    case 'DebitsResumed':
    case 'AccountOpened':
    case 'AccountClosed':
    case 'ClosedAccountCleared':
    case 'DebtWrittenOff':
    case 'UnclaimedPaid':
      return [];
    case 'UnappliedReceived':
    case 'UnappliedRefunded':
    case 'UnappliedRefundFailed':
      return [event.data.chargeId];
    case 'DisputeOpened':
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated':
    case 'DisputeWon':
    case 'DisputeLost':
    case 'ProviderFeeBooked':
      return [event.data.paymentId ?? event.data.chargeId];
    case 'PaymentOpened':
      return [event.data.paymentId, ...collected(event.data.occurrence)];
    case 'TransferPosted':
      return [event.data.transferId, ...collected(event.data.occurrence)];
    case 'CollectionRefused':
      return [event.data.occurrence.occurrenceId];
    case 'WalletOpened':
    case 'WalletRenamed':
    case 'WalletClosed':
      return [event.data.walletId];
    case 'WalletFunded':
    case 'WalletWithdrawn':
      return [event.data.movementId];
    case 'PlatformFunded':
    case 'PlatformFundingReversed':
    case 'PlatformPaidOut':
    case 'PlatformPayoutReturned':
    case 'ProviderCharged':
    case 'ProviderChargeReturned':
      return [event.data.balanceTransactionId];
    case 'PayoutRequested':
    case 'PayoutTransferred':
    case 'PayoutSubmitted':
    case 'PayoutCompleted':
    case 'PayoutReturned':
    case 'PayoutFailed':
      return [event.data.payoutId];
    default:
      return [event.data.paymentId];
  }
}

/** Money that nobody is there to take, as an entry brings it: what it is known by, and whose it was. */
export interface UnclaimedItem {
  readonly itemId: string;
  readonly userId: string;
  readonly amountMinor: number;
}

/**
 * What an entry credits to `platform/unclaimed`; undefined for any other. The item is known by the payout,
 * the refund or the provider's balance transaction by which the money came back.
 */
export function unclaimedBy(event: JournalEvent): UnclaimedItem | undefined {
  const amountMinor = postingsOf(event).reduce(
    (sum, posting) => sum + (posting.credit === platform('unclaimed') ? posting.amountMinor : 0),
    0,
  );
  if (amountMinor === 0) return undefined;
  const { data } = event;
  const userId = 'recipientId' in data ? data.recipientId : 'userId' in data ? data.userId : undefined;
  return { itemId: itemIdOf(event), userId: userId ?? '', amountMinor };
}

/** What an entry takes from money that waits unclaimed, by item; nothing for most. */
export const drawnBy = ({ data }: JournalEvent): readonly DrawnItem[] =>
  'drawn' in data ? (data.drawn ?? []) : [];

function itemIdOf({ type, data }: JournalEvent): string {
  if ('itemId' in data) return data.itemId;
  if ('refundId' in data) return data.refundId;
  if ('balanceTransactionId' in data) return data.balanceTransactionId;
  return 'payoutId' in data ? data.payoutId : type;
}

const collected = (route: Occurrence | undefined): string[] => (route ? [route.occurrenceId] : []);
