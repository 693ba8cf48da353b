/**
 * Events as a client proposes them and as the store keeps them. One append is stored as one value: a short
 * head, a table of where each event lies, and the events themselves, each already the gRPC message that a
 * reader will be sent. So an event is encoded once, when it is written, and never again.
 */
import { MalformedMessage, putVarint, Reader, varintLength } from './wire.js';

/** An event of an append, as places inside the message that brought it. */
export interface ProposedEvent {
  readonly source: Buffer;
  /** 36 bytes of text, lower case. */
  readonly id: Buffer;
  readonly typeAt: number;
  readonly typeLength: number;
  readonly json: boolean;
  readonly metadataAt: number;
  readonly metadataLength: number;
  readonly dataAt: number;
  readonly dataLength: number;
}

/** A property that every event must name is missing. */
export class RequiredPropertyMissing extends Error {
  override readonly name = 'RequiredPropertyMissing';
  constructor(readonly property: string) {
    super(`Required metadata property '${property}' is missing`);
  }
}

const TYPE = Buffer.from('type');
const CONTENT_TYPE = Buffer.from('content-type');
const JSON_TYPE = Buffer.from('application/json');
const ID_LENGTH = 36;
const HYPHEN = 0x2d;

/** Reads a ProposedMessage (of an Append or a BatchAppend: they are alike) from its place in a message. */
export function readProposed(source: Buffer, from: number, to: number): ProposedEvent {
  const reader = new Reader(source, from, to);
  let id: Buffer | undefined;
  let typeAt = -1;
  let typeLength = 0;
  let contentType = false;
  let json = false;
  let metadataAt = 0;
  let metadataLength = 0;
  let dataAt = 0;
  let dataLength = 0;
  while (reader.next()) {
    const { field } = reader;
    if (field < 1 || field > 4) {
      reader.skip();
      continue;
    }
    const end = reader.enter();
    const at = reader.at;
    if (field === 4) {
      dataAt = at;
      dataLength = end - at;
    } else if (field === 3) {
      metadataAt = at;
      metadataLength = end - at;
    } else if (field === 1) {
      id = readUuid(new Reader(source, at, end));
    } else {
      const entry = new Reader(source, at, end);
      let keyAt = 0;
      let keyEnd = 0;
      let valueAt = 0;
      let valueEnd = 0;
      while (entry.next()) {
        const entryEnd = entry.enter();
        if (entry.field === 1) [keyAt, keyEnd] = [entry.at, entryEnd];
        else if (entry.field === 2) [valueAt, valueEnd] = [entry.at, entryEnd];
        entry.at = entryEnd;
      }
      if (equal(source, keyAt, keyEnd, TYPE)) {
        typeAt = valueAt;
        typeLength = valueEnd - valueAt;
      } else if (equal(source, keyAt, keyEnd, CONTENT_TYPE)) {
        contentType = true;
        json = equal(source, valueAt, valueEnd, JSON_TYPE);
      }
    }
    reader.at = end;
  }
  if (!id) throw new MalformedMessage('An event needs an id');
  if (typeAt < 0) throw new RequiredPropertyMissing('type');
  if (!contentType) throw new RequiredPropertyMissing('content-type');
  return { source, id, typeAt, typeLength, json, metadataAt, metadataLength, dataAt, dataLength };
}

/** An event that the store itself writes: stream metadata, a tombstone, a link. */
export function ownEvent(
  id: string,
  type: string,
  json: boolean,
  data: Buffer,
  metadata = Buffer.alloc(0),
): ProposedEvent {
  const source = Buffer.concat([Buffer.from(type), data, metadata]);
  const typeLength = source.length - data.length - metadata.length;
  return {
    source,
    id: Buffer.from(id),
    typeAt: 0,
    typeLength,
    json,
    metadataAt: typeLength + data.length,
    metadataLength: metadata.length,
    dataAt: typeLength,
    dataLength: data.length,
  };
}

/**
 * What an event counts for against the limit of one append. EventStoreDB 23.10.1 counts the data alone, its
 * successor the type's name too: what is taken here is taken by both, but for the name.
 */
export function sizeOf(event: ProposedEvent): number {
  return event.dataLength + event.metadataLength;
}

