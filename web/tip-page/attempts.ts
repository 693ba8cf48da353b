/**
 * What was pressed on the tip page, kept in this tab from before it is sent: the same press again is the same
 * payment.
 */
import { v7 as uuidv7 } from 'uuid';
import { MOST_INSTEAD_OF } from '#contracts/plain/earlier-payment';

const SECOND =
  'We cannot tell yet whether your last payment went through. The same button again goes on with it. Make another payment?';

export interface Attempt {
  /** The end of the receipt's link. It is the same for all that is pressed here, until something is paid. */
  readonly token: string;
  readonly key: string;
  readonly body: string;
  /**
   * The keys of what was pressed before it and is not known to have ended: those are ended first, and cannot
   * be paid as well.
   */
  readonly insteadOf: readonly string[];
  /** All of those have ended. */
  readonly isAlone?: true;
}

/** The keys of what may still be confirmed once this attempt is given up. */
const notEnded = (attempt: Attempt | undefined): readonly string[] =>
  attempt === undefined
    ? []
    : [...(attempt.isAlone ? [] : attempt.insteadOf), attempt.key].slice(-MOST_INSTEAD_OF);

export class Attempts {
  readonly #place: string;
  #last: Attempt | undefined;
  /** What may have been paid, for no answer came: by a guest, or under an account. */
  #unanswered: { readonly body: string; readonly isOwn: boolean } | undefined;

  constructor(handle: string) {
    this.#place = `encore-tip:${handle}`;
    this.readAgain();
  }

  /** Whether something may have been paid of which nobody knows. */
  get isOneUnanswered(): boolean {
    return this.#unanswered !== undefined;
  }

  /** What is kept: the browser shows the page again as it was left. */
  readAgain(): void {
    this.#last = this.#kept();
  }

  /** The same body is the same payment; another one is a new payment under the same receipt link. */
  for(body: string): Attempt {
    const last = this.#last;
    const attempt =
      last?.body === body
        ? last
        : { token: last?.token ?? newToken(), key: uuidv7(), body, insteadOf: notEnded(last) };
    this.#remember(attempt);
    return attempt;
  }

  /** All that it takes the place of has ended. */
  othersEnded(attempt: Attempt): void {
    this.#remember({ ...attempt, isAlone: true });
  }

  /** Its key is spent: the next press is a new payment. */
  spend(attempt: Attempt): void {
    this.#last = { ...attempt, body: '' };
  }

  /** The next press is a new payment, and one of a new guest. */
  forget(): void {
    this.leave();
    this.#last = undefined;
    this.#unanswered = undefined;
  }

  /** Nothing is kept for whoever comes back from the receipt. */
  leave(): void {
    this.#keep(undefined);
  }

  /** Nobody knows what became of these terms, paid under an account or by a guest. */
  unanswered(body: string, isOwn: boolean): void {
    this.#unanswered = { body, isOwn };
  }

  /** What became of the last press is known. */
  answered(): void {
    this.#unanswered = undefined;
  }

  /** Asks whoever might pay twice. A guest's payment is ended before another of the same guest is opened. */
  mayPay(body: string, isOwn: boolean): boolean {
    const unanswered = this.#unanswered;
    if (unanswered === undefined || unanswered.body === body || !(isOwn || unanswered.isOwn)) return true;
    if (!confirm(SECOND)) return false;
    this.#unanswered = undefined;
    return true;
  }

  #remember(attempt: Attempt): void {
    this.#last = attempt;
    this.#keep(attempt);
  }

  #kept(): Attempt | undefined {
    try {
      const attempt = JSON.parse(sessionStorage.getItem(this.#place) ?? 'null') as Attempt | null;
      // The page of before kept one key, or none.
      return attempt ? { ...attempt, insteadOf: [attempt.insteadOf ?? []].flat() } : undefined;
    } catch {
      return undefined;
    }
  }

  #keep(attempt: Attempt | undefined): void {
    try {
      if (attempt) sessionStorage.setItem(this.#place, JSON.stringify(attempt));
      else sessionStorage.removeItem(this.#place);
    } catch {
      // A browser that keeps nothing pays all the same.
    }
  }
}

/** 128 random bits, as the end of a link. */
function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
