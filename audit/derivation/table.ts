/**
 * The audit's own table: which postings follow from an entry's type and fields. It is written down a second
 * time, from what each entry means, and shares no code with the ledger's rules; docs/reference/postings.md
 * prints it. An account is named by a pattern whose `{field}` is the entry's own field, an amount by the
 * field that holds it.
 */
import type { JournalEventOf, JournalEventType } from '#contracts/events/journal';
import type { AccountKind } from './accounts.js';

type Fields<T extends JournalEventType> = JournalEventOf<T>['data'];
type FieldsOf<D, V> = { [K in keyof D & string]-?: NonNullable<D[K]> extends V ? K : never }[keyof D &
  string];
type PlatformKind = Exclude<AccountKind, `user ${string}` | 'wallet'>;

/** An account, its ids taken from the entry's fields. A platform account is in the currency of its leg. */
type AccountPattern<D> =
  | `user/{${FieldsOf<D, string>}}/available`
  | `user/{${FieldsOf<D, string>}}/payouts`
  | `wallet/{${FieldsOf<D, string>}}`
  | `platform/${PlatformKind}`;

/** What the entries before this one said, where a posting depends on it. */
export interface Past {
  /** The currency in which a charge was booked. */
  chargeCurrency(chargeId: string): string;
}

/** When a leg is there, in words for the printed table. */
export interface Condition<D> {
  readonly words: string;
  readonly holds: (data: D, past: Past) => boolean;
}

/** One leg pair. A leg whose amount is zero is left out. */
export interface Leg<D> {
  readonly debit: AccountPattern<D>;
  readonly credit: AccountPattern<D>;
  /** The field that holds the amount, in minor units. */
  readonly amount: FieldsOf<D, number>;
  /** The field that names the currency; `currency` where absent, and dollars where the entry has none. */
  readonly currency?: FieldsOf<D, string>;
  readonly when?: Condition<D>;
}

const CARD = 'platform/card-clearing';
const CONNECT = 'platform/connect-clearing';
const BANK = 'platform/bank-clearing';
const FEES = 'platform/fees';
const UNAPPLIED = 'platform/unapplied';
const OWN = 'platform/own-funds';
const LOSSES = 'platform/losses';
const DISPUTES = 'platform/dispute-losses';
const ADJUSTMENTS = 'platform/adjustments';
const UNCLAIMED = 'platform/unclaimed';

type Disputed = Fields<'DisputeFundsWithdrawn'>;
const inChargeCurrency: Condition<Disputed> = {
  words: 'in the charge’s currency',
  holds: ({ chargeId, currency }, past) => past.chargeCurrency(chargeId) === currency,
};
const inOtherCurrency: Condition<Disputed> = {
  words: 'in another currency than the charge',
  holds: (data, past) => !inChargeCurrency.holds(data, past),
};

/**
 * A refund of which no dispute had taken anything, or one of an older ledger, which took all of it from the
 * recipient.
 */
const undisputedRefund: Condition<Fields<'PaymentRefunded'>> = {
  words: 'that no dispute took, or of an older ledger, without `recipientMinor`',
  holds: ({ recipientMinor }) => recipientMinor === undefined,
};

/** A failed refund of before its parts were told: all of it was the recipient's. */
const ofOlderLedger: Condition<Fields<'RefundFailed'>> = {
  words: 'of an older ledger, without `recipientMinor`',
  holds: ({ recipientMinor }) => recipientMinor === undefined,
};

/** The same of unapplied money: all of it was held again. */
const unappliedOfOlderLedger: Condition<Fields<'UnappliedRefundFailed'>> = {
  words: 'of an older ledger, without `unappliedMinor`',
  holds: ({ unappliedMinor }) => unappliedMinor === undefined,
};

/** A refund of unapplied money of which no dispute had taken anything. */
const undisputed: Condition<Fields<'UnappliedRefunded'>> = {
  words: 'that no dispute took, without `unappliedMinor`',
  holds: ({ unappliedMinor }) => unappliedMinor === undefined,
};

/** A payout that failed of which nothing makes up for a debt: all of it is its owner's. */
const ownersAlone: Condition<Fields<'PayoutFailed'>> = {
  words: 'that makes up for no debt, without `ownerMinor`',
  holds: ({ ownerMinor }) => ownerMinor === undefined,
};

