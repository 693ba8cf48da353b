/** The event log on EventStoreDB. Its client is known in this file and in `event-store/` alone. */
import { ANY, type EventStoreDBClient } from '@eventstore/db-client';
import { comparePositions, type Position } from '#contracts/log';
import {
  LogUnavailable,
  OutcomeUnknown,
  type AppendResult,
  type EventLog,
  type LeaderWitness,
  type SubscriptionItem,
  type NewEvent,
  type RawEvent,
} from './event-log.js';
import { append } from './event-store/append.js';
import { ClientReading } from './event-store/client-reading.js';
import { clientFor, dispose } from './event-store/connection.js';
import { LeanReading } from './event-store/lean-reading.js';
import { messageOf, unavailable, type Reading } from './event-store/reading.js';
import { followThroughDrops } from './event-store/resubscribing.js';
import { StoreHealth } from './store-health.js';

/** A system stream for reading the store's clock: it is no part of our history, and not chained. */
const CLOCK_STREAM = 'encore-clock';
/** After so much silence of the store a read is given up. */
const READ_SILENCE_MS = 10_000;

/** For specs and benches, which read in both ways. */
export interface EsdbLogOptions {
  /** Which way of reading; the lean one, unless the client's channel cannot be had. */
  readonly reading?: 'lean' | 'client';
  readonly readSilenceMs?: number;
}

export class EsdbLog implements EventLog {
  readonly health = new StoreHealth();

  private constructor(
    private readonly client: EventStoreDBClient,
    private readonly reading: Reading,
  ) {}

  /**
   * A log at `esdb://user:password@host:port?tls=true&tlsCAFile=…` or the like. Connects at first use. Throws
   * {@link BadSetting} for one that cannot be used; `name` is what the setting is called.
   */
  static connect(url: string, name = 'EVENTSTORE_URL', options: EsdbLogOptions = {}): EsdbLog {
    const client = clientFor(url, name);
    const { reading = 'lean', readSilenceMs = READ_SILENCE_MS } = options;
    const lean = reading === 'lean' ? LeanReading.over(client, readSilenceMs) : undefined;
    return new EsdbLog(client, lean ?? new ClientReading(client, readSilenceMs));
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number,
    timeoutMs: number,
  ): Promise<AppendResult> {
    const began = performance.now();
    const appended = await append(this.client, stream, events, expectedRevision, timeoutMs).catch(
      (error: unknown) => {
        if (error instanceof OutcomeUnknown) this.health.appendUnanswered(began);
        throw error;
      },
    );
    this.health.appended();
    const revision = Number(appended.nextExpectedRevision);
    // The protocol allows an answer without a place; the event itself has one.
    return { revision, position: appended.position ?? (await this.#positionAt(stream, revision)) };
  }

  async #positionAt(stream: string, revision: number): Promise<Position> {
    try {
      for await (const { position } of this.readStream(stream, revision, 1)) return position;
    } catch (error) {
      throw new OutcomeUnknown(messageOf(error), { cause: error });
    }
    throw new OutcomeUnknown(`Revision ${revision} of ${stream} cannot be read back`);
  }

  readStream(stream: string, fromRevision: number, limit = Number.MAX_SAFE_INTEGER): AsyncIterable<RawEvent> {
    return this.reading.read({ stream, fromRevision, limit });
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    let last: RawEvent | undefined;
    for await (const raw of this.reading.read({ lastOf: stream })) last = raw;
    return last;
  }

  async *readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    // Only subscriptions take a filter in the client: the rest is passed over here. A read begins with the
    // position itself.
    for await (const raw of this.reading.read({ from: after }))
      if (
        prefixes.some((prefix) => raw.stream.startsWith(prefix)) &&
        comparePositions(raw.position, after) > 0
      )
        yield raw;
  }

  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem> {
    return followThroughDrops(this.reading, after, prefixes, signal);
  }

  witness(): LeaderWitness {
    return { confirm: () => Promise.resolve() };
  }

  async storeTime(): Promise<Date> {
    try {
      await this.client.setStreamMetadata(
        CLOCK_STREAM,
        { readAt: new Date().toISOString() },
        { expectedRevision: ANY },
      );
      this.health.appended();
      const written = await this.lastOf(`$$${CLOCK_STREAM}`);
      if (written) return written.createdAt;
      throw new LogUnavailable('The store did not tell its time');
    } catch (error) {
      throw unavailable(error);
    }
  }

  close(): Promise<void> {
    return dispose(this.client);
  }
}
