/**
 * What the journal can be asked. Amounts are minor units; ids and keys are made by whoever asks, time by the
 * writer.
 */
import type {
  AccountTotal,
  JournalEventOf,
  JournalEventType,
  Occurrence,
  ProviderMode,
  SavedCard,
  Sealed,
} from '#contracts/events/journal';

/** What a charge is known by: the payment that its metadata names, if any, and the charge itself. */
interface OfCharge {
  paymentId: string | undefined;
  chargeId: string;
}

/** The account of the card provider's that a ledger was founded over. */
export interface Founding {
  readonly providerAccountId: string;
  readonly mode: ProviderMode;
  /** In which months of the books begin and end; absent: UTC. */
  readonly timeZone?: string | undefined;
}

/** What a month came to, as read from the log. */
export interface MonthFigures {
  /** The last entry recorded before the month's end; -1 where there is none. */
  readonly throughRevision: number;
  readonly entryCount: number;
  readonly totals: readonly AccountTotal[];
  readonly balancesHash: string;
}

/**
 * What a command brings is what its entry will say, but for what the rule adds: no amount is declared twice.
 */
type SaidBy<T extends JournalEventType, Added extends string = 'postings'> = Omit<
  JournalEventOf<T>['data'],
  Added
>;

interface RefundAmount {
  refundId: string;
  amountMinor: number;
  /** Where the provider names one; a refund is of its charge's currency. */
  currency?: string | undefined;
  occurredAt: string;
}

/**
 * Money that a dispute moved, by the provider's balance transaction; both amounts are positive whichever way
 * it went.
 */
interface DisputeAmounts extends OfCharge {
  disputeId: string;
  balanceTransactionId: string;
  amountMinor: number;
  currency: string;
  feeMinor: number;
  feeCurrency: string;
  occurredAt: string;
}

