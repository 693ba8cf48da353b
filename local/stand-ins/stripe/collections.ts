/**
 * What is kept, by collection, and which of an object's fields lists can be filtered by without reading
 * everything.
 */
import type {
  Account,
  BankAccount,
  BankToken,
  Payout,
  Transfer,
  TransferReversal,
} from './connect-objects.js';
import type {
  BalanceTransaction,
  Charge,
  Customer,
  Dispute,
  Event,
  PaymentIntent,
  PaymentMethod,
  Refund,
  SetupIntent,
  Topup,
  PaymentMethodDomain,
  WebhookEndpoint,
} from './objects.js';
import type { PayoutOutcome } from './test-banks.js';
import type { DeclineName } from './test-cards.js';

/** What the provider knows of an intent and does not show. */
interface IntentSecrets {
  /** Where the payer goes when the pending action is done; only for the redirecting kinds. */
  returnUrl: string | null;
  /** Whether the payer was absent in the attempt under way. */
  offSession: boolean;
  /**
   * When its charges say that they were made, in seconds; a control for histories that begin before today.
   */
  chargedAt?: number;
}

/** What the provider knows of a payment method and does not show. */
interface MethodSecrets {
  /** Which test card it is; the digits themselves are not kept. */
  card: string | null;
  /** The issuer agreed, by an authentication, to charges without the payer. */
  setUpForAbsence: boolean;
  /** Charged without a customer: it cannot be used again. */
  spent: boolean;
  /**
   * What its issuer answers to the next charges, in this order, before it goes back to what its test card
   * does.
   */
  nextDeclines?: DeclineName[];
}

/** What the provider knows of a connected account and does not show. */
interface AccountSecrets {
  /** Its bank accounts, oldest first. */
  banks: string[];
  /** Nothing more is paid out, whatever has been told: a review by the provider. */
  restricted: boolean;
  deleted: boolean;
}

/** What the provider knows of a bank account and does not show. The number itself is not kept. */
interface BankSecrets {
  /** What becomes of a payout to it. */
  payouts: PayoutOutcome;
}

/**
 * A link into the hosted onboarding. The API gives it no id; here its id is the secret part of its address.
 */
interface OnboardingLink {
  id: string;
  created: number;
  account: string;
  expires_at: number;
  refresh_url: string;
  return_url: string;
}

/** What one currency of a balance comes to, so that no payment has to add up all those before it. */
export interface Funds {
  id: string;
  created: number;
  currency: string;
  /** All that was booked, fees taken off. */
  total: number;
  /** What of it waits, by the second from which it is available. */
  waiting: [availableOn: number, net: number][];
}

/** The platform's own account: one, made when it is first asked for, and in no list of connected accounts. */
export interface Platform {
  id: 'platform';
  created: number;
  account: Account;
}

interface Collections {
  platform: { api: Platform; secret: null };
  funds: { api: Funds; secret: null };
  transfers: { api: Transfer; secret: null };
  transfer_reversals: { api: TransferReversal; secret: null };
  payouts: { api: Payout; secret: null };
  topups: { api: Topup; secret: null };
  disputes: { api: Dispute; secret: null };
  webhook_endpoints: { api: WebhookEndpoint; secret: null };
  payment_method_domains: { api: PaymentMethodDomain; secret: null };
  accounts: { api: Account; secret: AccountSecrets };
  onboarding_links: { api: OnboardingLink; secret: { opened: boolean } };
  tokens: { api: BankToken; secret: BankSecrets };
  external_accounts: { api: BankAccount; secret: BankSecrets & { removed: boolean } };
  payment_intents: { api: PaymentIntent; secret: IntentSecrets };
  payment_methods: { api: PaymentMethod; secret: MethodSecrets };
  customers: { api: Customer; secret: { deleted: boolean } };
  setup_intents: { api: SetupIntent; secret: IntentSecrets };
  charges: { api: Charge; secret: null };
  refunds: { api: Refund; secret: null };
  balance_transactions: { api: BalanceTransaction; secret: null };
  events: { api: Event; secret: null };
}

export type CollectionName = keyof Collections;
export type Api<C extends CollectionName> = Collections[C]['api'];
/** `place` orders a collection by creation; seconds are too coarse for that. */
export type StoredObject<C extends CollectionName> = {
  api: Api<C>;
  secret: Collections[C]['secret'];
  place: number;
  /** The connected account whose it is; without one it is the platform's. */
  account?: string;
};

/** What every account sees alike. */
export const ACROSS_ACCOUNTS: ReadonlySet<CollectionName> = new Set<CollectionName>([
  'platform',
  'accounts',
  'onboarding_links',
  'tokens',
]);

/** An id's prefix tells its collection, and so what `expand` may put in its place. */
export const COLLECTION_OF_PREFIX: Readonly<Record<string, CollectionName>> = {
  pi: 'payment_intents',
  pm: 'payment_methods',
  cus: 'customers',
  seti: 'setup_intents',
  ch: 'charges',
  re: 'refunds',
  txn: 'balance_transactions',
  evt: 'events',
  acct: 'accounts',
  ba: 'external_accounts',
  btok: 'tokens',
  tr: 'transfers',
  trr: 'transfer_reversals',
  po: 'payouts',
  tu: 'topups',
  du: 'disputes',
  // What a transfer is on the account that gets it, and what its reversal is there.
  py: 'charges',
  pyr: 'refunds',
};

export const INDEXED: { readonly [C in CollectionName]: readonly (keyof Api<C> & string)[] } = {
  platform: [],
  payment_intents: ['customer'],
  payment_methods: ['customer'],
  customers: ['email'],
  setup_intents: ['customer'],
  charges: ['payment_intent', 'customer'],
  refunds: ['charge', 'payment_intent'],
  balance_transactions: ['source'],
  events: ['type'],
  accounts: [],
  onboarding_links: [],
  tokens: [],
  external_accounts: [],
  funds: [],
  transfers: ['destination', 'transfer_group'],
  transfer_reversals: ['transfer'],
  payouts: ['destination', 'status'],
  topups: ['status'],
  disputes: ['charge', 'payment_intent'],
  webhook_endpoints: [],
  payment_method_domains: [],
};
