/**
 * The store: streams, their heads, and what decides whether an append is written. Appends are judged at once,
 * against heads that already count what is on its way to the disk, and written together: one commit and one
 * fsync for all that arrived while the one before was under way. Nothing is answered, shown to a reader or
 * sent to a subscriber before its fsync. If a commit fails, the heads are wrong and there is nothing safe
 * left to do: the store stops.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

import { open, type Database, type RootDatabase } from 'lmdb';

import { encodeAppend, ownEvent, StoredAppend, type ProposedEvent } from './events.js';
import { claimFolder, releaseFolder } from './folder-claim.js';
import { nameKey, positionKey, readKeyNumber, revisionKey } from './keys.js';
import { RecentIds } from './recent-ids.js';
import {
  METADATA_OF_METASTREAMS,
  metadataIn,
  NO_METADATA,
  parseObject,
  SOFT_DELETE_METADATA,
  SOFT_DELETED,
  type StreamMetadata,
} from './stream-metadata.js';
import { TOMBSTONE_REVISION } from './wire.js';

/** The head of a stream that has no events. */
export const NO_STREAM = -1;

export type ExpectedRevision = number | 'any' | 'no_stream' | 'stream_exists';

/**
 * What became of an append. `position` is undefined where nothing was written and there is nothing to point
 * at.
 */
export type Outcome =
  | { readonly kind: 'written'; readonly revision: number; readonly position: number | undefined }
  | { readonly kind: 'wrong-expected-revision'; readonly current: number }
  | { readonly kind: 'stream-deleted' }
  /** Refused, because nobody leads, or the node cannot tell that it still does. */
  | { readonly kind: 'not-ready' }
  /** It may be written or not: the others did not confirm it in time. */
  | { readonly kind: 'timed-out' };

/** The part of an append that a read asked for: events [from, to). */
export interface Slice {
  readonly append: StoredAppend;
  readonly from: number;
  readonly to: number;
}

/** What a reader may learn of a stream. */
export interface StreamView {
  readonly state: 'none' | 'readable' | 'deleted';
  /** The first revision that is still shown. */
  readonly first: number;
  readonly last: number;
}

const METASTREAM_PREFIX = '$$';
const READ_BYTES = 128 * 1024;
const REASON_WAIT_MS = 100;
/** How long a repeat waits for the append that it repeats, in vain. */
const COMMIT_PATIENCE_MS = 2_000;
const RECENT_EVENTS_AT_START = 50_000;

/** A stream as kept in memory: small, because there may be millions. */
interface Stream {
  readonly name: string;
  /** 0 until the first event is written. */
  number: number;
  /** Last revision, counting what is on its way to the disk. */
  head: number;
  /** Last revision on the disk. */
  committed: number;
  /** Appends on their way to the disk, oldest first. Undefined for the many streams that have none. */
  unwritten: StoredAppend[] | undefined;
  /** Of a metastream: what its last event says about the stream it describes, decided and on the disk. */
  decidedMetadata: StreamMetadata;
  committedMetadata: StreamMetadata;
  /** Undefined: not looked for yet. Null: there is none. */
  metastream: Stream | null | undefined;
}

interface QueuedAppend {
  readonly writes: readonly {
    readonly stream: Stream;
    readonly append: StoredAppend;
    readonly isNew: boolean;
  }[];
  readonly outcome: Outcome;
  readonly done: (outcome: Outcome) => void;
}

/**
 * What a node does with the log: all of a store, or what one node of several may do with it and sees of it.
 */
export type Log = Pick<Store, Exclude<keyof Store, 'close'>>;

export class Store {
  private readonly streams = new Map<string, Stream>();
  private readonly recent = new RecentIds();
  private queue: QueuedAppend[] = [];
  private flushing = false;
  private idle: (() => void)[] = [];
  private lastStream: number;
  private nextPosition: number;
  /** The position of the last event on the disk. */
  lastPosition: number;
  /** Called after each commit with what it wrote, in order. */
  onWritten: (appends: readonly StoredAppend[]) => void = () => undefined;

