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

/** What a hash covers, as the texts that are stored. */
export interface Link {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** The event's data as JSON. */
  readonly data: string;
  /** The event's metadata as JSON, without the hash. */
  readonly metadata: string;
}

const HASH_BYTES = 32;
const LENGTH_BYTES = 4;

/** The hash of an event that follows the one whose hash is `previous`. */
export function hashOf(previous: string, link: Link): string {
  const parts = [link.stream, String(link.revision), link.id, link.type, link.data, link.metadata];
  let size = HASH_BYTES;
  for (const part of parts) size += LENGTH_BYTES + Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(previous, 0, HASH_BYTES, 'base64url');
  for (const part of parts) {
    const length = bytes.write(part, at + LENGTH_BYTES, 'utf8');
    bytes.writeUInt32BE(length, at);
    at += LENGTH_BYTES + length;
  }
  return hash('sha256', bytes, 'base64url');
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
 * Follows one stream, from its first event or from where it was verified before, and throws {@link
 * ChainBroken} at the first that does not fit.
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
    if (raw.metadata === null || typeof raw.metadata !== 'object' || !('hash' in raw.metadata))
      throw new ChainBroken(this.stream, expected, 'the event carries no hash');
    // JSON that we wrote comes back from parse and stringify byte for byte: no numeric keys, no duplicate
    // ones.
    const { hash, ...metadata } = raw.metadata;
    const link = { ...raw, data: JSON.stringify(raw.data), metadata: JSON.stringify(metadata) };
    if (hash !== hashOf(this.hash, link))
      throw new ChainBroken(this.stream, expected, 'the event is not what was written here');
    this.hash = hash as string;
    this.revision = expected;
  }
}
