/** What a job is given: the clock, what is due by the read models, and the ledger to ask. */
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import type { ProviderAccount } from '#projections/bank-accounts/queries';
import type { UnfinishedPayoutView } from '#projections/payouts/queries';
import type { DueSchedule } from '#projections/schedules/queries';
import type { UnresolvedPayment } from '#projections/transactions/queries';
import type { UnappliedCharge as Charge } from '#projections/unapplied/queries';
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
  | 'finish-forgetting';

/**
 * What a reconciliation may leave behind: payments by the provider's id, users' accounts at the payout
 * provider, and payouts.
 */
export type BehindKind = 'payments' | 'payout-accounts' | 'payouts';

/** A charge that no payment explains, as far as it matters here. */
export type UnappliedCharge = Pick<Charge, 'chargeId' | 'receivedAt'>;

/** One page of a list, after the last line of the page before. */
export type Pages<Line> = (after: Line | undefined) => Promise<readonly Line[]>;

/** What a job needs of the world. */
export interface JobContext {
  readonly now: () => Date;
  readonly marks: {
    get(job: JobName): Promise<Date | undefined>;
    set(job: JobName, at: Date): Promise<void>;
    /** What stayed behind when a mark moved on, and from when on it must be looked at. */
    behind(kind: BehindKind): Promise<ReadonlyMap<string, Date>>;
    /** The earlier time stays, where it is behind already. */
    leaveBehind(kind: BehindKind, id: string, since: Date): Promise<void>;
    caughtUp(kind: BehindKind, id: string): Promise<void>;
  };
  readonly ask: (command: InternalCommand) => Promise<InternalAnswer>;
  /** What this job has tried in vain: it is left alone for a while, longer each time. */
  readonly attempts: {
    due(names: readonly string[]): Promise<ReadonlySet<string>>;
    note(name: string): Promise<unknown>;
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
  /** Users with a bank account that was submitted some time ago and never got to the provider. */
  readonly usersWithStuckBankAccounts: () => Promise<readonly string[]>;
  /**
   * Users whose forgetting was begun and not finished, or for whom a schedule still goes on, a page at a
   * time.
   */
  readonly halfForgotten: Pages<string>;
  /** Schedules that must be looked after at a moment, the longest overdue first, a page at a time. */
  readonly dueSchedules: (now: Date, after: DueSchedule | undefined) => Promise<readonly DueSchedule[]>;
  /** Makes a job of each that has none. */
  readonly enqueue: (dues: readonly DueSchedule[]) => Promise<void>;
  /** Told of a command that the ledger declined: noted, and no reason to stop. */
  readonly declined: (command: InternalCommand, error: LedgerDeclined) => void;
}
