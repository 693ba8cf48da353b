/**
 * Parking: an event that cannot be read, or does not follow from the one before it, parks its stream and no
 * other. What comes after it in that stream waits, until an operator takes the one event out; then the read
 * models are built anew without it, so that live rows and replayed ones are the same.
 *
 * The tables here are the engine's own. They are written in the transaction that moves the checkpoints, in a
 * rebuild alike.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { ChainVerifier, GENESIS } from '#log/chain';
import { Quarantined, type QuarantinedEvent } from '#log/quarantine';
import { parkingReason, type ParkingReason, type StoredEvent } from '#log/stored-event';
import { BrokenBooks, type Queryable, type Tx } from './read-model.js';
import { small, Table, text, time, whole, type RowOf } from './table.js';

/**
 * The end of each stream as far as it is read, to which its next event must be chained; not the journal's.
 */
const streamTips = new Table('stream_tips', { stream: text().key(), revision: whole(), hash: text() });

/**
 * Why a stream was parked: it cannot be read by this build, it is not chained, or the rows cannot take it.
 */
type ParkedBy = ParkingReason['by'] | 'rows';

const parkedStreams = new Table('parked_streams', {
  stream: text().key(),
  revision: whole(),
  eventId: text(),
  eventType: text(),
  parkedBy: text<ParkedBy>(),
  reason: text(),
  /** When the store took the event. */
  storedAt: time(),
});

/** The events that these rows leave out. */
const quarantinedEvents = new Table('quarantined_events', {
  place: small().key(),
  stream: text(),
  revision: whole(),
  eventId: text(),
  because: text(),
  quarantinedAt: time(),
});

const TABLES = [streamTips, parkedStreams, quarantinedEvents];
export const PARKING_TABLES: readonly string[] = TABLES.map(({ name }) => name);
export const CREATE_PARKING: readonly string[] = TABLES.flatMap(({ statements }) => statements);

/** Whether the tables of this search path know of parking: those of a build of before do not. */
export async function knowsParking(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ present: boolean }>({
    text: `select to_regclass('parked_streams') is not null as present`,
  });
  return rows[0]?.present === true;
}

/** Writes which events these rows leave out, before the first event is read. */
export const leaveOut = ({ events }: Quarantined, tx: Tx): Promise<void> =>
  quarantinedEvents.insert([...events], tx);

/** Which events the rows leave out. */
export async function quarantinedOfRows(db: Queryable): Promise<Quarantined> {
  const { rows } = await db.query<QuarantinedEvent>({
    name: 'quarantined-events',
    text: `select ${quarantinedEvents.stored} from quarantined_events order by place`,
  });
  return new Quarantined(rows);
}

interface StreamState {
  tip: { readonly revision: number; readonly hash: string };
  /** The revision at which it is parked. */
  parkedAt: number | undefined;
}

interface StreamRow {
  stream: string;
  revision: number | null;
  hash: string | null;
  parked_at: number | null;
}

/** Separates what of a batch may be projected from what is parked, waits, or was taken out. */
export class Sieve {
  readonly #parked: RowOf<typeof parkedStreams>[] = [];
  readonly #moved = new Set<string>();

  private constructor(
    private readonly streams: ReadonlyMap<string, StreamState>,
    private readonly quarantined: Quarantined,
  ) {}

  /** Reads how the streams of a batch stand; of the journal alone nothing is asked. */
  static async over(events: readonly StoredEvent[], tx: Tx): Promise<Sieve> {
    const names = [...new Set(events.map(({ raw }) => raw.stream))].filter((stream) => stream !== JOURNAL);
    if (names.length === 0) return new Sieve(new Map(), new Quarantined([]));
    const { rows } = await tx.query<StreamRow>({
      name: 'streams-of-batch',
      text: `select s.stream, t.revision, t.hash, p.revision as parked_at from unnest($1::text[]) as s (stream)
               left join stream_tips t on t.stream = s.stream left join parked_streams p on p.stream = s.stream`,
      values: [names],
    });
    const states = rows.map(({ stream, revision, hash, parked_at: parkedAt }): [string, StreamState] => [
      stream,
      { tip: { revision: revision ?? -1, hash: hash ?? GENESIS }, parkedAt: parkedAt ?? undefined },
    ]);
    return new Sieve(new Map(states), await quarantinedOfRows(tx));
  }

