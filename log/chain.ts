/**
 * The hash chain. Each event of a stream carries the SHA-256 of the hash before it and of all that the event
 * says, so that an edit, an insertion, a removal or a new order anywhere breaks every hash after it.
 *
 *     hash = SHA-256( previous hash ‖ for each of stream, revision, id, type, data, metadata: length as 4 bytes ‖ bytes )
 *
 * Lengths are big-endian, texts UTF-8, the revision its decimal digits, data the JSON bytes as stored,
 * metadata the JSON bytes as stored without `,"hash":"…"`, which is always last. Before a stream's first
 * event the hash is 32 zero bytes. Hashes are written as base64url.
 */
import { hash } from 'node:crypto';
import type { RawEvent } from './event-log.js';

/** The hash before a stream's first event: 32 zero bytes. */
export const GENESIS = Buffer.alloc(32).toString('base64url');

/** What a hash covers: texts, or their bytes in UTF-8. */
export interface Link {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** The event's data as stored. */
  readonly data: string | Uint8Array;
  /** The event's metadata as stored, without the hash. */
  readonly metadata: string | Uint8Array;
}

const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
const CLOSING_BRACE = 0x7d;

/** The hash of an event that follows the one whose hash is `previous`. */
export function hashOf(previous: string, link: Link): string {
  const parts = [link.stream, String(link.revision), link.id, link.type, link.data, link.metadata];
  let size = HASH_BYTES;
  for (const part of parts) size += LENGTH_BYTES + Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(previous, 0, HASH_BYTES, 'base64url');
  for (const part of parts) {
    const start = at + LENGTH_BYTES;
    if (typeof part !== 'string') bytes.set(part, start);
    const length = typeof part === 'string' ? bytes.write(part, start, 'utf8') : part.length;
    bytes.writeUInt32BE(length, at);
    at = start + length;
  }
  return hash('sha256', bytes, 'base64url');
}

/** The hash that an event carries, unchecked; undefined where it is not chained. */
export function carriedHash({ metadata: { value } }: Pick<RawEvent, 'metadata'>): string | undefined {
  return typeof value === 'object' && value !== null && 'hash' in value ? String(value.hash) : undefined;
}

const HASH_FIELD = Buffer.from(',"hash":"');
const HASH_FIELD_END = Buffer.from('"}');
/** The hash as base64url. */
const HASH_LENGTH = 43;
/** How many bytes the hash adds to metadata, in which it stands last. */
export const HASH_FIELD_BYTES = HASH_FIELD.length + HASH_LENGTH + 1;

/** Parts stored metadata from the hash that ends them; undefined for metadata that do not end with one. */
function withoutHash(stored: Buffer): { metadata: Buffer; hash: string } | undefined {
  const from = stored.length - HASH_FIELD_BYTES - 1;
  const hashFrom = from + HASH_FIELD.length;
  const hashEnd = hashFrom + HASH_LENGTH;
  if (
    from < 1 ||
    HASH_FIELD.compare(stored, from, hashFrom) !== 0 ||
    HASH_FIELD_END.compare(stored, hashEnd) !== 0
  )
    return undefined;
  // A copy: the bytes belong to whoever reads them next.
  const metadata = Buffer.from(stored.subarray(0, from + 1));
  metadata[from] = CLOSING_BRACE;
  return { metadata, hash: stored.toString('latin1', hashFrom, hashEnd) };
}

/**
 * The hash to which the event after this one is chained, whatever is wrong with this one: what it carries,
 * or, where it carries none, what it would have to carry.
 */
export function hashToFollow(previous: string, raw: RawEvent): string {
  const { stream, revision, id, type, data, metadata } = raw;
  return (
    withoutHash(metadata.bytes)?.hash ??
    hashOf(previous, { stream, revision, id, type, data: data.bytes, metadata: metadata.bytes })
  );
}

/** Where and how a chain does not hold. */
export class ChainBroken extends Error {
  override readonly name = 'ChainBroken';
  constructor(
    readonly stream: string,
    readonly revision: number,
    what: string,
  ) {
    super(`${stream} at revision ${revision}: ${what}`);
  }
}

/**
 * Verifies one stream event by event, from its first or from where it was verified before. Throws
 * {@link ChainBroken} at the first that does not fit.
 */
export class ChainVerifier {
  hash: string;
  revision: number;

  constructor(
    private readonly stream: string,
    from: { readonly hash: string; readonly revision: number } = { hash: GENESIS, revision: -1 },
  ) {
    this.hash = from.hash;
    this.revision = from.revision;
  }

  /** Takes the stream's next event, as stored. */
  next(raw: RawEvent): void {
    const expected = this.revision + 1;
    if (raw.stream !== this.stream || raw.revision !== expected)
      throw new ChainBroken(
        this.stream,
        expected,
        `the log has revision ${raw.revision} of ${raw.stream} here`,
      );
    const stored = withoutHash(raw.metadata.bytes);
    if (!stored) throw new ChainBroken(this.stream, expected, 'the event carries no hash');
    const { metadata, hash } = stored;
    const { stream, revision, id, type, data } = raw;
    if (hash !== hashOf(this.hash, { stream, revision, id, type, data: data.bytes, metadata }))
      throw new ChainBroken(this.stream, expected, 'the event is not what was written here');
    this.hash = hash;
    this.revision = expected;
  }

  /** Passes over an event that an operator took out: the chain goes on behind it. */
  skip(raw: RawEvent): void {
    this.hash = hashToFollow(this.hash, raw);
    this.revision = raw.revision;
  }
}
