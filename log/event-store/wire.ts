/** Protobuf's coding of messages, as far as reading from the event store takes it. */

/** A message that is cut short, or is not protobuf. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;
/** A varint of so many bytes is exact as a JavaScript number. */
const EXACT_BYTES = 7;

/** Goes through a message from its first byte to its last, the messages inside it included. */
export class MessageReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  /** The number of the next field and how it is coded, as one number; 0 at the end of the message. */
  tag(end = this.bytes.length): number {
    return this.#at < end ? this.number() : 0;
  }

  /** Steps into a message, text or bytes, and answers where it ends. */
  enter(): number {
    const length = this.number();
    const end = this.#at + length;
    if (end > this.bytes.length) throw new MalformedMessage('A field is cut short');
    return end;
  }

  /** The bytes of a field, not copied. */
  slice(): Buffer {
    const end = this.enter();
    const slice = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return slice;
  }

  text(): string {
    const end = this.enter();
    const text = this.bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  /** A whole number, exact up to 2^53. */
  number(): number {
    let value = 0;
    for (let scale = 1; this.#at < this.bytes.length; scale *= 128) {
      const byte = this.bytes[this.#at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage('A number is cut short');
  }

  /** A whole number of 64 bits without a sign. */
  uint64(): bigint {
    const from = this.#at;
    const value = this.number();
    if (this.#at - from <= EXACT_BYTES) return BigInt(value);
    let exact = 0n;
    for (let at = this.#at - 1; at >= from; at -= 1) exact = (exact << 7n) | BigInt(this.bytes[at]! & 0x7f);
    return BigInt.asUintN(64, exact);
  }

  /** Passes over a field that is not wanted. */
  skip(tag: number): void {
    const coding = tag % 8;
    if (coding === VARINT) this.number();
    else if (coding === FIXED64) this.#at += 8;
    else if (coding === FIXED32) this.#at += 4;
    else if (coding === LENGTH_DELIMITED) this.#at = this.enter();
    else throw new MalformedMessage('A field is coded in an unknown way');
  }
}

/** A field that holds a text, bytes or other fields. */
export function field(number: number, ...content: readonly (string | Uint8Array)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([varint(BigInt(number * 8 + LENGTH_DELIMITED)), varint(BigInt(bytes.length)), bytes]);
}

/** A field that holds a whole number without a sign. */
export const numberField = (number: number, value: bigint | number): Buffer =>
  Buffer.concat([varint(BigInt(number * 8 + VARINT)), varint(BigInt(value))]);

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