type PlatformMoney = Fields<'ProviderCharged'>;
/**
 * What the provider calls a charge for its services. Anything else that it takes by itself is an adjustment.
 */
export const SERVICE_CHARGES: readonly string[] = [
  'connect_collection_transfer',
  'network_cost',
  'stripe_balance_payment_debit',
  'stripe_balance_payment_debit_reversal',
  'stripe_fee',
  'stripe_fx_fee',
  'tax_fee',
];
const forService: Condition<PlatformMoney> = {
  words: 'for the provider’s services',
  holds: ({ providerType }) => SERVICE_CHARGES.includes(providerType),
};
const forOther: Condition<PlatformMoney> = {
  words: 'for anything else',
  holds: ({ providerType }) => !SERVICE_CHARGES.includes(providerType),
};
/** What the provider took for moving the platform's money, or gave back. */
const feeLegs: readonly Leg<PlatformMoney>[] = [
  {
    debit: FEES,
    credit: CARD,
    amount: 'feeMinor',
    when: { words: 'unless the fee was returned', holds: ({ feeReturned }) => feeReturned !== true },
  },
  {
    debit: CARD,
    credit: FEES,
    amount: 'feeMinor',
    when: { words: 'where the fee was returned', holds: ({ feeReturned }) => feeReturned === true },
  },
];

