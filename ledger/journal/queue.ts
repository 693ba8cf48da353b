/**
 * The commands that wait for an answer, in their order. Each is answered once: with its receipt, with a
 * refusal, or, when it has waited too long, with the request to send the same command again.
 */
import type { KeyedProvenance } from '#log/record';
import { OutcomeOpen, StoreAway, Unavailable } from '../rejection.js';
import type { JournalCommand } from './commands.js';
import type { Receipt } from './receipt.js';
import type { History } from './find.js';

export interface QueuedCommand {
  readonly command: JournalCommand;
  readonly context: KeyedProvenance;
  readonly answerBy: number;
  /** What the archive said about the command's past, once it was asked. */
  history?: History;
  /** Gone once the caller has an answer. */
  settle?: { resolve: (receipt: Receipt) => void; reject: (error: unknown) => void };
}

const LIMIT = 20_000;
export const TRY_AGAIN = 'The ledger cannot answer at the moment. Nothing is lost: please try again.';

export class Queue {
  #waiting: QueuedCommand[] = [];

  constructor(
    private readonly clock: () => Date,
    private readonly answerWithinMs: number,
  ) {}

  get size(): number {
    return this.#waiting.length;
  }

  /** Answers what becomes of the command. Throws Rejected or Unavailable. */
  add(command: JournalCommand, context: KeyedProvenance): Promise<Receipt> {
    if (this.#waiting.length >= LIMIT)
      return Promise.reject(new Unavailable('The ledger is very busy. Please try again in a moment.'));
    return new Promise((resolve, reject) => {
      const answerBy = this.clock().getTime() + this.answerWithinMs;
      this.#waiting.push({ command, context, answerBy, settle: { resolve, reject } });
    });
  }

  /** Puts a command behind all others, with what the archive has said about its past. */
  putLast(waiting: QueuedCommand): void {
    this.#waiting.push(waiting);
  }

  /** Puts commands of batches that did not land before all others, in their order. */
  putFirst(waiting: readonly QueuedCommand[]): void {
    this.#waiting.unshift(...waiting);
  }

  /**
   * Hands the commands at the front to `decide`, until it is full or none is left. Those that were answered
   * already are left out. Should `decide` throw, all of them still wait.
   */
  take(isFull: () => boolean, decide: (waiting: QueuedCommand) => void): void {
    let taken = 0;
    while (taken < this.#waiting.length && !isFull()) {
      const waiting = this.#waiting[taken++]!;
      if (waiting.settle) decide(waiting);
    }
    this.#waiting.splice(0, taken);
  }

  /**
   * Tells whoever has waited too long to come back with the same command. What is `onItsWay` goes on, and may
   * have been written already.
   */
  expire(onItsWay: readonly QueuedCommand[]): void {
    const now = this.clock().getTime();
    for (const waiting of this.#waiting) if (waiting.answerBy <= now) refuse(waiting, new StoreAway());
    for (const waiting of onItsWay) if (waiting.answerBy <= now) refuse(waiting, new OutcomeOpen());
    this.#waiting = this.#waiting.filter(({ settle }) => settle);
  }

  refuseAll(error: Error): void {
    for (const waiting of this.#waiting.splice(0)) refuse(waiting, error);
  }
}

export function resolve(waiting: QueuedCommand, receipt: Receipt): void {
  waiting.settle?.resolve(receipt);
  delete waiting.settle;
}

export function refuse(waiting: QueuedCommand, error: unknown): void {
  waiting.settle?.reject(error);
  delete waiting.settle;
}
