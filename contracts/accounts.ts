/**
 * The accounts of the ledger and their rules. A user's balances are our liabilities: credits raise them. Platform
 * accounts face the outside; their sum with the users' is always zero.
 */
import { CURRENCY } from './money.js';

/** `user/{id}/available`: what a user can spend. Never below zero by its owner's act. */
export const available = (userId: string): string => `user/${userId}/available`;

/** The platform's own accounts, each facing one outside party or one kind of loss. */
export type PlatformPurpose = 'card-clearing' | 'connect-clearing' | 'bank-clearing' | 'fees' | 'dispute-losses' | 'unapplied';

/**
 * A platform account. Every account holds one currency; ours is USD, and money that reaches us in another one by a
 * provider's mistake is kept apart: `platform/unapplied/eur`.
 */
export const platform = (purpose: PlatformPurpose, currency: string = CURRENCY): string =>
  currency === CURRENCY ? `platform/${purpose}` : `platform/${purpose}/${currency}`;

/** The user whose account this is, or undefined for one of the platform's. */
export function ownerOf(account: string): string | undefined {
  const [kind, id] = account.split('/');
  return kind === 'user' ? id : undefined;
}

/** The currency an account is kept in. */
export function currencyOf(account: string): string {
  const [kind, , currency] = account.split('/');
  return kind === 'platform' && currency !== undefined ? currency : CURRENCY;
}
