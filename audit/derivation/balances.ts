/** What accounts hold by the postings so far: credits less debits, in minor units. */
import { natureOf } from './accounts.js';

interface Movement {
  readonly debit: string;
  readonly credit: string;
  readonly amountMinor: number;
}

export class Balances {
  readonly #minor = new Map<string, number>();

  /** An account exists from here on, at zero. */
  open(account: string): void {
    if (!this.#minor.has(account)) this.#minor.set(account, 0);
  }

  /** Takes postings into the balances. Throws RangeError where a sum can no longer be held exactly. */
  apply(postings: readonly Movement[]): void {
    for (const { debit, credit, amountMinor } of postings) {
      this.#move(debit, -amountMinor);
      this.#move(credit, amountMinor);
    }
  }

  /** Credits less debits; zero for an account of which nothing was heard. */
  of(account: string): number {
    return this.#minor.get(account) ?? 0;
  }

  /** Whether the account was opened or moved. */
  has(account: string): boolean {
    return this.#minor.has(account);
  }

  /** Every account that was opened or moved, by name in byte order, with credits less debits. */
  sorted(): readonly (readonly [account: string, minor: number])[] {
    return [...this.#minor].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  }

  /** The same without an order: cheaper where there are many. */
  all(): ReadonlyMap<string, number> {
    return this.#minor;
  }

  /** What all accounts of each currency add up to: zero, or money was made or lost. */
  sums(): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const [account, minor] of this.#minor) {
      const currency = natureOf(account)?.currency ?? 'unknown';
      sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(minor));
    }
    return sums;
  }

  #move(account: string, byMinor: number): void {
    const sum = this.of(account) + byMinor;
    if (!Number.isSafeInteger(sum))
      throw new RangeError(`The balance of ${account} leaves the whole numbers that can be held exactly`);
    this.#minor.set(account, sum);
  }
}
