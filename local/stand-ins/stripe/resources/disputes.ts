/**
 * Disputes: a payer tells their bank that a charge should not have been, and the bank takes the money back at
 * once. It comes again if the dispute is won; the fee does not, unless a suite says so. A bank that merely
 * inquires takes nothing.
 */
import type { StoredObject } from '../collections.js';
import { ApiError, noSuch } from '../errors.js';
import { newId } from '../identifiers.js';
import { page } from '../listing.js';
import type { Dispute, DisputeReason } from '../objects.js';
import { pathValue, type Call, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { bookEntry } from './balance.js';

/** What the provider takes for a dispute, in minor units. */
const FEE = 1500;
const ANSWER_WITHIN_SECONDS = 7 * 86_400;
const WINS = 'winning_evidence';
const LOSES = 'losing_evidence';

const EVIDENCE_TEXTS = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
] as const;

type StoredDispute = StoredObject<'disputes'>;

/** The dispute of an id. Throws a 404. */
export function disputeOf(transaction: Transaction, id: string): StoredDispute {
  const record = transaction.get('disputes', id);
  if (!record) throw noSuch('dispute', id);
  return record;
}

/**
 * Opens a dispute by itself, as the test cards made for it do. Quietly nothing when there is nothing left to
 * dispute.
 */
export function disputeOpens(transaction: Transaction, charge: string, reason: DisputeReason): void {
  const record = transaction.get('charges', charge);
  if (record && disputable(record)) openDispute(transaction, record, { reason });
}

function disputable({ api }: StoredObject<'charges'>): boolean {
  return api.paid && !api.refunded && !api.disputed;
}

/**
 * Opens a dispute of a charge, of what is not refunded or of less, and takes the money and the fee off the
 * balance, unless it is an inquiry.
 */
export function openDispute(
  transaction: Transaction,
  charge: StoredObject<'charges'>,
  how: {
    reason: DisputeReason;
    amount?: number | undefined;
    /** The charge's, unless a suite has the provider say another. */
    currency?: string | undefined;
    inquiry?: boolean;
  },
): Dispute {
  const { api } = charge;
  const left = api.amount - api.amount_refunded;
  const amount = how.amount ?? left;
  const currency = how.currency ?? api.currency;
  if (!disputable(charge) || amount > left)
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: `Of ${api.id} ${api.disputed || !api.paid ? 'nothing' : left} can be disputed.`,
    });
  const id = newId('du');
  const isInquiry = how.inquiry ?? false;
  const withdrawn = isInquiry
    ? []
    : [
        bookEntry(transaction, {
          type: 'adjustment',
          amount: -amount,
          fee: FEE,
          currency,
          source: id,
          description: `Chargeback withdrawal for ${api.id}`,
        }),
      ];
  const card = cardOf(transaction, api.payment_method);
  const record = transaction.insert(
    'disputes',
    {
      id,
      object: 'dispute',
      amount,
      balance_transactions: structuredClone(withdrawn),
      charge: api.id,
      created: transaction.now,
      currency,
      enhanced_eligibility_types: [],
      evidence: { ...Object.fromEntries(EVIDENCE_TEXTS.map((name) => [name, null])), enhanced_evidence: {} },
      evidence_details: {
        due_by: transaction.now + ANSWER_WITHIN_SECONDS,
        enhanced_eligibility: {},
        has_evidence: false,
        past_due: false,
        submission_count: 0,
        submission_method: 'not_submitted',
      },
      intended_submission_method: null,
      is_charge_refundable: isInquiry,
      livemode: false,
      metadata: {},
      network_reason_code: card === undefined ? null : '10.4',
      payment_intent: api.payment_intent,
      ...(card === undefined
        ? {}
        : {
            payment_method_details: {
              card: {
                brand: card,
                case_type: isInquiry ? 'inquiry' : 'chargeback',
                network: card,
                network_reason_code: '10.4',
              },
              type: 'card',
            },
          }),
      reason: how.reason,
      status: isInquiry ? 'warning_needs_response' : 'needs_response',
    },
    null,
  );
  api.disputed = true;
  transaction.changed('charges', charge);
  transaction.emit('charge.dispute.created', record.api);
  if (!isInquiry) transaction.emit('charge.dispute.funds_withdrawn', record.api);
  return record.api;
}

function cardOf(transaction: Transaction, method: string | null): string | undefined {
  return method === null ? undefined : transaction.get('payment_methods', method)?.api.card?.brand;
}

/**
 * The bank has decided. Won, the money comes back; `feeReturned` says whether the fee does too. An inquiry
 * can only be closed. `prevented`: no chargeback came of it, and what was taken stays with the payer.
 */
