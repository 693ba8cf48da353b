/** Charges: each attempt to move money that reached an issuer, whether it went through or not. */
import type { StoredObject } from '../collections.js';
import { noSuch } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { page } from '../listing.js';
import { NO_ADDRESS, type Charge, type PaymentIntent } from '../objects.js';
import { pathValue, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { testCardOf, type Decline } from '../test-cards.js';
import { bookEntry, feeOf } from './balance.js';
import type { StoredMethod } from './payment-methods.js';

interface ChargeInput {
  intent: PaymentIntent;
  method: StoredMethod;
  amount: number;
  currency: string;
  decline: Decline | undefined;
  /** The payer proved who they are. */
  authenticated: boolean;
  /** When, unless now. */
  chargedAt: number | undefined;
}

function methodDetails(
  { api }: StoredMethod,
  amount: number,
  decline: Decline | undefined,
  authenticated: boolean,
): object {
  if (!api.card)
    return {
      type: 'cashapp',
      cashapp: { buyer_id: `buyer_${randomText(12)}`, cashtag: '$example', transaction_id: randomText(16) },
    };
  const { card } = api;
  return {
    type: 'card',
    card: {
      amount_authorized: decline ? null : amount,
      authorization_code: decline ? null : randomText(6).toUpperCase(),
      brand: card.brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: card.checks.address_postal_code_check === null ? null : 'pass',
        cvc_check:
          decline?.code === 'incorrect_cvc' ? 'fail' : card.checks.cvc_check === null ? null : 'pass',
      },
      country: card.country,
      electronic_commerce_indicator: authenticated ? '05' : null,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      extended_authorization: { status: 'disabled' },
      fingerprint: card.fingerprint,
      funding: card.funding,
      incremental_authorization: { status: 'unavailable' },
      installments: null,
      last4: card.last4,
      mandate: null,
      multicapture: { status: 'unavailable' },
      network: card.brand,
      network_token: { used: false },
      network_transaction_id: decline ? null : randomText(15).toUpperCase(),
      overcapture: { maximum_amount_capturable: amount, status: 'unavailable' },
      regulated_status: card.regulated_status,
      three_d_secure: authenticated
        ? {
            authentication_flow: 'challenge',
            electronic_commerce_indicator: '05',
            exemption_indicator: null,
            result: 'authenticated',
            result_reason: null,
            transaction_id: randomText(24),
            version: '2.2.0',
          }
        : null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

/**
 * Records an attempt and tells about it. A successful one is on the balance at once, or later when the
 * switches say so.
 */
export function makeCharge(transaction: Transaction, input: ChargeInput): StoredObject<'charges'> {
  const { intent, method, amount, currency, decline } = input;
  const paid = !decline;
  const record = transaction.insert(
    'charges',
    {
      id: newId('ch'),
      object: 'charge',
      amount,
      amount_captured: paid ? amount : 0,
      amount_refunded: 0,
      application: null,
      application_fee: null,
      application_fee_amount: null,
      balance_transaction: null,
      billing_details: method.api.billing_details,
      calculated_statement_descriptor: intent.statement_descriptor ?? 'STAND-IN',
      captured: paid,
      created: input.chargedAt ?? transaction.now,
      currency,
      customer: intent.customer,
      description: intent.description,
      disputed: false,
      failure_balance_transaction: null,
      failure_code: decline?.code ?? null,
      failure_message: decline?.message ?? null,
      fraud_details: {},
      livemode: false,
      metadata: intent.metadata,
      on_behalf_of: null,
      outcome: decline
        ? {
            advice_code: decline.declineCode === 'generic_decline' ? 'try_again_later' : null,
            network_advice_code: null,
            network_decline_code: '05',
            network_status: 'declined_by_network',
            reason: decline.declineCode,
            risk_level: 'normal',
            risk_score: 20,
            seller_message: 'The bank did not return any further details with this decline.',
            type: 'issuer_declined',
          }
        : {
            advice_code: null,
            network_advice_code: null,
            network_decline_code: null,
            network_status: 'approved_by_network',
            reason: null,
            risk_level: 'normal',
            risk_score: 20,
            seller_message: 'Payment complete.',
            type: 'authorized',
          },
      paid,
      payment_intent: intent.id,
      payment_method: method.api.id,
      payment_method_details: methodDetails(method, amount, decline, input.authenticated),
      receipt_email: intent.receipt_email,
      receipt_number: null,
      receipt_url: null,
      refunded: false,
      review: null,
      shipping: null,
      source: null,
      source_transfer: null,
      statement_descriptor: intent.statement_descriptor,
      statement_descriptor_suffix: intent.statement_descriptor_suffix,
      status: paid ? 'succeeded' : 'failed',
      transfer_data: null,
      transfer_group: intent.transfer_group,
    },
    null,
  );
  const wait = transaction.switches.balanceTransactionMs;
  if (paid && wait === 0) book(transaction, record, method, input.chargedAt);
  transaction.emit(paid ? 'charge.succeeded' : 'charge.failed', record.api);
  if (paid && wait > 0) transaction.schedule(wait, { kind: 'book_charge', charge: record.api.id });
  return record;
}

/** `bookedAt`: the second in which the balance has it, unless now; its days of waiting count from there. */
function book(
  transaction: Transaction,
  record: StoredObject<'charges'>,
  method: StoredMethod,
  bookedAt?: number,
): void {
  const { api } = record;
  const bookedAtMs = bookedAt === undefined ? transaction.nowMs : bookedAt * 1000;
  const pendingMs = transaction.switches.chargeFundsPendingMs;
  const atOnce = method.api.type === 'card' && testCardOf(method.secret.card).fundsAtOnce;
  api.balance_transaction = bookEntry(transaction, {
    type: method.api.type === 'card' ? 'charge' : 'payment',
    amount: api.amount,
    fee: feeOf(api.amount),
    currency: api.currency,
    source: api.id,
    description: api.description,
    bookedAt,
    ...(pendingMs > 0 && !atOnce ? { availableOn: Math.ceil((bookedAtMs + pendingMs) / 1000) } : {}),
  }).id;
}

/** Puts a charge on the balance that was not there yet (asynchronous capture). */
export function bookCharge(transaction: Transaction, id: string): void {
  const record = transaction.get('charges', id);
  const method = record?.api.payment_method && transaction.get('payment_methods', record.api.payment_method);
  if (!record || !method || record.api.balance_transaction !== null) return;
  book(transaction, record, method);
  transaction.changed('charges', record);
  transaction.emit('charge.updated', record.api, { balance_transaction: null });
}

interface TransferredMoney {
  amount: number;
  currency: string;
  transfer: string;
  transferGroup: string | null;
  description: string | null;
  availableOn: number | undefined;
}

/**
 * What a transfer is on the connected account in scope: a payment from its platform, without a payer and
 * without a fee.
 */
export function receiveTransfer(transaction: Transaction, input: TransferredMoney): Charge {
  const { amount, currency } = input;
  const id = newId('py');
  const entry = bookEntry(transaction, {
    type: 'payment',
    amount,
    fee: 0,
    currency,
    source: id,
    description: input.description,
    ...(input.availableOn === undefined ? {} : { availableOn: input.availableOn }),
  });
  return transaction.insert(
    'charges',
    {
      id,
      object: 'charge',
      amount,
      amount_captured: amount,
      amount_refunded: 0,
      application: null,
      application_fee: null,
      application_fee_amount: null,
      balance_transaction: entry.id,
      billing_details: { address: { ...NO_ADDRESS }, email: null, name: null, phone: null, tax_id: null },
      calculated_statement_descriptor: null,
      captured: true,
      created: transaction.now,
      currency,
      customer: null,
      description: input.description,
      disputed: false,
      failure_balance_transaction: null,
      failure_code: null,
      failure_message: null,
      fraud_details: {},
      livemode: false,
      metadata: {},
      on_behalf_of: null,
      outcome: null,
      paid: true,
      payment_intent: null,
      payment_method: null,
      payment_method_details: null,
      receipt_email: null,
      receipt_number: null,
      receipt_url: null,
      refunded: false,
      review: null,
      shipping: null,
      source: null,
      source_transfer: input.transfer,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: 'succeeded',
      transfer_data: null,
      transfer_group: input.transferGroup,
    },
    null,
  ).api;
}

export const chargeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/charges',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      const { parameters } = call;
      return page(call, 'charges', '/v1/charges', {
        where: {
          payment_intent: parameters.text('payment_intent'),
          customer: parameters.text('customer'),
          transfer_group: parameters.text('transfer_group'),
        },
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/charges/:id',
    access: 'secret',
    onAccounts: true,
    run: (call): Charge => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      const record = call.transaction.get('charges', id);
      if (!record) throw noSuch('charge', id);
      return record.api;
    },
  },
];
