/** One node of the event store, as long as it is the one that is asked. */
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { NodeClient } from './connection.js';
import type { Reading } from './reading.js';

export class StoreNode {
  readonly #waiting = new Set<(because: string) => void>();
  #leftBecause: string | undefined;

  constructor(
    /** `host:port`. */
    readonly address: string,
    private readonly connected: NodeClient,
    readonly reading: Reading,
  ) {}

  /** Why it was left; undefined while it was not. */
  get leftBecause(): string | undefined {
    return this.#leftBecause;
  }

  get client(): EventStoreDBClient {
    return this.connected.client;
  }

  /**
   * Calls when the node is left: nothing that it was asked is answered any more. Answers how to stop that.
   */
  onLeave(told: (because: string) => void): () => void {
    if (this.#leftBecause !== undefined) told(this.#leftBecause);
    else this.#waiting.add(told);
    return () => void this.#waiting.delete(told);
  }

  /** Ends every call of this node's, and its connection. */
  async leave(because: string): Promise<void> {
    this.#leftBecause = because;
    for (const told of this.#waiting) told(because);
    this.#waiting.clear();
    await this.connected.dispose();
  }
}