  private constructor(
    private readonly environment: RootDatabase<Buffer, Buffer>,
    private readonly appends: Database<Buffer, Buffer>,
    private readonly revisions: Database<Buffer, Buffer>,
    private readonly names: Database<Buffer, Buffer>,
    private readonly folder: string,
    private readonly keepFreeBytes: number,
    private readonly fail: (error: Error) => void,
  ) {
    const last = this.lastAppend();
    this.lastPosition = last?.lastPosition ?? 0;
    this.nextPosition = last?.nextPosition ?? 1;
    this.lastStream = 0;
    for (const key of revisions.getKeys({ reverse: true, limit: 1 })) this.lastStream = key.readUInt32BE(0);
    this.rememberRecent();
  }

  /**
   * Opens the store in a folder, made if need be. Throws FolderInUse when another process has it. `fail` is
   * called, once and at the end of everything, when a commit fails, or would leave less than `keepFreeBytes`
   * on the disk.
   */
  static open(folder: string, keepFreeBytes: number, fail: (error: Error) => void): Store {
    mkdirSync(folder, { recursive: true });
    const environment = open<Buffer, Buffer>({
      path: join(folder, 'events.lmdb'),
      noSubdir: true,
      maxDbs: 8,
      encoding: 'binary',
      keyEncoding: 'binary',
      compression: false,
      noMemInit: true,
      // A put resolves after the fsync, not before it.
      overlappingSync: false,
    });
    claimFolder(environment, folder);
    const database = (name: string): Database<Buffer, Buffer> =>
      environment.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
    return new Store(
      environment,
      database('appends'),
      database('revisions'),
      database('names'),
      folder,
      keepFreeBytes,
      fail,
    );
  }

  /** Waits for what is on its way to the disk and closes. */
  async close(): Promise<void> {
    await this.settled();
    releaseFolder(this.environment);
    await this.environment.close();
  }

