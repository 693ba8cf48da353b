/**
 * The journal as a file for Beancount: accounts opened when they first move, each entry that moves money a
 * transaction with its revision and hash, and what every account held at the end of each month asserted.
 * Names of accounts are written as Beancount has them; the ledger's own name stands beside each `open`.
 */
import { DEFAULT_TIME_ZONE, dayOf, monthOf, spanOfMonth } from '#contracts/plain/months';
import type { LogSource } from '#log/event-log';
import { natureOf } from '../derivation/accounts.js';
import { Derivation } from '../derivation/derivation.js';
import { entries, type Entry } from '../derivation/entries.js';
import { textFromMinor } from '../reconcile/amounts.js';

const ROOTS = { asset: 'Assets', liability: 'Liabilities', expense: 'Expenses', equity: 'Equity' } as const;
/** A day has no more hours, not even the one on which clocks are set back. */
const LONGEST_DAY_MS = 25 * 3_600_000;

/**
 * The name in Beancount: `user/usr_1/available` → `Liabilities:User:Usr-1:Available`. Throws RangeError for
 * what is no account of a ledger.
 */
function beancountAccount(account: string): string {
  const nature = natureOf(account);
  if (!nature) throw new RangeError(`${account} is no account of a ledger.`);
  const parts = account.split('/').map((part) => part.replaceAll('_', '-'));
  const named = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1));
  return [ROOTS[nature.class], ...named].join(':');
}

/** The file, piece by piece, in memory that grows with accounts alone. Throws as `entries` does. */
export async function* beancountJournal(source: Pick<LogSource, 'readStream'>): AsyncGenerator<string> {
  const derivation = new Derivation();
  const file = new BeancountFile(derivation);
  yield '; The books as Beancount reads them. Debits are above zero, credits below.\n';
  for await (const entry of entries(source, derivation)) yield file.add(entry);
  yield file.end();
}

class BeancountFile {
  #timeZone = DEFAULT_TIME_ZONE;
  #month: string | undefined;
  #lastMs: number | undefined;
  /** The ledger's account by its name here: two that would be one are not written. */
  readonly #opened = new Map<string, string>();
  /** Those that moved since the last assertion, with what they held after their last movement. */
  readonly #moved = new Map<string, number>();

  constructor(private readonly derivation: Derivation) {}

  /** What an entry adds to the file; nothing where it moves no money. */
  add(entry: Entry): string {
    const { type, data, postings, recordedAt } = entry;
    if (type === 'LedgerFounded') this.#timeZone = data.timeZone ?? DEFAULT_TIME_ZONE;
    if (postings.length === 0) return '';
    const atMs = Date.parse(recordedAt);
    const [month, day] = [monthOf(atMs, this.#timeZone), dayOf(atMs, this.#timeZone)];
    const ended = this.#month !== undefined && month !== this.#month ? this.#month : undefined;
    const asserted = ended === undefined ? '' : this.#balances(spanOfMonth(ended, this.#timeZone).untilMs);
    this.#month = month;
    this.#lastMs = atMs;
    const accounts = postings.flatMap(({ debit, credit }) => [debit, credit]);
    const opened = accounts.map((account) => this.#open(account, day));
    for (const account of accounts) this.#moved.set(account, this.derivation.balances.of(account));
    return `${asserted}${opened.join('')}\n${transaction(entry, day)}`;
  }

  /**
   * What every account held that moved since the last month's end: a balance counts at the beginning of its
   * day.
   */
  end(): string {
    return this.#lastMs === undefined ? '' : this.#balances(this.#lastMs + LONGEST_DAY_MS);
  }

  #balances(atMs: number): string {
    const day = dayOf(atMs, this.#timeZone);
    const lines = [...this.#moved].sort().map(([account, creditMinor]) => {
      const amount = amountOf(-creditMinor, natureOf(account)?.currency ?? '');
      return `${day} balance ${beancountAccount(account)}  ${amount}\n`;
    });
    this.#moved.clear();
    return `\n${lines.join('')}`;
  }

  #open(account: string, day: string): string {
    const name = beancountAccount(account);
    const known = this.#opened.get(name);
    if (known === account) return '';
    if (known !== undefined)
      throw new RangeError(`${account} and ${known} have one name in Beancount: export for hledger instead.`);
    this.#opened.set(name, account);
    return `\n${day} open ${name}\n  account: "${account}"\n`;
  }
}

function transaction({ revision, type, id, recordedAt, hash, postings }: Entry, day: string): string {
  const said = Object.entries({ revision, id, recorded: recordedAt, hash });
  const legs = postings.flatMap(({ debit, credit, amountMinor, currency }) => [
    `  ${beancountAccount(debit)}  ${amountOf(amountMinor, currency)}\n`,
    `  ${beancountAccount(credit)}  ${amountOf(-amountMinor, currency)}\n`,
  ]);
  const metadata = said.map(([name, value]) => `  ${name}: "${value}"\n`);
  return `${day} * "${type}"\n${metadata.join('')}${legs.join('')}`;
}

const amountOf = (minor: number, currency: string): string =>
  `${textFromMinor(minor, currency)} ${currency.toUpperCase()}`;
