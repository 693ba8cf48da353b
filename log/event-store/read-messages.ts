/**
 * The messages of the event store's call `Read`: what is asked, and what it answers. Events keep the bytes in
 * which they are stored; nothing is parsed until it is asked for.
 */
import { START, type Position } from '#contracts/log';
import type { SubscriptionItem, RawEvent } from '../event-log.js';
import { jsonOrBytes, jsonOrText, plainBytes, StoredContent } from '../stored-content.js';
import { field, MalformedMessage, MessageReader, numberField } from './wire.js';

/** What is read: a stream forwards, the last event of a stream, or $all forwards. */
export type ReadRequest =
  | { readonly stream: string; readonly fromRevision: number; readonly limit: number }
  | { readonly lastOf: string }
  | { readonly from: Position };

/** How many events of other streams are considered between two checkpoints: so many times 32. */
export const CHECKPOINT_INTERVAL = 10;

const NOTHING = Buffer.alloc(0);
const IDS_AS_TEXT = field(9, field(2));
const NO_FILTER = field(8);
const BACKWARDS = numberField(3, 1);

const ofStream = (stream: string, ...from: readonly Buffer[]): Buffer =>
  field(1, field(1, field(3, stream)), ...from);
const ofAll = (from: Position): Buffer =>
  field(
    2,
    from.commit === START.commit
      ? field(2)
      : field(1, numberField(1, from.commit), numberField(2, from.prepare)),
  );
const options = (...parts: readonly Buffer[]): Buffer => field(1, ...parts, IDS_AS_TEXT);

/** The message that asks for events up to the present end. */
export function readMessage(request: ReadRequest): Buffer {
  if ('from' in request)
    return options(ofAll(request.from), numberField(5, Number.MAX_SAFE_INTEGER), NO_FILTER);
  if ('lastOf' in request)
    return options(ofStream(request.lastOf, field(4)), BACKWARDS, numberField(5, 1), NO_FILTER);
  const { stream, fromRevision, limit } = request;
  return options(ofStream(stream, numberField(2, fromRevision)), numberField(5, limit), NO_FILTER);
}

/** The message that asks for all after a position, of the streams that begin so, and for what comes. */
export function followMessage(after: Position, prefixes: readonly string[]): Buffer {
  const names = field(1, ...prefixes.map((prefix) => field(2, prefix)));
  return options(ofAll(after), field(6), field(7, names, field(4), numberField(5, CHECKPOINT_INTERVAL)));
}

// The tags of the fields that are read: eight times the field's number, plus 2 where it has a length.
const RESPONSE = { event: 0x0a, checkpoint: 0x1a, caughtUp: 0x42 } as const;
const READ_EVENT = { event: 0x0a } as const;
const POSITION = { commit: 0x08, prepare: 0x10 } as const;
const RECORDED = {
  id: 0x0a,
  stream: 0x12,
  revision: 0x18,
  prepare: 0x20,
  commit: 0x28,
  property: 0x32,
  metadata: 0x3a,
  data: 0x42,
} as const;
const STREAM_NAME = 0x1a;
const PROPERTY = { key: 0x0a, value: 0x12 } as const;
const UUID = { structured: 0x0a, text: 0x12 } as const;

/** What a response to a read or a subscription tells; undefined for one that tells nothing to us. */
export function readResponse(bytes: Buffer): SubscriptionItem | undefined {
  const reader = new MessageReader(bytes);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === RESPONSE.event) {
      const event = readEvent(reader);
      return event && { kind: 'event', event };
    }
    if (tag === RESPONSE.checkpoint) return { kind: 'checkpoint', position: readPosition(reader) };
    if (tag === RESPONSE.caughtUp) return { kind: 'caught-up' };
    reader.skip(tag);
  }
  return undefined;
}

/** An event beside which there may be the link that led to it; the event may be gone. */
function readEvent(reader: MessageReader): RawEvent | undefined {
  const end = reader.enter();
  let event: RawEvent | undefined;
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end)) {
    if (tag === READ_EVENT.event) event = readRecorded(reader);
    else reader.skip(tag);
  }
  return event;
}

function readRecorded(reader: MessageReader): RawEvent {
  const end = reader.enter();
  let [id, stream, revision, commit, prepare] = ['', '', 0n, 0n, 0n];
  let metadata: Buffer = NOTHING;
  let data: Buffer = NOTHING;
  let [type, contentType, created] = ['<no-event-type-provided>', '', ''];
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end)) {
    if (tag === RECORDED.id) id = readId(reader);
    else if (tag === RECORDED.stream) stream = readStreamName(reader);
    else if (tag === RECORDED.revision) revision = reader.uint64();
    else if (tag === RECORDED.prepare) prepare = reader.uint64();
    else if (tag === RECORDED.commit) commit = reader.uint64();
    else if (tag === RECORDED.metadata) metadata = reader.slice();
    else if (tag === RECORDED.data) data = reader.slice();
    else if (tag === RECORDED.property) {
      const [key, value] = readProperty(reader);
      if (key === 'type') type = value;
      else if (key === 'content-type') contentType = value;
      else if (key === 'created') created = value;
    } else reader.skip(tag);
  }
  return {
    id,
    stream,
    revision: revisionFrom(revision),
    position: { commit, prepare },
    type,
    data: new StoredContent(data, contentType === 'application/json' ? jsonOrText : plainBytes),
    metadata: new StoredContent(metadata, jsonOrBytes),
    createdAt: dateFrom(created),
  };
}

/** A stream that was deleted for good ends at a revision that no number of JavaScript's holds. */
export const revisionFrom = (revision: bigint): number => Math.min(Number(revision), Number.MAX_SAFE_INTEGER);

function readPosition(reader: MessageReader): Position {
  const end = reader.enter();
  let [commit, prepare] = [0n, 0n];
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end)) {
    if (tag === POSITION.commit) commit = reader.uint64();
    else if (tag === POSITION.prepare) prepare = reader.uint64();
    else reader.skip(tag);
  }
  return { commit, prepare };
}

function readProperty(reader: MessageReader): [key: string, value: string] {
  const end = reader.enter();
  let [key, value] = ['', ''];
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end)) {
    if (tag === PROPERTY.key) key = reader.text();
    else if (tag === PROPERTY.value) value = reader.text();
    else reader.skip(tag);
  }
  return [key, value];
}

function readStreamName(reader: MessageReader): string {
  const end = reader.enter();
  let name = '';
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end)) {
    if (tag === STREAM_NAME) name = reader.text();
    else reader.skip(tag);
  }
  return name;
}

/** Ids are asked for as text. */
function readId(reader: MessageReader): string {
  const end = reader.enter();
  let id = '';
  for (let tag = reader.tag(end); tag !== 0; tag = reader.tag(end)) {
    if (tag === UUID.text) id = reader.text();
    else if (tag === UUID.structured) throw new MalformedMessage('An id came as a number, not as text');
    else reader.skip(tag);
  }
  return id;
}

/** The store's time stamps count in 100 ns: without the last four digits they are milliseconds. */
function dateFrom(ticks: string): Date {
  const ms = Number(ticks.slice(0, -4));
  return new Date(Number.isNaN(ms) ? 0 : ms);
}
