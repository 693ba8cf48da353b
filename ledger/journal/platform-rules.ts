/**
 * The rules of the platform's own money at the provider: what it brings along, what it sends to its own bank,
 * and what the provider takes or gives by itself. Each entry is keyed by the provider's balance transaction,
 * so each is booked once. Nothing here asks for a balance: the provider has done it already.
 */
import { platform, type PlatformPurpose } from '#contracts/plain/accounts';
import type { JournalEvent, Posting } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { ask, entry, repeat, type Decision } from './decision.js';
import { findEntry, isQuestion, type Known } from './find.js';

/** The provider's types that a payment or a payout of somebody's explains: their own entries book them. */
const EXPLAINED_BY_OTHERS: ReadonlySet<string> = new Set([
  'charge',
  'payment',
  'payment_failure_refund',
  'payment_refund',
  'payment_reversal',
  'refund',
  'refund_failure',
  'transfer',
  'transfer_cancel',
  'transfer_failure',
  'transfer_refund',
]);
const FUNDING: ReadonlySet<string> = new Set(['topup', 'topup_reversal']);
const PAYOUT: ReadonlySet<string> = new Set([
  'payout',
  'payout_cancel',
  'payout_failure',
  'payout_minimum_balance_hold',
  'payout_minimum_balance_release',
]);
/** What the provider takes for its services, in its own words; all else that it takes is an adjustment. */
const CHARGES: ReadonlySet<string> = new Set([
  'connect_collection_transfer',
  'network_cost',
  'stripe_balance_payment_debit',
  'stripe_balance_payment_debit_reversal',
  'stripe_fee',
  'stripe_fx_fee',
  'tax_fee',
]);

/**
 * Whether a balance transaction of this type can be the platform's own: no payment of anybody's explains it.
 */
export const isPlatformType = (providerType: string): boolean => !EXPLAINED_BY_OTHERS.has(providerType);

/** The key of the entry that books a balance transaction of the platform's own. */
export const platformMoneyKey = (balanceTransactionId: string): string => `balance:${balanceTransactionId}`;

/** Books a balance transaction of the platform's own. Throws Rejected('NotPlatformMoney') for any other. */
export function bookPlatformMoney(command: Command<'BookPlatformMoney'>, known: Known): Decision {
  const { type: _, balanceTransactionId, providerType, sourceId, currency, occurredAt } = command;
  const key = platformMoneyKey(balanceTransactionId);
  const before = findEntry(key, known);
  if (isQuestion(before)) return ask(before);
  if (before) return repeat(key, before);
  // A dispute's money is an adjustment too, and is booked by its dispute.
  for (const other of [`dispute-funds:${balanceTransactionId}`, `fee:${balanceTransactionId}`]) {
    const booked = findEntry(other, known);
    if (isQuestion(booked)) return ask(booked);
    if (booked) throw new Rejected('NotPlatformMoney', { balanceTransactionId, booked: other });
  }
  // A charge of the provider's may stand in the fee alone.
  const isFeeAlone = command.amountMinor === 0;
  const amount = isFeeAlone ? -command.feeMinor : command.amountMinor;
  const fee = isFeeAlone ? 0 : command.feeMinor;
  if (!isPlatformType(providerType) || amount === 0)
    throw new Rejected('NotPlatformMoney', { balanceTransactionId, providerType });
  const data = {
    balanceTransactionId,
    providerType,
    ...(sourceId === undefined ? {} : { sourceId }),
    amountMinor: Math.abs(amount),
    feeMinor: Math.abs(fee),
    ...(fee < 0 ? { feeReturned: true as const } : {}),
    currency,
    occurredAt,
    postings: [
      ...movement(amount, accountOf(providerType), currency),
      // What the provider takes leaves its balance.
      ...movement(-fee, 'fees', currency),
    ],
  };
  return entry(key, { type: typeOf(providerType, amount), data });
}

function typeOf(providerType: string, amount: number): PlatformMoneyType {
  if (FUNDING.has(providerType)) return amount > 0 ? 'PlatformFunded' : 'PlatformFundingReversed';
  if (PAYOUT.has(providerType)) return amount < 0 ? 'PlatformPaidOut' : 'PlatformPayoutReturned';
  return amount < 0 ? 'ProviderCharged' : 'ProviderChargeReturned';
}

type PlatformMoneyType = Extract<
  JournalEvent['type'],
  | 'PlatformFunded'
  | 'PlatformFundingReversed'
  | 'PlatformPaidOut'
  | 'PlatformPayoutReturned'
  | 'ProviderCharged'
  | 'ProviderChargeReturned'
>;

function accountOf(providerType: string): PlatformPurpose {
  if (FUNDING.has(providerType) || PAYOUT.has(providerType)) return 'own-funds';
  return CHARGES.has(providerType) ? 'fees' : 'adjustments';
}

/** What came into the balance is a debit of card clearing, what left it a credit. */
function movement(byMinor: number, purpose: PlatformPurpose, currency: string): Posting[] {
  const facing = platform(purpose, currency);
  const clearing = platform('card-clearing', currency);
  if (byMinor === 0) return [];
  return byMinor > 0
    ? [{ debit: clearing, credit: facing, amountMinor: byMinor }]
    : [{ debit: facing, credit: clearing, amountMinor: -byMinor }];
}
