/** The log behind the gate: read as ever, and appended to only while the gate is open. */
import { isOurStream } from '#contracts/events/our-streams';
import { comparePositions, START, type Position } from '#contracts/log';
import type {
  AppendResult,
  EventLog,
  LeaderWitness,
  NewEvent,
  RawEvent,
  SubscriptionItem,
} from '#log/event-log';
import type { StoreHealth } from '#log/store-health';
import type { KnownEvent } from './known-events.js';
import type { StartGate } from './start-gate.js';

export class GatedLog implements EventLog {
  #last: { readonly position: Position; readonly event: KnownEvent } | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly gate: Pick<StartGate, 'isOpen' | 'pass'>,
  ) {}

  /** The event furthest on that this process has appended; undefined before the first. */
  get lastAppended(): KnownEvent | undefined {
    return this.#last?.event;
  }

  get health(): StoreHealth {
    return this.log.health;
  }

  /** Throws WritesClosed beside what the log throws. */
  async append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number,
    timeoutMs: number,
  ): Promise<AppendResult> {
    if (!isOurStream(stream)) return this.log.append(stream, events, expectedRevision, timeoutMs);
    if (!this.gate.isOpen) await this.gate.pass(timeoutMs);
    const appended = await this.log.append(stream, events, expectedRevision, timeoutMs);
    const { revision, position } = appended;
    if (comparePositions(position, this.#last?.position ?? START) > 0)
      this.#last = { position, event: { stream, revision, id: events.at(-1)?.id } };
    return appended;
  }

  readStream(stream: string, fromRevision: number, limit?: number): AsyncIterable<RawEvent> {
    return this.log.readStream(stream, fromRevision, limit);
  }

  lastOf(stream: string): Promise<RawEvent | undefined> {
    return this.log.lastOf(stream);
  }

  readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    return this.log.readAll(after, prefixes);
  }

  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem> {
    return this.log.follow(after, prefixes, signal);
  }

  witness(): LeaderWitness {
    return this.log.witness();
  }

  storeTime(): Promise<Date> {
    return this.log.storeTime();
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
