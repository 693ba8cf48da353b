/**
 * The accounts of the ledger and their rules. A user's balances are our liabilities: credits raise them.
 * Platform accounts face the outside; their sum with the users' is always zero.
 */
import { CURRENCY } from './money.js';

/**
 * `user/{id}/available`: what a user can spend. Below zero only by a refund or a dispute: a debt, never their
 * own act.
 */
export const available = (userId: string): string => `user/${userId}/available`;

/**
 * `user/{id}/payouts`: a user's money on its way to their bank. It exists as soon as they have an available
 * balance.
 */
export const payouts = (userId: string): string => `user/${userId}/payouts`;

/** `wallet/{id}`: a treasury wallet. Whose it is is told by the event that opened it. Never below zero. */
export const wallet = (walletId: string): string => `wallet/${walletId}`;

/** The platform's own accounts, each facing one outside party or one kind of loss. */
export type PlatformPurpose =
  | 'card-clearing'
  | 'connect-clearing'
  | 'bank-clearing'
  | 'fees'
  | 'dispute-losses'
  | 'own-funds'
  | 'adjustments'
  | 'losses'
  | 'unclaimed'
  | 'unapplied';

/**
 * A platform account. Every account holds one currency; ours is USD, and money that reaches us in another one
 * by a provider's mistake is kept apart: `platform/unapplied/eur`.
 */
export const platform = (purpose: PlatformPurpose, currency: string = CURRENCY): string =>
  currency === CURRENCY ? `platform/${purpose}` : `platform/${purpose}/${currency}`;

/** The user whose account this is by its name, or undefined for a wallet's and the platform's. */
export function ownerOf(account: string): string | undefined {
  const [kind, id] = account.split('/');
  return kind === 'user' ? id : undefined;
}

/** Whether people own it, and so whether the rule holds that their own act never takes it below zero. */
export const isPersonal = (account: string): boolean => !account.startsWith('platform/');

/**
 * What kind of account it is, as totals name it: `available`, `payouts`, `wallet`, or what the platform has
 * it for.
 */
export function kindOf(account: string): string {
  const [root = '', second = '', third = ''] = account.split('/');
  return root === 'user' ? third : root === 'platform' ? second : root;
}

/** The currency an account is kept in. */
export function currencyOf(account: string): string {
  return account.startsWith('platform/') ? (account.split('/')[2] ?? CURRENCY) : CURRENCY;
}
