/**
 * Finds a connection to Postgres whose other end is gone without a word: a host broke, or something between
 * forgot the connection. What was sent is then waited for as long as TCP does, a quarter of an hour or for
 * good. Only another connection can tell that from a statement that takes long, or waits for a lock.
 */
import pg from 'pg';
import { inTime } from '#contracts/plain/in-time';
import { answersWithin, connectionTo, TRANSACTION_WAITS_MS } from './database.js';

export interface LostConnectionTimes {
  /** How long work may take before it is looked after. */
  readonly afterMs: number;
  readonly lookEveryMs: number;
  /** How long Postgres lets a transaction wait for what comes next in it. */
  readonly idleMs: number;
}

const TIMES: LostConnectionTimes = { afterMs: 20_000, lookEveryMs: 5_000, idleMs: TRANSACTION_WAITS_MS };
/**
 * Between two statements Postgres is idle for a moment, and longer while we compute or wait for a key. If two
 * looks in a row find that nothing happened since the look before, the connection is lost.
 */
const VAIN_LOOKS = 2;

/** What the driver's types leave out of a client. */
interface ClientInside {
  readonly connection: { readonly stream: { destroy(error: Error): void } };
}

/** Watches one connection while it works, and breaks it when Postgres no longer works on it. */
export class LostConnectionWatch {
  readonly #timer: NodeJS.Timeout;
  #busySince: number | undefined;
  #vain = 0;
  #isLooking = false;

  private constructor(
    private readonly inside: ClientInside,
    /** Postgres' own number for it; a pooler between has others. */
    private readonly pid: number,
    private readonly databaseUrl: string,
    private readonly times: LostConnectionTimes,
  ) {
    this.#timer = setInterval(() => void this.#tick(), times.lookEveryMs);
    this.#timer.unref();
  }

  /** Watches a new connection, and has Postgres end our transactions when we fall silent. */
  static async over(
    client: pg.Client,
    databaseUrl: string,
    times: LostConnectionTimes = TIMES,
  ): Promise<LostConnectionWatch> {
    const { rows } = await client.query<{ pid: number }>(
      `select pg_backend_pid() as pid, set_config('idle_in_transaction_session_timeout', $1, false)`,
      [String(times.idleMs)],
    );
    return new LostConnectionWatch(client as unknown as ClientInside, rows[0]!.pid, databaseUrl, times);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Runs work whose statements are watched. If the connection is lost, the work fails as with any broken
   * connection.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busySince = performance.now();
    try {
      return await work();
    } finally {
      this.#busySince = undefined;
      this.#vain = 0;
    }
  }

  async #tick(): Promise<void> {
    const since = this.#busySince;
    if (since === undefined || this.#isLooking || performance.now() - since < this.times.afterMs) return;
    this.#isLooking = true;
    const isAtWork = await this.#isAtWork().catch(() => undefined);
    this.#isLooking = false;
    // Postgres is away for everybody, or the work has ended meanwhile.
    if (isAtWork === undefined || this.#busySince !== since) return;
    this.#vain = isAtWork ? 0 : this.#vain + 1;
    if (this.#vain < VAIN_LOOKS) return;
    this.stop();
    this.inside.connection.stream.destroy(new Error('Connection terminated: Postgres knows nothing of it'));
  }

  /**
   * Whether Postgres is at work on this connection, or has been since the look before, by its own word on
   * another one.
   */
  async #isAtWork(): Promise<boolean> {
    const other = new pg.Client({ ...connectionTo(this.databaseUrl), ...answersWithin() });
    other.on('error', () => undefined);
    try {
      await other.connect();
      const { rowCount } = await other.query(
        `select from pg_stat_activity
          where pid = $1 and usename = current_user and datname = current_database()
            and (state = 'active' or state_change > now() - make_interval(secs => $2))`,
        [this.pid, this.times.lookEveryMs / 1000],
      );
      return rowCount === 1;
    } finally {
      await inTime(
        this.times.lookEveryMs,
        other.end().catch(() => undefined),
        undefined,
      );
    }
  }
}
