/**
 * Lets an answer wait until the read models have passed the position of the command it answers: a person who
 * has just paid sees the payment in their list on first read.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { comparePositions, positionFrom, START, type Position } from '#contracts/log';
import { answersWithin, connectionTo, PROJECTED_CHANNEL, READ_SCHEMA } from './database.js';
import { leastPosition } from './checkpoints.js';
import { STOPPED_CHANNEL, stopOf } from './stop-note.js';

/** How long a broken connection is left alone before the next try, doubling up to the second figure. */
const RETRY_MS = { first: 50, most: 2000 } as const;
/**
 * How often the checkpoints are read beside the announcements: a connection may die without a word, and some
 * poolers pass no announcements on. A connection that does not answer is replaced.
 */
const LOOK_EVERY_MS = 1_000;
const LOOK_ANSWERED_WITHIN_MS = 3_000;

interface Waiter {
  readonly position: Position;
  readonly settle: (passed: boolean) => void;
}

/**
 * The position that a notice announces; START where it announces none. Every role of this database may send
 * one, whatever it holds, and what is thrown at it would end the process.
 */
export function announcedBy(payload: string | undefined): Position {
  return payload !== undefined && /^\d{1,19}\/\d{1,19}$/.test(payload) ? positionFrom(payload) : START;
}

const later = (one: Position, other: Position): Position => (comparePositions(one, other) >= 0 ? one : other);

export class Projected {
  #reached: Position = START;
  /** The furthest that was announced since the checkpoints were asked last. */
  #heard: Position = START;
  #stoppedBecause: string | undefined;
  #client: pg.Client | undefined;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs: number = RETRY_MS.first;
  readonly #waiters = new Set<Waiter>();

  private constructor(private readonly databaseUrl: string) {}

  /**
   * Listens to the projectors. Returns at once and connects in the background, again and again: a wait while
   * Postgres is away ends at its timeout.
   */
  static listen(databaseUrl: string): Projected {
    const projected = new Projected(databaseUrl);
    void projected.#connect();
    return projected;
  }

  /** The position that all read models are known to have passed. */
  get reached(): Position {
    return this.#reached;
  }

  /** Why the projector has stopped, in a sentence; undefined while it is at work, or has told nothing. */
  get stoppedBecause(): string | undefined {
    return this.#stoppedBecause;
  }

  /** True as soon as all read models have passed the position; false when they had not after `timeoutMs`. */
  waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    if (comparePositions(this.#reached, position) >= 0) return Promise.resolve(true);
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        settle: (passed) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(passed);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** Stops listening; whoever still waits is told that the position was not reached. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    for (const waiter of [...this.#waiters]) waiter.settle(false);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...connectionTo(this.databaseUrl, READ_SCHEMA),
      ...answersWithin(LOOK_ANSWERED_WITHIN_MS),
    });
    this.#client = client;
    // 'error' and 'end' may both come, and a failed connect rejects as well: only the first of them counts.
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      void client.end().catch(() => undefined);
      if (this.#closed) return;
      this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload }) => {
      if (channel === STOPPED_CHANNEL) void this.#readStop(client).catch(lost);
      else this.#pass(announcedBy(payload));
    });
    try {
      await client.connect();
      await client.query(`listen ${PROJECTED_CHANNEL}`);
      await client.query(`listen ${STOPPED_CHANNEL}`);
      // What was announced while nobody listened stands in the checkpoints; read after LISTEN, so nothing
      // falls between.
      await this.#look(client);
      this.#retryMs = RETRY_MS.first;
      await this.#readStop(client);
      while (this.#client === client) {
        await pause(LOOK_EVERY_MS, undefined, { ref: false });
        if (this.#client === client) await this.#look(client);
      }
    } catch {
      lost();
    }
  }

  /**
   * Reads the checkpoints. They may be behind what was known: a backup or a lagging standby was restored, or
   * a notice was not the projector's.
   */
  async #look(client: pg.Client): Promise<void> {
    this.#heard = START;
    const least = await leastPosition(client);
    if (least && this.#client === client) this.#stand(later(least, this.#heard));
  }

  async #readStop(client: pg.Client): Promise<void> {
    this.#stoppedBecause = await stopOf(client);
  }

  #pass(position: Position): void {
    this.#heard = later(this.#heard, position);
    if (comparePositions(position, this.#reached) > 0) this.#stand(position);
  }

  #stand(position: Position): void {
    const hasPassed = comparePositions(position, this.#reached) > 0;
    this.#reached = position;
    if (!hasPassed) return;
    this.#stoppedBecause = undefined;
    for (const waiter of [...this.#waiters])
      if (comparePositions(position, waiter.position) >= 0) waiter.settle(true);
  }
}
