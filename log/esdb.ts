/**
 * The event log on EventStoreDB: the only file that knows its client. The client's errors become the port's
 * few; its appends get a timer, which it does not have itself.
 */
import type { Readable } from 'node:stream';
import {
  ANY,
  BACKWARDS,
  END,
  ErrorType,
  EventStoreDBClient,
  FORWARDS,
  isCommandError,
  NO_STREAM as NO_STREAM_YET,
  START as FROM_START,
  StreamNotFoundError,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventData,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { BadSetting } from '#contracts/configuration';
import { comparePositions, START, type Position } from '#contracts/log';
import {
  LogUnavailable,
  NO_STREAM,
  OutcomeUnknown,
  WrongExpectedRevision,
  type Appended,
  type EventLog,
  type Followed,
  type NewEvent,
  type RawEvent,
} from './event-log.js';

/** A system stream for reading the store's clock: it is no part of our history, and not chained. */
const CLOCK_STREAM = 'encore-clock';
const CLOSE_WITHIN_MS = 1_000;
const READ_SILENCE_MS = 10_000;
const encoder = new TextEncoder();

export class EsdbLog implements EventLog {
  private constructor(private readonly client: EventStoreDBClient) {}

  /**
   * A log at `esdb://user:password@host:port?tls=true&tlsCAFile=…` or the like. Connects at first use. Throws
   * {@link BadSetting} for one that cannot be used; `name` is what the setting is called.
   */
  static connect(url: string, name = 'EVENTSTORE_URL'): EsdbLog {
    // The client answers what it does not understand by repeating the whole of it, password included.
    const unknown = [...(url.split('?')[1] ?? '').matchAll(/(?:^|&)([^=&]*)/g)]
      .map(([, option = '']) => option)
      .find((option) => option !== '' && !CONNECTION_OPTIONS.has(option.toLowerCase()));
    if (unknown !== undefined)
      throw new BadSetting(`${name} has the option "${unknown}", which is not known.`);
    try {
      return new EsdbLog(EventStoreDBClient.connectionString(url));
    } catch (error) {
      const file = messageOf(error).startsWith('Failed to load certificate');
      throw new BadSetting(
        file
          ? `${name} names a certificate file that is not there.`
          : `${name} cannot be understood: it must be like esdb://user:password@host:2113?tls=true&tlsCAFile=/path/to/ca.pem.`,
      );
    }
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number,
    timeoutMs: number,
  ): Promise<Appended> {
    const expected = expectedRevision === NO_STREAM ? NO_STREAM_YET : BigInt(expectedRevision);
    const appending = this.client.appendToStream(stream, events.map(eventData), {
      expectedRevision: expected,
      deadline: timeoutMs,
    });
    // The client sends the deadline and then waits for ever; a silent server must not hang us.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new OutcomeUnknown(`No answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      const { nextExpectedRevision, position } = await Promise.race([appending, late]);
      const revision = Number(nextExpectedRevision);
      // The protocol allows an answer without a place; the event itself has one.
      return { revision, position: position ?? (await this.#positionAt(stream, revision)) };
    } catch (error) {
      void appending.catch(() => undefined);
      if (error instanceof OutcomeUnknown) throw error;
      const type = error instanceof Error && isCommandError(error) ? error.type : undefined;
      if (type === ErrorType.WRONG_EXPECTED_VERSION)
        throw new WrongExpectedRevision(stream, expectedRevision);
      // In an outage the client rejects with raw gRPC errors as well as its own: whatever is not a refusal
      // leaves it open.
      if (type !== undefined && REFUSALS.has(type)) throw error;
      throw new OutcomeUnknown(messageOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #positionAt(stream: string, revision: number): Promise<Position> {
    for await (const { position } of this.readStream(stream, revision, 1)) return position;
    throw new OutcomeUnknown(`Revision ${revision} of ${stream} cannot be read back`);
  }

  readStream(stream: string, fromRevision: number, limit?: number): AsyncIterable<RawEvent> {
    const maxCount = limit ?? Number.MAX_SAFE_INTEGER;
    return rawEvents(
      this.client.readStream(stream, { direction: FORWARDS, fromRevision: BigInt(fromRevision), maxCount }),
    );
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    let last: RawEvent | undefined;
    for await (const raw of rawEvents(
      this.client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1 }),
    ))
      last = raw;
    return last;
  }

  async *readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent> {
    const fromPosition = after.commit === START.commit ? FROM_START : after;
    // Only subscriptions take a filter in this client: the rest is passed over here. A read begins with the
    // position itself.
    for await (const raw of rawEvents(this.client.readAll({ direction: FORWARDS, fromPosition })))
      if (
        prefixes.some((prefix) => raw.stream.startsWith(prefix)) &&
        comparePositions(raw.position, after) > 0
      )
        yield raw;
  }

  async *follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<Followed> {
    if (signal.aborted) return;
    // The client tells of progress beside its stream of events. Pushed into the stream itself, the word keeps
    // its place: a checkpoint that overtook buffered events would lose them at the next start.
    const subscription: AllStreamSubscription = this.client.subscribeToAll({
      fromPosition: after.commit === START.commit ? FROM_START : after,
      filter: streamNameFilter({
        prefixes: [...prefixes],
        checkpointInterval: 10,
        checkpointReached: (_, position) =>
          void inside.push({ kind: 'checkpoint', position } satisfies Followed),
      }),
    });
    // It is a Transform, which its type does not say.
    const inside = subscription as unknown as Pick<Readable, 'push' | 'destroy'>;
    subscription.on('caughtUp', () => void inside.push({ kind: 'caught-up' } satisfies Followed));
    const stop = (): void => {
      void subscription.unsubscribe().catch(() => undefined);
      // The client swallows its own cancellation; without this, whoever waits for the next event waits for
      // ever.
      inside.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const item of subscription as AsyncIterable<AllStreamResolvedEvent | Followed>) {
        if ('kind' in item) yield item;
        else if (item.event) yield { kind: 'event', event: rawEvent(item.event) };
      }
      if (!signal.aborted) throw new LogUnavailable('The subscription ended');
    } catch (error) {
      if (!signal.aborted) throw unavailable(error);
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async storeTime(): Promise<Date> {
    try {
      await this.client.setStreamMetadata(
        CLOCK_STREAM,
        { readAt: new Date().toISOString() },
        { expectedRevision: ANY },
      );
      const written = await this.lastOf(`$$${CLOCK_STREAM}`);
      if (written) return written.createdAt;
      throw new LogUnavailable('The store did not tell its time');
    } catch (error) {
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    // The client waits for every call it ever made; what does not end by itself is not worth a process that
    // hangs.
    await Promise.race([
      this.client.dispose(),
      new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref()),
    ]);
  }
}

/** The options of a connection string, those excepted that the client does not heed. */
const CONNECTION_OPTIONS = new Set(
  [
    'tls',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
    'connectionName',
    'defaultDeadline',
    'throwOnAppendFailure',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
    'discoveryInterval',
    'gossipTimeout',
    'nodePreference',
  ].map((option) => option.toLowerCase()),
);

/** The store understood the append and will not do it: nothing was written. */
const REFUSALS = new Set<ErrorType>([
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.ACCESS_DENIED,
  ErrorType.UNSUPPORTED,
]);

/**
 * The events of a read. A reader who leaves early leaves the call open, and the client waits for it when it
 * is closed: it is cancelled. The client's reads have no deadline either: one that stands still for a while
 * is given up.
 */
async function* rawEvents(
  reading: StreamingRead<ResolvedEvent | AllStreamResolvedEvent>,
): AsyncGenerator<RawEvent> {
  let waitingSince: number | undefined = performance.now();
  const watch = setInterval(() => {
    if (waitingSince !== undefined && performance.now() - waitingSince > READ_SILENCE_MS)
      (reading as unknown as Pick<Readable, 'destroy'>).destroy(
        new LogUnavailable(`Nothing was read for ${READ_SILENCE_MS / 1000} seconds`),
      );
  }, READ_SILENCE_MS / 4);
  let ended = false;
  try {
    for await (const { event } of reading) {
      waitingSince = undefined;
      if (event) yield rawEvent(event);
      waitingSince = performance.now();
    }
    ended = true;
  } catch (error) {
    ended = !(error instanceof LogUnavailable);
    if (!(error instanceof StreamNotFoundError)) throw unavailable(error);
  } finally {
    clearInterval(watch);
    if (!ended) await reading.cancel();
  }
}

function eventData(event: NewEvent): EventData {
  // Metadata as bytes spares the client a turn through base64.
  const metadata = ArrayBuffer.isView(event.metadata)
    ? event.metadata
    : encoder.encode(JSON.stringify(event.metadata));
  return {
    id: event.id,
    type: event.type,
    contentType: ArrayBuffer.isView(event.data) ? 'application/octet-stream' : 'application/json',
    data: event.data as Record<string, unknown>,
    metadata,
  } as EventData;
}

function rawEvent(event: RecordedEvent | AllStreamRecordedEvent): RawEvent {
  if (!event.position) throw new LogUnavailable(`Event ${event.id} came without its position`);
  return {
    id: event.id,
    stream: event.streamId,
    revision: Number(event.revision),
    position: event.position,
    type: event.type,
    data: event.data,
    metadata: event.metadata,
    createdAt: event.created,
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const unavailable = (error: unknown): Error =>
  error instanceof LogUnavailable ? error : new LogUnavailable(messageOf(error), { cause: error });
