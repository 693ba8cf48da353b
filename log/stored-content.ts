/**
 * What an event carries, its data or its metadata: the bytes as stored, which the hash chain covers, and what
 * they say, parsed when it is first asked for.
 */

/** Makes a value of the bytes. */
type ContentReader = (bytes: Buffer) => unknown;

export class StoredContent {
  #reader: ContentReader | undefined;
  #value: unknown;
  /** Whether their writer said that they are bytes, and not JSON. */
  readonly isBytes: boolean;

  constructor(
    readonly bytes: Buffer,
    reader: ContentReader,
  ) {
    this.#reader = reader;
    this.isBytes = reader === plainBytes;
  }

  /** A value as this system stores it: JSON without spaces; bytes stay what they are. */
  static of(value: unknown): StoredContent {
    if (value instanceof StoredContent) return value;
    if (ArrayBuffer.isView(value))
      return new StoredContent(Buffer.from(value.buffer, value.byteOffset, value.byteLength), plainBytes);
    return value === undefined
      ? new StoredContent(Buffer.alloc(0), () => undefined)
      : new StoredContent(Buffer.from(JSON.stringify(value)), jsonOrText);
  }

  /** What the bytes say: the same object each time, not to be changed. */
  get value(): unknown {
    if (this.#reader) this.#value = this.#reader(this.bytes);
    this.#reader = undefined;
    return this.#value;
  }

  toJSON(): unknown {
    return this.value;
  }
}

/** Data that their writer called JSON. What is none is text. */
export function jsonOrText(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Data that their writer did not call JSON. */
export const plainBytes = (bytes: Buffer): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Metadata, of which nobody says whether they are JSON. An event may have none. */
export function jsonOrBytes(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return plainBytes(bytes);
  }
}