export type JournalCommand =
  /** Before anything else: over which account of the card provider's this ledger keeps its books. */
  | ({ type: 'FoundLedger' } & Founding)
  /** By a recovery that could not bring back the same events. The revisions and hashes are the journal's. */
  | {
      type: 'BeginEpoch';
      commonRevision: number;
      commonHash?: string | undefined;
      lostRevision?: number | undefined;
      lostHash?: string | undefined;
    }
  /**
   * Closes a month of the books. The figures are read from the log up to the month's end; `tree` is the log's
   * tree as it was signed last, where there is one.
   */
  | {
      type: 'CloseMonth';
      month: string;
      figures: MonthFigures;
      tree?: { treeSize: number; root: string } | undefined;
    }
  | { type: 'SuspendDebits'; userId: string }
  /** An operator's act. */
  | { type: 'ResumeDebits'; userId: string }
  | { type: 'OpenAccount'; userId: string }
  /** For a user who is to be forgotten. Refused while any money of theirs is left; a debt is written off. */
  | { type: 'CloseAccount'; userId: string }
  /** Takes what older entries left on a closed account from it. The id is made by whoever asks. */
  | { type: 'ClearClosedAccount'; userId: string; clearingId: string }
  /** Gives up what a user owes. `because` is what the operator wrote, where it can be sealed still. */
  | { type: 'WriteOffDebt'; userId: string; writeOffId: string; because?: Sealed | undefined }
  /**
   * Unclaimed money was given to whom it belongs, out of the platform's own funds: so much, which must be
   * what is left of it.
   */
  | { type: 'PayUnclaimed'; itemId: string; amountMinor: number; reference: string }
  /** Its saved card is the one that pays it, its owner being there. */
  | ({
      type: 'OpenPayment';
      /** So many cards were declined of late that no sum goes unproven. */
      isChallenged?: boolean | undefined;
    } & SaidBy<'PaymentOpened', 'occurrence'>)
  /** A payment that the log has lost, as its sealed object at the provider tells it. */
  | ({ type: 'RecoverPayment' } & SaidBy<'PaymentOpened', 'note' | 'guestName' | 'unproven'>)
  | { type: 'SubmitPayment'; paymentId: string; intentId: string }
  /**
   * The provider's word that one attempt was declined. `attemptId` is the provider's id of the attempt (its
   * charge).
   */
  | {
      type: 'RecordFailedAttempt';
      paymentId: string;
      attemptId: string;
      code: string;
      reason: string;
      occurredAt: string;
    }
  /**
   * The provider's proof of money. `paymentId` is what its metadata names, if anything: an unknown one is
   * booked as unapplied.
   */
  | ({ type: 'SettlePayment' } & SaidBy<'UnappliedReceived', 'reason' | 'postings'>)
  /**
   * `intentId` is the provider's object that was canceled, if there was one: another than the payment's
   * changes nothing.
   */
  | {
      type: 'CancelPayment';
      paymentId: string;
      intentId?: string | undefined;
      reason: string;
      occurredAt: string;
    }
  /** The provider's word that it gave `amountMinor` back. */
  | ({ type: 'RefundPayment'; paymentId: string; chargeId?: string | undefined } & RefundAmount)
  | { type: 'FailRefund'; paymentId: string; refundId: string; reason: string; occurredAt: string }
  | ({ type: 'RefundUnapplied'; chargeId: string } & RefundAmount)
  | { type: 'FailUnappliedRefund'; chargeId: string; refundId: string; reason: string; occurredAt: string }
  /** A payer disputes a charge at their bank. */
  | ({
      type: 'OpenDispute';
      disputeId: string;
      amountMinor: number;
      currency: string;
      reason: string;
      occurredAt: string;
    } & OfCharge)
  | ({ type: 'WithdrawDisputed' } & DisputeAmounts)
  | ({ type: 'ReinstateDisputed' } & DisputeAmounts)
  | ({
      type: 'CloseDispute';
      disputeId: string;
      outcome: 'won' | 'lost';
      amountMinor: number;
      currency: string;
      occurredAt: string;
    } & OfCharge)
  /**
   * What the provider took for a charge, by its balance transaction: `netMinor` is what is left, and can be
   * used from `availableOn` on, where the provider says so.
   */
  | ({
      type: 'BookProviderFee';
      balanceTransactionId: string;
      amountMinor: number;
      currency: string;
      netMinor: number | null;
      availableOn: string | null;
      occurredAt: string;
    } & OfCharge)
  /**
   * Money of the platform's own that moved at the provider. Both amounts have the provider's signs:
   * `amountMinor` is above zero when it came in, `feeMinor` when the provider took it.
   */
  | {
      type: 'BookPlatformMoney';
      balanceTransactionId: string;
      providerType: string;
      sourceId?: string | undefined;
      amountMinor: number;
      feeMinor: number;
      currency: string;
      occurredAt: string;
    }
  | ({ type: 'PostTransfer' } & SaidBy<'TransferPosted', 'occurrence' | 'postings'>)
  /**
   * Collects one occurrence of a schedule, once: from the payer's balance if that covers all of it, else from
   * their saved card, else not at all, and then not by this attempt any more. The ids of transfer and payment
   * derive from occurrence and attempt; the receipt says what it became (`route`). Without `savedCard` nobody
   * has looked for one: NoFunding asks for that, and decides nothing. `byCardOnly`: its payer wants the
   * balance left alone.
   */
  | {
      type: 'CollectOccurrence';
      occurrenceId: string;
      attempt: number;
      scheduleKind: Occurrence['kind'];
      scheduleId: string;
      dueAt: string;
      payerId: string;
      recipientId: string;
      amountMinor: number;
      currency: string;
      note?: Sealed | undefined;
      savedCard?: SavedCard | 'none' | undefined;
      byCardOnly?: boolean | undefined;
    }
  | ({ type: 'RequestPayout' } & SaidBy<'PayoutRequested'>)
  /** A payout that the log has lost, as its sealed transfer at the provider tells it. */
  | ({ type: 'RecoverPayout' } & SaidBy<'PayoutRequested'>)
  /**
   * The provider's word that the money is in the user's connected account. `providerTransferId` is its
   * transfer.
   */
  | {
      type: 'RecordPayoutTransferred';
      payoutId: string;
      providerTransferId: string;
      connectAccountId: string;
      occurredAt: string;
    }
  /** The provider's word that it sends the money on to the bank. `providerPayoutId` is its payout. */
  | {
      type: 'SubmitPayout';
      payoutId: string;
      providerPayoutId: string;
      /** The day on which the provider expects it at the bank, where it said one. */
      arrivesOn?: string | undefined;
      occurredAt: string;
    }
  | { type: 'CompletePayout'; payoutId: string; providerPayoutId: string; occurredAt: string }
  /**
   * The provider's word that its payout failed or was canceled, also after it was paid: the money is in the
   * connected account.
   */
  | {
      type: 'ReturnPayout';
      payoutId: string;
      providerPayoutId: string;
      code: string;
      reason: string;
      occurredAt: string;
    }
  /**
   * Ends a payout and gives the user the money back. `reversalId` proves that what was transferred is ours
   * again.
   */
  | {
      type: 'FailPayout';
      payoutId: string;
      reversalId?: string | undefined;
      code: string;
      reason: string;
      occurredAt: string;
    }
  | {
      type: 'OpenWallet';
      walletId: string;
      userId: string;
      displayName: Sealed;
      description?: Sealed | undefined;
      currency: string;
    }
  /** Gives a wallet this name, and this description or none. */
  | {
      type: 'RenameWallet';
      walletId: string;
      userId: string;
      displayName: Sealed;
      description?: Sealed | undefined;
    }
  /** Closes a wallet for good, and moves what is left in it back, by this movement. */
  | { type: 'CloseWallet'; movementId: string; walletId: string; userId: string; currency: string }
  | ({ type: 'FundWallet' } & SaidBy<'WalletFunded'>)
  | ({ type: 'WithdrawWallet' } & SaidBy<'WalletWithdrawn'>);

/** One of the commands, by its type. */
export type Command<T extends JournalCommand['type']> = Extract<JournalCommand, { type: T }>;
