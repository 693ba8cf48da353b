/** The platform's balance and the transactions that make it up. */
import { noSuch } from '../errors.js';
import { newId } from '../identifiers.js';
import { page } from '../listing.js';
import type { BalanceTransaction, BalanceTransactionType } from '../objects.js';
import { pathValue, type Route } from '../routing.js';
import type { Transaction } from '../store.js';

const DAY_SECONDS = 86_400;
/** How long the funds of a charge are pending. */
const PENDING_SECONDS = 2 * DAY_SECONDS;

const REPORTED_AS: Readonly<Record<BalanceTransactionType, string>> = {
  charge: 'charge',
  payment: 'charge',
  refund: 'refund',
  payment_refund: 'refund',
  refund_failure: 'refund_failure',
  payment_failure_refund: 'refund_failure',
};

/** The provider's fee, 2.9 % and 30 cents, rounded half up, in minor units. */
export function feeOf(amount: number): number {
  return Math.floor((amount * 29 + 500) / 1000) + 30;
}

interface Entry {
  type: BalanceTransactionType;
  amount: number;
  fee: number;
  currency: string;
  source: string;
  description: string | null;
  /** Whether the funds wait, as a charge's do. */
  waits: boolean;
}

/** Books one movement on the balance; `amount` is negative when it leaves. */
export function bookEntry(transaction: Transaction, entry: Entry): BalanceTransaction {
  const { amount, fee, currency } = entry;
  const { api } = transaction.insert(
    'balance_transactions',
    {
      id: newId('txn'),
      object: 'balance_transaction',
      amount,
      available_on: transaction.now + (entry.waits ? PENDING_SECONDS : 0),
      balance_type: 'payments',
      created: transaction.now,
      currency,
      description: entry.description,
      exchange_rate: null,
      fee,
      fee_details:
        fee === 0
          ? []
          : [{ amount: fee, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' }],
      net: amount - fee,
      reporting_category: REPORTED_AS[entry.type],
      source: entry.source,
      status: entry.waits ? 'pending' : 'available',
      type: entry.type,
    },
    null,
  );
  return api;
}

/** An object as it is at `now`: a balance transaction's status follows the clock. */
export function presented<T extends object>(object: T, now: number): T {
  if ('object' in object && object.object === 'balance_transaction' && 'available_on' in object && 'status' in object)
    object.status = Number(object.available_on) <= now ? 'available' : 'pending';
  return object;
}

function balance(transaction: Transaction): object {
  const available = new Map([['usd', 0]]);
  const pending = new Map([['usd', 0]]);
  for (const { currency, net, available_on } of transaction.all('balance_transactions')) {
    const part = available_on <= transaction.now ? available : pending;
    part.set(currency, (part.get(currency) ?? 0) + net);
  }
  const listed = (part: Map<string, number>): object[] =>
    [...part].map(([currency, amount]) => ({ amount, currency, source_types: { card: amount } }));
  return { object: 'balance', available: listed(available), livemode: false, pending: listed(pending) };
}

export const balanceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/balance',
    access: 'secret',
    onAccounts: true,
    run: ({ transaction, parameters }) => {
      parameters.refuseUnknown();
      return balance(transaction);
    },
  },
  {
    method: 'GET',
    path: '/v1/balance_transactions',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      const { parameters, transaction } = call;
      const type = parameters.text('type');
      const where = { source: parameters.text('source'), type, currency: parameters.text('currency') };
      const found = page(call, 'balance_transactions', '/v1/balance_transactions', { where });
      for (const each of found.data) presented(each, transaction.now);
      return found;
    },
  },
  {
    method: 'GET',
    path: '/v1/balance_transactions/:id',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      const record = call.transaction.get('balance_transactions', id);
      if (!record) throw noSuch('balance transaction', id);
      return presented(record.api, call.transaction.now);
    },
  },
];
