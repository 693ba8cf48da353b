/**
 * The objects of connected accounts, field for field what the provider's SDK declares for its API version.
 */
import type { Page } from './listing.js';
import type { Metadata } from './parameters.js';

type CapabilityStatus = 'active' | 'inactive' | 'pending';

export interface Requirements {
  alternatives: never[];
  current_deadline: number | null;
  currently_due: string[];
  disabled_reason: string | null;
  errors: never[];
  eventually_due: string[];
  past_due: string[];
  pending_verification: string[];
}

export interface BankAccount {
  id: string;
  object: 'bank_account';
  account: string | null;
  account_holder_name: string | null;
  account_holder_type: 'company' | 'individual' | null;
  account_type: 'checking' | 'savings' | null;
  available_payout_methods: ['standard'] | null;
  bank_name: string | null;
  country: string;
  currency: string;
  default_for_currency: boolean | null;
  fingerprint: string;
  future_requirements: BankRequirements | null;
  last4: string;
  metadata: Metadata | null;
  requirements: BankRequirements | null;
  routing_number: string;
  status: BankStatus;
}

export type BankStatus = 'new' | 'errored' | 'verification_failed';

export interface BankRequirements {
  currently_due: string[];
  errors: never[];
  past_due: string[];
  pending_verification: string[];
}

/** A bank account on its way from the numbers to an account; it works once. */
export interface BankToken {
  id: string;
  object: 'token';
  bank_account: TokenBankAccount;
  client_ip: null;
  created: number;
  livemode: false;
  type: 'bank_account';
  used: boolean;
}

type TokenBankAccount = Omit<
  BankAccount,
  | 'account'
  | 'available_payout_methods'
  | 'default_for_currency'
  | 'future_requirements'
  | 'metadata'
  | 'requirements'
>;

export interface Account {
  id: string;
  object: 'account';
  business_profile: {
    mcc: string | null;
    minority_owned_business_designation: null;
    name: string | null;
    product_description: string | null;
    specified_commercial_transactions_act_url: null;
    support_address: null;
    support_email: string | null;
    support_phone: string | null;
    support_url: string | null;
    url: string | null;
  };
  business_type: 'company' | 'individual' | null;
  capabilities: { card_payments?: CapabilityStatus; transfers?: CapabilityStatus };
  charges_enabled: boolean;
  controller: {
    fees: { payer: 'application' };
    is_controller: true;
    losses: { payments: 'application' };
    requirement_collection: 'application';
    stripe_dashboard: { type: 'none' };
    type: 'application';
  };
  country: string;
  created: number;
  default_currency: string;
  details_submitted: boolean;
  email: string | null;
  external_accounts: Page<BankAccount>;
  future_requirements: Requirements;
  metadata: Metadata;
  payouts_enabled: boolean;
  requirements: Requirements;
  settings: {
    branding: { icon: null; logo: null; primary_color: null; secondary_color: null };
    card_payments: {
      decline_on: { avs_failure: boolean; cvc_failure: boolean };
      statement_descriptor_prefix: null;
      statement_descriptor_prefix_kana: null;
      statement_descriptor_prefix_kanji: null;
    };
    dashboard: { display_name: string | null; timezone: string };
    payments: {
      statement_descriptor: null;
      statement_descriptor_kana: null;
      statement_descriptor_kanji: null;
      statement_descriptor_prefix_kana: null;
      statement_descriptor_prefix_kanji: null;
    };
    payouts: {
      debit_negative_balances: boolean;
      schedule: { delay_days: number; interval: string };
      statement_descriptor: string | null;
    };
  };
  tos_acceptance: {
    date: number | null;
    ip: string | null;
    service_agreement?: string;
    user_agent: string | null;
  };
  type: 'none';
}

export interface TransferReversal {
  id: string;
  object: 'transfer_reversal';
  amount: number;
  balance_transaction: string;
  created: number;
  currency: string;
  destination_payment_refund: string;
  metadata: Metadata;
  source_refund: null;
  transfer: string;
}

export interface Transfer {
  id: string;
  object: 'transfer';
  amount: number;
  amount_reversed: number;
  balance_transaction: string;
  created: number;
  currency: string;
  description: string | null;
  destination: string;
  destination_payment: string;
  livemode: false;
  metadata: Metadata;
  /** The newest ten; all of them are a list of their own. */
  reversals: Page<TransferReversal>;
  reversed: boolean;
  source_transaction: string | null;
  source_type: 'card';
  transfer_group: string | null;
}

export type PayoutStatus = 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';

export interface Payout {
  id: string;
  object: 'payout';
  amount: number;
  application_fee: null;
  application_fee_amount: null;
  arrival_date: number;
  automatic: boolean;
  balance_transaction: string;
  created: number;
  currency: string;
  description: string | null;
  destination: string;
  failure_balance_transaction: string | null;
  failure_code: string | null;
  failure_message: string | null;
  livemode: false;
  metadata: Metadata;
  method: 'standard';
  original_payout: null;
  payout_method: null;
  reconciliation_status: 'completed' | 'not_applicable';
  reversed_by: null;
  source_type: 'card';
  statement_descriptor: string | null;
  status: PayoutStatus;
  trace_id: { status: 'pending' | 'supported'; value: string | null } | null;
  type: 'bank_account';
}
