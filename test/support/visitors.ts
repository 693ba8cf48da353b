/**
 * People who use the app all the while something happens to the stack: one reads, one signs out and in again,
 * one pays. Each answer is noted in a word, and how often there was which.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { Person } from './person.js';

const READ_EVERY_MS = 100;
const SIGN_IN_EVERY_MS = 500;
const PAY_EVERY_MS = 500;
const PATHS = ['/', '/api/auth/user', '/api/transactions'];

/** A connection that ended without an answer, as `fetch` has it. */
const wordsOf = (failure: unknown): string =>
  String(failure) === 'TypeError: fetch failed' ? 'cut off' : String(failure).slice(0, 200);

export class Visitors {
  readonly #answers = new Map<string, number>();
  readonly #visits: Promise<void>[];
  #isOver = false;

  /** They begin at once. Where there is a payer, they pay the recipient, each time anew. */
  constructor(who: {
    readonly reader: Person;
    readonly signsIn: Person;
    readonly pays?: { readonly payer: Person; readonly recipient: Person };
  }) {
    const { reader, signsIn, pays } = who;
    this.#visits = [
      ...PATHS.map((path) =>
        this.#again(path, READ_EVERY_MS, async () => String((await reader.get(path)).status)),
      ),
      this.#again('sign-in', SIGN_IN_EVERY_MS, async () => {
        await signsIn.signOut();
        await signsIn.signIn();
        return 'done';
      }),
    ];
    if (!pays) return;
    const body = { toUserId: pays.recipient.id, amount: '3.00' };
    this.#visits.push(
      this.#again('payment', PAY_EVERY_MS, async () => {
        const key = { 'idempotency-key': uuidv7() };
        const { status, headers } = await pays.payer.post('/api/create-payment-intent', body, key);
        return `${status}${status === 503 && headers.has('retry-after') ? ' with Retry-After' : ''}`;
      }),
    );
  }

  /** Ends the visits; how often each was answered what, such as `/api/auth/user 200`. */
  async leave(): Promise<ReadonlyMap<string, number>> {
    this.#isOver = true;
    await Promise.all(this.#visits);
    return this.#answers;
  }

  async #again(what: string, everyMs: number, visit: () => Promise<string>): Promise<void> {
    while (!this.#isOver) {
      const line = `${what} ${await visit().catch(wordsOf)}`;
      this.#answers.set(line, (this.#answers.get(line) ?? 0) + 1);
      await pause(everyMs);
    }
  }
}
