/** Refunds: money back to the payer, whole or in part, which a bank may still return days later. */
import type { StoredObject } from '../collections.js';
import { invalidParameter, noSuch, wrongState } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { page } from '../listing.js';
import type { Refund, RefundReason } from '../objects.js';
import { pathValue, type Call, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { testCardOf } from '../test-cards.js';
import { bookEntry } from './balance.js';

const REASONS: readonly RefundReason[] = ['duplicate', 'fraudulent', 'requested_by_customer'];
/** How long the two test cards whose refunds are decided later take to decide. */
const LATER_MS = 2000;

function dollars(amount: number): string {
  return `$${(amount / 100).toFixed(2)}`;
}

function chargeToRefund(call: Call): StoredObject<'charges'> {
  const { transaction, parameters } = call;
  const intentId = parameters.text('payment_intent');
  const chargeId = parameters.text('charge');
  if (intentId !== undefined) {
    const intent = transaction.get('payment_intents', intentId);
    if (!intent) throw noSuch('payment_intent', intentId, 'payment_intent', 400);
    const latest = intent.api.latest_charge;
    const charge = latest === null ? undefined : transaction.get('charges', latest);
    if (!charge?.api.paid)
      throw wrongState(
        'charge_not_refundable',
        'This PaymentIntent does not have a successful charge to refund.',
        {
          param: 'payment_intent',
        },
      );
    return charge;
  }
  if (chargeId === undefined)
    throw invalidParameter(
      'charge',
      'One of the following params should be provided for this request: payment_intent or charge.',
      'parameter_missing',
    );
  const charge = transaction.get('charges', chargeId);
  if (!charge) throw noSuch('charge', chargeId, 'charge', 400);
  if (!charge.api.paid)
    throw wrongState(
      'charge_not_refundable',
      `Charge ${chargeId} was not successful and cannot be refunded.`,
    );
  return charge;
}

/** Money that a payer has disputed is not refunded as well, unless the dispute was won or takes nothing. */
function hasOpenOrLostDispute(transaction: Transaction, charge: string): boolean {
  const { data } = transaction.list('disputes', { where: { charge }, limit: 100 });
  return data.some(({ status }) => status !== 'won' && !status.startsWith('warning_'));
}

function create(call: Call): Refund {
  const { transaction, parameters } = call;
  const asked = parameters.integer('amount');
  const reason = parameters.oneOf('reason', REASONS) ?? null;
  const metadata = parameters.metadata();
  const charge = chargeToRefund(call);
  parameters.refuseUnknown();
  const { api } = charge;
  if (hasOpenOrLostDispute(transaction, api.id))
    throw wrongState('charge_disputed', `Charge ${api.id} has been charged back; cannot issue a refund.`);
  const left = api.amount - api.amount_refunded;
  const amount = asked ?? left;
  if (asked !== undefined && asked < 1)
    throw invalidParameter('amount', 'Invalid positive integer', 'parameter_invalid_integer');
  if (left === 0) throw wrongState('charge_already_refunded', `Charge ${api.id} has already been refunded.`);
  if (amount > left)
    throw wrongState(
      'amount_too_large',
      `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
      {
        param: 'amount',
      },
    );
  const method =
    api.payment_method === null ? undefined : transaction.get('payment_methods', api.payment_method);
  const outcome = method?.api.type === 'card' ? testCardOf(method.secret.card).refund : 'at_once';
  const pending = outcome === 'succeeds_later';
  const refund: Refund = {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: api.id,
    created: transaction.now,
    currency: api.currency,
    customer: api.customer,
    customer_account: null,
    destination_details:
      method?.api.type === 'cashapp'
        ? { type: 'cashapp', cashapp: {} }
        : {
            type: 'card',
            card: {
              reference: randomText(17),
              reference_status: 'available',
              reference_type: 'acquirer_reference_number',
              type: 'refund',
            },
          },
    metadata,
    payment_intent: api.payment_intent,
    payment_method: api.payment_method,
    ...(pending ? { pending_reason: 'processing' as const } : {}),
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: pending ? 'pending' : 'succeeded',
    transfer_reversal: null,
  };
  refund.balance_transaction = bookEntry(transaction, {
    type: method?.api.type === 'card' ? 'refund' : 'payment_refund',
    amount: -amount,
    fee: 0,
    currency: api.currency,
    source: refund.id,
    description: api.description,
  }).id;
  transaction.insert('refunds', refund, null);
  const previous = { amount_refunded: api.amount_refunded, refunded: api.refunded };
  api.amount_refunded += amount;
  api.refunded = api.amount_refunded === api.amount;
  transaction.changed('charges', charge);
  transaction.emit('refund.created', refund);
  transaction.emit('charge.refunded', api, previous);
  if (outcome === 'succeeds_later')
    transaction.schedule(LATER_MS, { kind: 'refund_succeeds', refund: refund.id });
  if (outcome === 'fails_later') transaction.schedule(LATER_MS, { kind: 'refund_fails', refund: refund.id });
  return refund;
}

interface ReversedTransfer {
  payment: StoredObject<'charges'>;
  amount: number;
  reversal: string;
}

/**
 * What the reversal of a transfer is on the connected account in scope: a refund of what the transfer was
 * there.
 */
export function returnTransfer(
  transaction: Transaction,
  { payment, amount, reversal }: ReversedTransfer,
): Refund {
  const { api } = payment;
  const id = newId('pyr');
  const entry = bookEntry(transaction, {
    type: 'payment_refund',
    amount: -amount,
    fee: 0,
    currency: api.currency,
    source: id,
    description: api.description,
  });
  api.amount_refunded += amount;
  api.refunded = api.amount_refunded === api.amount;
  transaction.changed('charges', payment);
  return transaction.insert(
    'refunds',
    {
      id,
      object: 'refund',
      amount,
      balance_transaction: entry.id,
      charge: api.id,
      created: transaction.now,
      currency: api.currency,
      customer: null,
      customer_account: null,
      destination_details: { type: 'card' },
      metadata: {},
      payment_intent: null,
      payment_method: null,
      reason: null,
      receipt_number: null,
      source_transfer_reversal: reversal,
      status: 'succeeded',
      transfer_reversal: null,
    },
    null,
  ).api;
}

/** A pending refund went through. */
export function refundSucceeds(transaction: Transaction, id: string): void {
  const record = transaction.get('refunds', id);
  if (record?.api.status !== 'pending') return;
  record.api.status = 'succeeded';
  delete record.api.pending_reason;
  transaction.changed('refunds', record);
  transaction.emit('refund.updated', record.api, { status: 'pending' });
  transaction.emit('charge.refund.updated', record.api, { status: 'pending' });
}

/** The payer's bank returned a refund, also one that had succeeded: the money is back on the balance. */
export function refundFails(transaction: Transaction, id: string): void {
  const record = transaction.get('refunds', id);
  const charge = record && transaction.get('charges', record.api.charge);
  if (!record || !charge || record.api.status === 'failed') return;
  const { api } = record;
  const previous = { status: api.status };
  api.status = 'failed';
  api.failure_reason = 'lost_or_stolen_card';
  delete api.pending_reason;
  api.failure_balance_transaction = bookEntry(transaction, {
    type: 'refund_failure',
    amount: api.amount,
    fee: 0,
    currency: api.currency,
    source: api.id,
    description: charge.api.description,
  }).id;
  charge.api.amount_refunded -= api.amount;
  charge.api.refunded = false;
  transaction.changed('refunds', record);
  transaction.changed('charges', charge);
  transaction.emit('refund.updated', api, previous);
  transaction.emit('refund.failed', api);
  transaction.emit('charge.refund.updated', api, previous);
}

export const refundRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/refunds', access: 'secret', run: create },
  {
    method: 'GET',
    path: '/v1/refunds',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      const { parameters } = call;
      return page(call, 'refunds', '/v1/refunds', {
        where: { charge: parameters.text('charge'), payment_intent: parameters.text('payment_intent') },
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/refunds/:id',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      const record = call.transaction.get('refunds', id);
      if (!record) throw noSuch('refund', id);
      return record.api;
    },
  },
  {
    method: 'POST',
    path: '/v1/refunds/:id',
    access: 'secret',
    run: (call) => {
      const id = pathValue(call, 'id');
      const record = call.transaction.get('refunds', id);
      if (!record) throw noSuch('refund', id);
      const previous = { metadata: record.api.metadata };
      record.api.metadata = call.parameters.metadata(record.api.metadata);
      call.parameters.refuseUnknown();
      call.transaction.changed('refunds', record);
      call.transaction.emit('refund.updated', record.api, previous);
      return record.api;
    },
  },
];
