/**
 * Reading from the event store as its client does it, for a client whose channel cannot be had. It answers
 * values, not bytes: these are written again, so a hash chain holds for what this system wrote.
 */
import type { Readable } from 'node:stream';
import {
  BACKWARDS,
  END,
  FORWARDS,
  START as FROM_START,
  StreamNotFoundError,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type RecordedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { START, type Position } from '#contracts/log';
import { LogUnavailable, type SubscriptionItem, type RawEvent } from '../event-log.js';
import { StoredContent } from '../stored-content.js';
import { CHECKPOINT_INTERVAL, revisionFrom, type ReadRequest } from './read-messages.js';
import { nothingWasRead, subscriptionEnded, unavailable, type CallWatch, type Reading } from './reading.js';

/** A follower would answer what it has heard of so far. */
const LEADER = { requiresLeader: true };

export class ClientReading implements Reading {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly silenceMs: number,
    private readonly watch: CallWatch,
  ) {}

  /**
   * A reader who leaves early leaves the call open, and the client waits for it when it is closed: it is
   * cancelled. The client's reads have no deadline either: one that stands still for a while is given up.
   */
  async *read(request: ReadRequest): AsyncGenerator<RawEvent> {
    const reading = this.#start(request);
    let waitingSince: number | undefined = performance.now();
    const watch = setInterval(() => {
      if (waitingSince !== undefined && performance.now() - waitingSince > this.silenceMs)
        (reading as unknown as Pick<Readable, 'destroy'>).destroy(nothingWasRead(this.silenceMs));
    }, this.silenceMs / 4);
    let ended = false;
    try {
      for await (const { event } of reading) {
        this.watch.heard();
        waitingSince = undefined;
        if (event) yield rawEvent(event);
        waitingSince = performance.now();
      }
      const leftBecause = this.watch.leftBecause();
      if (leftBecause !== undefined) throw new LogUnavailable(leftBecause);
      this.watch.heard();
      ended = true;
    } catch (error) {
      ended = !(error instanceof LogUnavailable);
      if (error instanceof StreamNotFoundError) return this.watch.heard();
      this.watch.failed(error);
      throw unavailable(error, this.watch.leftBecause());
    } finally {
      clearInterval(watch);
      if (!ended) await reading.cancel();
    }
  }

  #start(request: ReadRequest): StreamingRead<ResolvedEvent | AllStreamResolvedEvent> {
    if ('from' in request)
      return this.client.readAll({ ...LEADER, direction: FORWARDS, fromPosition: placeOf(request.from) });
    if ('lastOf' in request)
      return this.client.readStream(request.lastOf, {
        ...LEADER,
        direction: BACKWARDS,
        fromRevision: END,
        maxCount: 1,
      });
    const { stream, fromRevision, limit } = request;
    return this.client.readStream(stream, {
      ...LEADER,
      direction: FORWARDS,
      fromRevision: BigInt(fromRevision),
      maxCount: limit,
    });
  }

  async *follow(
    after: Position,
    prefixes: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<SubscriptionItem> {
    if (signal.aborted) return;
    // The client tells of progress beside its stream of events. Pushed into the stream itself, the word keeps
    // its place: a checkpoint that overtook buffered events would lose them at the next start.
    const subscription: AllStreamSubscription = this.client.subscribeToAll({
      ...LEADER,
      fromPosition: placeOf(after),
      filter: streamNameFilter({
        prefixes: [...prefixes],
        checkpointInterval: CHECKPOINT_INTERVAL,
        checkpointReached: (_, position) =>
          void inside.push({ kind: 'checkpoint', position } satisfies SubscriptionItem),
      }),
    });
    // It is a Transform, which its type does not say.
    const inside = subscription as unknown as Pick<Readable, 'push' | 'destroy'>;
    subscription.on('caughtUp', () => void inside.push({ kind: 'caught-up' } satisfies SubscriptionItem));
    const stop = (): void => {
      void subscription.unsubscribe().catch(() => undefined);
      // The client swallows its own cancellation; without this, whoever waits for the next event waits for
      // ever.
      inside.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const item of subscription as AsyncIterable<AllStreamResolvedEvent | SubscriptionItem>) {
        this.watch.heard();
        if ('kind' in item) yield item;
        else if (item.event) yield { kind: 'event', event: rawEvent(item.event) };
      }
      if (!signal.aborted) throw subscriptionEnded(this.watch.leftBecause());
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LogUnavailable)) this.watch.failed(error);
      throw unavailable(error, this.watch.leftBecause());
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }
}

const placeOf = (position: Position): Position | typeof FROM_START =>
  position.commit === START.commit ? FROM_START : position;

function rawEvent(event: RecordedEvent | AllStreamRecordedEvent): RawEvent {
  if (!event.position) throw new LogUnavailable(`Event ${event.id} came without its position`);
  return {
    id: event.id,
    stream: event.streamId,
    revision: revisionFrom(event.revision),
    position: event.position,
    type: event.type,
    data: StoredContent.of(event.data),
    metadata: StoredContent.of(event.metadata),
    createdAt: event.created,
  };
}
