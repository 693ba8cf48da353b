/** The trial balance: every account with what it held at a moment, and what each currency adds up to. */
import { createHash } from 'node:crypto';
import { textFromMinor } from '../reconcile/amounts.js';
import type { Balances } from '../derivation/balances.js';
import { natureOf, type AccountClass, type AccountKind } from '../derivation/accounts.js';
import { balancesAt, type BooksSource } from './fold.js';
import { csvOf } from './csv.js';
import type { Moment } from './moments.js';

/** One account. Exactly one of the two amounts is there, in minor units: the side on which it stands. */
export interface TrialBalanceLine {
  readonly account: string;
  readonly kind: AccountKind;
  readonly class: AccountClass;
  readonly currency: string;
  readonly debitMinor: number;
  readonly creditMinor: number;
}

interface TrialBalance {
  readonly at: string;
  /** The last entry that counts; -1 for none. */
  readonly revision: number;
  readonly recordedAt: string | null;
  /** Its chain hash: the state of the whole journal up to it. */
  readonly hash: string | null;
  readonly lines: readonly TrialBalanceLine[];
  readonly totals: readonly {
    readonly currency: string;
    readonly debitMinor: number;
    readonly creditMinor: number;
  }[];
  readonly balancesHash: string;
  readonly isBalanced: boolean;
}

/**
 * SHA-256, as base64url, of a line `account balance` (credits less debits, in minor units, ended by a
 * newline) for each account that is not at zero, in byte order of the names.
 */
export function balancesHash(balances: Balances): string {
  const hash = createHash('sha256');
  for (const [account, minor] of balances.sorted()) if (minor !== 0) hash.update(`${account} ${minor}\n`);
  return hash.digest('base64url');
}

/**
 * Every account that was opened or moved, as it stood. Throws LogUnavailable, UnreadableEvent and
 * Underivable.
 */
export async function trialBalance(source: BooksSource, until: Moment): Promise<TrialBalance> {
  const { last, derivation } = await balancesAt(source, until);
  const { balances } = derivation;
  const lines = balances.sorted().flatMap(([account, minor]): TrialBalanceLine[] => {
    const nature = natureOf(account);
    if (!nature) throw new Error(`${account} is no account of a ledger.`);
    const { kind, class: of, currency } = nature;
    const sides = { debitMinor: minor < 0 ? -minor : 0, creditMinor: minor > 0 ? minor : 0 };
    return [{ account, kind, class: of, currency, ...sides }];
  });
  const currencies = [...new Set(lines.map(({ currency }) => currency))].sort();
  const totals = currencies.map((currency) => {
    const own = lines.filter((line) => line.currency === currency);
    const sum = (side: 'debitMinor' | 'creditMinor'): number =>
      own.reduce((total, line) => total + line[side], 0);
    return { currency, debitMinor: sum('debitMinor'), creditMinor: sum('creditMinor') };
  });
  return {
    at: until.at,
    revision: last?.revision ?? -1,
    recordedAt: last?.recordedAt ?? null,
    hash: last?.hash ?? null,
    lines,
    totals,
    balancesHash: balancesHash(balances),
    isBalanced: totals.every(({ debitMinor, creditMinor }) => debitMinor === creditMinor),
  };
}

const amount = (minor: number, currency: string): string =>
  minor === 0 ? '' : textFromMinor(minor, currency);

/** The trial balance as CSV. */
export const trialBalanceCsv = ({ lines }: TrialBalance): string =>
  csvOf(
    ['account', 'kind', 'class', 'currency', 'debit', 'credit'],
    lines.map((line) => [
      line.account,
      line.kind,
      line.class,
      line.currency,
      amount(line.debitMinor, line.currency),
      amount(line.creditMinor, line.currency),
    ]),
  );

/** The trial balance as lines for people. */
export function trialBalanceLines(table: TrialBalance): string[] {
  const width = Math.max('account'.length, ...table.lines.map(({ account }) => account.length));
  const row = (account: string, currency: string, debit: string, credit: string): string =>
    `${account.padEnd(width)}  ${currency.padEnd(3)}  ${debit.padStart(16)}  ${credit.padStart(16)}`.trimEnd();
  return [
    `Trial balance at ${table.at}: ${table.revision < 0 ? 'the journal has no entry by then' : `through entry ${table.revision}, recorded ${table.recordedAt}`}`,
    '',
    row('account', '', 'debit', 'credit'),
    ...table.lines.map((line) =>
      row(
        line.account,
        line.currency,
        amount(line.debitMinor, line.currency),
        amount(line.creditMinor, line.currency),
      ),
    ),
    '',
    ...table.totals.map(({ currency, debitMinor, creditMinor }) =>
      row('in all', currency, textFromMinor(debitMinor, currency), textFromMinor(creditMinor, currency)),
    ),
    ...(table.hash === null ? [] : ['', `hash of entry ${table.revision}: ${table.hash}`]),
    `hash of the balances: ${table.balancesHash}`,
    '',
    table.isBalanced ? 'Debits and credits agree.' : 'Debits and credits do NOT agree.',
  ];
}
