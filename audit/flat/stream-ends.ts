/** The end of every stream as far as it was read, in about seventy bytes a stream. */
import { ChainVerifier, GENESIS } from '#log/chain';
import { BytesColumn, Column, IdTable } from './id-table.js';

const HASH_BYTES = 32;

/** Streams are named by the row that {@link endOf} answers. */
export class StreamEnds {
  readonly #rows = new IdTable();
  /** The last revision + 1: zero before the first event. */
  readonly #counts = new Column(Float64Array);
  /** How far the chain was verified: that may be less. */
  readonly #chained = new Column(Float64Array);
  readonly #hashes = new BytesColumn(HASH_BYTES);
  readonly #recorded = new Column(Float64Array);
  readonly #broken = new Column(Uint8Array);

  /** How many streams there are. */
  get size(): number {
    return this.#rows.size;
  }

  endOf(stream: string): number {
    return this.#rows.row(stream);
  }

  /** The last revision that was read; -1 before the first. */
  revisionOf(end: number): number {
    return this.#counts.get(end) - 1;
  }

  setRevision(end: number, revision: number): void {
    this.#counts.set(end, revision + 1);
  }

  /** When the last event that could be read was recorded, in milliseconds since 1970; 0 before the first. */
  recordedMsOf(end: number): number {
    return this.#recorded.get(end);
  }

  setRecordedMs(end: number, ms: number): void {
    this.#recorded.set(end, ms);
  }

  /** A verifier that goes on where the stream's chain was verified last. */
  chainOf(stream: string, end: number): ChainVerifier {
    const count = this.#chained.get(end);
    const hash = count === 0 ? GENESIS : this.#hashes.at(end).toString('base64url');
    return new ChainVerifier(stream, { hash, revision: count - 1 });
  }

  keepChain(end: number, { hash, revision }: ChainVerifier): void {
    this.#chained.set(end, revision + 1);
    this.#hashes.at(end).write(hash, 'base64url');
  }

  /** The chain broke: what follows cannot be judged by it. */
  breakChain(end: number): void {
    this.#broken.set(end, 1);
  }

  isBroken(end: number): boolean {
    return this.#broken.get(end) === 1;
  }
}
