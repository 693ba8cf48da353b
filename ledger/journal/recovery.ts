/**
 * What happens when a batch does not land, or may not have. One whose outcome is unknown is sent again,
 * unchanged, until the log says what became of it. One that another ledger was faster than is given up: what
 * that one wrote is read, and the commands are decided again.
 */
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { ChainVerifier } from '#log/chain';
import {
  LogUnavailable,
  OutcomeUnknown,
  recorded,
  WrongExpectedRevision,
  type EventLog,
} from '#log/event-log';
import { WritesClosed } from '../rejection.js';
import { sleep } from './clock.js';
import type { Commit, Flight } from './commit.js';
import type { JournalObservation } from './options.js';
import type { Queue } from './queue.js';
import type { Residency } from './residency.js';
import type { Turns } from './turns.js';

const JITTER_MS = 3;
const MOST_DOUBLINGS = 6;

/**
 * Reads what is new in the journal into the books, checking its chain. Answers how many entries that were.
 */
export async function catchUp(log: EventLog, residency: Residency): Promise<number> {
  const before = residency.tip.revision;
  const chain = new ChainVerifier(JOURNAL, residency.tip);
  for await (const raw of log.readStream(JOURNAL, before + 1)) {
    chain.next(raw);
    residency.take(recorded(raw) as RecordedEvent<JournalEvent>, chain.hash);
  }
  residency.evict();
  return residency.tip.revision - before;
}

interface RecoveryParts {
  readonly log: EventLog;
  readonly residency: Residency;
  readonly queue: Queue;
  readonly commit: Commit;
  readonly turns: Turns;
  readonly observe: (observed: JournalObservation) => void;
  /** The event store does not answer. */
  readonly away: (error: unknown) => void;
}

export class Recovery {
  #pauses = 0;

  constructor(private readonly parts: RecoveryParts) {}

  /** An append of ours has landed: the next outage begins with a short pause again. */
  landed(): void {
    this.#pauses = 0;
  }

  /**
   * Goes on until no batch is under way any more: each has landed, or its commands wait again. Throws what
   * must not happen: a broken chain, an unreadable entry, a bug.
   */
  async run(failed: Flight, error: unknown): Promise<void> {
    const { commit } = this.parts;
    // Whatever else is on its way comes to rest first: after this, nothing of ours is in the air.
    await Promise.allSettled(commit.flights.map(({ result }) => result));
    commit.land();
    const [first] = commit.flights;
    let reason: unknown = first === failed ? error : await first?.result.catch((other: unknown) => other);
    while (commit.flights.length > 0) {
      // A gate that has closed meanwhile leaves it open what became of it before.
      if (reason instanceof OutcomeUnknown || reason instanceof WritesClosed) {
        this.parts.away(reason);
        await this.#pause();
        reason = await this.#sendAgain();
      } else if (reason instanceof WrongExpectedRevision) return this.#yieldToOthers();
      else throw reason;
    }
  }

  /**
   * Sends the batches under way again, unchanged and in order. Answers the error of the one that did not
   * land, if any.
   */
  async #sendAgain(): Promise<unknown> {
    const { commit } = this.parts;
    for (let [flight] = commit.flights; flight; [flight] = commit.flights) {
      try {
        await commit.send(flight.batch);
        flight.isDurable = true;
        commit.land();
      } catch (error) {
        return error;
      }
    }
    return undefined;
  }

  /**
   * Another ledger wrote first: our drafts are void. Take what it wrote, queue our commands again, and give
   * way a little.
   */
  async #yieldToOthers(): Promise<void> {
    const { queue, commit, turns, observe } = this.parts;
    queue.putFirst(commit.abandon());
    const caughtUp = await this.#catchUpStubbornly();
    turns.lost(performance.now(), caughtUp);
    observe({ kind: 'conflict', caughtUp });
    // Two who lost together must not meet again. A store that refuses for what it does not show yet is given
    // time.
    if (caughtUp > 0) await sleep(Math.random() * JITTER_MS);
    else await this.#pause();
  }

  async #catchUpStubbornly(): Promise<number> {
    const { log, residency, away } = this.parts;
    const before = residency.tip.revision;
    for (;;) {
      try {
        await catchUp(log, residency);
        return residency.tip.revision - before;
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error;
        away(error);
        await this.#pause();
      }
    }
  }

  /** Between tries while the log is away. Whoever has waited long enough is told so. */
  async #pause(): Promise<void> {
    this.parts.queue.expire(this.parts.commit.commands);
    this.#pauses = Math.min(this.#pauses + 1, MOST_DOUBLINGS);
    await sleep((5 + Math.random() * 5) * 2 ** this.#pauses);
  }
}
