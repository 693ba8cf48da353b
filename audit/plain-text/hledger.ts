/**
 * The journal as a file for hledger: every account and currency declared, each entry that moves money a
 * transaction whose code is its revision, its hash a tag, and what every account held at the end of each
 * month asserted. hledger adds up by code that is not ours.
 */
import { DEFAULT_TIME_ZONE, dayOf, monthOf, spanOfMonth } from '#contracts/plain/months';
import { natureOf } from '../derivation/accounts.js';
import { Derivation } from '../derivation/derivation.js';
import { entries, type Entry } from '../derivation/entries.js';
import { textFromMinor } from '../reconcile/amounts.js';
import type { LogSource } from '#log/event-log';

/** What a class of accounts is called in a chart of accounts, and its letter. */
const ROOTS = {
  asset: ['assets', 'A'],
  liability: ['liabilities', 'L'],
  expense: ['expenses', 'X'],
  equity: ['equity', 'E'],
} as const;

/**
 * The name in hledger: `user/usr_1/available` → `liabilities:user:usr_1:available`. Throws RangeError for
 * what is no account of a ledger.
 */
function hledgerAccount(account: string): string {
  const nature = natureOf(account);
  if (!nature) throw new RangeError(`${account} is no account of a ledger.`);
  return `${ROOTS[nature.class][0]}:${account.replaceAll('/', ':')}`;
}

/** The file, piece by piece, in memory that grows with accounts alone. Throws as `entries` does. */
export async function* hledgerJournal(source: Pick<LogSource, 'readStream'>): AsyncGenerator<string> {
  const derivation = new Derivation();
  const file = new JournalFile(derivation);
  yield "; The books as hledger reads them. A transaction's code is the entry's revision in the journal, its date the\n";
  yield '; day on which the ledger took it, and hash its place in the chain. Debits are above zero, credits below.\n';
  yield 'decimal-mark .\n';
  for await (const entry of entries(source, derivation)) yield file.add(entry);
  yield file.end();
}

class JournalFile {
  #timeZone = DEFAULT_TIME_ZONE;
  #month: string | undefined;
  #last: Entry | undefined;
  readonly #accounts = new Set<string>();
  readonly #currencies = new Set<string>();
  /** Those that moved since the last assertion, with what they held after their last movement. */
  readonly #moved = new Map<string, number>();

  constructor(private readonly derivation: Derivation) {}

  /** What an entry adds to the file; nothing where it moves no money. */
  add(entry: Entry): string {
    const { type, data, postings, recordedAt } = entry;
    if (type === 'LedgerFounded' && 'timeZone' in data && typeof data.timeZone === 'string')
      this.#timeZone = data.timeZone;
    if (postings.length === 0) return '';
    const atMs = Date.parse(recordedAt);
    const month = monthOf(atMs, this.#timeZone);
    const assertion = this.#month !== undefined && month !== this.#month ? this.#monthEnd(this.#month) : '';
    this.#month = month;
    this.#last = entry;
    const declared = postings.flatMap(({ debit, credit, currency }) => [
      this.#currency(currency),
      this.#account(debit),
      this.#account(credit),
    ]);
    for (const { debit, credit } of postings)
      for (const account of [debit, credit]) this.#moved.set(account, this.derivation.balances.of(account));
    return `${assertion}${declared.join('')}\n${this.#transaction(entry)}`;
  }

  /** The assertions of the month that has not ended, and where the log ends. */
  end(): string {
    if (this.#last === undefined) return '';
    const { recordedAt, revision, hash } = this.#last;
    const day = dayOf(Date.parse(recordedAt), this.#timeZone);
    return `${this.#assertions(day, 'end of the log')}\n; The last entry that moves money is ${revision}, hash ${hash}.\n`;
  }

  #monthEnd(month: string): string {
    const { untilMs } = spanOfMonth(month, this.#timeZone);
    return this.#assertions(dayOf(untilMs - 1, this.#timeZone), `end of ${month}`);
  }

  #assertions(day: string, words: string): string {
    const lines = [...this.#moved].sort().map(([account, creditMinor]) => {
      const currency = natureOf(account)?.currency ?? '';
      return `    ${hledgerAccount(account)}  ${amountOf(0, currency)} = ${amountOf(-creditMinor, currency)}\n`;
    });
    this.#moved.clear();
    return `\n${day} * ${words}\n${lines.join('')}`;
  }

  #transaction({ revision, type, id, recordedAt, hash, postings }: Entry): string {
    const day = dayOf(Date.parse(recordedAt), this.#timeZone);
    const legs = postings.flatMap(({ debit, credit, amountMinor, currency }) => [
      `    ${hledgerAccount(debit)}  ${amountOf(amountMinor, currency)}\n`,
      `    ${hledgerAccount(credit)}  ${amountOf(-amountMinor, currency)}\n`,
    ]);
    const tags = `    ; id: ${id}, recorded: ${recordedAt}, hash: ${hash}\n`;
    return `${day} * (${revision}) ${type}\n${tags}${legs.join('')}`;
  }

  #account(account: string): string {
    if (this.#accounts.has(account)) return '';
    this.#accounts.add(account);
    const letter = ROOTS[natureOf(account)?.class ?? 'equity'][1];
    return `account ${hledgerAccount(account)}  ; type: ${letter}\n`;
  }

  #currency(currency: string): string {
    if (this.#currencies.has(currency)) return '';
    this.#currencies.add(currency);
    // hledger wants a decimal mark in it, also where a currency has no decimals.
    const sample = textFromMinor(100_000, currency);
    return `commodity ${sample.includes('.') ? sample : `${sample}.`} ${currency.toUpperCase()}\n`;
  }
}

const amountOf = (minor: number, currency: string): string =>
  `${textFromMinor(minor, currency)} ${currency.toUpperCase()}`;
