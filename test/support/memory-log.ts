/**
 * A log in memory that behaves as the event store does: expected revisions, idempotent repeats by event id,
 * catch-up that goes on. Specs use it to break what a real store breaks once a year: a lost answer, a slow
 * disk, a rival writer, a cut connection, or somebody who edits history.
 */
import {
  FollowerDropped,
  LogUnavailable,
  NO_STREAM,
  OutcomeUnknown,
  ReadRefused,
  WrongExpectedRevision,
  type AppendResult,
  type EventLog,
  type LeaderWitness,
  type SubscriptionItem,
  type NewEvent,
  type RawEvent,
} from '#log/event-log';
import type { ReadRequest } from '#log/event-store/read-messages';
import { followThroughDrops } from '#log/event-store/resubscribing';
import { comparePositions, type Position } from '#contracts/log';
import { StoredContent } from '#log/stored-content';
import { StoreHealth } from '#log/store-health';

/** What happens to one append: `write` performs it; throw or wait before or after. */
type AppendFault = (write: () => AppendResult) => Promise<AppendResult>;

/** The store's limit for one append. */
const MAX_APPEND_BYTES = 1024 * 1024;

/** What ends a stream that is deleted for good stands at a revision beyond all numbers. */
const TOMBSTONE = { type: '$streamDeleted', revision: Number.MAX_SAFE_INTEGER };

/** Positions rise by more than one, as the store's do, so that no reader counts on neighbours. */
const POSITION_STEP = 64n;

const sizeOf = (content: unknown): number => StoredContent.of(content).bytes.length;

const startsWithOneOf = (stream: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => stream.startsWith(prefix));

export class MemoryLog implements EventLog {
  /** Everything ever written, in order. A spec that plays the forger changes it in place. */
  readonly all: RawEvent[] = [];
  /** How many appends reached the log, refused ones included. */
  appends = 0;
  /** How often the store's clock was read, which writes to it. */
  timesTold = 0;
  /** How often it was asked to be followed. */
  followed = 0;
  readonly health = new StoreHealth();
  private readonly faults: AppendFault[] = [];
  private readonly sleepers = new Set<() => void>();
  private breaks = 0;
  private drops = 0;
  private places = Number.POSITIVE_INFINITY;
  private reachable = true;

  /** `now` is the store's clock (createdAt). */
  constructor(private readonly now: () => Date = () => new Date()) {}

  // ---- faults
  // -------------------------------------------------------------------------------------------------

  /** The next append (or the one after those already given a fault) meets this. */
  onNextAppend(fault: AppendFault): this {
    this.faults.push(fault);
    return this;
  }

  /** The append behind this many from now meets this; those before it are as ever. */
  onAppend(after: number, fault: AppendFault): this {
    while (this.faults.length < after)
      this.onNextAppend((write) => new Promise((resolve) => resolve(write())));
    return this.onNextAppend(fault);
  }

  /** The next append is not written and its answer is lost. */
  loseNextAppendBeforeWriting(): this {
    return this.onNextAppend(() =>
      Promise.reject(new OutcomeUnknown('The connection broke before the append was written')),
    );
  }

  /** The next append is written and its answer is lost. */
  loseNextAppendAfterWriting(): this {
    return this.onNextAppend((write) => {
      write();
      return Promise.reject(new OutcomeUnknown('The connection broke after the append was written'));
    });
  }

  /** The next append waits until this promise is fulfilled, then is written. */
  holdNextAppend(until: Promise<unknown>): this {
    return this.onNextAppend(async (write) => {
      await until;
      return write();
    });
  }

  /**
   * Somebody else writes these events just before the next append, which then meets WrongExpectedRevision.
   */
  letForeignerWriteFirst(stream: string, events: readonly NewEvent[]): this {
    return this.onNextAppend((write) => {
      this.write(stream, events, this.revisionOf(stream));
      return new Promise((resolve) => resolve(write()));
    });
  }

  /** Cuts every subscription now open; they throw LogUnavailable. New ones are served. */
  breakConnections(): void {
    this.breaks += 1;
    this.wake();
  }

