/**
 * Debts that operators gave up, and what made up for them since: it must be what the entries before it leave
 * to be made up for.
 */
import type { Derivation } from '../derivation/derivation.js';
import { differing } from './relation.js';

/** What an entry says of debts that its money makes up for; a build of before did not say since when. */
export interface MadeUp {
  readonly madeUpMinor?: number | undefined;
  readonly madeUpSince?: number | undefined;
}

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
    { madeUpMinor, madeUpSince }: MadeUp,
  ): readonly string[] {
    if (madeUpMinor === undefined) return differing('madeUpSince', madeUpSince, undefined);
    const lostMinor = this.derivation.isClosed(userId) ? 0 : this.#since(userId, since);
    this.#makeUp(userId, madeUpMinor, madeUpSince);
    return [
      ...differing('madeUpMinor', madeUpMinor, Math.min(amountMinor, lostMinor)),
      ...(madeUpSince === undefined ? [] : differing('madeUpSince', madeUpSince, since)),
    ];
  }

  /** What was given up after an entry and is not made up for. */
  #since(userId: string, revision: number): number {
    return (this.#of.get(userId) ?? []).reduce(
      (sum, writeOff) => (writeOff.revision > revision ? sum + writeOff.leftMinor : sum),
      0,
    );
  }

  /** The oldest of those after `since` is made up for first; where nobody says since when, the newest. */
  #makeUp(userId: string, amountMinor: number, since: number | undefined): void {
    let restMinor = amountMinor;
    const all = this.#of.get(userId) ?? [];
    const inOrder = since === undefined ? all.toReversed() : all.filter(({ revision }) => revision > since);
    for (const writeOff of inOrder) {
      const minor = Math.min(restMinor, writeOff.leftMinor);
      writeOff.leftMinor -= minor;
      restMinor -= minor;
    }
  }
}