  /** The streams that this batch has parked. */
  get parked(): readonly ParkedStream[] {
    return this.#parked;
  }

  /**
   * What the event says, where it may be projected. `refused` says why the rows cannot take it. An event that
   * was seen before is judged as it was then.
   */
  admit(stored: StoredEvent, refused?: string): RecordedEvent | undefined {
    const { raw, event, unreadable } = stored;
    if (raw.stream === JOURNAL) {
      if (!event) throw new BrokenBooks(unreadable);
      return event;
    }
    const state = this.streams.get(raw.stream)!;
    const { tip, parkedAt } = state;
    if (parkedAt !== undefined && raw.revision >= parkedAt) return undefined;
    const chain = new ChainVerifier(raw.stream, tip);
    const isOut = this.quarantined.has(raw);
    if (raw.revision > tip.revision) {
      const reason = isOut ? undefined : parkingReason(chain, stored);
      if (reason || refused !== undefined) {
        this.#park(stored, reason?.by ?? 'rows', reason?.why ?? refused ?? '');
        return undefined;
      }
      if (isOut) chain.skip(raw);
      state.tip = { revision: chain.revision, hash: chain.hash };
      this.#moved.add(raw.stream);
    }
    return isOut ? undefined : event;
  }

  #park({ raw }: StoredEvent, parkedBy: ParkedBy, reason: string): void {
    this.streams.get(raw.stream)!.parkedAt = raw.revision;
    this.#parked.push({
      stream: raw.stream,
      revision: raw.revision,
      eventId: raw.id,
      eventType: raw.type.replaceAll('\u0000', ' '),
      parkedBy,
      reason,
      storedAt: raw.createdAt.toISOString(),
    });
  }

  /** Writes how the streams stand now. */
  async save(tx: Tx): Promise<void> {
    await streamTips.put(
      [...this.#moved].map((stream) => ({ stream, ...this.streams.get(stream)!.tip })),
      tx,
    );
    await parkedStreams.put(this.#parked, tx);
  }
}

/** A stream that is parked, and at which event. */
export interface ParkedStream {
  readonly stream: string;
  readonly revision: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly parkedBy: ParkedBy;
  /** What is wrong with the event, as a sentence. */
  readonly reason: string;
}

/** The parked streams by name, `limit` of them at most. */
export async function listParked(db: Queryable, limit = 1000): Promise<ParkedStream[]> {
  const { rows } = await db.query<ParkedStream>({
    name: 'parked-streams',
    text: `select ${parkedStreams.stored} from parked_streams order by stream limit $1`,
    values: [limit],
  });
  return rows;
}

/** How many streams are parked. */
export async function countParked(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'parked-streams-counted',
    text: 'select count(*) as count from parked_streams',
  });
  return rows[0]?.count ?? 0;
}

/**
 * SQL that says whether a stream is parked: the one of this prefix and the id in a column. `prefix` is one of
 * the contracts'.
 */
export const isParked = (prefix: string, column: string): string =>
  `exists (select from parked_streams k where k.stream = '${prefix}' || ${column})`;

/** The chain of a stream as far as it is read. */
export async function chainBefore(db: Queryable, stream: string): Promise<ChainVerifier> {
  const { rows } = await db.query<{ revision: number; hash: string }>({
    name: 'stream-tip',
    text: 'select revision, hash from stream_tips where stream = $1',
    values: [stream],
  });
  return new ChainVerifier(stream, rows[0]);
}

/** Whether an event that parked its stream may be projected now, as after a newer build was started. */
export const isReadableNow = (stored: StoredEvent, chain: ChainVerifier): boolean =>
  parkingReason(chain, stored) === undefined;
