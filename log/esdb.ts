/** The event log on EventStoreDB. Its client is known in this file and in `event-store/` alone. */
import { randomUUID } from 'node:crypto';
import { JOURNAL } from '#contracts/events/journal';
import { comparePositions, type Position } from '#contracts/log';
import {
  AppendDenied,
  LogUnavailable,
  OutcomeUnknown,
  WrongExpectedRevision,
  type AppendResult,
  type EventLog,
  type LeaderWitness,
  type SubscriptionItem,
  type NewEvent,
  type RawEvent,
} from './event-log.js';
import { ANY_REVISION, append } from './event-store/append.js';
import { FeaturesUnknown } from './event-store/append-stream.js';
import { ClientReading } from './event-store/client-reading.js';
import { clientFor, nodeClient } from './event-store/connection.js';
import { Gossip } from './event-store/gossip.js';
import { diskRoomAt, type DiskRoom } from './event-store/disk-room.js';
import { LeaderConnection } from './event-store/leader-connection.js';
import { LeanReading } from './event-store/lean-reading.js';
import type { ReadRequest } from './event-store/read-messages.js';
import { messageOf, unavailable, type CallWatch, type Reading } from './event-store/reading.js';
import { isOfStore, troubleAt, type StorePlace, type StoreTrouble } from './event-store/trouble.js';
import { followThroughDrops } from './event-store/resubscribing.js';
import { StoreNode } from './event-store/store-node.js';
import { channelCredentials, parseStoreUrl } from './event-store/store-url.js';
import { StoreHealth } from './store-health.js';

/** A system stream for reading the store's clock: it is no part of our history, and not chained. */
const CLOCK_STREAM = 'encore-clock';
const CLOCK_METADATA = `$$${CLOCK_STREAM}`;
const CLOCK_WITHIN_MS = 5_000;
/** After so much silence of the store a read is given up. */
const READ_SILENCE_MS = 10_000;
/** So long a read waits for a node that leads. */
const LEADER_WITHIN_MS = 2_000;

/** For specs and benches, which read in both ways. */
export interface EsdbLogOptions {
  /** Which way of reading; the lean one, unless the client's channel cannot be had. */
  readonly reading?: 'lean' | 'client';
  readonly readSilenceMs?: number;
}

export class EsdbLog implements EventLog {
  readonly health = new StoreHealth();
  readonly #leader: LeaderConnection<StoreNode>;
  readonly #gossip: Gossip;

  /** The stores that this process has not closed yet. */
  static readonly #places = new Set<StorePlace>();

