/** The balance of the platform, or of a connected account, and the transactions that make it up. */
import type { Funds, StoredObject } from '../collections.js';
import { noSuch, wrongState } from '../errors.js';
import { newId } from '../identifiers.js';
import { page } from '../listing.js';
import type { BalanceTransaction, BalanceTransactionType } from '../objects.js';
import { pathValue, type Route } from '../routing.js';
import type { Transaction } from '../store.js';

const REPORTED_AS: Readonly<Record<BalanceTransactionType, string>> = {
  adjustment: 'dispute',
  charge: 'charge',
  payment: 'charge',
  payment_failure_refund: 'refund_failure',
  payment_refund: 'refund',
  payout: 'payout',
  payout_cancel: 'payout_reversal',
  payout_failure: 'payout_reversal',
  refund: 'refund',
  refund_failure: 'refund_failure',
  reserve_hold: 'risk_reserved_funds',
  reserve_release: 'risk_reserved_funds',
  stripe_fee: 'fee',
  topup: 'topup',
  topup_reversal: 'topup_reversal',
  transfer: 'transfer',
  transfer_refund: 'transfer_reversal',
};

const PROCESSING = 'Stripe processing fees';
const FEE_FOR: Partial<Record<BalanceTransactionType, string>> = { adjustment: 'Dispute fee' };

/** The provider's fee, 2.9 % and 30 cents, rounded half up, in minor units. */
export function feeOf(amount: number): number {
  return Math.floor((amount * 29 + 500) / 1000) + 30;
}

interface Entry {
  type: BalanceTransactionType;
  amount: number;
  fee: number;
  currency: string;
  source: string | null;
  description: string | null;
  /** What is held in reserve is no part of the balance that is shown. */
  balance?: BalanceTransaction['balance_type'];
  /** The second in which it is booked; without one it is now. */
  bookedAt?: number | undefined;
  /** The second from which the money can be used; without one it is when it is booked. */
  availableOn?: number;
}

/** What the balance in scope comes to in one currency. */
function fundsOf(transaction: Transaction, currency: string): StoredObject<'funds'> {
  const { account, now } = transaction;
  const id = `funds_${account ?? 'platform'}_${currency}`;
  const kept = transaction.get('funds', id);
  if (kept) return kept;
  // A folder of an earlier version has entries and no sum of them.
  const funds: Funds = { id, created: now, currency, total: 0, waiting: [] };
  for (const each of transaction.all('balance_transactions')) {
    const { net, available_on, currency: other, balance_type: balance } = each;
    if (other !== currency || balance !== 'payments') continue;
    funds.total += net;
    if (available_on > now) funds.waiting.push([available_on, net]);
  }
  return transaction.insert('funds', funds, null);
}

function waitingIn({ waiting }: Funds, now: number): number {
  return waiting.reduce((sum, [availableOn, net]) => (availableOn > now ? sum + net : sum), 0);
}

/** What can be used now, in minor units; below zero when a refund or a dispute took more than was there. */
export function availableIn(transaction: Transaction, currency: string): number {
  const { api } = fundsOf(transaction, currency);
  return api.total - waitingIn(api, transaction.now);
}

/** All there is, with what waits. */
export function totalIn(transaction: Transaction, currency: string): number {
  return fundsOf(transaction, currency).api.total;
}

/** Books one movement on the balance; `amount` is negative when it leaves. */
export function bookEntry(transaction: Transaction, entry: Entry): BalanceTransaction {
  const { amount, fee, currency, balance = 'payments' } = entry;
  const { now } = transaction;
  const net = amount - fee;
  const bookedAt = entry.bookedAt ?? now;
  if (bookedAt < now) transaction.backdate();
  const availableOn = entry.availableOn ?? bookedAt;
  if (balance === 'payments') addToFunds(transaction, currency, net, availableOn);
  const { api } = transaction.insert(
    'balance_transactions',
    {
      id: newId('txn'),
      object: 'balance_transaction',
      amount,
      available_on: availableOn,
      balance_type: balance,
      created: bookedAt,
      currency,
      description: entry.description,
      exchange_rate: null,
      fee,
      fee_details:
        fee === 0
          ? []
          : [
              {
                amount: fee,
                application: null,
                currency,
                description: FEE_FOR[entry.type] ?? PROCESSING,
                type: 'stripe_fee',
              },
            ],
      net,
      reporting_category: REPORTED_AS[entry.type],
      source: entry.source,
      status: availableOn > now ? 'pending' : 'available',
      type: entry.type,
    },
    null,
  );
  return api;
}

function addToFunds(transaction: Transaction, currency: string, net: number, availableOn: number): void {
  const { now } = transaction;
  const funds = fundsOf(transaction, currency);
  funds.api.total += net;
  funds.api.waiting = funds.api.waiting.filter(([second]) => second > now);
  if (availableOn > now) {
    const same = funds.api.waiting.find(([second]) => second === availableOn);
    if (same) same[1] += net;
    else funds.api.waiting.push([availableOn, net]);
  }
  transaction.changed('funds', funds);
}

/**
 * The provider holds some of the balance in reserve, or lets it go (below zero): a movement of the balance
 * that is shown, and its counterpart in the one that is reserved.
 */
export function reserveFunds(transaction: Transaction, amount: number): void {
  const type = amount > 0 ? 'reserve_hold' : 'reserve_release';
  const entry = { type, fee: 0, currency: 'usd', source: null, description: 'Reserve' } as const;
  bookEntry(transaction, { ...entry, amount: -amount });
  bookEntry(transaction, { ...entry, amount, balance: 'risk_reserved' });
}

/** Makes all that waits on the balance in scope available now; returns how much that was. */
export function releaseFunds(transaction: Transaction): number {
  const { now } = transaction;
  let released = 0;
  for (const { id, net, available_on } of transaction.all('balance_transactions')) {
    if (available_on <= now) continue;
    const record = transaction.get('balance_transactions', id);
    if (!record) continue;
    Object.assign(record.api, { available_on: now, status: 'available' });
    transaction.changed('balance_transactions', record);
    released += net;
  }
  for (const { id } of transaction.all('funds')) {
    const record = transaction.get('funds', id);
    if (!record) continue;
    record.api.waiting = [];
    transaction.changed('funds', record);
  }
  return released;
}

/** Refuses to spend more than can be used now. */
export function checkAvailable(
  transaction: Transaction,
  amount: number,
  currency: string,
  message: string,
): void {
  if (availableIn(transaction, currency) < amount)
    throw wrongState('balance_insufficient', message, { param: 'amount' });
}

/** An object as it is at `now`: a balance transaction's status follows the clock. */
export function presented<T extends object>(object: T, now: number): T {
  if (
    'object' in object &&
    object.object === 'balance_transaction' &&
    'available_on' in object &&
    'status' in object
  )
    object.status = Number(object.available_on) <= now ? 'available' : 'pending';
  return object;
}

function balance(transaction: Transaction): object {
  const currencies = new Set(['usd', ...[...transaction.all('funds')].map(({ currency }) => currency)]);
  const listed = (amountOf: (currency: string) => number): object[] =>
    [...currencies].map((currency) => {
      const amount = amountOf(currency);
      return { amount, currency, source_types: { card: amount } };
    });
  return {
    object: 'balance',
    available: listed((currency) => availableIn(transaction, currency)),
    livemode: false,
    pending: listed((currency) => totalIn(transaction, currency) - availableIn(transaction, currency)),
  };
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
