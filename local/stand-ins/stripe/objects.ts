/**
 * The API's objects as they are answered and kept: field for field what the provider's SDK declares for its
 * API version.
 */

import type { Metadata } from './parameters.js';
import type { ErrorBody } from './errors.js';

/** The one API version this stand-in speaks; the SDK sends its own with every call. */
export const API_VERSION = '2026-10-28.endive';

export interface Address {
  city: string | null;
  country: string | null;
  line1: string | null;
  line2: string | null;
  postal_code: string | null;
  state: string | null;
}

export interface BillingDetails {
  address: Address;
  email: string | null;
  name: string | null;
  phone: string | null;
  tax_id: string | null;
}

interface CardChecks {
  address_line1_check: string | null;
  address_postal_code_check: string | null;
  cvc_check: string | null;
}

export interface PaymentMethod {
  id: string;
  object: 'payment_method';
  allow_redisplay: 'always' | 'limited' | 'unspecified';
  billing_details: BillingDetails;
  card?: {
    brand: string;
    checks: CardChecks;
    country: string;
    display_brand: string;
    exp_month: number;
    exp_year: number;
    fingerprint: string;
    funding: string;
    generated_from: null;
    last4: string;
    networks: { available: string[]; preferred: null };
    regulated_status: 'unregulated';
    three_d_secure_usage: { supported: boolean };
    wallet: null;
  };
  cashapp?: { buyer_id: string | null; cashtag: string | null };
  created: number;
  customer: string | null;
  customer_account: null;
  livemode: false;
  metadata: Metadata;
  type: PaymentMethodType;
}

export type PaymentMethodType = 'card' | 'cashapp';
export const PAYMENT_METHOD_TYPES: readonly PaymentMethodType[] = ['card', 'cashapp'];

export interface Customer {
  id: string;
  object: 'customer';
  address: Address | null;
  balance: number;
  created: number;
  currency: string | null;
  customer_account: null;
  default_source: null;
  delinquent: boolean;
  description: string | null;
  discount: null;
  email: string | null;
  invoice_prefix: string;
  invoice_settings: {
    custom_fields: null;
    default_payment_method: string | null;
    footer: null;
    rendering_options: null;
  };
  livemode: false;
  metadata: Metadata;
  name: string | null;
  next_invoice_sequence: number;
  phone: string | null;
  preferred_locales: string[];
  shipping: null;
  tax_exempt: 'none';
  test_clock: null;
}

type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'canceled';

export interface NextAction {
  type: 'use_stripe_sdk' | 'redirect_to_url' | 'cashapp_handle_redirect_or_display_qr_code';
  use_stripe_sdk?: { type: 'three_d_secure_redirect'; stripe_js: string; source: string };
  redirect_to_url?: { return_url: string | null; url: string };
  cashapp_handle_redirect_or_display_qr_code?: {
    hosted_instructions_url: string;
    mobile_auth_url: string;
    qr_code: { expires_at: number; image_url_png: string; image_url_svg: string };
  };
}

/** What the last attempt was refused with; it holds the payment method as it was then. */
export type AttemptError = Omit<ErrorBody, 'payment_intent' | 'setup_intent'>;

export type FutureUsage = 'off_session' | 'on_session';
export type CancellationReason =
  | 'abandoned'
  | 'automatic'
  | 'duplicate'
  | 'fraudulent'
  | 'requested_by_customer';

interface AutomaticPaymentMethods {
  allow_redirects: 'always' | 'never';
  enabled: boolean;
}

export interface PaymentMethodOptions {
  card?: {
    installments?: null;
    mandate_options: null;
    network: null;
    request_three_d_secure: 'any' | 'automatic' | 'challenge';
    setup_future_usage?: FutureUsage;
  };
  cashapp?: { setup_future_usage?: FutureUsage };
}

