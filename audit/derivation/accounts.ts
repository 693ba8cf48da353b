/**
 * The accounts as an auditor knows them, by their names alone: what each kind is, on which side it grows,
 * whose it is. Written down again for the audit: it shares no code with the ledger's own accounts.
 */

/** What an account is in a balance sheet. */
export type AccountClass = 'asset' | 'liability' | 'expense' | 'equity';

interface KindOfAccount {
  readonly class: AccountClass;
  /** What its balance says, for people. */
  readonly says: string;
}

/** Every kind of account that there is. A posting to any other account is a finding. */
export const ACCOUNT_KINDS = {
  'user available': { class: 'liability', says: 'what a user can spend' },
  'user payouts': { class: 'liability', says: 'a user’s money on its way to their bank' },
  wallet: { class: 'liability', says: 'what a treasury wallet of a user holds' },
  'card-clearing': { class: 'asset', says: 'what is in our balance at the card provider' },
  'connect-clearing': { class: 'asset', says: 'what is in users’ accounts at the provider' },
  'bank-clearing': { class: 'asset', says: 'what is on its way from there to banks' },
  fees: { class: 'expense', says: 'what the provider took' },
  'dispute-losses': { class: 'expense', says: 'what disputes cost the platform' },
  adjustments: { class: 'expense', says: 'what the provider took or gave and no payment explains' },
  losses: { class: 'expense', says: 'debts that nobody pays' },
  'own-funds': { class: 'equity', says: 'what the platform brought along, less what it took out' },
  unapplied: { class: 'liability', says: 'money that no payment explains' },
  unclaimed: { class: 'liability', says: 'money that came back for people whose accounts are closed' },
} as const satisfies Record<string, KindOfAccount>;

export type AccountKind = keyof typeof ACCOUNT_KINDS;

/** The side on which an account of a class grows: a liability is raised by credits, an asset by debits. */
export const NORMAL_SIDE = {
  asset: 'debit',
  expense: 'debit',
  liability: 'credit',
  equity: 'credit',
} as const satisfies Record<AccountClass, 'debit' | 'credit'>;

/** What an account's name says of it. */
export interface AccountNature {
  readonly kind: AccountKind;
  readonly class: AccountClass;
  readonly normalSide: 'debit' | 'credit';
  /** In lower case, as the provider writes it. */
  readonly currency: string;
  /** The user whose it is by its name; a wallet's owner is named by the entry that opened it. */
  readonly userId: string | undefined;
  readonly walletId: string | undefined;
}

/** The currency of every account that names none. */
export const HOME_CURRENCY = 'usd';

const CURRENCY = /^[a-z]{3}$/;

/** What an account is by its name; undefined for a name that no account of the ledger has. */
export function natureOf(account: string): AccountNature | undefined {
  const [root, second, third, ...more] = account.split('/');
  if (more.length > 0 || !second) return undefined;
  const nature = (
    kind: AccountKind,
    { currency = HOME_CURRENCY, userId, walletId }: Partial<AccountNature> = {},
  ) => ({
    kind,
    class: ACCOUNT_KINDS[kind].class,
    normalSide: NORMAL_SIDE[ACCOUNT_KINDS[kind].class],
    currency,
    userId,
    walletId,
  });
  if (root === 'user' && third === 'available') return nature('user available', { userId: second });
  if (root === 'user' && third === 'payouts') return nature('user payouts', { userId: second });
  if (root === 'wallet' && third === undefined) return nature('wallet', { walletId: second });
  if (root !== 'platform' || !isPlatformKind(second)) return undefined;
  if (third === undefined) return nature(second);
  // The home currency is never written out: that would be a second account for the same money.
  return CURRENCY.test(third) && third !== HOME_CURRENCY ? nature(second, { currency: third }) : undefined;
}

const isPlatformKind = (name: string): name is AccountKind =>
  Object.hasOwn(ACCOUNT_KINDS, name) && name !== 'wallet' && !name.startsWith('user ');
