/**
 * Looks at the event store twice a second: an outage is known also to a process that asks nothing of the
 * store, and the end of one too. After an outage an append says whether the store takes writes again, so that
 * nobody's payment has to be the one that tries it.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import type { EventLog } from './event-log.js';

const LOOK_EVERY_MS = 500;
/** A store that is silent for so long is away. With the pause that is less than the two seconds promised. */
const SILENT_MS = 1_000;

/** Told of the place of the journal's last entry, as the store has just answered it; undefined for none. */
type EndSeen = (end: Position | undefined) => void;

export class StoreLookout {
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    private readonly log: EventLog,
    private readonly seen: EndSeen,
    private readonly silentMs = SILENT_MS,
  ) {}

  /** Looks at once, and again and again until `stop`. */
  start(): void {
    void this.look().finally(() => {
      if (this.#isOver) return;
      this.#timer = setTimeout(() => this.start(), LOOK_EVERY_MS);
      this.#timer.unref();
    });
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** One look; never throws. */
  async look(): Promise<void> {
    const { health } = this.log;
    const sentAt = performance.now();
    const last = this.log.lastOf(JOURNAL);
    let isLate = false;
    // An answer that comes late is one all the same: a store that stood still may be the first to say that it
    // is back, and one that is slow may take writes.
    last.then(
      () => {
        health.answered();
        if (isLate) void this.#tryToWrite();
      },
      () => undefined,
    );
    try {
      const end = await answerOf(last, this.silentMs);
      if (this.#isOver) return;
      this.seen(end?.position);
    } catch {
      isLate = true;
      health.unanswered(sentAt);
      return;
    }
    await this.#tryToWrite();
  }

  /**
   * The store tells its time when it is written to. Its answer tells the log's health; so does its silence.
   */
  async #tryToWrite(): Promise<void> {
    if (this.#isOver || this.log.health.writesClosedSince === undefined) return;
    await answerOf(this.log.storeTime(), this.silentMs).catch(() => undefined);
  }
}

/** What a store answers within so many milliseconds. Throws what it threw, or that it is silent. */
async function answerOf<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      // A process that was busy may have the answer in hand and not have read it yet.
      () => setImmediate(() => setImmediate(() => reject(new Error('The store is silent')))),
      withinMs,
    );
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => undefined);
  }
}
