/**
 * Tells this process of every session that ends, whichever process ended it, so that a stream of changes ends
 * with its session and not with the next beat.
 */
import pg from 'pg';
import { SESSION_ENDED_CHANNEL } from './session-tables.js';

/** How long a broken connection is left alone before the next try, doubling up to the second figure. */
const RETRY_MS = { first: 50, most: 2_000 } as const;

export class SessionEnds {
  readonly #waiting = new Map<string, Set<() => void>>();
  #client: pg.Client | undefined;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs: number = RETRY_MS.first;

  private constructor(private readonly databaseUrl: string) {}

  /** Listens to Postgres. Returns at once and connects in the background, again and again. */
  static listen(databaseUrl: string): SessionEnds {
    const ends = new SessionEnds(databaseUrl);
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
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl, application_name: 'encore-ledger' });
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
