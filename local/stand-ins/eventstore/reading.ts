/**
 * Reads and catch-up subscriptions. Both send what the store holds as it is stored, a good hundred kilobytes
 * to a write, and go on when the client has taken it. A subscription is live when it has nothing left to
 * read: then commits are pushed to it from memory. One that cannot keep up goes back to reading from disk,
 * from the last event it sent, so a slow subscriber costs no memory; and since the change between the two
 * happens between one line and the next of a single thread, nothing is lost or sent twice there.
 */
import { randomUUID } from 'node:crypto';

import type { StoredAppend } from './events.js';
import { GrpcError, GrpcStatus, type GrpcCall } from './grpc.js';
import {
  caughtUp,
  checkpoint,
  confirmation,
  firstStreamPosition,
  lastStreamPosition,
  resolvedLink,
  streamNotFound,
  type Filter,
  type ReadRequest,
} from './messages.js';
import type { Log, Slice } from './store.js';

/** The call's end when a stream is gone for good. */
export function streamIsDeleted(stream: string): GrpcError {
  return new GrpcError(GrpcStatus.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

/** Answers a read, and ends the call. */
export async function read(store: Log, call: GrpcCall, request: ReadRequest): Promise<void> {
  if (request.stream === undefined) await readAll(store, call, request);
  else await readStream(store, call, request, request.stream);
  call.finish();
}

async function readAll(store: Log, call: GrpcCall, request: ReadRequest): Promise<void> {
  const { from, backwards, limit = 0 } = request;
  const end = store.lastPosition;
  // Forwards a position is inclusive, backwards it is exclusive.
  let next = from === 'start' ? 0 : from === 'end' ? end + 1 : from;
  if (backwards) next = Math.min(next, end + 1) - 1;
  let left = limit;
  while (left > 0 && !call.closed) {
    const slices = store.sliceAll(next, backwards).filter(({ append }) => append.firstPosition <= end);
    if (slices.length === 0) return;
    const pieces: Buffer[] = [];
    for (const slice of slices) {
      left -= collect(store, pieces, slice, left, request);
      next = backwards ? slice.append.firstPosition - 1 : slice.append.lastPosition + 1;
      if (left === 0) break;
    }
    await send(call, pieces);
  }
}

async function readStream(store: Log, call: GrpcCall, request: ReadRequest, stream: string): Promise<void> {
  const { from, backwards, limit = 0, compatibility } = request;
  if (from === 'end' && !backwards) {
    // It reads from the revision -1 there, which it refuses, whether there is such a stream or not.
    throw new GrpcError(GrpcStatus.UNKNOWN, 'Unexpected ReadStreamResult: Error');
  }
  const view = store.view(stream);
  if (view.state === 'deleted') throw streamIsDeleted(stream);
  if (view.state === 'none') {
    call.write(streamNotFound(stream));
    return;
  }
  let next = from === 'start' ? 0 : from === 'end' ? view.last : from;
  if (backwards) next = Math.min(next, view.last);
  else if (next < view.first) next = view.first;
  if (compatibility > 0 && !backwards && next > view.last) call.write(firstStreamPosition(view.last + 1));
  let left = limit;
  while (left > 0 && !call.closed) {
    const slices = store.sliceStream(stream, next, view, backwards);
    if (slices.length === 0) break;
    const pieces: Buffer[] = [];
    for (const slice of slices) {
      left -= collect(store, pieces, slice, left, request);
      next = backwards ? slice.append.firstRevision + slice.from - 1 : slice.append.firstRevision + slice.to;
      if (left === 0) break;
    }
    await send(call, pieces);
  }
  if (compatibility > 0) call.write(lastStreamPosition(view.last));
}

/** Adds the messages of a slice, `limit` at most, and answers how many. */
function collect(store: Log, pieces: Buffer[], slice: Slice, limit: number, request: ReadRequest): number {
  const { append, from, to } = slice;
  const { backwards, filter, resolveLinks } = request;
  if (request.stream === undefined && hiddenFromAll(append)) return 0;
  if (!backwards && !filter && !resolveLinks) {
    const count = Math.min(limit, to - from);
    pieces.push(append.frames(from, from + count));
    return count;
  }
  const chosen = chooser(filter, append);
  let count = 0;
  for (let step = 0; step < to - from && count < limit; step++) {
    const index = backwards ? to - 1 - step : from + step;
    if (!chosen(index)) continue;
    pieces.push(resolveLinks ? resolved(store, append, index) : append.frames(index, index + 1));
    count++;
  }
  return count;
}

/** Sends and waits until there is room for more. */
async function send(call: GrpcCall, pieces: readonly Buffer[]): Promise<void> {
  // With nothing to send (all filtered out) there is still a turn of the loop to give to others.
  if (pieces.length === 0) await new Promise((resolve) => setImmediate(resolve));
  else if (!call.writeAll(pieces)) await call.drained();
}

const GROUPS_ON_ALL = Buffer.from('$persistentsubscription-$all::');

/**
 * Whether an append is not for readers of $all: what groups of consumers on $all write of their own progress
 * there.
 */
export function hiddenFromAll({ streamName }: StoredAppend): boolean {
  if (
    streamName.length < GROUPS_ON_ALL.length ||
    GROUPS_ON_ALL.compare(streamName, 0, GROUPS_ON_ALL.length) !== 0
  )
    return false;
  return /-(checkpoint|parked)$/.test(streamName.toString('utf8'));
}

/**
 * Tells which events of an append a filter lets pass. All of them have one stream: its name is looked at
 * once.
 */
export function chooser(filter: Filter | undefined, append: StoredAppend): (index: number) => boolean {
  if (filter?.on === 'type') return (index) => matches(filter, append.type(index));
  const all = !filter || matches(filter, append.streamName);
  return () => all;
}

function matches({ regex, prefixes }: Filter, name: Buffer): boolean {
  if (regex) return regex.test(name.toString('utf8'));
  return prefixes.some(
    (prefix) => name.length >= prefix.length && prefix.compare(name, 0, prefix.length) === 0,
  );
}

const LINK_TYPE = Buffer.from('$>');

/** What a link points at: the stream, and the event where it can be seen. */
export interface LinkTarget {
  readonly stream: string;
  readonly found: { readonly append: StoredAppend; readonly index: number } | undefined;
}

/** What a link points at. Its data is `revision@stream`. Undefined: it is no link. */
export function linkTarget(store: Log, append: StoredAppend, index: number): LinkTarget | undefined {
  if (!append.type(index).equals(LINK_TYPE)) return undefined;
  const text = append.data(index).toString('utf8');
  const at = text.indexOf('@');
  const revision = /^\d{1,15}$/.test(text.slice(0, at)) ? Number(text.slice(0, at)) : undefined;
  const found = at < 0 || revision === undefined ? undefined : store.event(text.slice(at + 1), revision);
  return { stream: text.slice(at + 1), found };
}

/** The message for an event; for a link, with what it points at. */
function resolved(store: Log, append: StoredAppend, index: number): Buffer {
  const link = linkTarget(store, append, index);
  if (!link) return append.frames(index, index + 1);
  const target = link.found?.append.recorded(link.found.index);
  return resolvedLink(append.recorded(index), target, append.firstPosition + index);
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
    const start = stream === undefined ? 0 : -1;
    this.cursor = from === 'start' ? start : from === 'end' ? this.head() : from;
  }

  start(): void {
    this.call.write(confirmation(randomUUID()));
    this.catchUp().catch((error: unknown) => this.call.fail(error));
  }

  /** What a commit wrote, of the stream subscribed to. */
  push(appends: readonly StoredAppend[]): void {
    if (!this.live) return;
    if (this.stream !== undefined && this.store.isDeleted(this.stream)) {
      this.call.fail(streamIsDeleted(this.stream));
      return;
    }
    const pieces: Buffer[] = [];
    for (const append of appends) this.take(pieces, { append, from: 0, to: append.count });
    if (pieces.length === 0 || this.call.writeAll(pieces)) return;
    this.live = false;
    this.call
      .drained()
      .then(() => this.catchUp())
      .catch((error: unknown) => this.call.fail(error));
  }

  private async catchUp(): Promise<void> {
    while (!this.call.closed) {
      const slices = this.next();
      if (slices.length === 0) {
        this.live = true;
        if (!this.caughtUpSent) this.call.write(caughtUp());
        this.caughtUpSent = true;
        return;
      }
      const pieces: Buffer[] = [];
      for (const slice of slices) this.take(pieces, slice);
      await send(this.call, pieces);
    }
  }

  private next(): Slice[] {
    if (this.stream === undefined) return this.store.sliceAll(this.cursor + 1, false);
    const view = this.store.view(this.stream);
    if (view.state === 'deleted') throw streamIsDeleted(this.stream);
    return this.store.sliceStream(this.stream, Math.max(this.cursor + 1, view.first), view, false);
  }

  private head(): number {
    return this.stream === undefined ? this.store.lastPosition : this.store.view(this.stream).last;
  }

  /** Adds what is to be sent of a slice, and moves on behind it. */
  private take(pieces: Buffer[], { append, from, to }: Slice): void {
    const first = this.stream === undefined ? append.firstPosition : append.firstRevision;
    // A client may ask to begin behind what there is.
    const start = Math.max(from, this.cursor + 1 - first);
    if (start >= to) return;
    this.cursor = first + to - 1;
    if (this.stream === undefined && hiddenFromAll(append)) return;
    if (!this.filter && !this.resolveLinks) {
      pieces.push(append.frames(start, to));
      return;
    }
    const chosen = chooser(this.filter, append);
    for (let index = start; index < to; index++) {
      if (chosen(index)) {
        pieces.push(
          this.resolveLinks ? resolved(this.store, append, index) : append.frames(index, index + 1),
        );
      }
      if (this.filter && ++this.considered >= this.filter.checkpointInterval) {
        this.considered = 0;
        pieces.push(checkpoint(append.firstPosition + index));
      }
    }
  }
}
