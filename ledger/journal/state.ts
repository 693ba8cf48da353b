/**
 * What the books hold, and what may be asked about it. Memory grows with accounts and open items, not with
 * history: closed payments, payouts and charges, occurrences, and the keys of past entries stay for a window
 * (minutes, and a number of entries); `floor` is the revision from which on everything is resident. What lies
 * before it is asked of the archive: a rule answers a question, and is run again with what the archive said.
 */
import { available, ownerOf } from '#contracts/plain/accounts';
import type {
  CollectionRefusal,
  JournalEvent,
  JournalEventOf,
  Occurrence as Cause,
  SavedCard,
  UnclaimedItem,
} from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import type { Founding } from './commands.js';
import type { Counts } from './counts.js';
import { Layer } from './layer.js';

/** Where an entry landed. Shared by the entries of one append, and filled when it is durable. */
export interface Landing {
  position: Position | undefined;
}

/** An entry that can be answered again. */
export interface KeptEntry {
  readonly revision: number;
  readonly landing: Landing;
  readonly fingerprint: string | undefined;
  /** The key that it stands under. */
  readonly key?: string | undefined;
  /** What it is about, by id: the payment, transfer, payout or unapplied charge. */
  readonly subject?: string | undefined;
}

/** An entry as the archive found it in the log. */
export interface PastEntry {
  readonly event: JournalEvent;
  readonly last: KeptEntry;
  readonly recordedAtMs: number;
}

/** Entries about it came while it was not resident: the archive must be asked, at least up to `last`. */
export interface NonResident {
  readonly status: 'elsewhere';
  readonly last: KeptEntry;
}

/** Why something came to nothing: a code, and words for a person. */
export interface FailureReason {
  readonly code: string;
  readonly reason: string;
}

/** The terms of a payment as its first entry has them. */
interface Terms extends Readonly<
  Pick<
    JournalEventOf<'PaymentOpened'>['data'],
    'paymentId' | 'payerId' | 'recipientId' | 'amountMinor' | 'currency' | 'method'
  >
> {
  /** The card that it is charged to in its payer's absence. */
  readonly savedCard: SavedCard | undefined;
  /** When the ledger took it. */
  readonly openedAt: Date;
  /** What of a schedule it collects, if anything. */
  readonly occurrence: Cause | undefined;
  /**
   * The provider's objects that the journal recorded for it, the first one first: failures may make a second.
   */
  readonly intentIds: readonly string[];
  /** The key under which it was opened. */
  readonly key: string | undefined;
  /** The provider's ids of declined attempts, so that each is recorded once. */
  readonly attempts: readonly string[];
  /** The last declined attempt's, as the provider gave it. */
  readonly failure: FailureReason | undefined;
  /** The latest entry about this payment. */
  readonly last: KeptEntry;
}

export interface Refund {
  readonly refundId: string;
  readonly amountMinor: number;
  readonly failed: boolean;
  /**
   * The entry since which its recipient bears it: its own, or that of a dispute which had taken the money
   * before.
   */
  readonly since: number;
}

/** A debt that was given up, and what of it nobody has made up for since. */
interface WriteOff {
  readonly revision: number;
  readonly amountMinor: number;
}

/** Who bears how much of a dispute, and its fee. */
export interface LossShares {
  readonly recipientMinor: number;
  readonly unappliedMinor: number;
  readonly platformMinor: number;
  readonly feeMinor: number;
}

/** The shares are in the charge's currency: what moved in another one is none of them. */
export interface Dispute extends LossShares {
  readonly disputeId: string;
  readonly status: 'open' | 'won' | 'lost';
  /** The provider's balance transactions that are booked. */
  readonly transactions: readonly string[];
  /** How many of them there were when it ended last. */
  readonly closedAfter: number;
  /** The entry since which its recipient bears what it took. */
  readonly since: number;
}

/** A charge that we have the money of, and what became of it at the provider. */
export interface Charge {
  readonly chargeId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  /** The balance transactions whose fees are booked. */
  readonly fees: readonly string[];
  readonly last: KeptEntry;
}

export type SettledPayment = Terms & Charge & { readonly status: 'settled'; readonly intentId: string };

export type Payment =
  | (Terms & { readonly status: 'opened' })
  | (Terms & { readonly status: 'submitted'; readonly intentId: string })
  | (Terms & {
      readonly status: 'canceled';
      readonly intentId: string | undefined;
      readonly cancelReason: string;
    })
  | SettledPayment;

/** Money that no payment explains. Open as long as some of it is held. */
export interface UnappliedCharge extends Charge {
  readonly status: 'unapplied';
  readonly intentId: string;
  /** The payment that it named when it came in. */
  readonly paymentId: string | undefined;
}

