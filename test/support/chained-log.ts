/**
 * A log in memory whose streams are chained, with events of no meaning: for specs about hashes and places
 * alone.
 */
import { JOURNAL } from '#contracts/events/journal';
import { GENESIS, hashOf } from '#log/chain';
import { MemoryLog } from './memory-log.js';

export class ChainedLog extends MemoryLog {
  readonly #ends = new Map<string, { revision: number; hash: string }>();

  /** Adds an event at the end of a stream. */
  add(stream: string, type = 'X', data: object = {}, id: string = crypto.randomUUID()): void {
    const before = this.#ends.get(stream) ?? { revision: -1, hash: GENESIS };
    const revision = before.revision + 1;
    const metadata = { version: 1, recordedAt: '2026-11-01T00:00:00.000Z', correlationId: 'c' };
    const hash = hashOf(before.hash, {
      stream,
      revision,
      id,
      type,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    });
    this.put(stream, { id, type, data, metadata: { ...metadata, hash } });
    this.#ends.set(stream, { revision, hash });
  }

  /** Adds so many events, two of the journal to one of another stream. */
  fill(count: number): this {
    for (let n = 0; n < count; n += 1) this.add(n % 3 === 2 ? 'settings-usr_juno' : JOURNAL, 'X', { n });
    return this;
  }
}