  private constructor(
    private readonly place: StorePlace,
    options: EsdbLogOptions,
  ) {
    EsdbLog.#places.add(place);
    const store = parseStoreUrl(place.url);
    const credentials = channelCredentials(store);
    const { reading = 'lean', readSilenceMs = READ_SILENCE_MS } = options;
    const open = (address: string): StoreNode => {
      const connected = nodeClient(store, address, credentials);
      const watch: CallWatch = {
        heard: () => this.#leader.heard(node),
        failed: (error) => this.#leader.failed(node, error),
        leftBecause: () => node.leftBecause,
      };
      const lean = reading === 'lean' ? LeanReading.over(connected.client, readSilenceMs, watch) : undefined;
      const node = new StoreNode(
        address,
        connected,
        lean ?? new ClientReading(connected.client, readSilenceMs, watch),
      );
      return node;
    };
    this.#gossip = new Gossip({ seeds: store.nodes, isDiscovered: store.isDiscovered, credentials });
    this.#leader = new LeaderConnection({
      ...(!store.isCluster && { only: store.nodes[0]! }),
      whoLeads: () => this.#gossip.whoLeads(),
      open,
      ping: async (node) => {
        for await (const _ of node.reading.read({ lastOf: JOURNAL }));
      },
      health: this.health,
    });
  }

  /**
   * A log at `esdb://user:password@host:port?tls=true&tlsCAFile=…` or the like. Connects at first use. Throws
   * {@link BadSetting} for one that cannot be used; `name` is what the setting is called.
   */
  static connect(url: string, name = 'EVENTSTORE_URL', options: EsdbLogOptions = {}): EsdbLog {
    // The client is the judge of what can be understood.
    clientFor(url, name);
    return new EsdbLog({ name, url }, options);
  }

  /**
   * What people can do about a failure of an event store that this process uses, in one sentence without any
   * password; undefined for other failures. It asks the stores, which takes up to some seconds.
   */
  static async troubleBehind(error: unknown): Promise<string | undefined> {
    if (!isOfStore(error)) return undefined;
    const troubles = await Promise.all([...EsdbLog.#places].map(troubleAt));
    return troubles.find((trouble) => trouble !== undefined)?.sentence;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number,
    timeoutMs: number,
  ): Promise<AppendResult> {
    const { nextExpectedRevision, position } = await this.#append(
      stream,
      events,
      expectedRevision,
      timeoutMs,
    );
    const revision = Number(nextExpectedRevision);
    // The protocol allows an answer without a place; the event itself has one.
    return { revision, position: position ?? (await this.#positionAt(stream, revision)) };
  }

  async #append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number | typeof ANY_REVISION,
    timeoutMs: number,
  ): ReturnType<typeof append> {
    const began = performance.now();
    const node = this.#leader.present ?? (await this.#leader.within(timeoutMs));
    if (!node) {
      this.health.appendUnanswered(began);
      throw new OutcomeUnknown('No node of the event store leads');
    }
    try {
      const leftMs = Math.max(1, timeoutMs - (performance.now() - began));
      const answered = (): void => this.#leader.appendAnswered(node);
      const appended = await append(node, stream, events, expectedRevision, leftMs, answered);
      this.#leader.wrote(node);
      this.health.appended();
      return appended;
    } catch (error) {
      if (error instanceof WrongExpectedRevision || error instanceof AppendDenied) this.#leader.heard(node);
      else if (error instanceof OutcomeUnknown) {
        this.health.appendUnanswered(began);
        const { cause } = error;
        if (cause === undefined || cause instanceof FeaturesUnknown) this.#leader.appendUnanswered(node);
        if (cause !== undefined) this.#leader.failed(node, cause);
      }
      throw error;
    }
  }

  #writeClock(): ReturnType<typeof append> {
    const now = {
      id: randomUUID(),
      type: '$metadata',
      data: { readAt: new Date().toISOString() },
      metadata: {},
    };
    return this.#append(CLOCK_METADATA, [now], ANY_REVISION, CLOCK_WITHIN_MS);
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
    return this.#read({ stream, fromRevision, limit });
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    let last: RawEvent | undefined;
    for await (const raw of this.#read({ lastOf: stream })) last = raw;
    return last;
  }

  async *readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    // Only subscriptions take a filter in the client: the rest is passed over here. A read begins with the
    // position itself.
    for await (const raw of this.#read({ from: after }))
      if (
        prefixes.some((prefix) => raw.stream.startsWith(prefix)) &&
        comparePositions(raw.position, after) > 0
      )
        yield raw;
  }

  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem> {
    return this.#atLeader((reading) => followThroughDrops(reading, after, prefixes, signal));
  }

  #read(request: ReadRequest): AsyncIterable<RawEvent> {
    return this.#atLeader((reading) => reading.read(request));
  }

  /** A call to the node that leads, without a step between it and its reader where that node is known. */
  #atLeader<T>(call: (reading: Reading) => AsyncIterable<T>): AsyncIterable<T> {
    const { present } = this.#leader;
    return present ? call(present.reading) : this.#whenThereIsALeader(call);
  }

  async *#whenThereIsALeader<T>(call: (reading: Reading) => AsyncIterable<T>): AsyncGenerator<T> {
    const node = await this.#leader.within(LEADER_WITHIN_MS);
    if (!node) throw new LogUnavailable('No node of the event store leads');
    yield* call(node.reading);
  }

  witness(): LeaderWitness {
    const hasLed = this.#leader.witness();
    return {
      confirm: async () => {
        if (!(await hasLed()))
          throw new LogUnavailable('It is not certain which node of the event store leads');
      },
    };
  }

  async storeTime(): Promise<Date> {
    try {
      await this.#writeClock();
      const written = await this.lastOf(CLOCK_METADATA);
      if (written) return written.createdAt;
      throw new LogUnavailable('The store did not tell its time');
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** What keeps this store from being used; see {@link EsdbLog.troubleBehind}. */
  trouble(): Promise<StoreTrouble | undefined> {
    return troubleAt(this.place);
  }

  /**
   * How much room the disk has that the leading node writes to, by its own word; undefined where it tells
   * nothing.
   */
  async diskRoom(): Promise<DiskRoom | undefined> {
    const store = parseStoreUrl(this.place.url);
    const address = this.#leader.present?.address;
    return address === undefined
      ? undefined
      : diskRoomAt(address, channelCredentials(store), store.userAndPassword);
  }

  async close(): Promise<void> {
    EsdbLog.#places.delete(this.place);
    await this.#leader.close();
    this.#gossip.close();
  }
}