/** How far money on its way to a bank has come. */
export interface Payout {
  readonly payoutId: string;
  readonly status: 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';
  readonly userId: string;
  readonly bankAccountId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly providerTransferId: string | undefined;
  /** The user's account at the provider that the money went to. */
  readonly connectAccountId: string | undefined;
  readonly providerPayoutId: string | undefined;
  /** Why the bank or the provider sent it back. */
  readonly returned: FailureReason | undefined;
  /** The key under which it was asked for. */
  readonly key: string | undefined;
  /** The entry since which its money was not in its owner's balance. */
  readonly since: number;
  readonly last: KeptEntry;
}

/** What was decided of one attempt at an occurrence: how it is paid, or that it is not. */
export type Route = { readonly attempt: number; readonly entry: KeptEntry } & (
  | { readonly transferId: string }
  | { readonly paymentId: string }
  | { readonly refused: CollectionRefusal }
);

export interface Occurrence {
  readonly status: 'routed';
  readonly routes: readonly Route[];
  readonly last: KeptEntry;
}

/** A place in the journal, as `evolve` needs it. */
export interface EntryPlace {
  readonly revision: number;
  readonly key: string | undefined;
  readonly fingerprint: string | undefined;
  readonly recordedAtMs: number;
  readonly landing: Landing;
}

/** A recovery that was not word for word: what both histories have, and what the lost one had. */
export interface Epoch {
  readonly commonRevision: number;
  readonly commonHash?: string | undefined;
  readonly lostRevision?: number | undefined;
  readonly lostHash?: string | undefined;
}

/** A month of the books, and the last entry that is known to lie in it. */
export interface MonthMark {
  readonly month: string;
  readonly lastRevision: number;
  /** When it is over, in milliseconds since 1970. */
  readonly endMs: number;
}

interface Residency {
  /** From this revision on, every key and item of the journal is resident. */
  floor: number;
  /**
   * The latest time that a user's key below the floor was made at: a key made after that is resident or new.
   */
  floorKeyMadeMs: number;
}

export class Books {
  readonly accounts: Layer<string, number>;
  readonly payments: Layer<string, Payment | NonResident>;
  /** The payment that each of the provider's objects was recorded for, of the payments that are resident. */
  readonly intents: Layer<string, string>;
  readonly unapplied: Layer<string, UnappliedCharge | NonResident>;
  readonly payouts: Layer<string, Payout | NonResident>;
  readonly occurrences: Layer<string, Occurrence | NonResident>;
  /**
   * Users whose account was closed. It is there and may be posted to by what a provider proves; nobody uses
   * it any more.
   */
  readonly closed: Layer<string, true>;
  /**
   * Money that nobody is there to take, by what it is known by, as much as is left of it. What is used up
   * stays, at nothing: few, and asked for however late.
   */
  readonly unclaimed: Layer<string, UnclaimedItem>;
  /** The ids of what waits unclaimed for each user, as far as something is left of it, the oldest first. */
  readonly unclaimedOf: Layer<string, readonly string[]>;
  /**
   * How much of what was unclaimed an operator paid under which reference, by the same ids: few, and asked
   * for however late.
   */
  readonly unclaimedPaid: Layer<string, { readonly amountMinor: number; readonly reference: string }>;
  /** What the platform lost by each user, in minor units. */
  readonly losses: Layer<string, number>;
  /** Each user's debts that were given up, in order, as far as nothing has made up for them. */
  readonly writeOffs: Layer<string, readonly WriteOff[]>;
  /** The ledger's founding, under `ledger`. */
  readonly founding: Layer<'ledger', Founding>;
  /** The last epoch that was begun, under `last`; none in a log that was never recovered. */
  readonly epoch: Layer<'last', Epoch>;
  /**
   * Months of the books: the `first` one that has entries, the `present` one, in which the newest entry was
   * recorded, the last one that was `closed`; and for each that is over and not closed the revision of its
   * last entry.
   */
  readonly months: Layer<string, MonthMark>;
  /** Whether users' own debits are suspended, and by which entry that was last said. */
  readonly debits: Layer<string, { readonly isSuspended: boolean; readonly entry: KeptEntry }>;
  /** Each wallet's owner. */
  readonly wallets: Layer<string, string>;
  /** Each owner's wallets. */
  readonly walletsOf: Layer<string, readonly string[]>;
  /** Wallets that each owner opened within a day. */
  readonly walletsOpened: Layer<string, Counts>;
  /** Payments that each payer has started within an hour, without those that are paid. */
  readonly unpaid: Layer<string, Counts>;
  /** What each payer has tipped within a day without a proof, in minor units. */
  readonly tips: Layer<string, Counts>;
  readonly keys: Layer<string, KeptEntry>;
  /** All of the above, in the same order in all books. */
  readonly #layers: readonly Layer<string, unknown>[];
  /** Where residency begins; one for these books and all drafts on them. */
  readonly residency: Residency;

