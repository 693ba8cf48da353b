/**
 * Payouts: from a connected account's balance to one of its bank accounts. They take their time, and a bank
 * may send the money back when it has long been called paid.
 */
import type { StoredObject } from '../collections.js';
import type { Payout } from '../connect-objects.js';
import { ApiError, invalidParameter, noSuch, wrongState } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { page } from '../listing.js';
import { pathValue, type Call, type Route } from '../routing.js';
import { isWithin, type Transaction } from '../store.js';
import { PAYOUT_FAILURES, type PayoutFailure } from '../test-banks.js';
import { accountOf, bankOf, type StoredAccount, type StoredBank } from './accounts.js';
import { bookEntry, checkAvailable } from './balance.js';
import { setBankStatus } from './external-accounts.js';

const DAY_SECONDS = 86_400;

type StoredPayout = StoredObject<'payouts'>;

/** A payout of the connected account in whose scope the call is. Throws a 404. */
export function payoutOf(transaction: Transaction, id: string): StoredPayout {
  const record = transaction.get('payouts', id);
  if (!record) throw noSuch('payout', id);
  return record;
}

function accountInScope(transaction: Transaction): StoredAccount {
  if (transaction.account === null)
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: 'This stand-in pays out from connected accounts only: call with the Stripe-Account header.',
    });
  return accountOf(transaction, transaction.account);
}

function bankFor(transaction: Transaction, account: StoredAccount, asked: string | undefined): StoredBank {
  if (asked !== undefined) return bankOf(transaction, asked, 'destination', 400);
  const chosen = account.secret.banks
    .map((id) => bankOf(transaction, id))
    .find(({ api }) => api.default_for_currency === true);
  if (!chosen)
    throw invalidParameter(
      'destination',
      "Sorry, you don't have any external accounts in that currency (usd).",
      'parameter_missing',
    );
  return chosen;
}

function create(call: Call): Payout {
  const { transaction, parameters } = call;
  const account = accountInScope(transaction);
  const amount = parameters.integer('amount');
  const currency = parameters.requiredText('currency').toLowerCase();
  const asked = parameters.text('destination');
  const description = parameters.text('description', 1000) ?? null;
  const descriptor = parameters.text('statement_descriptor', 22) ?? null;
  const metadata = parameters.metadata();
  const method = parameters.oneOf('method', ['standard', 'instant'] as const) ?? 'standard';
  parameters.oneOf('source_type', ['card'] as const);
  parameters.refuseUnknown();
  if (amount === undefined) throw parameters.missing('amount');
  if (amount < 1)
    throw invalidParameter(
      'amount',
      'This value must be greater than or equal to 1.',
      'parameter_invalid_integer',
    );
  if (currency !== 'usd') throw invalidParameter('currency', 'This stand-in pays out usd only.');
  if (method === 'instant')
    throw wrongState(
      'instant_payouts_unsupported',
      'This bank account is not eligible for instant payouts.',
      {
        param: 'method',
      },
    );
  const bank = bankFor(transaction, account, asked);
  if (bank.api.status !== 'new')
    throw wrongState(
      'bank_account_unusable',
      'The bank account provided cannot be used for payouts. A different bank account must be used.',
      { param: 'destination' },
    );
  if (!account.api.payouts_enabled)
    throw wrongState(
      'payouts_not_allowed',
      'Payouts are not allowed on this account: see requirements on the account.',
    );
  checkAvailable(
    transaction,
    amount,
    currency,
    'You have insufficient funds in your Stripe account for this transfer. Your card balance is too low.',
  );
  const { api } = insertPayout(transaction, {
    amount,
    currency,
    automatic: false,
    description,
    destination: bank.api.id,
    metadata,
    descriptor,
  });
  transaction.emit('payout.created', api);
  transaction.schedule(halfOfSettling(transaction), {
    kind: 'payout_moves',
    account: account.api.id,
    payout: api.id,
  });
  return api;
}

/** Pays some of the platform's balance to the platform's own bank, which has it at once. */
export function payOutPlatform(transaction: Transaction, amount: number): Payout {
  const currency = 'usd';
  checkAvailable(transaction, amount, currency, 'You have insufficient funds in your Stripe account.');
  const record = insertPayout(transaction, {
    amount,
    currency,
    automatic: true,
    description: 'STRIPE PAYOUT',
    destination: 'ba_of_the_platform',
    metadata: {},
    descriptor: null,
  });
  transaction.emit('payout.created', record.api);
  payPayout(transaction, record);
  return record.api;
}

interface PayoutInput {
  amount: number;
  currency: string;
  automatic: boolean;
  description: string | null;
  destination: string;
  metadata: Payout['metadata'];
  descriptor: string | null;
}

/** Takes the money from the balance in scope; nothing is told or planned yet. */
function insertPayout(transaction: Transaction, input: PayoutInput): StoredPayout {
  const { amount, currency, automatic, description, destination, metadata, descriptor } = input;
  const id = newId('po');
  const entry = bookEntry(transaction, {
    type: 'payout',
    amount: -amount,
    fee: 0,
    currency,
    source: id,
    description,
  });
  return transaction.insert(
    'payouts',
    {
      id,
      object: 'payout',
      amount,
      application_fee: null,
      application_fee_amount: null,
      arrival_date: Math.ceil((transaction.now + 1) / DAY_SECONDS) * DAY_SECONDS,
      automatic,
      balance_transaction: entry.id,
      created: transaction.now,
      currency,
      description,
      destination,
      failure_balance_transaction: null,
      failure_code: null,
      failure_message: null,
      livemode: false,
      metadata,
      method: 'standard',
      original_payout: null,
      payout_method: null,
      reconciliation_status: automatic ? 'completed' : 'not_applicable',
      reversed_by: null,
      source_type: 'card',
      statement_descriptor: descriptor,
      status: 'pending',
      trace_id: null,
      type: 'bank_account',
    },
    null,
  );
}