export interface PaymentIntent {
  id: string;
  object: 'payment_intent';
  allowed_payment_method_types: PaymentMethodType[] | null;
  amount: number;
  amount_capturable: number;
  amount_details: { tip: Record<string, never> };
  amount_received: number;
  application: null;
  application_fee_amount: null;
  automatic_payment_methods: AutomaticPaymentMethods | null;
  canceled_at: number | null;
  cancellation_reason: CancellationReason | null;
  capture_method: 'automatic' | 'automatic_async';
  client_secret: string;
  confirmation_method: 'automatic';
  created: number;
  currency: string;
  customer: string | null;
  customer_account: null;
  description: string | null;
  excluded_payment_method_types: PaymentMethodType[] | null;
  last_payment_error: AttemptError | null;
  latest_charge: string | null;
  livemode: false;
  managed_payments: null;
  metadata: Metadata;
  next_action: NextAction | null;
  on_behalf_of: null;
  payment_method: string | null;
  payment_method_configuration_details: null;
  payment_method_options: PaymentMethodOptions;
  payment_method_types: PaymentMethodType[];
  payment_record: null;
  processing: { type: 'card'; card: Record<string, never> } | null;
  receipt_email: string | null;
  review: null;
  setup_future_usage: FutureUsage | null;
  shipping: null;
  source: null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
  status: IntentStatus;
  transfer_data: null;
  transfer_group: string | null;
}

export interface SetupIntent {
  id: string;
  object: 'setup_intent';
  allowed_payment_method_types: PaymentMethodType[] | null;
  application: null;
  automatic_payment_methods: AutomaticPaymentMethods | null;
  cancellation_reason: 'abandoned' | 'duplicate' | 'requested_by_customer' | null;
  client_secret: string;
  created: number;
  customer: string | null;
  customer_account: null;
  description: string | null;
  excluded_payment_method_types: PaymentMethodType[] | null;
  flow_directions: null;
  last_setup_error: AttemptError | null;
  latest_attempt: null;
  livemode: false;
  mandate: null;
  metadata: Metadata;
  next_action: NextAction | null;
  on_behalf_of: null;
  payment_method: string | null;
  payment_method_configuration_details: null;
  payment_method_options: PaymentMethodOptions;
  payment_method_types: PaymentMethodType[];
  single_use_mandate: null;
  status: IntentStatus;
  usage: FutureUsage;
}

export interface Charge {
  id: string;
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  application: null;
  application_fee: null;
  application_fee_amount: null;
  balance_transaction: string | null;
  billing_details: BillingDetails;
  calculated_statement_descriptor: string | null;
  captured: boolean;
  created: number;
  currency: string;
  customer: string | null;
  description: string | null;
  disputed: boolean;
  failure_balance_transaction: null;
  failure_code: string | null;
  failure_message: string | null;
  fraud_details: Record<string, never>;
  livemode: false;
  metadata: Metadata;
  on_behalf_of: null;
  outcome: null | {
    advice_code: 'try_again_later' | 'do_not_try_again' | null;
    network_advice_code: null;
    network_decline_code: string | null;
    network_status: string;
    reason: string | null;
    risk_level: string;
    risk_score: number;
    seller_message: string;
    type: string;
  };
  paid: boolean;
  payment_intent: string | null;
  payment_method: string | null;
  payment_method_details: object | null;
  receipt_email: string | null;
  receipt_number: null;
  receipt_url: string | null;
  refunded: boolean;
  review: null;
  shipping: null;
  source: null;
  /** The transfer that brought it: then it is money from the platform and not from a payer. */
  source_transfer: string | null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
  status: 'succeeded' | 'failed';
  transfer_data: null;
  transfer_group: string | null;
}

export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer';

export interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  balance_transaction: string | null;
  charge: string;
  created: number;
  currency: string;
  customer: string | null;
  customer_account: null;
  destination_details: object;
  failure_balance_transaction?: string;
  failure_reason?: string;
  metadata: Metadata;
  payment_intent: string | null;
  payment_method: string | null;
  pending_reason?: 'processing';
  reason: RefundReason | null;
  receipt_number: null;
  source_transfer_reversal: string | null;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  transfer_reversal: null;
}

