/**
 * Brings batches into the log in their order. One append is on its way at a time, the next batch waits for it
 * to land; then the batch becomes part of the books and its callers are answered.
 */
import { JOURNAL } from '#contracts/events/journal';
import {
  NO_STREAM,
  OutcomeUnknown,
  WrongExpectedRevision,
  type AppendResult,
  type EventLog,
} from '#log/event-log';
import type { Tip } from '#log/record';
import { answerAll, commandsOf, type Batch } from './batch.js';
import type { JournalObservation } from './options.js';
import type { QueuedCommand } from './queue.js';
import type { Residency } from './residency.js';
import type { Books } from './state.js';

/** A batch that was launched. `result` is settled when the log has answered. */
export interface Flight {
  readonly batch: Batch;
  readonly result: Promise<void>;
  isDurable: boolean;
}

interface CommitEvents {
  readonly observe: (observed: JournalObservation) => void;
  /** A batch has become part of the books. */
  readonly landed: (batch: Batch) => void;
  /** A batch did not land, or may not have. */
  readonly failed: (flight: Flight, error: unknown) => void;
  /** No batch that is durable is left to land. */
  readonly settled: () => void;
}

export class Commit {
  /** In the order of the journal. */
  readonly flights: Flight[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly residency: Residency,
    private readonly appendTimeoutMs: number,
    private readonly events: CommitEvents,
  ) {}

  /** The books and the end of the journal as the batches under way will leave them. */
  get ahead(): { readonly books: Books; readonly tip: Tip } {
    const last = this.flights.at(-1)?.batch;
    return last ? { books: last.draft, tip: last.tip } : this.residency;
  }

  launch(batch: Batch): void {
    const result = this.#sendAfter(this.flights.at(-1)?.result, batch);
    const flight: Flight = { batch, result, isDurable: false };
    this.flights.push(flight);
    result.then(
      () => {
        flight.isDurable = true;
        this.land();
      },
      (error: unknown) => this.events.failed(flight, error),
    );
  }

  /**
   * Sends a batch once the one before it has landed. Sent together, the second could land behind a rival's
   * batch that brought the journal to the same revision: chained to a hash that is not there, decided on
   * books that never were.
   */
  async #sendAfter(before: Promise<void> | undefined, batch: Batch): Promise<void> {
    await before;
    await this.send(batch);
  }

  /**
   * Throws OutcomeUnknown: to be sent again unchanged; or WrongExpectedRevision: another ledger wrote first.
   */
  async send(batch: Batch): Promise<void> {
    if (batch.events.length === 0) return this.#confirm(batch);
    const started = performance.now();
    const appended: AppendResult = await this.log.append(
      JOURNAL,
      batch.events,
      batch.from.revision,
      this.appendTimeoutMs,
    );
    batch.landing.position = appended.position;
    this.events.observe({
      kind: 'appended',
      entries: batch.events.length,
      ms: performance.now() - started,
    });
  }

  /**
   * A batch of refusals and repeats writes nothing that proves the books were fresh: the log is asked, and
   * only the word of the node that leads counts. One that was cut off would confirm books of the past.
   */
  async #confirm(batch: Batch): Promise<void> {
    let last;
    try {
      const witness = this.log.witness();
      [last] = await Promise.all([this.log.lastOf(JOURNAL), witness.confirm()]);
    } catch (error) {
      throw new OutcomeUnknown('The log could not be read', { cause: error });
    }
    if ((last?.revision ?? NO_STREAM) !== batch.from.revision)
      throw new WrongExpectedRevision(JOURNAL, batch.from.revision);
  }

  /** Takes over and answers the batches that are durable, in order. */
  land(): void {
    while (this.flights[0]?.isDurable) {
      const { batch } = this.flights.shift()!;
      this.residency.absorb(batch);
      this.flights[0]?.batch.draft.rebase(this.residency.books);
      answerAll(batch);
      this.events.landed(batch);
    }
    this.events.settled();
  }

  /** The commands of all batches under way, in order. */
  get commands(): QueuedCommand[] {
    return this.flights.flatMap(({ batch }) => commandsOf(batch));
  }

  /** Gives up the batches under way; answers their commands, in order. */
  abandon(): QueuedCommand[] {
    const { commands } = this;
    this.flights.length = 0;
    return commands;
  }
}