  constructor(below?: Books) {
    this.accounts = new Layer(below?.accounts);
    this.payments = new Layer(below?.payments);
    this.intents = new Layer(below?.intents);
    this.unapplied = new Layer(below?.unapplied);
    this.payouts = new Layer(below?.payouts);
    this.occurrences = new Layer(below?.occurrences);
    this.closed = new Layer(below?.closed);
    this.unclaimed = new Layer(below?.unclaimed);
    this.unclaimedOf = new Layer(below?.unclaimedOf);
    this.unclaimedPaid = new Layer(below?.unclaimedPaid);
    this.losses = new Layer(below?.losses);
    this.writeOffs = new Layer(below?.writeOffs);
    this.founding = new Layer(below?.founding);
    this.epoch = new Layer(below?.epoch);
    this.months = new Layer(below?.months);
    this.debits = new Layer(below?.debits);
    this.wallets = new Layer(below?.wallets);
    this.walletsOf = new Layer(below?.walletsOf);
    this.walletsOpened = new Layer(below?.walletsOpened);
    this.unpaid = new Layer(below?.unpaid);
    this.tips = new Layer(below?.tips);
    this.keys = new Layer(below?.keys);
    const { accounts, payments, intents, unapplied, payouts, occurrences } = this;
    const { closed, unclaimed, unclaimedPaid, losses, founding, epoch, debits, wallets, walletsOf, keys } =
      this;
    const { walletsOpened, unpaid, tips, months, writeOffs, unclaimedOf } = this;
    this.#layers = [
      accounts,
      payments,
      intents,
      unapplied,
      payouts,
      occurrences,
      closed,
      unclaimed,
      unclaimedOf,
      unclaimedPaid,
      losses,
      writeOffs,
      founding as Layer<string, unknown>,
      epoch as Layer<string, unknown>,
      months,
      debits,
      wallets,
      walletsOf,
      walletsOpened,
      unpaid,
      tips,
      keys,
    ];
    this.residency = below?.residency ?? {
      floor: 0,
      floorKeyMadeMs: -Infinity,
    };
  }

  /** A draft on top of these books: what is written to it is seen in it only, until absorbed. */
  draft(): Books {
    return new Books(this);
  }

  absorb(draft: Books): void {
    this.#layers.forEach((layer, n) => layer.absorb(draft.#layers[n]!));
  }

  /** Puts a draft on other books: those that have absorbed the draft below it. */
  rebase(below: Books): void {
    this.#layers.forEach((layer, n) => layer.rebase(below.#layers[n]!));
  }

  /**
   * An account's credits less its debits, in minor units; undefined for a user's or wallet's account that was
   * never opened.
   */
  balanceOf(account: string): number | undefined {
    const balance = this.accounts.get(account);
    if (balance !== undefined || account.startsWith('wallet/')) return balance;
    const owner = ownerOf(account);
    // What is on its way to a bank has an account from the start; it takes memory only once something was on
    // its way.
    return owner === undefined || (account !== available(owner) && this.hasAccount(owner)) ? 0 : undefined;
  }

  /** Whether they may pay and be paid. */
  isOpen(userId: string): boolean {
    return this.hasAccount(userId) && this.closed.get(userId) === undefined;
  }

  /** Whether they ever had an account. */
  hasAccount(userId: string): boolean {
    return this.accounts.get(available(userId)) !== undefined;
  }

  /** Forgets what an entry was about, if that has ended and no later entry touched it. */
  release(subject: string, revision: number): void {
    for (const items of [this.payments, this.unapplied, this.payouts, this.occurrences]) {
      const item = items.get(subject);
      if (!item || item.last.revision !== revision || isUnderWay(item)) continue;
      if ('intentIds' in item) for (const intentId of item.intentIds) this.intents.delete(intentId);
      items.delete(subject);
    }
  }
}

type Item = Payment | UnappliedCharge | Payout | Occurrence | NonResident;

const UNDER_WAY: ReadonlySet<Item['status']> = new Set([
  'opened',
  'submitted',
  'requested',
  'transferred',
  'returned',
]);

/** Whether it stays in memory however old it is. */
export const isUnderWay = (item: Item): boolean =>
  UNDER_WAY.has(item.status) || (item.status === 'unapplied' && heldOf(item) > 0);

/** What of a charge has gone back to the payer and stayed there, by refunds. */
export const refundedOf = ({ refunds }: Pick<Charge, 'refunds'>): number =>
  refunds.reduce((sum, refund) => sum + (refund.failed ? 0 : refund.amountMinor), 0);

/** What disputes have taken of unapplied money. */
export const disputedOf = ({ disputes }: UnappliedCharge): number =>
  disputes.reduce((sum, { unappliedMinor }) => sum + unappliedMinor, 0);

/** What is left of unapplied money, once refunds and disputes are taken from it. */
export const heldOf = (charge: UnappliedCharge): number =>
  charge.amountMinor - refundedOf(charge) - disputedOf(charge);

export const isElsewhere = (item: { readonly status: string }): item is NonResident =>
  item.status === 'elsewhere';
