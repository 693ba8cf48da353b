/**
 * Tells this process of every session that ends, whichever process ended it, so that a stream of changes ends
 * with its session and not with the next beat.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inTime } from '#contracts/plain/in-time';
import { SESSION_ENDED_CHANNEL } from './session-tables.js';

/** How long a broken connection is left alone before the next try, doubling up to the second figure. */
const RETRY_MS = { first: 50, most: 2_000 } as const;
/**
 * How often the connection is asked whether it still stands. Nothing else is said on it, and what lies
 * between forgets such connections without a word.
 */
const LOOK_EVERY_MS = 5_000;
/** A connection that is gone does not answer its end either. */
const CLOSES_WITHIN_MS = 1_000;

export class SessionEnds {
  readonly #waiting = new Map<string, Set<() => void>>();
  #client: pg.Client | undefined;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs: number = RETRY_MS.first;

  private constructor(
    private readonly connection: pg.ClientConfig,
    private readonly lookEveryMs: number,
  ) {}

  /**
   * Listens to Postgres. Returns at once and connects in the background, again and again. The connection's
   * settings say how long Postgres is waited for.
   */
  static listen(connection: pg.ClientConfig, lookEveryMs = LOOK_EVERY_MS): SessionEnds {
    const ends = new SessionEnds(connection, lookEveryMs);
    void ends.#connect();
    return ends;
  }

  /** Calls `end` once the session has ended; returns how to leave. */
  onEnd(sessionId: string, end: () => void): () => void {
    const waiting = this.#waiting.get(sessionId) ?? new Set();
    this.#waiting.set(sessionId, waiting.add(end));
    return () => {
      waiting.delete(end);
      if (waiting.size === 0 && this.#waiting.get(sessionId) === waiting) this.#waiting.delete(sessionId);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    if (client) await inTime(CLOSES_WITHIN_MS, client.end(), undefined).catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.connection);
    this.#client = client;
    // 'error' and 'end' may both come, and a failed connect rejects as well: only the first of them counts.
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      void client.end().catch(() => undefined);
      if (this.#isClosed) return;
      this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => this.#ended(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${SESSION_ENDED_CHANNEL}`);
      // What ended while nobody listened is not told again; read after LISTEN, so nothing falls between.
      await this.#lookFor(client);
      this.#retryMs = RETRY_MS.first;
      while (this.#client === client) {
        await pause(this.lookEveryMs, undefined, { ref: false });
        if (this.#client === client) await client.query('select 1');
      }
    } catch {
      lost();
    }
  }

  async #lookFor(client: pg.Client): Promise<void> {
    const waiting = [...this.#waiting.keys()];
    if (waiting.length === 0) return;
    const { rows } = await client.query<{ session_id: string }>(
      'select session_id from edge.sessions where session_id = any($1::uuid[])',
      [waiting],
    );
    const living = new Set(rows.map(({ session_id: id }) => id));
    for (const sessionId of waiting) if (!living.has(sessionId)) this.#ended(sessionId);
  }

  #ended(sessionId: string): void {
    for (const end of [...(this.#waiting.get(sessionId) ?? [])]) end();
  }
}
