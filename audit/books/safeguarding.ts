/**
 * Whether all that belongs to others is there: what people are owed, what nobody has claimed and what goes
 * back, against the money at the provider and on its way to banks. Debts never net: what one person owes pays
 * nobody else.
 */
import { textFromMinor } from '../reconcile/amounts.js';
import type { Balances } from '../derivation/balances.js';
import { natureOf, type AccountKind } from '../derivation/accounts.js';
import { balancesAt, type BooksSource } from './fold.js';
import type { Moment } from './moments.js';

/** One currency. Amounts are minor units. */
export interface Safeguarding {
  readonly currency: string;
  /** What people can spend, hold in wallets, or have on its way to their banks: balances above zero alone. */
  readonly owedMinor: number;
  readonly unclaimedMinor: number;
  readonly unappliedMinor: number;
  /** All three together. */
  readonly requiredMinor: number;
  /** At the provider, in users' accounts there, and on its way from there to banks. */
  readonly heldMinor: number;
  /** What is missing of it; zero where nothing is. */
  readonly shortfallMinor: number;
  /** What people owe, which counts for nothing above. */
  readonly debtsMinor: number;
}

interface SafeguardingReport {
  readonly at: string;
  readonly revision: number;
  readonly recordedAt: string | null;
  readonly currencies: readonly Safeguarding[];
  readonly isSafeguarded: boolean;
}

const PEOPLES: ReadonlySet<AccountKind> = new Set(['user available', 'user payouts', 'wallet']);
const WHERE_MONEY_IS: ReadonlySet<AccountKind> = new Set([
  'card-clearing',
  'connect-clearing',
  'bank-clearing',
]);

/** What balances say of each currency. */
export function safeguardingOf(balances: Balances): Safeguarding[] {
  const sums = new Map<
    string,
    { owed: number; unclaimed: number; unapplied: number; held: number; debts: number }
  >();
  for (const [account, minor] of balances.sorted()) {
    const nature = natureOf(account);
    if (!nature) continue;
    const { kind, currency } = nature;
    const sum = sums.get(currency) ?? { owed: 0, unclaimed: 0, unapplied: 0, held: 0, debts: 0 };
    sums.set(currency, sum);
    if (PEOPLES.has(kind)) {
      if (minor > 0) sum.owed += minor;
      else sum.debts -= minor;
    } else if (kind === 'unclaimed') sum.unclaimed += minor;
    else if (kind === 'unapplied') sum.unapplied += minor;
    // Assets grow by debits.
    else if (WHERE_MONEY_IS.has(kind)) sum.held -= minor;
  }
  return [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, { owed, unclaimed, unapplied, held, debts }]) => {
      const required = owed + unclaimed + unapplied;
      return {
        currency,
        owedMinor: owed,
        unclaimedMinor: unclaimed,
        unappliedMinor: unapplied,
        requiredMinor: required,
        heldMinor: held,
        shortfallMinor: Math.max(0, required - held),
        debtsMinor: debts,
      };
    });
}

/** The report at a moment. */
export async function safeguarding(source: BooksSource, until: Moment): Promise<SafeguardingReport> {
  const { last, derivation } = await balancesAt(source, until);
  const currencies = safeguardingOf(derivation.balances);
  return {
    at: until.at,
    revision: last?.revision ?? -1,
    recordedAt: last?.recordedAt ?? null,
    currencies,
    isSafeguarded: currencies.every(({ shortfallMinor }) => shortfallMinor === 0),
  };
}

/** The report as lines for people. */
export function safeguardingLines({ at, revision, currencies, isSafeguarded }: SafeguardingReport): string[] {
  const row = (name: string, minor: number, currency: string): string =>
    `  ${name.padEnd(34)}${textFromMinor(minor, currency).padStart(18)}`;
  return [
    `Safeguarding at ${at} (through entry ${revision})`,
    ...currencies.flatMap((one) => [
      '',
      `${one.currency}:`,
      row('owed to people', one.owedMinor, one.currency),
      row('unclaimed', one.unclaimedMinor, one.currency),
      row('unapplied', one.unappliedMinor, one.currency),
      row('required', one.requiredMinor, one.currency),
      row('held at the provider and banks', one.heldMinor, one.currency),
      row('shortfall', one.shortfallMinor, one.currency),
      row('debts of people (not counted)', one.debtsMinor, one.currency),
    ]),
    '',
    isSafeguarded ? 'All that belongs to others is there.' : 'NOT all that belongs to others is there.',
  ];
}