/** A UUID message as its 36 bytes of lower-case text. Throws MalformedMessage. */
export function readUuid(reader: Reader): Buffer {
  let text: Buffer | undefined;
  while (reader.next()) {
    if (reader.field === 2) text = reader.bytes();
    else if (reader.field === 1) text = structuredUuid(reader.message());
    else reader.skip();
  }
  if (!text || text.length !== ID_LENGTH) throw new MalformedMessage('An id must be a UUID');
  for (let i = 0; i < ID_LENGTH; i++) {
    const byte = text[i]!;
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (byte !== HYPHEN) throw new MalformedMessage('An id must be a UUID');
    } else if (byte >= 0x41 && byte <= 0x46) {
      // Ids are compared as text when an append is repeated, so there must be one way to write each.
      return readableUuid(text.toString('latin1').toLowerCase());
    } else if (!((byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66))) {
      throw new MalformedMessage('An id must be a UUID');
    }
  }
  return text;
}

function readableUuid(text: string): Buffer {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text))
    throw new MalformedMessage('An id must be a UUID');
  return Buffer.from(text, 'latin1');
}

function structuredUuid(reader: Reader): Buffer {
  const halves = Buffer.alloc(16);
  while (reader.next()) {
    if (reader.field === 1) halves.writeBigInt64BE(reader.int64(), 0);
    else if (reader.field === 2) halves.writeBigInt64BE(reader.int64(), 8);
    else reader.skip();
  }
  const hex = halves.toString('hex');
  return readableUuid(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
  );
}

