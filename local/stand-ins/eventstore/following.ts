/**
 * Catch-up subscriptions. One that has something to read reads it from the disk and waits for its client;
 * one that has nothing left is live: then commits are pushed to it from memory, and nobody waits for it.
 * Since the change between the two happens between one line and the next of a single thread, nothing is lost
 * or sent twice there.
 *
 * EventStoreDB drops a live subscription that is behind. What is published goes through two places of 32
 * events; whoever writes the answer takes them out there, but more slowly than a commit's events are put in,
 * and not at all while the client takes nothing. When both places are full, the subscription ends. Here the
 * events of a commit are published at once: how full the places would have been is reckoned.
 *
 * A stream that does not exist, or is deleted, is looked at now and then until there is something to read.
 */
import { randomUUID } from 'node:crypto';

import type { StoredAppend } from './events.js';
import { GrpcError, GrpcStatus, type GrpcCall } from './grpc.js';
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
/** Of each of the two places that events go through. */
const PLACE_EVENTS = 32;
/** How many events are written to a client while one is published. */
const WRITTEN_PER_PUBLISHED = 3 / 4;
/** Writers are woken one after the other: each when so many more events were published. */
const WOKEN_EVENTS_LATER = 4;

let roomInPlaces = 2 * PLACE_EVENTS;

/** From now on the places have no end: a bench shows what the drops cost. No real server can do that. */
export function dropNobody(): void {
  roomInPlaces = Infinity;
}

/** How full the two places of a subscription become while a commit is published. */
class LivePlaces {
  /** What is there from before. */
  waiting = 0;
  private published = 0;
  private put = 0;
  private wokenAt = Infinity;

  /**
   * Begins with a commit. `order` is the subscription's among those that are given something of it. Nothing
   * is taken out while the client is stuck.
   */
  begin(order: number, isStuck: boolean): void {
    this.published = 0;
    this.put = 0;
    this.wokenAt = isStuck ? Infinity : order * WOKEN_EVENTS_LATER;
  }

  /**
   * Puts in what one more event of the commit means to the subscription: so many messages. False: no room.
   */
  hold(messages: number): boolean {
    const filled = this.filledBy(messages, 1);
    if (filled > roomInPlaces) return false;
    this.published++;
    this.put += messages;
    return true;
  }

  /** Puts in events of the commit that are a message each, and answers how many there was room for. */
  room(events: number): number {
    // They fill up more and more: where the last one fits, all do.
    if (this.filledBy(events, events) <= roomInPlaces) {
      this.published += events;
      this.put += events;
      return events;
    }
    let held = 0;
    while (this.hold(1)) held++;
    return held;
  }

  /** Keeps what was put in: it is there when the next commit comes. */
  keep(): void {
    this.waiting += this.put;
  }

  private filledBy(messages: number, events: number): number {
    const awake = Math.max(0, this.published + events - this.wokenAt);
    return this.waiting + this.put + messages - Math.floor(awake * WRITTEN_PER_PUBLISHED);
  }
}