/** The table. An entry type without a line does not compile. */
export const POSTINGS: { readonly [T in JournalEventType]: readonly Leg<Fields<T>>[] } = {
  LedgerFounded: [],
  MonthClosed: [],
  EpochBegun: [],
  DebitsSuspended: [],
  DebitsResumed: [],
  AccountOpened: [],
  AccountClosed: [{ debit: LOSSES, credit: 'user/{userId}/available', amount: 'writtenOffMinor' }],
  ClosedAccountCleared: [{ debit: 'user/{userId}/available', credit: UNCLAIMED, amount: 'amountMinor' }],
  DebtWrittenOff: [{ debit: LOSSES, credit: 'user/{userId}/available', amount: 'amountMinor' }],
  UnclaimedPaid: [{ debit: UNCLAIMED, credit: OWN, amount: 'amountMinor' }],

  PaymentOpened: [],
  PaymentSubmitted: [],
  PaymentAttemptFailed: [],
  PaymentSettled: [{ debit: CARD, credit: 'user/{recipientId}/available', amount: 'amountMinor' }],
  PaymentCanceled: [],
  PaymentRefunded: [
    { debit: 'user/{recipientId}/available', credit: CARD, amount: 'recipientMinor' },
    { debit: 'user/{recipientId}/available', credit: CARD, amount: 'amountMinor', when: undisputedRefund },
    { debit: DISPUTES, credit: CARD, amount: 'disputedMinor' },
  ],
  RefundFailed: [
    { debit: CARD, credit: 'user/{recipientId}/available', amount: 'recipientMinor' },
    { debit: CARD, credit: 'user/{recipientId}/available', amount: 'amountMinor', when: ofOlderLedger },
    { debit: CARD, credit: DISPUTES, amount: 'disputedMinor' },
    { debit: CARD, credit: LOSSES, amount: 'madeUpMinor' },
  ],
  UnappliedReceived: [{ debit: CARD, credit: UNAPPLIED, amount: 'amountMinor' }],
  UnappliedRefunded: [
    { debit: UNAPPLIED, credit: CARD, amount: 'unappliedMinor' },
    { debit: UNAPPLIED, credit: CARD, amount: 'amountMinor', when: undisputed },
    { debit: DISPUTES, credit: CARD, amount: 'disputedMinor' },
  ],
  UnappliedRefundFailed: [
    { debit: CARD, credit: UNAPPLIED, amount: 'unappliedMinor' },
    { debit: CARD, credit: UNAPPLIED, amount: 'amountMinor', when: unappliedOfOlderLedger },
    { debit: CARD, credit: DISPUTES, amount: 'disputedMinor' },
  ],
  TransferPosted: [
    { debit: 'user/{payerId}/available', credit: 'user/{recipientId}/available', amount: 'amountMinor' },
  ],
  CollectionRefused: [],

  PayoutRequested: [
    { debit: 'user/{userId}/available', credit: 'user/{userId}/payouts', amount: 'amountMinor' },
  ],
  PayoutTransferred: [{ debit: CONNECT, credit: CARD, amount: 'amountMinor' }],
  PayoutSubmitted: [{ debit: BANK, credit: CONNECT, amount: 'amountMinor' }],
  PayoutCompleted: [{ debit: 'user/{userId}/payouts', credit: BANK, amount: 'amountMinor' }],
  PayoutReturned: [
    {
      debit: CONNECT,
      credit: BANK,
      amount: 'amountMinor',
      when: { words: 'before it was completed', holds: ({ afterCompletion }) => !afterCompletion },
    },
    {
      debit: CONNECT,
      credit: 'user/{userId}/payouts',
      amount: 'amountMinor',
      when: { words: 'after it was completed', holds: ({ afterCompletion }) => afterCompletion },
    },
  ],
  PayoutFailed: [
    {
      debit: CARD,
      credit: CONNECT,
      amount: 'amountMinor',
      when: {
        words: 'where the transfer was reversed',
        holds: ({ reversalId }) => reversalId !== undefined,
      },
    },
    { debit: 'user/{userId}/payouts', credit: 'user/{userId}/available', amount: 'ownerMinor' },
    {
      debit: 'user/{userId}/payouts',
      credit: 'user/{userId}/available',
      amount: 'amountMinor',
      when: ownersAlone,
    },
    { debit: 'user/{userId}/payouts', credit: LOSSES, amount: 'madeUpMinor' },
  ],

  WalletOpened: [],
  WalletFunded: [{ debit: 'user/{userId}/available', credit: 'wallet/{walletId}', amount: 'amountMinor' }],
  WalletWithdrawn: [{ debit: 'wallet/{walletId}', credit: 'user/{userId}/available', amount: 'amountMinor' }],
  WalletRenamed: [],
  WalletClosed: [{ debit: 'wallet/{walletId}', credit: 'user/{userId}/available', amount: 'amountMinor' }],

  DisputeOpened: [],
  DisputeFundsWithdrawn: [
    { debit: 'user/{recipientId}/available', credit: CARD, amount: 'recipientMinor' },
    { debit: UNAPPLIED, credit: CARD, amount: 'unappliedMinor' },
    { debit: DISPUTES, credit: CARD, amount: 'platformMinor', when: inChargeCurrency },
    { debit: UNAPPLIED, credit: CARD, amount: 'platformMinor', when: inOtherCurrency },
    { debit: DISPUTES, credit: CARD, amount: 'feeMinor', currency: 'feeCurrency' },
  ],
  DisputeFundsReinstated: [
    { debit: CARD, credit: 'user/{recipientId}/available', amount: 'recipientMinor' },
    { debit: CARD, credit: UNAPPLIED, amount: 'unappliedMinor' },
    { debit: CARD, credit: DISPUTES, amount: 'platformMinor', when: inChargeCurrency },
    { debit: CARD, credit: UNAPPLIED, amount: 'platformMinor', when: inOtherCurrency },
    { debit: CARD, credit: DISPUTES, amount: 'feeMinor', currency: 'feeCurrency' },
    { debit: CARD, credit: LOSSES, amount: 'madeUpMinor' },
  ],
  DisputeWon: [],
  DisputeLost: [],
  ProviderFeeBooked: [{ debit: FEES, credit: CARD, amount: 'amountMinor' }],

  PlatformFunded: [{ debit: CARD, credit: OWN, amount: 'amountMinor' }, ...feeLegs],
  PlatformFundingReversed: [{ debit: OWN, credit: CARD, amount: 'amountMinor' }, ...feeLegs],
  PlatformPaidOut: [{ debit: OWN, credit: CARD, amount: 'amountMinor' }, ...feeLegs],
  PlatformPayoutReturned: [{ debit: CARD, credit: OWN, amount: 'amountMinor' }, ...feeLegs],
  ProviderCharged: [
    { debit: FEES, credit: CARD, amount: 'amountMinor', when: forService },
    { debit: ADJUSTMENTS, credit: CARD, amount: 'amountMinor', when: forOther },
    ...feeLegs,
  ],
  ProviderChargeReturned: [
    { debit: CARD, credit: FEES, amount: 'amountMinor', when: forService },
    { debit: CARD, credit: ADJUSTMENTS, amount: 'amountMinor', when: forOther },
    ...feeLegs,
  ],
};
