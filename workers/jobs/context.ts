/** What a job is given: the clock, what is due by the read models, and the ledger to ask. */
import type { InternalAnswer, InternalCommand, LogEnd } from '#contracts/api/internal';
import type { ProviderAccount } from '#projections/bank-accounts/queries';
import type { UnfinishedPayoutView } from '#projections/payouts/queries';
import type { DueSchedule } from '#projections/schedules/queries';
import type { UnresolvedPayment } from '#projections/transactions/queries';
import type { UnappliedCharge as Charge } from '#projections/unapplied/queries';
import type { MailOutcome } from '#contracts/api/mails';
import type { MailSender } from '../mail/mail-sender.js';
import type { LedgerDeclined } from '../ledger-client.js';

export type JobName =
  | 'reconcile'
  | 'refund-unapplied'
  | 'care-for-payments'
  | 'reconcile-payouts'
  | 'advance-payouts'
  | 'care-for-bank-accounts'
  | 'compare-provider-balance'
  | 'find-due-schedules'
  | 'finish-forgetting'
  | 'send-mails'
  | 'forget-who-asked';

/**
 * What a reconciliation may leave behind: payments by the provider's id, users' accounts at the payout
 * provider, and payouts; and times, as `since/until`, of which nothing could be learnt.
 */
export type BehindKind = 'payments' | 'payment-times' | 'payout-accounts' | 'payouts' | 'transfer-times';

/** What has a mark of its own. */
export type MarkName = 'reconcile' | 'reconcile-transfers' | 'reconcile-payouts' | 'payout-accounts-round';

/** How far a comparison came, and where the log ended then: in another log the mark says nothing. */
export interface Mark {
  readonly at: Date;
  /** Undefined for a mark of before such were set. */
  readonly log: LogEnd | undefined;
}

/** A charge that no payment explains, as far as it matters here. */
export type UnappliedCharge = Pick<Charge, 'chargeId' | 'receivedAt'>;

/** One page of a list, after the last line of the page before. */
export type Pages<Line> = (after: Line | undefined) => Promise<readonly Line[]>;

/** What a job needs of the world. */
export interface JobContext {
  readonly now: () => Date;
  readonly marks: {
    get(name: MarkName): Promise<Mark | undefined>;
    set(name: MarkName, mark: Mark): Promise<void>;
    /**
     * Moves a mark that still stands where `from` says; answers whether it did. One that was lost meanwhile
     * stays lost, since what stayed behind it is lost too.
     */
    move(name: MarkName, from: Mark, to: Mark): Promise<boolean>;
    /** What stayed behind when a mark moved on, and from when on it must be looked at. */
    behind(kind: BehindKind): Promise<ReadonlyMap<string, Date>>;
    /** The earlier time stays, where it is behind already. */
    leaveBehind(kind: BehindKind, id: string, since: Date): Promise<void>;
    caughtUp(kind: BehindKind, id: string): Promise<void>;
  };
  /** Connections to the mail server, each for one mail at a time; undefined where there is no mail server. */
  readonly mail:
    | {
        readonly senders: readonly MailSender[];
        readonly noted: (outcome: MailOutcome['outcome'], code: number | undefined) => void;
      }
    | undefined;
  readonly ask: (command: InternalCommand) => Promise<InternalAnswer>;
  readonly attempts: {
    /** Of these names those whose time it is, with how often each was tried in vain. */
    due(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
    /** It was tried, and may have come to nothing: it is left alone for a while, longer each time. */
    note(name: string): Promise<unknown>;
    /** Nothing more is to be done under this name. */
    done(name: string): Promise<unknown>;
  };
  /** Charges that no payment explains and that have not gone back, oldest first, a page at a time. */
  readonly unappliedCharges: Pages<UnappliedCharge>;
  /** Payments neither settled nor canceled, oldest first, a page at a time. */
  readonly unresolvedPayments: Pages<UnresolvedPayment>;
  /** Payouts that have not ended, oldest first, a page at a time. */
  readonly unfinishedPayouts: Pages<UnfinishedPayoutView>;
  /** Users' accounts at the payout provider, so many at a time as one call takes. */
  readonly payoutAccounts: Pages<ProviderAccount>;
  /** How long a payout that was put off waits the first time. */
  readonly payoutRetryMs: number;
  /**
   * Users with a bank account that was submitted some time ago and never got to the provider, a page at a
   * time.
   */
  readonly usersWithStuckBankAccounts: Pages<string>;
  /**
   * Users whose forgetting was begun and not finished, or for whom a schedule still goes on, a page at a
   * time.
   */
  readonly halfForgotten: Pages<string>;
  /** Users who asked to be forgotten and whose wait is over at a moment, a page at a time. */
  readonly dueToBeForgotten: (now: Date, afterId: string | undefined) => Promise<readonly string[]>;
  /** Schedules that must be looked after at a moment, the longest overdue first, a page at a time. */
  readonly dueSchedules: (now: Date, after: DueSchedule | undefined) => Promise<readonly DueSchedule[]>;
  /** Makes a job of each that has none; retries come after what was never tried. */
  readonly enqueue: (dues: readonly DueSchedule[], isRetry: boolean) => Promise<void>;
  /** Told of a command that the ledger declined: noted, and no reason to stop. */
  readonly declined: (command: InternalCommand, error: LedgerDeclined) => void;
}