/** The end of a subscription that is behind. Its text is all that tells it from other ends with this code. */
function tooSlow(state: 'live' | 'transitioning to live'): GrpcError {
  return new GrpcError(
    GrpcStatus.ABORTED,
    `Operation timed out: Consumer too slow to handle event while ${state}. Client resubscription required.`,
  );
}

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
    subscription.start();
    if (request.stream === undefined) {
      this.toAll.add(subscription);
    } else {
      const others = this.toStream.get(request.stream) ?? new Set();
      this.toStream.set(request.stream, others.add(subscription));
    }
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
    let order = 0;
    for (const subscription of this.toAll) if (subscription.push(appends, order)) order++;
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
      for (const subscription of this.toStream.get(name) ?? []) if (subscription.push(of, order)) order++;
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
  private considered = 0;
  private readonly places = new LivePlaces();
  /** The client does not take what it was sent: what comes waits in the places. */
  private isStuck = false;
  private waiting: Buffer[] = [];

  constructor(
    private readonly store: Log,
    private readonly call: GrpcCall,
    { stream, from, filter, resolveLinks }: ReadRequest,
  ) {
    this.stream = stream;
    this.filter = filter;
    this.resolveLinks = resolveLinks;
    this.fromEnd = from === 'end';
    if (stream !== undefined) {
      this.cursor = from === 'start' ? -1 : from === 'end' ? store.view(stream).last : from;
      return;
    }
    if (typeof from === 'number' && isForeign(store, from)) throw handlerFailed();
    // Beyond the end, everything that comes is behind it: also what will have an earlier position.
    const { lastPosition } = store;
    this.cursor = from === 'start' ? 0 : from === 'end' ? lastPosition : Math.min(from, lastPosition);
  }

  start(): void {
    this.refuseDeleted();
    this.call.write(confirmation(randomUUID()));
    if (this.fromEnd) this.goLive();
    else this.catchUp().catch((error: unknown) => this.call.fail(error));
  }

  /**
   * What a commit wrote, of the stream subscribed to; `order` is this one's among those that are given
   * something of it. True: this is one of them.
   */
  push(appends: readonly StoredAppend[], order: number): boolean {
    if (!this.live) return false;
    const pieces: Buffer[] = [];
    this.places.begin(order, this.isStuck);
    for (const append of appends) {
      if (this.take(pieces, { append, from: 0, to: append.count }, this.places)) continue;
      this.end(pieces, tooSlow('live'));
      return true;
    }
    if (pieces.length === 0) return false;
    if (this.stream !== undefined && this.cursor === TOMBSTONE_REVISION)
      this.end(pieces, streamIsDeleted(this.stream));
    else if (this.isStuck) {
      this.waiting.push(...pieces);
      this.places.keep();
    } else this.write(pieces);
    return true;
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
        await this.transition();
        return;
      }
      const pieces: Buffer[] = [];
      for (const slice of slices) this.take(pieces, slice);
      await send(this.call, pieces);
    }
  }

  /**
   * Goes live from a moment later on. What is published until then is nobody's to push, nor is it waited for
   * room any longer: it must fit into the first place.
   */
  private async transition(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.call.closed) return;
    this.refuseDeleted();
    const pieces: Buffer[] = [];
    this.places.begin(0, false);
    this.places.waiting = PLACE_EVENTS;
    for (let slices = this.next(); slices.length > 0; slices = this.next()) {
      if (slices.every((slice) => this.take(pieces, slice, this.places))) continue;
      this.end(pieces, tooSlow('transitioning to live'));
      return;
    }
    this.places.waiting = 0;
    if (pieces.length > 0) this.write(pieces);
    this.goLive();
  }

  private goLive(): void {
    this.live = true;
    this.call.write(caughtUp());
  }

  private write(pieces: readonly Buffer[]): void {
    if (this.call.writeAll(pieces)) return;
    this.isStuck = true;
    void this.call.drained().then(() => {
      this.isStuck = false;
      const { waiting } = this;
      this.waiting = [];
      this.places.waiting = 0;
      if (waiting.length > 0) this.write(waiting);
    });
  }

  /** Ends it behind what it was given so far: a client that stands still learns that when it reads on. */
  private end(pieces: readonly Buffer[], error: GrpcError): void {
    this.live = false;
    const left = [...this.waiting, ...pieces];
    this.waiting = [];
    if (left.length > 0) this.call.writeAll(left);
    this.call.fail(error);
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

  /**
   * Adds what is to be sent of a slice, and moves on behind it. False: the places are full, and what does not
   * fit is left out.
   */
  private take(pieces: Buffer[], { append, from, to }: Slice, places?: LivePlaces): boolean {
    const isAll = this.stream === undefined;
    // A client may ask to begin behind what there is.
    const behind = isAll ? append.indexFrom(this.cursor + 1) : this.cursor + 1 - append.firstRevision;
    const start = Math.max(from, behind);
    if (start >= to) return true;
    this.cursor = isAll ? append.positionOf(to - 1) : append.firstRevision + to - 1;
    if (isAll && hiddenFromAll(append)) return true;
    if (!this.filter && !this.resolveLinks) {
      const room = places?.room(to - start) ?? to - start;
      if (room > 0) pieces.push(append.frames(start, start + room));
      return room === to - start;
    }
    const chosen = chooser(this.filter, append);
    for (let index = start; index < to; index++) {
      const isChosen = chosen(index);
      const isCheckpoint = this.filter !== undefined && ++this.considered >= this.filter.checkpointInterval;
      if (places && !places.hold((isChosen ? 1 : 0) + (isCheckpoint ? 1 : 0))) return false;
      if (isChosen) pieces.push(this.messageOf(append, index));
      if (!isCheckpoint) continue;
      this.considered = 0;
      pieces.push(checkpoint(append.positionOf(index)));
    }
    return true;
  }

  private messageOf(append: StoredAppend, index: number): Buffer {
    return this.resolveLinks
      ? resolved(this.store, append, index, this.live)
      : append.frames(index, index + 1);
  }
}