  /** Drops every subscription now open, live or not. */
  dropFollowers(): void {
    this.drops += 1;
    this.wake();
  }

  /** From now on a live follower that is more events behind than this is dropped, as the store does it. */
  dropWhenBehind(places: number): void {
    this.places = places;
  }

  /** While false, reads, appends and subscriptions fail with LogUnavailable. */
  setReachable(reachable: boolean): void {
    this.reachable = reachable;
    if (reachable) return this.health.answered();
    this.health.unanswered();
    this.breakConnections();
  }

  /** Writes at whatever revision the stream has; for arranging a spec. */
  put(stream: string, ...events: readonly NewEvent[]): AppendResult {
    return this.write(stream, events, this.revisionOf(stream));
  }

  /**
   * Deletes a stream for good: the log goes on behind a last event of it, and shows nothing more of the
   * stream.
   */
  deleteForGood(stream: string): void {
    const place = this.nextPlace();
    const nothing = StoredContent.of(new Uint8Array());
    const id = `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
    const position = { commit: place, prepare: place };
    this.all.push({
      ...TOMBSTONE,
      id,
      stream,
      position,
      data: nothing,
      metadata: nothing,
      createdAt: this.now(),
    });
    this.deleted.add(stream);
    this.wake();
  }

  // ---- the port
  // -----------------------------------------------------------------------------------------------

  async append(stream: string, events: readonly NewEvent[], expectedRevision: number): Promise<AppendResult> {
    this.appends += 1;
    const bytes = events.reduce((sum, { data, metadata }) => sum + sizeOf(data) + sizeOf(metadata), 0);
    if (bytes > MAX_APPEND_BYTES)
      throw new Error(`The event store takes no more than ${MAX_APPEND_BYTES} bytes in one append.`);
    const fault = this.faults.shift();
    const write = (): AppendResult => {
      if (!this.reachable) throw new OutcomeUnknown('The log in memory is switched off');
      return this.write(stream, events, expectedRevision);
    };
    try {
      const appended = await (fault ? fault(write) : write());
      this.health.appended();
      return appended;
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.health.appendUnanswered();
      throw error;
    }
  }

  async *readStream(
    stream: string,
    fromRevision: number,
    limit = Number.POSITIVE_INFINITY,
  ): AsyncIterable<RawEvent> {
    this.assertReachable();
    this.assertShown(stream);
    let left = limit;
    for (const event of this.eventsOf(stream)) {
      if (event.revision < fromRevision) continue;
      if (left-- <= 0) return;
      yield event;
    }
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    this.assertReachable();
    this.assertShown(stream);
    return this.eventsOf(stream).at(-1);
  }

  async *readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    this.assertReachable();
    const end = this.all.length;
    for (let index = this.indexAfter(after); index < end; index += 1) {
      const event = this.all[index]!;
      if (startsWithOneOf(event.stream, prefixes)) yield event;
    }
  }

  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem> {
    this.followed += 1;
    const follow = this.subscribe.bind(this);
    const read = (request: ReadRequest): AsyncIterable<RawEvent> => this.read(request);
    return followThroughDrops({ follow, read }, after, prefixes, signal);
  }

  private async *read(request: ReadRequest): AsyncGenerator<RawEvent> {
    if (!('from' in request)) throw new TypeError('A follower reads all streams');
    this.assertReachable();
    yield* this.all.slice(this.indexAfter(request.from));
  }

  private async *subscribe(
    after: Position,
    prefixes: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<SubscriptionItem> {
    this.assertReachable();
    const breaksAtStart = this.breaks;
    const dropsAtStart = this.drops;
    let index = this.indexAfter(after);
    let saidCaughtUp = false;
    let passedForeign: Position | undefined;
    while (!signal.aborted) {
      if (this.breaks !== breaksAtStart)
        throw new LogUnavailable('The connection to the log in memory was cut');
      if (this.drops !== dropsAtStart || (saidCaughtUp && this.all.length - index > this.places))
        throw new FollowerDropped('Consumer too slow to handle event while live');
      if (index < this.all.length) {
        const event = this.all[index]!;
        index += 1;
        if (startsWithOneOf(event.stream, prefixes)) {
          passedForeign = undefined;
          yield { kind: 'event', event };
        } else passedForeign = event.position;
        continue;
      }
      if (passedForeign) {
        const position = passedForeign;
        passedForeign = undefined;
        yield { kind: 'checkpoint', position };
        continue;
      }
      if (!saidCaughtUp) {
        saidCaughtUp = true;
        yield { kind: 'caught-up' };
        continue;
      }
      await new Promise<void>((resolve) => {
        const rise = (): void => {
          this.sleepers.delete(rise);
          signal.removeEventListener('abort', rise);
          resolve();
        };
        this.sleepers.add(rise);
        signal.addEventListener('abort', rise, { once: true });
        if (signal.aborted) rise();
      });
    }
  }

  witness(): LeaderWitness {
    return {
      confirm: async () => this.assertReachable(),
    };
  }

  async storeTime(): Promise<Date> {
    this.assertReachable();
    this.timesTold += 1;
    this.health.appended();
    return this.now();
  }

  close(): Promise<void> {
    this.breakConnections();
    return Promise.resolve();
  }

  // ---- inside
  // -------------------------------------------------------------------------------------------------

  private readonly streams = new Map<string, RawEvent[]>();
  private readonly deleted = new Set<string>();

  /**
   * The index per stream is a convenience of the honest path; a forger's edits of `all` show after {@link
   * reindex}.
   */
  private eventsOf(stream: string): readonly RawEvent[] {
    return this.streams.get(stream) ?? [];
  }

  private assertShown(stream: string): void {
    if (this.deleted.has(stream)) throw new ReadRefused(`Event stream '${stream}' is deleted.`, 'deleted');
  }

  private nextPlace(): bigint {
    return (this.all.at(-1)?.position.commit ?? 0n) + POSITION_STEP;
  }

  /** After `all` was edited in place: makes reads by stream see the same forged history. */
  reindex(): void {
    this.streams.clear();
    for (const event of this.all) this.file(event);
  }

  private file(event: RawEvent): void {
    const events = this.streams.get(event.stream);
    if (events) events.push(event);
    else this.streams.set(event.stream, [event]);
  }

  private revisionOf(stream: string): number {
    return this.eventsOf(stream).at(-1)?.revision ?? NO_STREAM;
  }

  private write(stream: string, events: readonly NewEvent[], expectedRevision: number): AppendResult {
    const present = this.eventsOf(stream);
    const current = this.revisionOf(stream);
    if (expectedRevision !== current) {
      const written = present.slice(expectedRevision + 1, expectedRevision + 1 + events.length);
      const isRepeat =
        expectedRevision < current &&
        written.length === events.length &&
        written.every((event, index) => event.id === events[index]!.id);
      const last = written.at(-1);
      if (!isRepeat || !last) throw new WrongExpectedRevision(stream, expectedRevision);
      return { revision: last.revision, position: last.position };
    }
    const createdAt = this.now();
    events.forEach((event, index) => {
      const place = this.nextPlace();
      const raw: RawEvent = {
        id: event.id,
        stream,
        revision: current + 1 + index,
        position: { commit: place, prepare: place },
        type: event.type,
        data: StoredContent.of(event.data),
        metadata: StoredContent.of(event.metadata),
        createdAt,
      };
      this.all.push(raw);
      this.file(raw);
    });
    const last = this.eventsOf(stream).at(-1);
    if (!last) throw new RangeError(`Nothing to append to "${stream}"`);
    this.wake();
    return { revision: last.revision, position: last.position };
  }

  /**
   * The first place in `all` that lies after a position; by halves, since catch-up specs hold many thousand
   * events.
   */
  private indexAfter(after: Position): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(this.all[middle]!.position, after) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private wake(): void {
    for (const rise of [...this.sleepers]) rise();
  }

  private assertReachable(): void {
    if (!this.reachable) throw new LogUnavailable('The log in memory is switched off');
  }
}
