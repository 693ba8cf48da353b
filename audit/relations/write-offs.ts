/**
 * Debts that operators gave up, and what made up for them since: it must be what the entries before it leave
 * to be made up for.
 */
import type { Derivation } from '../derivation/derivation.js';
import { differing } from './relation.js';

/** Debts of each user that were given up, in order, as far as nothing that came back made up for them. */
export class WriteOffs {
  readonly #of = new Map<string, { readonly revision: number; leftMinor: number }[]>();

  constructor(private readonly derivation: Derivation) {}

  add(userId: string, revision: number, leftMinor: number): void {
    this.#of.set(userId, [...(this.#of.get(userId) ?? []), { revision, leftMinor }]);
  }

  /**
   * Money of a user's that had been taken at revision `since` came back, `amountMinor` of it, and
   * `madeUpMinor` of that makes up for what was given up after it was taken. An older ledger's entry does not
   * say so.
   */
  cameBack(
    userId: string,
    since: number,
    amountMinor: number,
    madeUpMinor: number | undefined,
  ): readonly string[] {
    if (madeUpMinor === undefined) return [];
    const lostMinor = this.derivation.isClosed(userId) ? 0 : this.#since(userId, since);
    this.#makeUp(userId, madeUpMinor);
    return differing('madeUpMinor', madeUpMinor, Math.min(amountMinor, lostMinor));
  }

  /** What was given up after an entry and is not made up for. */
  #since(userId: string, revision: number): number {
    return (this.#of.get(userId) ?? []).reduce(
      (sum, writeOff) => (writeOff.revision > revision ? sum + writeOff.leftMinor : sum),
      0,
    );
  }

  /** The newest is made up for first. */
  #makeUp(userId: string, amountMinor: number): void {
    let restMinor = amountMinor;
    for (const writeOff of (this.#of.get(userId) ?? []).toReversed()) {
      const minor = Math.min(restMinor, writeOff.leftMinor);
      writeOff.leftMinor -= minor;
      restMinor -= minor;
    }
  }
}
