/** Top-ups: money that the platform brings to its balance from a bank account of its own, without a fee. */
import type { StoredObject } from '../collections.js';
import { ApiError, invalidParameter, noSuch } from '../errors.js';
import { newId } from '../identifiers.js';
import { page } from '../listing.js';
import type { Topup } from '../objects.js';
import type { Metadata } from '../parameters.js';
import { pathValue, type Call, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { bookEntry } from './balance.js';

interface TopUpInput {
  amount: number;
  currency: string;
  description?: string | null;
  metadata?: Metadata;
  statementDescriptor?: string | null;
  transferGroup?: string | null;
}

/** A top-up that has arrived: the bank’s days are left out. */
export function topUp(transaction: Transaction, input: TopUpInput): Topup {
  const { amount, currency, description = null } = input;
  const id = newId('tu');
  const { now } = transaction;
  const entry = bookEntry(transaction, { type: 'topup', amount, fee: 0, currency, source: id, description });
  const { api } = transaction.insert(
    'topups',
    {
      id,
      object: 'topup',
      amount,
      balance_transaction: entry.id,
      created: now,
      currency,
      description,
      expected_availability_date: now,
      failure_code: null,
      failure_message: null,
      initiated_by: 'user',
      livemode: false,
      metadata: input.metadata ?? {},
      source: null,
      statement_descriptor: input.statementDescriptor ?? null,
      status: 'succeeded',
      transfer_group: input.transferGroup ?? null,
    },
    null,
  );
  transaction.emit('topup.created', api);
  transaction.emit('topup.succeeded', api);
  return api;
}

function topUpOf(transaction: Transaction, id: string): StoredObject<'topups'> {
  const record = transaction.get('topups', id);
  if (!record) throw noSuch('topup', id);
  return record;
}

/** The bank takes a top-up back: what it had sent was not covered. */
export function reverseTopUp(transaction: Transaction, id: string): Topup {
  const record = topUpOf(transaction, id);
  const { amount, currency, description, status } = record.api;
  if (status !== 'succeeded')
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: `${id} is ${status}: it cannot be reversed.`,
    });
  const type = 'topup_reversal';
  bookEntry(transaction, { type, amount: -amount, fee: 0, currency, source: id, description });
  record.api.status = 'reversed';
  transaction.changed('topups', record);
  transaction.emit('topup.reversed', record.api);
  return record.api;
}

function create(call: Call): Topup {
  const { transaction, parameters } = call;
  const amount = parameters.integer('amount');
  const currency = parameters.requiredText('currency').toLowerCase();
  const input = {
    description: parameters.text('description', 1000) ?? null,
    metadata: parameters.metadata(),
    statementDescriptor: parameters.text('statement_descriptor', 15) ?? null,
    transferGroup: parameters.text('transfer_group') ?? null,
  };
  parameters.refuseUnknown();
  if (amount === undefined) throw parameters.missing('amount');
  if (amount < 1)
    throw invalidParameter(
      'amount',
      'This value must be greater than or equal to 1.',
      'parameter_invalid_integer',
    );
  if (currency !== 'usd') throw invalidParameter('currency', 'This stand-in tops up usd only.');
  return topUp(transaction, { amount, currency, ...input });
}

export const topUpRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/topups', access: 'secret', run: create },
  {
    method: 'GET',
    path: '/v1/topups',
    access: 'secret',
    run: (call) => page(call, 'topups', '/v1/topups', { where: { status: call.parameters.text('status') } }),
  },
  {
    method: 'GET',
    path: '/v1/topups/:id',
    access: 'secret',
    run: (call): Topup => {
      call.parameters.refuseUnknown();
      return topUpOf(call.transaction, pathValue(call, 'id')).api;
    },
  },
];
