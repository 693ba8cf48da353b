/**
 * Whether the stores have room on their disks, by their own word: the event store tells it, and Postgres is
 * given something to write that takes room, which also tells of one that takes no writes. Asked at most twice
 * a minute, however often somebody asks us.
 */
import type pg from 'pg';
import type { EsdbLog } from '#log/esdb';
import type { Migration } from '#log/migrations';

const ASKED_EVERY_MS = 30_000;
const MIB = 1024 * 1024;
/** Less than this is little on any disk; a small part of a disk is little below that. */
const LITTLE_BYTES = 1024 * MIB;
const LITTLE = { part: 0.05, belowBytes: 10 * 1024 * MIB } as const;

/** What Postgres refuses to write for, by SQLSTATE: a disk that is full; a standby, or one set read-only. */
const REFUSALS: Readonly<Record<string, string>> = {
  '53100':
    'Postgres has no room left on its disk: nobody can sign in, and lists stand still. Make room on it, or give it a larger one.',
  '25006':
    'Postgres takes no writes: it is a standby, or was set read-only, as hosted ones are when their disk is full. Nobody can sign in, and ' +
    'lists stand still. Let DATABASE_URL lead to the one that takes them, make room, or take default_transaction_read_only away.',
};

export const ROOM_PROBE_TABLE: Migration = {
  name: 'room-probe',
  sql: `
  create unlogged table if not exists edge.room_probe (filler text);
  alter table edge.room_probe alter column filler set storage plain`,
};

/**
 * The table is unlogged and the transaction is taken back: nothing of it stays, and no log of Postgres'
 * grows.
 */
const TAKES_ROOM = [
  'begin',
  `set local lock_timeout = '2s'`,
  'truncate edge.room_probe',
  // One row to a page of 8 KiB: a megabyte.
  `insert into edge.room_probe select repeat('room', 1500) from generate_series(1, 128)`,
] as const;

export class DiskRooms {
  #asked: Promise<readonly string[]> | undefined;
  #askedAt = -Infinity;

  constructor(
    private readonly log: Pick<EsdbLog, 'diskRoom'>,
    private readonly pool: Pick<pg.Pool, 'connect'>,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** A sentence for each store that has little room, or none, with what to do. Never throws. */
  problems(): Promise<readonly string[]> {
    if (!this.#asked || this.clock() - this.#askedAt >= ASKED_EVERY_MS) {
      this.#askedAt = this.clock();
      this.#asked = Promise.all([this.#ofEventStore(), this.#ofPostgres()]).then((problems) =>
        problems.filter((problem) => problem !== undefined),
      );
    }
    return this.#asked;
  }

  async #ofEventStore(): Promise<string | undefined> {
    const room = await this.log.diskRoom().catch(() => undefined);
    if (!room) return undefined;
    const { freeBytes, totalBytes } = room;
    const isLittle =
      freeBytes < LITTLE_BYTES || (freeBytes < LITTLE.belowBytes && freeBytes < totalBytes * LITTLE.part);
    return isLittle
      ? `The event store has ${Math.floor(freeBytes / MIB)} MiB left on its disk: nothing can be recorded when that is used up. Make room on it, or give it a larger one.`
      : undefined;
  }

  async #ofPostgres(): Promise<string | undefined> {
    const client = await this.pool.connect().catch(() => undefined);
    if (!client) return undefined;
    let broken: Error | undefined;
    try {
      for (const statement of TAKES_ROOM) await client.query(statement);
      return undefined;
    } catch (error) {
      return error instanceof Error && 'code' in error ? REFUSALS[String(error.code)] : undefined;
    } finally {
      // One that did not take the end of its transaction would take what others write with it.
      await client.query('rollback').catch((failed: Error) => (broken = failed));
      client.release(broken);
    }
  }
}