export type BalanceTransactionType =
  | 'adjustment'
  | 'charge'
  | 'payment'
  | 'payment_failure_refund'
  | 'payment_refund'
  | 'payout'
  | 'payout_cancel'
  | 'payout_failure'
  | 'refund'
  | 'refund_failure'
  | 'reserve_hold'
  | 'reserve_release'
  | 'stripe_fee'
  | 'topup'
  | 'topup_reversal'
  | 'transfer'
  | 'transfer_refund';

export interface BalanceTransaction {
  id: string;
  object: 'balance_transaction';
  amount: number;
  available_on: number;
  /** The account's list has the movements of all its balances. */
  balance_type: 'payments' | 'risk_reserved';
  created: number;
  currency: string;
  description: string | null;
  exchange_rate: null;
  fee: number;
  fee_details: {
    amount: number;
    application: null;
    currency: string;
    description: string;
    type: 'stripe_fee';
  }[];
  net: number;
  reporting_category: string;
  source: string | null;
  status: 'pending' | 'available';
  type: BalanceTransactionType;
}

export interface Topup {
  id: string;
  object: 'topup';
  amount: number;
  balance_transaction: string;
  created: number;
  currency: string;
  description: string | null;
  expected_availability_date: number;
  failure_code: null;
  failure_message: null;
  initiated_by: 'user';
  livemode: false;
  metadata: Metadata;
  source: null;
  statement_descriptor: string | null;
  status: 'succeeded' | 'reversed';
  transfer_group: string | null;
}

export interface Event {
  id: string;
  object: 'event';
  /** The connected account that it is about; without one it is the platform's own. */
  account?: string;
  api_version: typeof API_VERSION;
  created: number;
  data: { object: object; previous_attributes?: object };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
}

export type DisputeStatus =
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'
  | 'warning_needs_response'
  | 'warning_closed'
  | 'prevented';
export const DISPUTE_REASONS = [
  'bank_cannot_process',
  'credit_not_processed',
  'duplicate',
  'fraudulent',
  'general',
  'product_not_received',
  'product_unacceptable',
  'subscription_canceled',
  'unrecognized',
] as const;
export type DisputeReason = (typeof DISPUTE_REASONS)[number];

export interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  /** What it took from the balance, and what it gave back. */
  balance_transactions: BalanceTransaction[];
  charge: string;
  created: number;
  currency: string;
  enhanced_eligibility_types: never[];
  evidence: object;
  evidence_details: {
    due_by: number | null;
    enhanced_eligibility: Record<string, never>;
    has_evidence: boolean;
    past_due: boolean;
    submission_count: number;
    submission_method: 'manual' | 'not_submitted';
  };
  intended_submission_method: null;
  is_charge_refundable: boolean;
  livemode: false;
  metadata: Metadata;
  network_reason_code: string | null;
  payment_intent: string | null;
  payment_method_details?: {
    card: {
      brand: string;
      case_type: 'chargeback' | 'inquiry';
      network: string;
      network_reason_code: string | null;
    };
    type: 'card';
  };
  reason: DisputeReason;
  status: DisputeStatus;
}

export const NO_ADDRESS: Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

/** Where webhooks go. */
export interface WebhookEndpoint {
  id: string;
  object: 'webhook_endpoint';
  api_version: string | null;
  application: string | null;
  created: number;
  description: string | null;
  enabled_events: string[];
  livemode: false;
  metadata: Record<string, string>;
  status: 'enabled' | 'disabled';
  url: string;
}

interface DomainStatus {
  readonly status: 'active' | 'inactive';
}

/** A domain on which wallets are shown. */
export interface PaymentMethodDomain {
  id: string;
  object: 'payment_method_domain';
  amazon_pay: DomainStatus;
  apple_pay: DomainStatus;
  created: number;
  domain_name: string;
  enabled: boolean;
  google_pay: DomainStatus;
  klarna: DomainStatus;
  link: DomainStatus;
  livemode: false;
  paypal: DomainStatus;
}
