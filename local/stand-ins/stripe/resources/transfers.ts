/** Transfers: money from the platform's balance to a connected account's, and back by a reversal. */
import type { StoredObject } from '../collections.js';
import type { Transfer, TransferReversal } from '../connect-objects.js';
import { ApiError, invalidParameter, noSuch, wrongState } from '../errors.js';
import { newId } from '../identifiers.js';
import { page } from '../listing.js';
import { pathValue, type Call, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { accountOf } from './accounts.js';
import { availableIn, bookEntry, checkAvailable, totalIn } from './balance.js';
import { receiveTransfer } from './charges.js';
import { returnTransfer } from './refunds.js';

const SHOWN_REVERSALS = 10;

function transferOf(transaction: Transaction, id: string): StoredObject<'transfers'> {
  const record = transaction.get('transfers', id);
  if (!record) throw noSuch('transfer', id);
  return record;
}

/**
 * The charge whose money a transfer passes on, and from when that can be used. Throws when too little of it
 * is left.
 */
function sourceOf(
  transaction: Transaction,
  id: string,
  amount: number | undefined,
): { charge: StoredObject<'charges'>; amount: number } {
  const charge = transaction.get('charges', id);
  if (!charge) throw noSuch('charge', id, 'source_transaction', 400);
  if (!charge.api.paid)
    throw wrongState(
      'charge_invalid_parameter',
      `Charge ${id} was not successful: nothing of it can be transferred.`,
      {
        param: 'source_transaction',
      },
    );
  let left = charge.api.amount;
  for (const transfer of transaction.all('transfers'))
    if (transfer.source_transaction === id) left -= transfer.amount - transfer.amount_reversed;
  const asked = amount ?? charge.api.amount;
  if (asked > left)
    throw wrongState(
      'amount_too_large',
      `Transfers using this transaction as a source must not exceed the source amount: ${left} of ${charge.api.amount} is left.`,
      { param: 'amount' },
    );
  return { charge, amount: asked };
}

function create(call: Call): Transfer {
  const { transaction, parameters } = call;
  const given = parameters.integer('amount');
  const currency = parameters.requiredText('currency').toLowerCase();
  const destination = parameters.requiredText('destination');
  const sourceId = parameters.text('source_transaction');
  const description = parameters.text('description', 1000) ?? null;
  const metadata = parameters.metadata();
  const group = parameters.text('transfer_group');
  parameters.oneOf('source_type', ['card'] as const);
  parameters.refuseUnknown();
  if (given === undefined && sourceId === undefined) throw parameters.missing('amount');
  if (given !== undefined && given < 1)
    throw invalidParameter(
      'amount',
      'This value must be greater than or equal to 1.',
      'parameter_invalid_integer',
    );
  if (currency !== 'usd') throw invalidParameter('currency', 'This stand-in transfers usd only.');
  const account = accountOf(transaction, destination, 'destination');
  if (account.api.capabilities.transfers !== 'active')
    throw wrongState(
      'insufficient_capabilities_for_transfer',
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
    );
  const source = sourceId === undefined ? undefined : sourceOf(transaction, sourceId, given);
  const amount = source?.amount ?? given ?? 0;
  if (!source)
    checkAvailable(
      transaction,
      amount,
      currency,
      'You have insufficient available funds in your Stripe account. Try adding funds directly to your available balance by ' +
        'creating Charges using the 4000000000000077 test card. See: https://stripe.com/docs/testing#available-balance',
    );
  const booked = source?.charge.api.balance_transaction;
  const availableOn = booked ? transaction.get('balance_transactions', booked)?.api.available_on : undefined;
  const ofCharge =
    source &&
    (source.charge.api.transfer_group ?? `group_${source.charge.api.payment_intent ?? source.charge.api.id}`);
  const id = newId('tr');
  const transferGroup = group ?? ofCharge ?? null;
  const when = availableOn === undefined ? {} : { availableOn };
  const entry = bookEntry(transaction, {
    type: 'transfer',
    amount: -amount,
    fee: 0,
    currency,
    source: id,
    description,
    ...when,
  });
  const payment = transaction.within(account.api.id, () =>
    receiveTransfer(transaction, { amount, currency, transfer: id, transferGroup, description, availableOn }),
  );
  const { api } = transaction.insert(
    'transfers',
    {
      id,
      object: 'transfer',
      amount,
      amount_reversed: 0,
      balance_transaction: entry.id,
      created: transaction.now,
      currency,
      description,
      destination: account.api.id,
      destination_payment: payment.id,
      livemode: false,
      metadata,
      reversals: { object: 'list', data: [], has_more: false, url: `/v1/transfers/${id}/reversals` },
      reversed: false,
      source_transaction: sourceId ?? null,
      source_type: 'card',
      transfer_group: transferGroup,
    },
    null,
  );
  transaction.emit('transfer.created', api);
  return api;
}

function reverse(call: Call): TransferReversal {
  const { transaction, parameters } = call;
  const record = transferOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  const asked = parameters.integer('amount');
  const metadata = parameters.metadata();
  parameters.text('description', 1000);
  parameters.ignore('refund_application_fee');
  parameters.refuseUnknown();
  const left = api.amount - api.amount_reversed;
  const amount = asked ?? left;
  if (amount < 1 && left > 0)
    throw invalidParameter('amount', 'Invalid positive integer', 'parameter_invalid_integer');
  if (left === 0)
    throw new ApiError(
      400,
      { type: 'invalid_request_error', message: `Transfer ${api.id} is already fully reversed.` },
      'key',
    );
  if (amount > left)
    throw wrongState(
      'amount_too_large',
      `The amount to reverse (${amount}) is more than is left of the transfer (${left}).`,
      {
        param: 'amount',
      },
    );
  const id = newId('trr');
  const refund = transaction.within(api.destination, () => {
    const payment = transaction.get('charges', api.destination_payment);
    if (!payment) throw new Error(`${api.id} has no payment on ${api.destination}.`);
    // Money of a charge that is pending still is taken back from what is pending.
    const held = (api.source_transaction === null ? availableIn : totalIn)(transaction, api.currency);
    if (held < amount)
      throw wrongState(
        'balance_insufficient',
        `The connected account ${api.destination} does not have sufficient funds to reverse this transfer.`,
        { param: 'amount' },
      );
    return returnTransfer(transaction, { payment, amount, reversal: id });
  });
  const { description, currency } = api;
  const entry = bookEntry(transaction, {
    type: 'transfer_refund',
    amount,
    fee: 0,
    currency,
    source: id,
    description,
  });
  const reversal = transaction.insert(
    'transfer_reversals',
    {
      id,
      object: 'transfer_reversal',
      amount,
      balance_transaction: entry.id,
      created: transaction.now,
      currency,
      destination_payment_refund: refund.id,
      metadata,
      source_refund: null,
      transfer: api.id,
    },
    null,
  ).api;
  const previous = { amount_reversed: api.amount_reversed, reversed: api.reversed };
  api.amount_reversed += amount;
  api.reversed = api.amount_reversed === api.amount;
  api.reversals.has_more ||= api.reversals.data.length === SHOWN_REVERSALS;
  api.reversals.data = [reversal, ...api.reversals.data].slice(0, SHOWN_REVERSALS);
  transaction.changed('transfers', record);
  transaction.emit('transfer.reversed', api, previous);
  return reversal;
}

export const transferRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/transfers', access: 'secret', run: create },
  {
    method: 'GET',
    path: '/v1/transfers',
    access: 'secret',
    run: (call) => {
      const { parameters } = call;
      const where = {
        destination: parameters.text('destination'),
        transfer_group: parameters.text('transfer_group'),
      };
      return page(call, 'transfers', '/v1/transfers', { where });
    },
  },
  {
    method: 'GET',
    path: '/v1/transfers/:id',
    access: 'secret',
    run: (call): Transfer => {
      call.parameters.refuseUnknown();
      return transferOf(call.transaction, pathValue(call, 'id')).api;
    },
  },
  {
    method: 'POST',
    path: '/v1/transfers/:id',
    access: 'secret',
    run: (call): Transfer => {
      const { transaction, parameters } = call;
      const record = transferOf(transaction, pathValue(call, 'id'));
      if (parameters.has('description'))
        record.api.description = parameters.text('description', 1000) ?? null;
      record.api.metadata = parameters.metadata(record.api.metadata);
      parameters.refuseUnknown();
      transaction.changed('transfers', record);
      transaction.emit('transfer.updated', record.api);
      return record.api;
    },
  },
  { method: 'POST', path: '/v1/transfers/:id/reversals', access: 'secret', run: reverse },
  {
    method: 'GET',
    path: '/v1/transfers/:id/reversals',
    access: 'secret',
    run: (call) => {
      const { id } = transferOf(call.transaction, pathValue(call, 'id')).api;
      return page(call, 'transfer_reversals', `/v1/transfers/${id}/reversals`, { where: { transfer: id } });
    },
  },
  {
    method: 'GET',
    path: '/v1/transfers/:id/reversals/:reversal',
    access: 'secret',
    run: (call): TransferReversal => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'reversal');
      const record = call.transaction.get('transfer_reversals', id);
      if (record?.api.transfer !== pathValue(call, 'id')) throw noSuch('transfer reversal', id);
      return record.api;
    },
  },
];
