/**
 * The trail of one process, on its way to Postgres. Entries queue in memory and are written in the
 * background, so that no act waits for them. What anybody can cause without end is counted by the minute, so
 * that nobody can fill the disk with it.
 */
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inTime } from '#contracts/plain/in-time';
import { SecurityTrail, type TrailEntry } from './security-trail.js';
import type { TrailAct } from './trail-acts.js';
import { appendTrail, deleteOldTrail, rowOf, type TrailRow } from './trail-table.js';

interface StoredTrailOptions {
  readonly pool: Pick<Pool, 'query'>;
  /** How long a line is kept. */
  readonly days: number;
  readonly log: Logger;
  /** Told how many lines could not be written. */
  readonly onLost: (count: number) => void;
}

/** Anybody may cause these, signed in or not: one line a minute for each kind and where it came from. */
const COUNTED: ReadonlySet<TrailAct> = new Set([
  'refused',
  'sign_in_failed',
  'logout_token_refused',
  'internal_command',
]);
/** Of one act of one user so many lines a minute stand alone; more are counted in one. */
const ALONE_PER_MINUTE = 30;
/** Different counted lines of a minute; what comes beyond is counted by the act alone. */
const COUNTED_PER_MINUTE = 60;
/** Lines that wait for Postgres: some minutes of an outage. */
const QUEUED = 5_000;
const WRITTEN_AT_ONCE = 200;
const RETRY_MS = 2_000;
const MINUTE_MS = 60_000;
const DELETE_EVERY_MS = 3_600_000;
const DELETED_AT_ONCE = 1_000;
/** More a run than a process can write in an hour. */
const DELETED_AT_MOST = 100_000;
const LAST_WRITE_MS = 2_000;

interface Count {
  readonly entry: TrailEntry;
  readonly since: Date;
  count: number;
}

export class StoredTrail extends SecurityTrail {
  readonly #queue: TrailRow[] = [];
  #alone = new Map<string, number>();
  #counted = new Map<string, Count>();
  #minute: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosing = false;
  readonly #deleting: NodeJS.Timeout;

  constructor(private readonly options: StoredTrailOptions) {
    super();
    this.#deleting = setInterval(() => void this.deleteOld(), DELETE_EVERY_MS).unref();
  }

  note(entry: TrailEntry): void {
    this.#minute ??= setTimeout(() => this.#endMinute(), MINUTE_MS).unref();
    if (!COUNTED.has(entry.what) && this.#standsAlone(entry)) this.#put(rowOf(entry, new Date()));
    else this.#count(entry);
  }

  /** Writes what is left, as far as Postgres takes it at once; what it does not is lost, and counted. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#deleting);
    this.#endMinute();
    await inTime(LAST_WRITE_MS, this.#writing, undefined);
    this.#lose(this.#queue.splice(0));
  }

  /** Deletes what is too old, a little at a time. What fails is done in an hour. */
  async deleteOld(): Promise<void> {
    const { pool, days, log } = this.options;
    try {
      let deleted = DELETED_AT_ONCE;
      for (
        let all = 0;
        deleted === DELETED_AT_ONCE && all < DELETED_AT_MOST && !this.#isClosing;
        all += deleted
      )
        deleted = await deleteOldTrail(pool, days, DELETED_AT_ONCE);
    } catch (error) {
      log.warn(
        { err: error },
        'old lines of the security trail could not be deleted; it is tried in an hour',
      );
    }
  }

  /** Whether the entry is among the first of its kind in this minute. An operator's acts all are. */
  #standsAlone({ what, userId, operator }: TrailEntry): boolean {
    if (operator !== undefined) return true;
    const key = `${what} ${userId ?? ''}`;
    const before = this.#alone.get(key) ?? 0;
    if (before >= ALONE_PER_MINUTE || (before === 0 && this.#alone.size >= QUEUED)) return false;
    this.#alone.set(key, before + 1);
    return true;
  }

  #count({ correlationId: _one, ...entry }: TrailEntry): void {
    const known = this.#counted.get(JSON.stringify(entry));
    if (known) return void (known.count += 1);
    const hasRoom = this.#counted.size < COUNTED_PER_MINUTE;
    const { what, outcome } = entry;
    const kind: TrailEntry = hasRoom ? entry : { what, outcome, detail: { others: true } };
    const key = JSON.stringify(kind);
    const counted = this.#counted.get(key) ?? { entry: kind, since: new Date(), count: 0 };
    counted.count += 1;
    this.#counted.set(key, counted);
  }

  #endMinute(): void {
    clearTimeout(this.#minute);
    this.#minute = undefined;
    this.#alone = new Map();
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    for (const { entry, since, count } of counted) this.#put(rowOf(entry, since, count));
  }

  #put(row: TrailRow): void {
    if (this.#queue.length >= QUEUED) return this.#lose([row]);
    this.#queue.push(row);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /**
   * Writes until nothing waits. A row stays queued until it is written: its id makes a second try harmless.
   */
  async #write(): Promise<void> {
    const { pool, log } = this.options;
    // What is noted in one turn goes in one statement.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const rows = this.#queue.slice(0, WRITTEN_AT_ONCE);
      try {
        await appendTrail(pool, rows);
        this.#queue.splice(0, rows.length);
      } catch (error) {
        log.warn({ err: error, waiting: this.#queue.length }, 'the security trail could not be written');
        if (this.#isClosing) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  #lose(rows: readonly TrailRow[]): void {
    if (rows.length === 0) return;
    this.options.onLost(rows.length);
    for (const { at, count, entry } of rows)
      this.options.log.error({ at, count, ...entry }, 'a line of the security trail is lost');
  }
}