function equal(source: Buffer, from: number, to: number, wanted: Buffer): boolean {
  if (to - from !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (source[from + i] !== wanted[i]) return false;
  return true;
}

const HEAD_BYTES = 28;
// Where positions are apart the head is longer by how far, and the length of the stream's name says so.
const IS_APART = 0x8000_0000;
const HEAD_BYTES_APART = 32;
/** What an event takes of a log beside what its writer gave, roughly: for its position only. */
const OVERHEAD_BYTES = 90;
/** Of the store's time stamps, which count in 100 ns. */
export const TICKS_PER_MS = 10_000;
const TABLE_ENTRY_BYTES = 12;

/**
 * The events of one append as stored: of one stream, at consecutive revisions. Positions are as far apart as
 * the events are long, about, so that those of another log are hardly ever some of this one, as with
 * EventStoreDB. (They were consecutive once; a log may begin with such.)
 */
export class StoredAppend {
  readonly stream: number;
  readonly count: number;
  readonly firstRevision: number;
  readonly firstPosition: number;
  private readonly apart: number;
  private readonly head: number;
  private readonly table: number;

  constructor(readonly bytes: Buffer) {
    this.stream = bytes.readUInt32LE(0);
    this.count = bytes.readUInt32LE(4);
    this.firstRevision = bytes.readDoubleLE(8);
    this.firstPosition = bytes.readDoubleLE(16);
    const nameBytes = bytes.readUInt32LE(24);
    const isApart = nameBytes >= IS_APART;
    this.apart = isApart ? bytes.readUInt32LE(HEAD_BYTES) : 1;
    this.head = isApart ? HEAD_BYTES_APART : HEAD_BYTES;
    this.table = this.head + (isApart ? nameBytes - IS_APART : nameBytes);
  }

  get lastRevision(): number {
    return this.firstRevision + this.count - 1;
  }

  get lastPosition(): number {
    return this.positionOf(this.count - 1);
  }

  /** The position that the append behind this one begins at. */
  get nextPosition(): number {
    return this.positionOf(this.count);
  }

  positionOf(index: number): number {
    return this.firstPosition + index * this.apart;
  }

  /** The index of the first event at a position or behind it; `count` when all are before it. */
  indexFrom(position: number): number {
    return Math.min(this.count, Math.max(0, Math.ceil((position - this.firstPosition) / this.apart)));
  }

  /** How many events there are up to a position, that one included. */
  countTo(position: number): number {
    return Math.min(this.count, Math.max(0, Math.floor((position - this.firstPosition) / this.apart) + 1));
  }

  /** The stream's name, as bytes: a filter compares them without decoding. */
  get streamName(): Buffer {
    return this.bytes.subarray(this.head, this.table);
  }

  type(index: number): Buffer {
    const entry = this.table + index * TABLE_ENTRY_BYTES;
    const at = this.bytes.readUInt32LE(entry + 4);
    return this.bytes.subarray(at, at + this.bytes.readUInt32LE(entry + 8));
  }

  id(index: number): Buffer {
    const reader = new Reader(this.bytes, this.frameAt(index) + 5);
    // ReadResp.event, ReadEvent.event, RecordedEvent.id, UUID.string: each is the first field of the one
    // before.
    for (let depth = 0; depth < 4; depth++) {
      reader.next();
      reader.enter();
    }
    return this.bytes.subarray(reader.at, reader.at + ID_LENGTH);
  }

  data(index: number): Buffer {
    return this.field(index, 8) ?? Buffer.alloc(0);
  }

  /** What its writer says of an event beside the event itself. */
  metadata(index: number): Buffer {
    return this.field(index, 7) ?? Buffer.alloc(0);
  }

  /** The RecordedEvent message inside an event's frame. */
  recorded(index: number): Buffer {
    const outer = new Reader(this.bytes, this.frameAt(index) + 5, this.frameAt(index + 1));
    // ReadResp.event, ReadEvent.event
    outer.next();
    const event = outer.message();
    event.next();
    return event.bytes();
  }

  /** When the store wrote the append, by its own clock, in milliseconds since the Unix epoch. */
  get createdMs(): number {
    const recorded = new Reader(this.recorded(0));
    while (recorded.next()) {
      if (recorded.field !== 6) {
        recorded.skip();
        continue;
      }
      const entry = recorded.message();
      let [key, value] = ['', ''];
      while (entry.next()) {
        if (entry.field === 1) key = entry.string();
        else value = entry.string();
      }
      if (key === 'created') return Number(value) / TICKS_PER_MS;
    }
    throw new MalformedMessage('A stored event does not say when it was written');
  }

  private field(index: number, number: number): Buffer | undefined {
    const recorded = new Reader(this.recorded(index));
    while (recorded.next()) {
      if (recorded.field === number) return recorded.bytes();
      recorded.skip();
    }
    return undefined;
  }

  /** The messages to send for the events [from, to), each with gRPC's prefix. Not copied. */
  frames(from: number, to: number): Buffer {
    return this.bytes.subarray(this.frameAt(from), this.frameAt(to));
  }

  private frameAt(index: number): number {
    return index === this.count
      ? this.bytes.length
      : this.bytes.readUInt32LE(this.table + index * TABLE_ENTRY_BYTES);
  }
}

/** Where an append goes. */
interface AppendPosition {
  readonly stream: number;
  readonly streamName: Buffer;
  readonly firstRevision: number;
  readonly firstPosition: number;
}

/** Encodes an append. `nowMs` is the store's clock, milliseconds since the Unix epoch. */
export function encodeAppend(
  events: readonly ProposedEvent[],
  place: AppendPosition,
  nowMs: number,
): StoredAppend {
  const { streamName, firstRevision, firstPosition } = place;
  const streamField = bytesField(0x12, bytesField(0x1a, streamName));
  // `created` is in ticks of 100 nanoseconds since the Unix epoch.
  const created = mapEntry('created', `${nowMs}0000`);
  const jsonTail = Buffer.concat([mapEntry('content-type', 'application/json'), created]);
  const binaryTail = Buffer.concat([mapEntry('content-type', 'application/octet-stream'), created]);

  let given = 0;
  for (const event of events) given += event.dataLength + event.metadataLength + 2 * event.typeLength;
  const apart = OVERHEAD_BYTES + streamName.length + Math.ceil(given / events.length);
  const table = HEAD_BYTES_APART + streamName.length;
  let total = table + events.length * TABLE_ENTRY_BYTES;
  const recordedSizes = new Array<number>(events.length);
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    const position = firstPosition + i * apart;
    const typeEntry = 7 + varintLength(event.typeLength) + event.typeLength;
    let recorded =
      4 +
      ID_LENGTH +
      streamField.length +
      3 +
      varintLength(firstRevision + i) +
      2 * varintLength(position) +
      1 +
      varintLength(typeEntry) +
      typeEntry +
      (event.json ? jsonTail.length : binaryTail.length);
    if (event.metadataLength > 0) recorded += 1 + varintLength(event.metadataLength) + event.metadataLength;
    if (event.dataLength > 0) recorded += 1 + varintLength(event.dataLength) + event.dataLength;
    recordedSizes[i] = recorded;
    const read = 2 + varintLength(recorded) + recorded + varintLength(position);
    total += 6 + varintLength(read) + read;
  }

  const bytes = Buffer.allocUnsafeSlow(total);
  bytes.writeUInt32LE(place.stream, 0);
  bytes.writeUInt32LE(events.length, 4);
  bytes.writeDoubleLE(firstRevision, 8);
  bytes.writeDoubleLE(firstPosition, 16);
  bytes.writeUInt32LE(IS_APART + streamName.length, 24);
  bytes.writeUInt32LE(apart, HEAD_BYTES);
  bytes.set(streamName, HEAD_BYTES_APART);

  let at = table + events.length * TABLE_ENTRY_BYTES;
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    const position = firstPosition + i * apart;
    const recorded = recordedSizes[i]!;
    const read = 2 + varintLength(recorded) + recorded + varintLength(position);
    const entry = table + i * TABLE_ENTRY_BYTES;
    bytes.writeUInt32LE(at, entry);
    bytes[at] = 0;
    bytes.writeUInt32BE(1 + varintLength(read) + read, at + 1);
    at += 5;
    bytes[at++] = 0x0a;
    at = putVarint(bytes, at, read);
    bytes[at++] = 0x0a;
    at = putVarint(bytes, at, recorded);
    bytes[at++] = 0x0a;
    bytes[at++] = 2 + ID_LENGTH;
    bytes[at++] = 0x12;
    bytes[at++] = ID_LENGTH;
    bytes.set(event.id, at);
    at += ID_LENGTH;
    bytes.set(streamField, at);
    at += streamField.length;
    bytes[at++] = 0x18;
    at = putVarint(bytes, at, firstRevision + i);
    bytes[at++] = 0x20;
    at = putVarint(bytes, at, position);
    bytes[at++] = 0x28;
    at = putVarint(bytes, at, position);
    bytes[at++] = 0x32;
    at = putVarint(bytes, at, 7 + varintLength(event.typeLength) + event.typeLength);
    bytes[at++] = 0x0a;
    bytes[at++] = TYPE.length;
    bytes.set(TYPE, at);
    at += TYPE.length;
    bytes[at++] = 0x12;
    at = putVarint(bytes, at, event.typeLength);
    bytes.writeUInt32LE(at, entry + 4);
    bytes.writeUInt32LE(event.typeLength, entry + 8);
    event.source.copy(bytes, at, event.typeAt, event.typeAt + event.typeLength);
    at += event.typeLength;
    const tail = event.json ? jsonTail : binaryTail;
    bytes.set(tail, at);
    at += tail.length;
    if (event.metadataLength > 0) {
      bytes[at++] = 0x3a;
      at = putVarint(bytes, at, event.metadataLength);
      event.source.copy(bytes, at, event.metadataAt, event.metadataAt + event.metadataLength);
      at += event.metadataLength;
    }
    if (event.dataLength > 0) {
      bytes[at++] = 0x42;
      at = putVarint(bytes, at, event.dataLength);
      event.source.copy(bytes, at, event.dataAt, event.dataAt + event.dataLength);
      at += event.dataLength;
    }
    bytes[at++] = 0x18;
    at = putVarint(bytes, at, position);
  }
  return new StoredAppend(bytes);
}

function bytesField(tag: number, value: Buffer): Buffer {
  const field = Buffer.allocUnsafe(1 + varintLength(value.length) + value.length);
  field[0] = tag;
  value.copy(field, putVarint(field, 1, value.length));
  return field;
}

function mapEntry(key: string, value: string): Buffer {
  return bytesField(
    0x32,
    Buffer.concat([bytesField(0x0a, Buffer.from(key)), bytesField(0x12, Buffer.from(value))]),
  );
}
