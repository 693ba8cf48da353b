/**
 * One-time codes of people who have forgotten their password. Each belongs to one sign-in page, so that the
 * code of a mail is of use only in the browser that asked for it. Kept in memory: after a restart another one
 * is asked for.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

export const CODE_MINUTES = 15;
const TRIES = 5;
const DIGITS = 8;
/** Bounded: anybody may ask. */
const MOST = 10_000;

interface Reset {
  readonly personId: string;
  readonly codeHash: Buffer;
  /** Milliseconds since 1970. */
  readonly goodUntil: number;
  triesLeft: number;
}

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest();

export class PasswordResets {
  readonly #byPage = new Map<string, Reset>();

  /** A code for this person at this sign-in page; the one before it is no longer good. */
  begin(page: string, personId: string, now: number): string {
    const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
    this.#byPage.delete(page);
    this.#byPage.set(page, {
      personId,
      codeHash: hashOf(code),
      goodUntil: now + CODE_MINUTES * 60_000,
      triesLeft: TRIES,
    });
    if (this.#byPage.size > MOST) this.#byPage.delete(this.#byPage.keys().next().value ?? '');
    return code;
  }

  /**
   * Whose password may be changed at this page with this code; undefined where nobody's. A wrong code is
   * counted.
   */
  personOf(page: string, code: string, now: number): string | undefined {
    const reset = this.#byPage.get(page);
    if (!reset || reset.goodUntil <= now || reset.triesLeft === 0) return undefined;
    reset.triesLeft -= 1;
    return timingSafeEqual(reset.codeHash, hashOf(code)) ? reset.personId : undefined;
  }

  /** A code is good once. */
  end(page: string): void {
    this.#byPage.delete(page);
  }
}
