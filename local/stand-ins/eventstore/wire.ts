/**
 * Protobuf's wire coding, by hand: the store parses and writes a few dozen thousand events a second in one
 * process that shares two cores with its client, and generated message classes would cost it several times as
 * much.
 *
 * Integers are JavaScript numbers. Above 2^53 they lose precision, which is harmless here: a revision or
 * position of that size only ever means "beyond everything". The one exception has a name,
 * TOMBSTONE_REVISION.
 */

/**
 * What a tombstone's revision, 2^63 − 1 on the wire, is called inside: a number that keys and comparisons can
 * hold.
 */
export const TOMBSTONE_REVISION = Number.MAX_SAFE_INTEGER;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** A message that is not valid protobuf, or not of the shape the service defines. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** Reads one message (or one field of it) inside a buffer, without copying. */
export class Reader {
  /** Number of the field read last. */
  field = 0;
  private wireType = 0;

  constructor(
    readonly source: Buffer,
    public at = 0,
    public end = source.length,
  ) {}

  /** Moves to the next field. False at the end of the message. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    return true;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.at >= this.end) throw new MalformedMessage('A number in the message is cut short');
      const byte = this.source[this.at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  /** Steps over the length of a length-delimited field and answers where it ends; `at` is where it begins. */
  enter(): number {
    if (this.wireType !== BYTES) throw new MalformedMessage(`Field ${this.field} has the wrong type`);
    const end = this.varint() + this.at;
    if (end > this.end) throw new MalformedMessage(`Field ${this.field} is cut short`);
    return end;
  }

  /** The field's bytes, not copied. */
  bytes(): Buffer {
    const end = this.enter();
    const from = this.at;
    this.at = end;
    return this.source.subarray(from, end);
  }

  string(): string {
    const end = this.enter();
    const from = this.at;
    this.at = end;
    return this.source.toString('utf8', from, end);
  }

  message(): Reader {
    const end = this.enter();
    const inner = new Reader(this.source, this.at, end);
    this.at = end;
    return inner;
  }

  /** A 64-bit signed varint, exactly. */
  int64(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (this.at >= this.end) throw new MalformedMessage('A number in the message is cut short');
      const byte = this.source[this.at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }

  skip(): void {
    if (this.wireType === VARINT) this.varint();
    else if (this.wireType === BYTES) this.at = this.enter();
    else if (this.wireType === FIXED64) this.at += 8;
    else if (this.wireType === FIXED32) this.at += 4;
    else throw new MalformedMessage(`Field ${this.field} has an unknown type`);
  }
}

/** How many bytes a number takes as a varint. */
export function varintLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  if (value < 0x10000000) return 4;
  if (value === TOMBSTONE_REVISION) return 9;
  let length = 4;
  for (let rest = Math.floor(value / 0x10000000); rest > 0; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes a varint and answers where the next byte goes. */
export function putVarint(target: Buffer, at: number, value: number): number {
  if (value === TOMBSTONE_REVISION) {
    target.fill(0xff, at, at + 8);
    target[at + 8] = 0x7f;
    return at + 9;
  }
  let rest = value;
  while (rest > 0x7fffffff) {
    target[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  while (rest > 0x7f) {
    target[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[at] = rest;
  return at + 1;
}

/** Builds a small message; the large ones (events) are written straight into place. */
export class Writer {
  private target = Buffer.allocUnsafe(256);
  private at = 0;

  private room(bytes: number): void {
    if (this.at + bytes <= this.target.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.target.length * 2, this.at + bytes));
    this.target.copy(larger, 0, 0, this.at);
    this.target = larger;
  }

  number(field: number, value: number): this {
    this.room(20);
    this.at = putVarint(this.target, this.at, field * 8 + VARINT);
    this.at = putVarint(this.target, this.at, value);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.room(20 + value.length);
    this.at = putVarint(this.target, this.at, field * 8 + BYTES);
    this.at = putVarint(this.target, this.at, value.length);
    this.target.set(value, this.at);
    this.at += value.length;
    return this;
  }

  string(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value, 'utf8'));
  }

  message(field: number, build: (inner: Writer) => void): this {
    const inner = new Writer();
    build(inner);
    return this.bytes(field, inner.finish());
  }

  empty(field: number): this {
    return this.bytes(field, NOTHING);
  }

  finish(): Buffer {
    return this.target.subarray(0, this.at);
  }

  /** The message behind gRPC's prefix: one byte (not compressed) and its length. */
  frame(): Buffer {
    const framed = Buffer.allocUnsafe(5 + this.at);
    framed[0] = 0;
    framed.writeUInt32BE(this.at, 1);
    this.target.copy(framed, 5, 0, this.at);
    return framed;
  }
}

const NOTHING = new Uint8Array(0);