const halfOfSettling = (transaction: Transaction): number =>
  Math.ceil(transaction.switches.payouts.settleMs / 2);

/** The next step of a payout whose time has come. Quietly nothing when it has ended meanwhile. */
export function movePayout(transaction: Transaction, id: string): void {
  const record = payoutOf(transaction, id);
  const { account } = transaction;
  if (record.api.status === 'pending' && account !== null) {
    sendPayout(transaction, record);
    transaction.schedule(halfOfSettling(transaction), { kind: 'payout_moves', account, payout: id });
    return;
  }
  if (record.api.status !== 'in_transit') return;
  const outcome = outcomeOf(transaction, record);
  if (outcome.kind === 'failed') failPayout(transaction, record, outcome.reason);
  else payPayout(transaction, record);
}

function outcomeOf(transaction: Transaction, { api }: StoredPayout): StoredBank['secret']['payouts'] {
  // Also of a bank account that was deleted while its payout was under way.
  return (
    transaction.get('external_accounts', api.destination)?.secret.payouts ?? {
      kind: 'failed',
      reason: 'no_account',
    }
  );
}

/** It is with the bank: from here on it cannot be canceled. */
export function sendPayout(transaction: Transaction, record: StoredPayout): void {
  const previous = { status: record.api.status };
  Object.assign(record.api, { status: 'in_transit', trace_id: { status: 'pending', value: null } });
  transaction.changed('payouts', record);
  transaction.emit('payout.updated', record.api, previous);
}

export function payPayout(transaction: Transaction, record: StoredPayout): void {
  const { account } = transaction;
  const previous = { status: record.api.status };
  Object.assign(record.api, {
    status: 'paid',
    trace_id: { status: 'supported', value: randomText(15).toUpperCase() },
  });
  transaction.changed('payouts', record);
  transaction.emit('payout.updated', record.api, previous);
  transaction.emit('payout.paid', record.api);
  if (account !== null && outcomeOf(transaction, record).kind === 'returned')
    transaction.schedule(transaction.switches.payouts.returnMs, {
      kind: 'payout_returns',
      account,
      payout: record.api.id,
    });
}

/** The bank sends back what was called paid. */
export function returnPayout(transaction: Transaction, id: string): void {
  const record = payoutOf(transaction, id);
  const outcome = outcomeOf(transaction, record);
  if (record.api.status === 'paid')
    failPayout(transaction, record, outcome.kind === 'returned' ? outcome.reason : 'could_not_process');
}

/**
 * The money is back on the connected balance, and for most reasons nothing more is paid to that bank account.
 */
export function failPayout(transaction: Transaction, record: StoredPayout, reason: PayoutFailure): void {
  const { api } = record;
  const previous = { status: api.status };
  api.status = 'failed';
  api.failure_code = reason;
  api.failure_message = PAYOUT_FAILURES[reason];
  giveBack(transaction, record, 'payout_failure');
  transaction.emit('payout.updated', api, previous);
  transaction.emit('payout.failed', api);
  const bank = transaction.get('external_accounts', api.destination);
  if (bank && !bank.secret.removed && reason !== 'insufficient_funds')
    setBankStatus(transaction, bank, 'errored');
}

function giveBack(
  transaction: Transaction,
  record: StoredPayout,
  type: 'payout_failure' | 'payout_cancel',
): void {
  const { id, amount, currency, description } = record.api;
  record.api.failure_balance_transaction = bookEntry(transaction, {
    type,
    amount,
    fee: 0,
    currency,
    source: id,
    description,
  }).id;
  transaction.changed('payouts', record);
}

function cancel(call: Call): Payout {
  const { transaction, parameters } = call;
  accountInScope(transaction);
  const record = payoutOf(transaction, pathValue(call, 'id'));
  parameters.refuseUnknown();
  if (record.api.status !== 'pending')
    throw new ApiError(
      400,
      {
        type: 'invalid_request_error',
        message: `You can only cancel payouts that are pending: this payout has a status of ${record.api.status}.`,
      },
      'key',
    );
  record.api.status = 'canceled';
  giveBack(transaction, record, 'payout_cancel');
  transaction.emit('payout.canceled', record.api, { status: 'pending' });
  return record.api;
}

export const payoutRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/payouts', access: 'secret', onAccounts: true, run: create },
  {
    method: 'GET',
    path: '/v1/payouts',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      const { parameters } = call;
      const arrival = parameters.timeRange('arrival_date');
      return page(call, 'payouts', '/v1/payouts', {
        where: { destination: parameters.text('destination'), status: parameters.text('status') },
        matches: (payout) => isWithin(payout.arrival_date, arrival),
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/payouts/:id',
    access: 'secret',
    onAccounts: true,
    run: (call): Payout => {
      call.parameters.refuseUnknown();
      return payoutOf(call.transaction, pathValue(call, 'id')).api;
    },
  },
  {
    method: 'POST',
    path: '/v1/payouts/:id',
    access: 'secret',
    onAccounts: true,
    run: (call): Payout => {
      const { transaction, parameters } = call;
      const record = payoutOf(transaction, pathValue(call, 'id'));
      const previous = { metadata: record.api.metadata };
      record.api.metadata = parameters.metadata(record.api.metadata);
      parameters.refuseUnknown();
      transaction.changed('payouts', record);
      transaction.emit('payout.updated', record.api, previous);
      return record.api;
    },
  },
  { method: 'POST', path: '/v1/payouts/:id/cancel', access: 'secret', onAccounts: true, run: cancel },
];