  /** Resolves when nothing waits for the disk. */
  settled(): Promise<void> {
    if (!this.flushing) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /** Appends to a stream. `done` is called with the outcome when all it depends on is on the disk. */
  append(
    name: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
    done: (outcome: Outcome) => void,
  ): void {
    const stream = this.stream(name);
    const refusal = this.judge(stream, expected, events);
    if (refusal === 'under way') {
      setTimeout(done, COMMIT_PATIENCE_MS, { kind: 'timed-out' });
      return;
    }
    if (refusal) {
      this.enqueue({ writes: [], outcome: refusal, done });
      return;
    }
    if (events.length === 0) {
      this.enqueue({
        writes: [],
        outcome: { kind: 'written', revision: stream.head, position: undefined },
        done,
      });
      return;
    }
    const revives = this.isSoftDeleted(stream);
    const described = this.describedBy(stream);
    const describedRevives = described !== undefined && this.isSoftDeleted(described);
    const recreateFrom = stream.head + 1;
    const write = this.place(stream, events, stream.head + 1);
    const writes = [write];
    // Writing to a soft-deleted stream brings it back, without what it held before.
    if (revives) writes.push(this.placeRevival(stream, recreateFrom));
    if (describedRevives) writes.push(this.placeRevival(described, described.head + 1));
    const { lastRevision, lastPosition } = write.append;
    this.enqueue({
      writes,
      outcome: { kind: 'written', revision: lastRevision, position: lastPosition },
      done,
    });
  }

  /** Deletes a stream: softly (its events are no longer shown, and it may be written again) or for good. */
  remove(name: string, expected: ExpectedRevision, forGood: boolean, done: (outcome: Outcome) => void): void {
    const stream = this.stream(name);
    const id = randomUUID();
    const tombstone = ownEvent(id, '$streamDeleted', false, Buffer.alloc(0));
    const refusal = this.judge(stream, expected, [tombstone]);
    if (refusal && refusal !== 'under way') {
      this.enqueue({ writes: [], outcome: refusal, done });
      return;
    }
    let write;
    if (forGood) {
      write = this.place(stream, [tombstone], TOMBSTONE_REVISION);
    } else {
      if (isMetastream(stream)) {
        // The metadata of metadata does not exist in EventStoreDB either: there is nothing to write it to.
        this.enqueue({
          writes: [],
          outcome: { kind: 'wrong-expected-revision', current: stream.head },
          done,
        });
        return;
      }
      const metastream = this.stream(METASTREAM_PREFIX + name);
      if (stream.head === NO_STREAM && metastream.head === NO_STREAM) {
        this.enqueue({ writes: [], outcome: { kind: 'wrong-expected-revision', current: NO_STREAM }, done });
        return;
      }
      write = this.place(
        metastream,
        [ownEvent(id, '$metadata', true, SOFT_DELETE_METADATA)],
        metastream.head + 1,
      );
    }
    const { lastRevision, lastPosition } = write.append;
    this.enqueue({
      writes: [write],
      outcome: { kind: 'written', revision: lastRevision, position: lastPosition },
      done,
    });
  }

  /** A stream as far as it is on the disk, or was when `until` was the last position. */
  view(name: string, until = Infinity): StreamView {
    const described = name.startsWith(METASTREAM_PREFIX)
      ? this.existing(name.slice(METASTREAM_PREFIX.length))
      : undefined;
    const stream = this.existing(name);
    const last = stream ? this.lastRevision(stream, until) : NO_STREAM;
    if (
      last === TOMBSTONE_REVISION ||
      (described && this.lastRevision(described, until) === TOMBSTONE_REVISION)
    )
      return { state: 'deleted', first: 0, last: NO_STREAM };
    if (!stream || last === NO_STREAM) return { state: 'none', first: 0, last: NO_STREAM };
    const { truncateBefore, maxCount, maxAgeMs } = isMetastream(stream)
      ? METADATA_OF_METASTREAMS
      : this.metadataOf(stream, until);
    if (truncateBefore >= SOFT_DELETED) return { state: 'none', first: last + 1, last };
    let first = Math.max(0, truncateBefore, last - maxCount + 1);
    if (maxAgeMs < Infinity) first = this.firstSince(stream, first, last, Date.now() - maxAgeMs);
    return { state: 'readable', first, last };
  }

  /** The last revision of a stream on the disk that lies at a position of `until` or before. */
  private lastRevision(stream: Stream, until: number): number {
    const { committed } = stream;
    if (until >= this.lastPosition || committed === NO_STREAM) return committed;
    if (this.appendHolding(stream, committed)!.lastPosition <= until) return committed;
    // A tombstone stands alone, far behind the revisions before it.
    let [low, high] = [
      NO_STREAM,
      committed === TOMBSTONE_REVISION ? this.lastBeforeTombstone(stream) : committed,
    ];
    while (low < high) {
      const append = this.appendHolding(stream, Math.ceil((low + high) / 2))!;
      if (append.lastPosition <= until) low = append.lastRevision;
      else high = append.firstRevision - 1;
    }
    return low;
  }

  private lastBeforeTombstone(stream: Stream): number {
    const append = this.appendHolding(stream, TOMBSTONE_REVISION - 1);
    // One whose first event is its tombstone: what lies before that is another stream's.
    return append?.stream === stream.number ? append.lastRevision : NO_STREAM;
  }

  private metadataOf(stream: Stream, until: number): StreamMetadata {
    const metastream = this.metastreamOf(stream);
    if (!metastream) return NO_METADATA;
    if (until >= this.lastPosition) return metastream.committedMetadata;
    const last = this.lastRevision(metastream, until);
    const append = last === NO_STREAM ? undefined : this.appendHolding(metastream, last);
    return append ? metadataIn(append) : NO_METADATA;
  }

  /** Whether a stream was deleted for good. */
  isDeleted(name: string, until = Infinity): boolean {
    const stream = this.existing(name);
    return stream !== undefined && this.lastRevision(stream, until) === TOMBSTONE_REVISION;
  }

  /** One event of a stream, if it can be seen: the append that holds it, and its place there. */
  event(
    name: string,
    revision: number,
    until = Infinity,
  ): { append: StoredAppend; index: number } | undefined {
    const { state, first, last } = this.view(name, until);
    if (state !== 'readable' || revision < first || revision > last) return undefined;
    const append = this.appendHolding(this.stream(name), revision);
    return append && { append, index: revision - append.firstRevision };
  }

  /**
   * The first revision, `first` or later, that was not written before a time. By halves: a stream may be
   * long.
   */
  private firstSince(stream: Stream, first: number, last: number, sinceMs: number): number {
    let [low, high] = [first, last + 1];
    while (low < high) {
      const append = this.appendHolding(stream, Math.floor((low + high) / 2));
      if (!append) return low;
      if (append.createdMs < sinceMs) low = append.lastRevision + 1;
      else high = Math.max(low, append.firstRevision);
    }
    return low;
  }

  /**
   * Some slices of $all from a position on (inclusive) up to the last event on the disk, or to `until`; or
   * down from it (inclusive).
   */
  sliceAll(from: number, backwards: boolean, until = Infinity): Slice[] {
    const slices: Slice[] = [];
    let bytes = 0;
    const end = Math.min(this.lastPosition, until);
    if (from > end) {
      if (!backwards) return slices;
      from = end;
    }
    if (from < 1) {
      if (backwards) return slices;
      from = 1;
    }
    // Appends are keyed by their first position: the one that holds `from` is the last that begins at or
    // before it.
    let start = positionKey(from);
    for (const key of this.appends.getKeys({ start, reverse: true, limit: 1 })) start = Buffer.from(key);
    for (const { value } of this.appends.getRange({ start, reverse: backwards })) {
      const append = new StoredAppend(value);
      if (append.firstPosition > end) break;
      // There are positions between two appends that are nobody's.
      if (!backwards && append.lastPosition < from) continue;
      slices.push(
        backwards
          ? { append, from: 0, to: append.countTo(from) }
          : { append, from: append.indexFrom(from), to: append.count },
      );
      bytes += append.bytes.length;
      if (bytes >= READ_BYTES) break;
    }
    return slices;
  }

  /**
   * Some slices of a stream from a revision on (inclusive) up to `last`, or down from it (inclusive) to
   * `first`.
   */
  sliceStream(
    name: string,
    from: number,
    bounds: { first: number; last: number },
    backwards: boolean,
  ): Slice[] {
    const stream = this.existing(name);
    const slices: Slice[] = [];
    if (!stream || from > bounds.last || from < bounds.first) return slices;
    let bytes = 0;
    let start = revisionKey(stream.number, from);
    for (const key of this.revisions.getKeys({ start, reverse: true, limit: 1 })) start = Buffer.from(key);
    for (const { key, value } of this.revisions.getRange({ start, reverse: backwards })) {
      if (key.readUInt32BE(0) !== stream.number) break;
      const firstRevision = readKeyNumber(key, 4);
      if (firstRevision > bounds.last) break;
      const append = this.appendAt(readKeyNumber(value, 0));
      const lowest = Math.max(0, (backwards ? bounds.first : from) - append.firstRevision);
      const highest = Math.min(append.count, (backwards ? from : bounds.last) - append.firstRevision + 1);
      if (highest <= lowest) break;
      slices.push({ append, from: lowest, to: highest });
      bytes += append.bytes.length;
      if (bytes >= READ_BYTES) break;
    }
    return slices;
  }

  /**
   * Undefined: the append may be written. A repeat of one that is on its way to the disk is neither written
   * nor answered, as in EventStoreDB: whether it will be there nobody knows yet.
   */
  private judge(
    stream: Stream,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Outcome | 'under way' | undefined {
    const described = this.describedBy(stream);
    if (stream.head === TOMBSTONE_REVISION || described?.head === TOMBSTONE_REVISION)
      return { kind: 'stream-deleted' };
    const wrong: Outcome = { kind: 'wrong-expected-revision', current: stream.head };

    if (expected === 'any' || expected === 'stream_exists') {
      if (expected === 'stream_exists') {
        if (this.isSoftDeleted(stream)) return { kind: 'stream-deleted' };
        if (stream.head === NO_STREAM && (this.metastreamOf(stream)?.head ?? NO_STREAM) === NO_STREAM)
          return wrong;
      }
      let last: number | undefined;
      for (const [index, event] of events.entries()) {
        const revision = stream.number === 0 ? undefined : this.recent.revisionOf(event.id, stream.number);
        // The first id decides whether this is a repetition; a repetition must then be one from end to end.
        if (revision === undefined) return index === 0 ? undefined : wrong;
        last = revision;
      }
      return last === undefined ? undefined : this.repeated(stream, last);
    }

    const expectedHead = expected === 'no_stream' ? NO_STREAM : expected;
    if (expectedHead === stream.head) return undefined;
    if (expectedHead > stream.head) return wrong;
    let revision = expectedHead;
    let append: StoredAppend | undefined;
    for (const event of events) {
      revision++;
      if (!append || revision > append.lastRevision) append = this.appendHolding(stream, revision);
      if (append?.id(revision - append.firstRevision).equals(event.id)) continue;
      const isFirst = revision === expectedHead + 1;
      if (isFirst && expectedHead === NO_STREAM && this.isSoftDeleted(stream)) return undefined;
      return wrong;
    }
    return revision === expectedHead ? wrong : this.repeated(stream, revision);
  }

  private repeated(stream: Stream, revision: number): Outcome | 'under way' {
    if (revision > stream.committed) return 'under way';
    const append = this.appendHolding(stream, revision);
    const position = append?.positionOf(revision - append.firstRevision);
    return { kind: 'written', revision, position };
  }

  /** The append that holds a revision, on the disk or on its way there. */
  private appendHolding(stream: Stream, revision: number): StoredAppend | undefined {
    if (revision > stream.committed) {
      return stream.unwritten?.find(
        (append) => append.firstRevision <= revision && revision <= append.lastRevision,
      );
    }
    if (stream.number === 0) return undefined;
    for (const { value } of this.revisions.getRange({
      start: revisionKey(stream.number, revision),
      reverse: true,
      limit: 1,
    })) {
      return this.appendAt(readKeyNumber(value, 0));
    }
    return undefined;
  }

  private appendAt(position: number): StoredAppend {
    const bytes = this.appends.getBinary(positionKey(position));
    if (!bytes)
      throw new Error(
        `The store is damaged: its index names an append at position ${position} that is not there`,
      );
    return new StoredAppend(bytes);
  }

  private isSoftDeleted(stream: Stream): boolean {
    return (this.metastreamOf(stream)?.decidedMetadata.truncateBefore ?? 0) >= SOFT_DELETED;
  }

  private place(
    stream: Stream,
    events: readonly ProposedEvent[],
    firstRevision: number,
  ): QueuedAppend['writes'][number] {
    const isNew = stream.number === 0;
    if (isNew) {
      stream.number = ++this.lastStream;
      const described = this.describedBy(stream);
      if (described) described.metastream = stream;
    }
    const append = encodeAppend(
      events,
      {
        stream: stream.number,
        streamName: Buffer.from(stream.name, 'utf8'),
        firstRevision,
        firstPosition: this.nextPosition,
      },
      Date.now(),
    );
    this.nextPosition = append.nextPosition;
    stream.head = append.lastRevision;
    if (stream.unwritten) stream.unwritten.push(append);
    else stream.unwritten = [append];
    for (let i = 0; i < events.length; i++) this.recent.add(events[i]!.id, stream.number, firstRevision + i);
    if (isMetastream(stream)) stream.decidedMetadata = metadataIn(append);
    return { stream, append, isNew };
  }

  /** The metadata event that lets a soft-deleted stream be seen again, from a revision on. */
  private placeRevival(stream: Stream, from: number): QueuedAppend['writes'][number] {
    const metastream = this.metastreamOf(stream)!;
    const latest = this.appendHolding(metastream, metastream.head);
    const data = latest ? parseObject(latest.data(latest.count - 1)) : {};
    const revived = Buffer.from(JSON.stringify({ ...data, $tb: from }));
    return this.place(metastream, [ownEvent(randomUUID(), '$metadata', true, revived)], metastream.head + 1);
  }

  /** The stream's metadata. Most streams have none, and then it takes no memory. */
  private metastreamOf(stream: Stream): Stream | undefined {
    if (isMetastream(stream)) return undefined;
    if (stream.metastream === undefined)
      stream.metastream = this.existing(METASTREAM_PREFIX + stream.name) ?? null;
    return stream.metastream ?? undefined;
  }

  /** The stream that a metastream describes. */
  private describedBy(stream: Stream): Stream | undefined {
    return isMetastream(stream) ? this.stream(stream.name.slice(METASTREAM_PREFIX.length)) : undefined;
  }

  private existing(name: string): Stream | undefined {
    return this.streams.get(name) ?? (this.names.getBinary(nameKey(name)) ? this.stream(name) : undefined);
  }

  private stream(name: string): Stream {
    const known = this.streams.get(name);
    if (known) return known;
    const stream: Stream = {
      name,
      number: this.names.getBinary(nameKey(name))?.readUInt32BE(0) ?? 0,
      head: NO_STREAM,
      committed: NO_STREAM,
      unwritten: undefined,
      decidedMetadata: NO_METADATA,
      committedMetadata: NO_METADATA,
      metastream: undefined,
    };
    if (stream.number > 0) {
      const start = revisionKey(stream.number, TOMBSTONE_REVISION);
      for (const { value } of this.revisions.getRange({ start, reverse: true, limit: 1 })) {
        const append = this.appendAt(readKeyNumber(value, 0));
        stream.head = stream.committed = append.lastRevision;
        if (isMetastream(stream)) stream.decidedMetadata = stream.committedMetadata = metadataIn(append);
      }
    }
    this.streams.set(name, stream);
    return stream;
  }

  private enqueue(append: QueuedAppend): void {
    this.queue.push(append);
    if (this.flushing) return;
    this.flushing = true;
    // Not at once: other appends that arrived in the same turn of the loop share the commit.
    setImmediate(() => {
      this.flush().catch(async (error: unknown) => this.fail(await reasonOf(error)));
    });
  }

  private async flush(): Promise<void> {
    while (this.queue.length > 0) {
      const group = this.queue;
      this.queue = [];
      const commit: Promise<boolean>[] = [];
      if (group.some(({ writes }) => writes.length > 0)) this.checkRoom();
      for (const { writes } of group) {
        for (const { stream, append, isNew } of writes) {
          const place = positionKey(append.firstPosition);
          if (isNew) {
            const number = Buffer.allocUnsafe(4);
            number.writeUInt32BE(stream.number);
            commit.push(this.names.put(nameKey(stream.name), number));
          }
          commit.push(
            this.revisions.put(revisionKey(stream.number, append.firstRevision), place),
            this.appends.put(place, append.bytes),
          );
        }
      }
      // All puts of one turn of the loop are one transaction.
      await Promise.all(commit);
      this.publish(group);
    }
    this.flushing = false;
    const waiting = this.idle;
    this.idle = [];
    for (const resume of waiting) resume();
  }

  /** The disk that the log is on. */
  disk(): { readonly freeBytes: number; readonly totalBytes: number } {
    const { bavail, blocks, bsize } = statfsSync(this.folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }

  /**
   * LMDB, out of space in the middle of a commit, loses nothing but may abort the process without a word:
   * stop before that.
   */
  private checkRoom(): void {
    const { freeBytes } = this.disk();
    if (freeBytes < this.keepFreeBytes)
      throw new Error(`its disk has only ${Math.floor(freeBytes / 1e6)} MB left`);
  }

  private publish(group: readonly QueuedAppend[]): void {
    const written: StoredAppend[] = [];
    for (const { writes } of group) {
      for (const { stream, append } of writes) {
        stream.committed = append.lastRevision;
        stream.unwritten?.shift();
        if (stream.unwritten?.length === 0) stream.unwritten = undefined;
        if (isMetastream(stream)) stream.committedMetadata = metadataIn(append);
        this.lastPosition = append.lastPosition;
        written.push(append);
      }
    }
    for (const { done, outcome } of group) done(outcome);
    if (written.length > 0) this.onWritten(written);
  }

  private lastAppend(): StoredAppend | undefined {
    for (const { value } of this.appends.getRange({ reverse: true, limit: 1 }))
      return new StoredAppend(value);
    return undefined;
  }

  private rememberRecent(): void {
    const latest: StoredAppend[] = [];
    let events = 0;
    for (const { value } of this.appends.getRange({ reverse: true })) {
      const append = new StoredAppend(value);
      latest.push(append);
      events += append.count;
      if (events >= RECENT_EVENTS_AT_START) break;
    }
    for (const append of latest.reverse()) {
      for (let i = 0; i < append.count; i++)
        this.recent.add(append.id(i), append.stream, append.firstRevision + i);
    }
  }
}

function isMetastream(stream: Stream): boolean {
  return stream.name.startsWith(METASTREAM_PREFIX);
}

/**
 * Why a commit failed. LMDB hides the system's word for it in a promise of its own; without it there is
 * little to say.
 */
async function reasonOf(error: unknown): Promise<Error> {
  if (!(error instanceof Error)) return new Error(String(error));
  const { commitError } = error as Error & { commitError?: Promise<unknown> };
  if (!(commitError instanceof Promise)) return error;
  const reported = commitError.then(
    () => error,
    (cause: unknown) => (cause instanceof Error ? cause : error),
  );
  return Promise.race([
    reported,
    new Promise<Error>((resolve) => setTimeout(resolve, REASON_WAIT_MS, error)),
  ]);
}
