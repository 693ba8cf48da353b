/**
 * Reads. They send what the store holds as it is stored, a good hundred kilobytes to a write, and go on when
 * the client has taken it.
 */
import type { StoredAppend } from './events.js';
import { GrpcError, GrpcStatus, type GrpcCall } from './grpc.js';
import {
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
  if (typeof from === 'number' && isForeign(store, from))
    throw new GrpcError(GrpcStatus.UNKNOWN, 'Unexpected ReadAllResult: Error');
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

/**
 * Whether a position in $all is one that no event has: of another log, or of one that was lost. What lies
 * beyond the end is not known to be so.
 */
export function isForeign(store: Log, position: number): boolean {
  if (position < 1 || position > store.lastPosition) return false;
  const [slice] = store.sliceAll(position, false);
  return slice?.append.positionOf(slice.from) !== position;
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
export async function send(call: GrpcCall, pieces: readonly Buffer[]): Promise<void> {
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
interface LinkTarget {
  readonly stream: string;
  /** Whether there is a number before the stream's name. */
  readonly isNumbered: boolean;
  readonly found: { readonly append: StoredAppend; readonly index: number } | undefined;
}

/** What a link points at. Its data is `revision@stream`, -1 for the last. Undefined: it is no link. */
export function linkTarget(store: Log, append: StoredAppend, index: number): LinkTarget | undefined {
  if (!append.type(index).equals(LINK_TYPE)) return undefined;
  const [number = '', ...names] = append.data(index).toString('utf8').split('@');
  const stream = names.join('@');
  const isNumbered = /^\s*[+-]?\d{1,15}\s*$/.test(number);
  if (!isNumbered || names.length === 0) return { stream, isNumbered, found: undefined };
  const revision = Number(number) === -1 ? store.view(stream).last : Number(number);
  return { stream, isNumbered, found: store.event(stream, revision) };
}

/**
 * The message for an event; for a link, with what it points at. A link without a number is taken for an event
 * of its own where it is read, and for one that points at nothing where it is told of live.
 */
export function resolved(store: Log, append: StoredAppend, index: number, isLive = false): Buffer {
  const link = linkTarget(store, append, index);
  if (!link || !(link.isNumbered || isLive)) return append.frames(index, index + 1);
  const target = link.found?.append.recorded(link.found.index);
  return resolvedLink(append.recorded(index), target, append.positionOf(index));
}
