/**
 * One node of the log in memory, as one process is connected to it. It can be cut off from the others: then
 * it answers reads as before, with what it has, claims to lead, and does not say what becomes of an append.
 */
import type { Position } from '#contracts/log';
import {
  LogUnavailable,
  OutcomeUnknown,
  type AppendResult,
  type EventLog,
  type LeaderWitness,
  type NewEvent,
  type RawEvent,
  type SubscriptionItem,
} from '#log/event-log';
import { StoreHealth } from '#log/store-health';
import type { MemoryLog } from './memory-log.js';

export class MemoryNode implements EventLog {
  readonly health = new StoreHealth();
  /** How many events it had when it was cut off; undefined while it is not. */
  #has: number | undefined;

  constructor(private readonly log: MemoryLog) {}

  /** From here on it is given nothing new, and whoever asks it is not told. */
  cutOff(): void {
    this.#has = this.log.all.length;
  }

  /** It knows all again: or the process is connected to the leader. */
  heal(): void {
    this.#has = undefined;
  }

  async append(stream: string, events: readonly NewEvent[], expectedRevision: number): Promise<AppendResult> {
    if (this.#has !== undefined) throw new OutcomeUnknown('Server Is Not Ready');
    return this.log.append(stream, events, expectedRevision);
  }

  async *readStream(stream: string, fromRevision: number, limit?: number): AsyncIterable<RawEvent> {
    for await (const raw of this.log.readStream(stream, fromRevision, limit)) if (this.#knows(raw)) yield raw;
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    return this.log.all.slice(0, this.#has).findLast((raw) => raw.stream === stream);
  }

  async *readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    for await (const raw of this.log.readAll(after, prefixes)) if (this.#knows(raw)) yield raw;
  }

  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem> {
    return this.log.follow(after, prefixes, signal);
  }

  witness(): LeaderWitness {
    const before = this.#has;
    return {
      confirm: async () => {
        if (before !== undefined || this.#has !== undefined)
          throw new LogUnavailable('It is not certain who leads');
      },
    };
  }

  storeTime(): Promise<Date> {
    return this.log.storeTime();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #knows(raw: RawEvent): boolean {
    return this.#has === undefined || this.log.all.indexOf(raw) < this.#has;
  }
}
