/** The keys under which the store keeps its tables in LMDB; they sort as positions and revisions do. */
import { createHash } from 'node:crypto';

const MAX_KEYED_NAME_BYTES = 400;

/** Writes a whole number below 2^63 as eight bytes that sort as the numbers do. */
function putKeyNumber(key: Buffer, at: number, value: number): void {
  key.writeUInt32BE(Math.floor(value / 0x100000000), at);
  key.writeUInt32BE(value % 0x100000000, at + 4);
}

/** Reads what {@link putKeyNumber} wrote. */
export function readKeyNumber(key: Buffer, at: number): number {
  return key.readUInt32BE(at) * 0x100000000 + key.readUInt32BE(at + 4);
}

/** The key of an append: the position of its first event. */
export function positionKey(position: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  putKeyNumber(key, 0, position);
  return key;
}

/** The key of a stream's append: the stream's number and the revision of the append's first event. */
export function revisionKey(stream: number, revision: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  key.writeUInt32BE(stream, 0);
  putKeyNumber(key, 4, revision);
  return key;
}

/**
 * The key of a stream's name. LMDB's keys are short; a name that is longer is keyed by its hash, behind a
 * byte that no text begins with.
 */
export function nameKey(name: string): Buffer {
  const bytes = Buffer.from(name, 'utf8');
  if (bytes.length > 0 && bytes.length <= MAX_KEYED_NAME_BYTES) return bytes;
  return Buffer.concat([Buffer.of(0xff), createHash('sha256').update(bytes).digest()]);
}
