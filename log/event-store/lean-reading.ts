/**
 * Reading from the event store by our own decoding, over the client's own channel: with its credentials, its
 * certificates and its way of connecting anew. The client's own reading takes several times as long and
 * answers parsed JSON, where the hash chain wants the bytes as stored.
 */
import {
  Client as GrpcClient,
  type CallOptions,
  type ClientReadableStream,
  type Metadata,
} from '@grpc/grpc-js';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Position } from '#contracts/log';
import type { SubscriptionItem, RawEvent } from '../event-log.js';
import { followMessage, readMessage, readResponse, type ReadRequest } from './read-messages.js';
import { nothingWasRead, subscriptionEnded, unavailable, type CallWatch, type Reading } from './reading.js';

const READ_CALL = '/event_store.client.streams.Streams/Read';

/** What the client makes its own calls with; it is no part of its documented interface. */
interface ClientInside {
  /**
   * Opens a call on the present channel. An error of the call makes the client connect anew where that helps.
   */
  GRPCStreamCreator<T>(
    client: typeof GrpcClient,
    name: string,
    open: (client: GrpcClient) => T,
  ): () => Promise<T>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
}

/** Stands for a response that tells us nothing: null would end the stream that it comes in. */
const NOTHING = Symbol('nothing');
type Decoder<T> = (bytes: Buffer) => T | typeof NOTHING;
type ResponseStream<T> = ClientReadableStream<T | typeof NOTHING>;

const followed: Decoder<SubscriptionItem> = (bytes) => readResponse(bytes) ?? NOTHING;
const eventAlone: Decoder<RawEvent> = (bytes) => {
  const response = readResponse(bytes);
  return response?.kind === 'event' ? response.event : NOTHING;
};

export class LeanReading implements Reading {
  private constructor(
    private readonly inside: ClientInside,
    private readonly silenceMs: number,
    private readonly watch: CallWatch,
  ) {}

  /** Undefined where the client lacks what this builds on. */
  static over(client: EventStoreDBClient, silenceMs: number, watch: CallWatch): LeanReading | undefined {
    const inside = client as unknown as Partial<ClientInside>;
    return typeof inside.GRPCStreamCreator === 'function' && typeof inside.callArguments === 'function'
      ? new LeanReading(inside as ClientInside, silenceMs, watch)
      : undefined;
  }

  read(request: ReadRequest): AsyncGenerator<RawEvent> {
    return this.#responses(readMessage(request), eventAlone, this.silenceMs);
  }

  async *follow(
    after: Position,
    prefixes: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<SubscriptionItem> {
    if (signal.aborted) return;
    yield* this.#responses(followMessage(after, prefixes), followed, undefined, signal);
    if (!signal.aborted) throw subscriptionEnded(this.watch.leftBecause());
  }

  async *#responses<T>(
    message: Buffer,
    decode: Decoder<T>,
    silenceMs?: number,
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    const call = new ReadCall<T>(this.#open(message, decode), silenceMs, this.watch);
    const leave = (): void => call.leave();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      do for (let response = call.take(); response !== undefined; response = call.take()) yield response;
      while (await call.hasMore());
    } finally {
      signal?.removeEventListener('abort', leave);
      leave();
    }
  }

  #open<T>(message: Buffer, decode: Decoder<T>): Promise<ResponseStream<T>> {
    return this.inside.GRPCStreamCreator(GrpcClient, 'read', (grpc) =>
      grpc.makeServerStreamRequest(
        READ_CALL,
        (bytes: Buffer) => bytes,
        decode,
        message,
        // No deadline, as with the client's own reads: a long one may take minutes. Silence is watched
        // instead.
        ...this.inside.callArguments({ requiresLeader: true }, { deadline: Infinity }),
      ),
    )();
  }
}

/** One call of `Read`, from which responses are taken as they are there: no promise for each of them. */
class ReadCall<T> {
  #stream: ResponseStream<T> | undefined;
  #state: 'open' | 'ended' | 'left' = 'open';
  #failure: unknown;
  #wake = (): void => undefined;

  constructor(
    opening: Promise<ResponseStream<T>>,
    private readonly silenceMs: number | undefined,
    private readonly watch: CallWatch,
  ) {
    const end = (failure?: unknown): void => {
      this.#failure ??= failure;
      if (failure !== undefined && this.#state === 'open') watch.failed(failure);
      if (this.#state === 'open') this.#state = 'ended';
      this.#wake();
    };
    opening.then((stream) => {
      this.#stream = stream;
      stream
        .on('readable', () => {
          watch.heard();
          if (this.#state === 'left') this.#discard();
          this.#wake();
        })
        .on('error', end)
        .on('end', () => {
          watch.heard();
          end();
        })
        .on('close', () => end());
      if (this.#state === 'left') stream.cancel();
    }, end);
  }

  /** A response that has come; undefined where there is none at the moment. */
  take(): T | undefined {
    while (this.#state !== 'left') {
      const response = (this.#stream?.read() ?? undefined) as T | typeof NOTHING | undefined;
      if (response !== NOTHING) return response;
    }
    return undefined;
  }

  /** Waits for more responses. False at the end. Throws LogUnavailable. */
  async hasMore(): Promise<boolean> {
    if (this.#state === 'left') return false;
    if (this.#failure !== undefined) throw unavailable(this.#failure, this.watch.leftBecause());
    if (this.#state === 'ended') return false;
    let silence: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      const { silenceMs } = this;
      if (silenceMs !== undefined) silence = setTimeout(() => reject(nothingWasRead(silenceMs)), silenceMs);
    }).finally(() => clearTimeout(silence));
    return true;
  }

  /** Takes no more; a call that has not ended is cancelled. */
  leave(): void {
    if (this.#state === 'open') {
      // Cancelled while it delivers a response, a call of grpc-js would fail on that.
      const stream = this.#stream;
      setImmediate(() => {
        stream?.cancel();
        this.#discard();
      });
    }
    this.#state = 'left';
    this.#wake();
  }

  /** An answer that is complete already cannot be cancelled: the client keeps its call until all is read. */
  #discard(): void {
    while (this.#stream && this.#stream.read() !== null);
  }
}
