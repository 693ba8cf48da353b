/** The story of one account: every posting to it with the balance after it, from its first entry on. */
import { textFromMinor } from '../reconcile/amounts.js';
import type { Entry } from '../derivation/entries.js';
import { natureOf, type AccountNature } from '../derivation/accounts.js';
import { causeOf, subjectOf, type Cause } from './causes.js';
import { entriesUntil, type BooksSource } from './fold.js';
import type { Moment } from './moments.js';

/** One posting to an account. Amounts are minor units, credits less debits. */
export interface AccountLine {
  readonly revision: number;
  readonly recordedAt: string;
  readonly type: string;
  /** What the entry is about, by id. */
  readonly subject: string | null;
  /** The account on the other side. */
  readonly counterAccount: string;
  readonly amountMinor: number;
  readonly balanceMinor: number;
  /** The entry's id and chain hash: what a proof of it begins with. */
  readonly entryId: string;
  readonly hash: string;
}

/** The lines that an entry makes in an account, from the balance before it. */
export function linesIn(entry: Entry, account: string, balanceMinor: number): AccountLine[] {
  let balance = balanceMinor;
  return entry.postings.flatMap(({ debit, credit, amountMinor }) => {
    if (debit !== account && credit !== account) return [];
    const signedMinor = credit === account ? amountMinor : -amountMinor;
    balance += signedMinor;
    return [
      {
        revision: entry.revision,
        recordedAt: entry.recordedAt,
        type: entry.type,
        subject: subjectOf(entry),
        counterAccount: credit === account ? debit : credit,
        amountMinor: signedMinor,
        balanceMinor: balance,
        entryId: entry.id,
        hash: entry.hash,
      },
    ];
  });
}

type ExplainedLine = AccountLine & Cause;

/** Why an account held what it held at a moment. */
interface Explanation {
  readonly account: string;
  readonly at: string;
  readonly currency: string;
  readonly balanceMinor: number;
  readonly lines: readonly ExplainedLine[];
}

/**
 * Every posting to an account up to a moment, with what caused it. Throws RangeError for a name that no
 * account has.
 */
export async function explain(source: BooksSource, account: string, until: Moment): Promise<Explanation> {
  const nature = natureOf(account);
  if (!nature) throw new RangeError(noSuchAccount(account));
  const lines: ExplainedLine[] = [];
  let balanceMinor = 0;
  let isOpen = isPlatforms(nature);
  for await (const entry of entriesUntil(source, until)) {
    isOpen ||= opens(entry, nature);
    for (const line of linesIn(entry, account, balanceMinor)) {
      balanceMinor = line.balanceMinor;
      lines.push({ ...line, ...causeOf(entry) });
    }
  }
  if (!isOpen) throw new RangeError(neverOpened(account, until.at));
  return { account, at: until.at, currency: nature.currency, balanceMinor, lines };
}

/** Whether an account is there from the beginning: those of the platform are. */
export const isPlatforms = ({ userId, walletId }: AccountNature): boolean =>
  userId === undefined && walletId === undefined;

/** Whether an entry opens this account of a person. */
export function opens({ type, data }: Entry, { userId, walletId }: AccountNature): boolean {
  if (type === 'AccountOpened') return data.userId === userId;
  return type === 'WalletOpened' && data.walletId === walletId;
}

/** What is said of an account that has the form of one, and that nobody has: an id was mistyped. */
export const neverOpened = (account: string, at: string): string =>
  `There was no account ${account} at ${at}. "encore audit trial-balance" lists those that there are.`;

/** What is said of a name that no account has. */
export const noSuchAccount = (account: string): string =>
  `"${account}" is no account: write user/ID/available, user/ID/payouts, wallet/ID or platform/NAME.`;

/** The explanation as lines for people. */
export function explanationLines({ account, at, currency, balanceMinor, lines }: Explanation): string[] {
  return [
    `${account} held ${textFromMinor(balanceMinor, currency)} ${currency} at ${at}, by ${lines.length} postings:`,
    ...lines.flatMap((line) => [
      '',
      `entry ${line.revision}  ${line.recordedAt}  ${line.type}${line.subject === null ? '' : ` ${line.subject}`}`,
      `  ${line.amountMinor < 0 ? 'to  ' : 'from'} ${line.counterAccount}: ${textFromMinor(line.amountMinor, currency)}, which left ${textFromMinor(line.balanceMinor, currency)}`,
      `  asked by ${line.actorId ?? 'nobody: the provider, a schedule or an operator'}; ${line.causationId === null ? `request ${line.correlationId}` : `caused by ${line.causationId}, request ${line.correlationId}`}${line.isRecovered ? '; written by a recovery of the log' : ''}`,
      ...(line.schedule === null ? [] : [`  collects ${line.schedule}`]),
      ...Object.entries(line.provider).map(([field, id]) => `  ${field} ${id}`),
      `  proof: encore audit prove-entry ${line.revision} (hash ${line.hash})`,
    ]),
  ];
}