export function closeDispute(
  transaction: Transaction,
  record: StoredDispute,
  outcome: 'won' | 'lost' | 'warning_closed' | 'prevented',
  feeReturned = false,
): void {
  const { api } = record;
  if (!isOpen(api)) throw isClosed(api);
  if ((api.status === 'warning_needs_response') !== (outcome === 'warning_closed'))
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: `A dispute with a status of ${api.status} does not end as ${outcome}.`,
    });
  const previous = { status: api.status };
  api.status = outcome;
  if (outcome === 'won') {
    const reinstated = bookEntry(transaction, {
      type: 'adjustment',
      amount: api.amount,
      fee: feeReturned ? -FEE : 0,
      currency: api.currency,
      source: api.id,
      description: `Chargeback reversal for ${api.charge}`,
    });
    api.balance_transactions.push(structuredClone(reinstated));
    api.is_charge_refundable = true;
  }
  transaction.changed('disputes', record);
  transaction.emit('charge.dispute.closed', api, previous);
  if (outcome === 'won') transaction.emit('charge.dispute.funds_reinstated', api);
}

/** What was lost is won on appeal: the money comes back, and the fee where `feeReturned`. */
export function winAppeal(transaction: Transaction, record: StoredDispute, feeReturned: boolean): void {
  const { api } = record;
  if (api.status !== 'lost')
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: `A dispute with a status of ${api.status} has nothing to appeal against.`,
    });
  api.status = 'under_review';
  closeDispute(transaction, record, 'won', feeReturned);
}

/** The provider takes a fee for a dispute without moving its money, or gives one back (below zero). */
export function chargeFee(transaction: Transaction, record: StoredDispute, fee: number): void {
  const { api } = record;
  const booked = bookEntry(transaction, {
    type: 'adjustment',
    amount: 0,
    fee,
    currency: api.currency,
    source: api.id,
    description: `Chargeback fee for ${api.charge}`,
  });
  api.balance_transactions.push(structuredClone(booked));
  transaction.changed('disputes', record);
  transaction.emit('charge.dispute.updated', api);
}

const isOpen = ({ status }: Dispute): boolean =>
  !['won', 'lost', 'warning_closed', 'prevented'].includes(status);

function isClosed(api: Dispute): ApiError {
  return new ApiError(
    400,
    {
      type: 'invalid_request_error',
      message: `This dispute is already closed: it has a status of ${api.status}.`,
    },
    'key',
  );
}

function update(call: Call): Dispute {
  const { transaction, parameters } = call;
  const record = disputeOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  const evidence = parameters.hash('evidence');
  const submitted = Object.fromEntries(
    EVIDENCE_TEXTS.flatMap((name) =>
      evidence?.has(name) ? [[name, evidence.text(name, 20_000) ?? null]] : [],
    ),
  );
  evidence?.ignore('enhanced_evidence', 'appeal');
  evidence?.refuseUnknown();
  const submits = parameters.boolean('submit') ?? evidence !== undefined;
  const metadata = parameters.metadata(api.metadata);
  parameters.ignore('intended_submission_method');
  parameters.refuseUnknown();
  if (evidence && api.status !== 'needs_response') throw isClosed(api);
  api.metadata = metadata;
  if (evidence) {
    api.evidence = { ...api.evidence, ...submitted };
    api.evidence_details.has_evidence = true;
  }
  if (evidence && submits) {
    api.status = 'under_review';
    api.evidence_details.submission_count += 1;
    api.evidence_details.submission_method = 'manual';
  }
  transaction.changed('disputes', record);
  transaction.emit('charge.dispute.updated', api);
  if (api.status === 'under_review' && submitted.uncategorized_text === WINS)
    closeDispute(transaction, record, 'won');
  else if (api.status === 'under_review' && submitted.uncategorized_text === LOSES)
    closeDispute(transaction, record, 'lost');
  return api;
}

export const disputeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/disputes',
    access: 'secret',
    run: (call) => {
      const { parameters } = call;
      const where = { charge: parameters.text('charge'), payment_intent: parameters.text('payment_intent') };
      return page(call, 'disputes', '/v1/disputes', { where });
    },
  },
  {
    method: 'GET',
    path: '/v1/disputes/:id',
    access: 'secret',
    run: (call): Dispute => {
      call.parameters.refuseUnknown();
      return disputeOf(call.transaction, pathValue(call, 'id')).api;
    },
  },
  { method: 'POST', path: '/v1/disputes/:id', access: 'secret', run: update },
  {
    method: 'POST',
    path: '/v1/disputes/:id/close',
    access: 'secret',
    run: (call): Dispute => {
      call.parameters.refuseUnknown();
      const record = disputeOf(call.transaction, pathValue(call, 'id'));
      closeDispute(call.transaction, record, 'lost');
      return record.api;
    },
  },
];
