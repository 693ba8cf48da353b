/**
 * Catch-up subscriptions. One that has something to read reads it from the disk and waits for its client;
 * one that has nothing left is live: then commits are pushed to it from memory. Since the change between the
 * two happens between one line and the next of a single thread, nothing is lost or sent twice there. One that
 * cannot keep up goes back to reading from disk, from the last event it sent.
 *
 * A stream that does not exist, or is deleted, is looked at now and then until there is something to read.
 */
import { randomUUID } from 'node:crypto';

import type { StoredAppend } from './events.js';
import type { GrpcCall } from './grpc.js';
import {
  caughtUp,
  checkpoint,
  confirmation,
  handlerFailed,
  type Filter,
  type ReadRequest,
} from './messages.js';
import { chooser, hiddenFromAll, isForeign, resolved, send, streamIsDeleted } from './reading.js';
import type { Log, Slice } from './store.js';
import { TOMBSTONE_REVISION } from './wire.js';

const LOOK_AGAIN_MS = 50;

/** All subscriptions of the server. */
export class Subscriptions {
  private readonly toAll = new Set<Subscription>();
  private readonly toStream = new Map<string, Set<Subscription>>();

  /** `written` is called after each commit, after the subscriptions. */
  constructor(
    private readonly store: Log,
    written: () => void,
  ) {
    store.onWritten = (appends) => {
      this.push(appends);
      written();
    };
  }

  /** Starts one and confirms it. It ends with its call. */
  open(call: GrpcCall, request: ReadRequest): Subscription {
    const subscription = new Subscription(this.store, call, request);
    if (request.stream === undefined) {
      this.toAll.add(subscription);
    } else {
      const others = this.toStream.get(request.stream) ?? new Set();
      this.toStream.set(request.stream, others.add(subscription));
    }
    subscription.start();
    return subscription;
  }

  close(subscription: Subscription, { stream }: ReadRequest): void {
    this.toAll.delete(subscription);
    if (stream === undefined) return;
    const others = this.toStream.get(stream);
    others?.delete(subscription);
    if (others?.size === 0) this.toStream.delete(stream);
  }

  private push(appends: readonly StoredAppend[]): void {
    for (const subscription of this.toAll) subscription.push(appends);
    if (this.toStream.size === 0) return;
    const byStream = new Map<string, StoredAppend[]>();
    for (const append of appends) {
      const name = append.streamName.toString('utf8');
      if (!this.toStream.has(name)) continue;
      const of = byStream.get(name);
      if (of) of.push(append);
      else byStream.set(name, [append]);
    }
    for (const [name, of] of byStream) {
      for (const subscription of this.toStream.get(name) ?? []) subscription.push(of);
    }
  }
}

export class Subscription {
  private readonly stream: string | undefined;
  private readonly filter: Filter | undefined;
  private readonly resolveLinks: boolean;
  private readonly fromEnd: boolean;
  /** The last position (of $all) or revision (of a stream) that was sent or passed over. */
  private cursor: number;
  private live = false;
  private caughtUpSent = false;
  private considered = 0;

  constructor(
    private readonly store: Log,
    private readonly call: GrpcCall,
    { stream, from, filter, resolveLinks }: ReadRequest,
  ) {
    this.stream = stream;
    this.filter = filter;
    this.resolveLinks = resolveLinks;
    this.fromEnd = from === 'end';
    if (stream === undefined) {
      if (typeof from === 'number' && isForeign(store, from)) throw handlerFailed();
      // Beyond the end, everything that comes is behind it: also what will have an earlier position.
      this.cursor =
        from === 'start' ? 0 : from === 'end' ? store.lastPosition : Math.min(from, store.lastPosition);
    } else this.cursor = from === 'start' ? -1 : from === 'end' ? store.view(stream).last : from;
  }

  start(): void {
    this.refuseDeleted();
    this.call.write(confirmation(randomUUID()));
    if (this.fromEnd) this.goLive();
    else this.catchUp().catch((error: unknown) => this.call.fail(error));
  }

  /** What a commit wrote, of the stream subscribed to. */
  push(appends: readonly StoredAppend[]): void {
    if (!this.live) return;
    const pieces: Buffer[] = [];
    for (const append of appends) this.take(pieces, { append, from: 0, to: append.count });
    if (pieces.length === 0) return;
    const isTaken = this.call.writeAll(pieces);
    if (this.stream !== undefined && this.cursor === TOMBSTONE_REVISION)
      this.call.fail(streamIsDeleted(this.stream));
    if (isTaken || this.call.closed) return;
    this.live = false;
    this.call
      .drained()
      .then(() => this.catchUp())
      .catch((error: unknown) => this.call.fail(error));
  }

  private async catchUp(): Promise<void> {
    while (!this.call.closed) {
      this.refuseDeleted();
      if (this.stream !== undefined && this.store.view(this.stream).state === 'none') {
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
        continue;
      }
      const slices = this.next();
      if (slices.length === 0) {
        this.goLive();
        return;
      }
      const pieces: Buffer[] = [];
      for (const slice of slices) this.take(pieces, slice);
      await send(this.call, pieces);
    }
  }

  private goLive(): void {
    this.live = true;
    if (!this.caughtUpSent) this.call.write(caughtUp());
    this.caughtUpSent = true;
  }

  private refuseDeleted(): void {
    if (this.stream !== undefined && this.store.view(this.stream).state === 'deleted')
      throw streamIsDeleted(this.stream);
  }

  private next(): Slice[] {
    if (this.stream === undefined) return this.store.sliceAll(this.cursor + 1, false);
    const view = this.store.view(this.stream);
    return this.store.sliceStream(this.stream, Math.max(this.cursor + 1, view.first), view, false);
  }

  /** Adds what is to be sent of a slice, and moves on behind it. */
  private take(pieces: Buffer[], { append, from, to }: Slice): void {
    const isAll = this.stream === undefined;
    // A client may ask to begin behind what there is.
    const behind = isAll ? append.indexFrom(this.cursor + 1) : this.cursor + 1 - append.firstRevision;
    const start = Math.max(from, behind);
    if (start >= to) return;
    this.cursor = isAll ? append.positionOf(to - 1) : append.firstRevision + to - 1;
    if (isAll && hiddenFromAll(append)) return;
    if (!this.filter && !this.resolveLinks) {
      pieces.push(append.frames(start, to));
      return;
    }
    const chosen = chooser(this.filter, append);
    for (let index = start; index < to; index++) {
      if (chosen(index)) {
        pieces.push(
          this.resolveLinks
            ? resolved(this.store, append, index, this.live)
            : append.frames(index, index + 1),
        );
      }
      if (this.filter && ++this.considered >= this.filter.checkpointInterval) {
        this.considered = 0;
        pieces.push(checkpoint(append.positionOf(index)));
      }
    }
  }
}
