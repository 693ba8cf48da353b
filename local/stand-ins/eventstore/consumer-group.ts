/**
 * A group of consumers that share the events of a stream, or of $all: each event goes to one of them, and
 * again, to that one or another, until somebody says that it is done. How far all is done is written to a
 * stream of the group's own now and then, and so are links to the events that were set aside ("parked"): both
 * outlive a restart. What is behind the last of those checkpoints is handed out again then.
 *
 * It does what EventStoreDB 23.10 does, also where that loses events: who tries code here is to see it here.
 */
import { randomUUID } from 'node:crypto';

import {
  consumedEvent,
  consumerConfirmation,
  consumerDropped,
  correlationIn,
  groupIsFull,
  placeText,
  sourceOf,
  type GroupInfo,
  type GroupName,
  type GroupSettings,
  type NackAction,
} from './consumer-messages.js';
import { ownEvent, type StoredAppend } from './events.js';
import type { GrpcCall } from './grpc.js';
import { readFilter, type Filter } from './messages.js';
import { chooser, hiddenFromAll, linkTarget } from './reading.js';
import type { Log, Slice } from './store.js';
import { Reader } from './wire.js';

const PIN_BUCKETS = 1024;

/** An event on its way through the group. */
interface Message {
  /** What consumers name it by: the id of the event, or of the link that led to it. */
  readonly id: string;
  readonly event: Buffer | undefined;
  readonly link: Buffer | undefined;
  /** Its revision in the stream, or its position in $all. */
  readonly place: number;
  /** The place that the group had read to when it came to this. */
  readonly before: number;
  readonly position: number;
  /** Its revision in the stream that it, or the link to it, came from. */
  readonly revision: number;
  /** Where it is to be found again: `revision@stream`. */
  readonly origin: string;
  /** Those of one bucket go to one consumer, where the strategy is to pin. */
  readonly bucket: number;
  readonly retryCount: number;
  /** Whether it was parked and is brought back. */
  readonly replayed: boolean;
}

interface InHand {
  readonly message: Message;
  readonly consumer: Consumer;
  readonly dueAt: number;
}

/** One connection that takes events. */
export class Consumer {
  inFlight = 0;
  total = 0;

  constructor(
    readonly call: GrpcCall,
    readonly size: number,
  ) {}

  get hasRoom(): boolean {
    return this.inFlight < this.size;
  }
}

export class ConsumerGroup {
  private readonly filter: Filter | undefined;
  private consumers: Consumer[] = [];
  private readonly pins = new Map<number, Consumer>();
  private readonly inHand = new Map<string, InHand>();
  private waiting: Message[] = [];
  private retries: Message[] = [];
  /** On their way to the parked stream. */
  private readonly parking = new Set<Message>();
  /** The parked event behind the last that was brought back. */
  private replayedTo = 0;
  /** The last place that was read. */
  private cursor: number;
  private checkpointed: number;
  private checkpointing = false;
  private doneSince = 0;
  /** Long ago: the first checkpoint is not waited for. */
  private checkpointedAt = 0;
  private scheduled = false;
  private closed = false;
  private total = 0;
  private readonly since = Date.now();

  /** `startAfter` is the place behind which a group begins that has no checkpoint yet. */
  constructor(
    private readonly store: Log,
    readonly name: GroupName,
    readonly settings: GroupSettings,
    startAfter: number,
  ) {
    this.filter =
      settings.filter === undefined
        ? undefined
        : readFilter(new Reader(Buffer.from(settings.filter, 'base64')));
    const checkpoint = this.storedCheckpoint();
    this.checkpointed = checkpoint ?? -1;
    this.cursor = checkpoint ?? startAfter;
  }

  get checkpointStream(): string {
    return `$persistentsubscription-${sourceOf(this.name)}::${this.name.group}-checkpoint`;
  }

  get parkedStream(): string {
    return `$persistentsubscription-${sourceOf(this.name)}::${this.name.group}-parked`;
  }

  /** Adds a consumer and confirms it. Throws when the group is full. */
  join(call: GrpcCall, size: number): Consumer {
    const { maxSubscriberCount } = this.settings;
    if (maxSubscriberCount > 0 && this.consumers.length >= maxSubscriberCount) throw groupIsFull(this.name);
    const consumer = new Consumer(call, size);
    this.consumers.push(consumer);
    this.shareBuckets(consumer);
    call.write(consumerConfirmation(this.name));
    this.schedule();
    return consumer;
  }

  /**
   * A consumer is gone: what it had in hand goes to others. However often that happens, nothing is parked for
   * it.
   */
  leave(consumer: Consumer): void {
    if (this.closed) return;
    this.consumers = this.consumers.filter((other) => other !== consumer);
    for (const [bucket, pinned] of this.pins) if (pinned === consumer) this.pins.delete(bucket);
    for (const { message, consumer: holder } of [...this.inHand.values()])
      if (holder === consumer) this.retry(message);
    this.schedule();
  }

  ack(ids: readonly string[]): void {
    for (const message of this.handedBack(ids)) this.done(message);
    this.goOn();
  }

  nack(ids: readonly string[], action: NackAction, reason: string): void {
    for (const message of this.handedBack(ids)) {
      if (action === 'park') this.park(message, `Client explicitly NAK'ed message.\n${reason}`);
      else if (action === 'retry') this.again(message);
      // EventStoreDB ends no subscription when told to stop, and takes the event for done.
      else this.done(message);
    }
    this.goOn();
  }

  /**
   * Hands out parked events again, those before `stopAt`. From then on they are in memory only, until they
   * are parked again.
   */
  replayParked(stopAt: number): void {
    const view = this.store.view(this.parkedStream);
    if (view.state !== 'readable') return;
    const from = Math.max(view.first, this.replayedTo);
    const end = Math.min(stopAt, view.last + 1);
    if (end <= from) return;
    for (let at = from; at < end; at++) {
      const found = this.store.event(this.parkedStream, at);
      if (found)
        this.retries.push({ ...this.messageFor(found.append, found.index, at, true), replayed: true });
    }
    this.replayedTo = end;
    this.describe(this.parkedStream, { $tb: end });
    this.schedule();
  }

  /** Something was written to the log. */
  noticeWritten(): void {
    if (this.consumers.length > 0) this.schedule();
  }

  /** Takes back what nobody answered for in time, and writes the checkpoint when it is time to. */
  tick(now: number): void {
    for (const { message, dueAt } of [...this.inHand.values()]) {
      // All have the same time: the first ones are due first.
      if (dueAt > now) break;
      this.again(message);
      this.schedule();
    }
    // Without a time, only the number of events counts.
    const { minCheckpointCount, checkpointAfterMs } = this.settings;
    const isTime = checkpointAfterMs > 0 && now - this.checkpointedAt >= checkpointAfterMs;
    if (isTime && this.doneSince >= Math.max(1, minCheckpointCount)) this.checkpoint();
  }

  /** Hands out nothing more. What is done since the last checkpoint is forgotten, as in EventStoreDB. */
  stop(): void {
    this.closed = true;
  }

  /** The same, and ends all consumers' calls. */
  close(): void {
    this.stop();
    for (const { call } of this.consumers) call.fail(consumerDropped(this.name));
    this.consumers = [];
  }

  /** Takes what the group wrote for itself out of sight. */
  forget(): void {
    // Whether they are there or not: the first event of one may be on its way to the disk.
    for (const stream of [this.checkpointStream, this.parkedStream])
      this.store.remove(stream, 'any', false, () => undefined);
  }

  /** The last place before which everything is done. */
  private get doneTo(): number {
    let lowest = this.cursor;
    const look = ({ before, replayed }: Message): void => {
      if (!replayed && before < lowest) lowest = before;
    };
    for (const { message } of this.inHand.values()) look(message);
    for (const messages of [this.waiting, this.retries, this.parking])
      for (const message of messages) look(message);
    return lowest;
  }

  info(): GroupInfo {
    const parked = this.store.view(this.parkedStream);
    const first = Math.max(parked.first, this.replayedTo);
    const known =
      this.name.stream === undefined ? this.store.lastPosition : this.store.view(this.name.stream).last;
    return {
      ...this.name,
      settings: this.settings,
      consumers: this.consumers.map(({ call, inFlight, size, total }) => ({
        username: usernameOf(call),
        connectionName: String(call.headers['connection-name'] ?? '<unknown>'),
        totalItems: total,
        availableSlots: size - inFlight,
        inFlight,
      })),
      totalItems: this.total,
      averagePerSecond: Math.round(this.total / Math.max(1, (Date.now() - this.since) / 1000)),
      lastCheckpointed: this.checkpointed < 0 ? '' : placeText(this.name, this.checkpointed),
      lastKnown: known < 0 ? '' : placeText(this.name, known),
      buffered: this.waiting.length,
      retrying: this.retries.length,
      inFlight: this.inHand.size,
      parked: parked.state === 'readable' ? Math.max(0, parked.last + 1 - first) : 0,
    };
  }

  /**
   * Gives at once what there is room for now, before the next answer is looked at: what that one brings back
   * does not overtake it.
   */
  private goOn(): void {
    if (!this.closed) this.handOut();
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.closed) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.closed || this.consumers.length === 0) return;
      this.handOut();
      if (this.waiting.length >= this.settings.historyBufferSize) return;
      // A turn of the loop for each piece: a filter may pass over all of a long log.
      if (this.readOn()) this.schedule();
      this.handOut();
    });
  }

  /** Reads some more of the log. False: there is nothing more. */
  private readOn(): boolean {
    const slices = this.nextSlices();
    for (const slice of slices) {
      const { append } = slice;
      const isAll = this.name.stream === undefined;
      // What groups on $all write must not wake one of them, or they would go on for ever.
      const isOwn = isAll && hiddenFromAll(append);
      const chosen = chooser(this.filter, append);
      const start = isAll ? append.indexFrom(this.cursor + 1) : this.cursor + 1 - append.firstRevision;
      for (let index = Math.max(slice.from, start); index < slice.to; index++) {
        if (this.waiting.length >= this.settings.historyBufferSize) return false;
        const place = isAll ? append.positionOf(index) : append.firstRevision + index;
        const before = this.cursor;
        this.cursor = place;
        if (isOwn) continue;
        if (chosen(index))
          this.waiting.push(this.messageFor(append, index, place, this.settings.resolveLinks, before));
        else this.countDone();
      }
    }
    return slices.length > 0;
  }

  private nextSlices(): Slice[] {
    const { stream } = this.name;
    if (stream === undefined) return this.store.sliceAll(this.cursor + 1, false);
    const view = this.store.view(stream);
    if (view.state !== 'readable') return [];
    return this.store.sliceStream(stream, Math.max(this.cursor + 1, view.first), view, false);
  }

  private messageFor(
    append: StoredAppend,
    index: number,
    place: number,
    resolveLinks: boolean,
    before = place,
  ): Message {
    const stream = append.streamName.toString('utf8');
    const revision = append.firstRevision + index;
    const link = linkTarget(this.store, append, index);
    const isResolved = resolveLinks && link?.isNumbered === true;
    const found = isResolved ? link.found : { append, index };
    const shown = found ?? { append, index };
    // A link that is shown, because nobody asked for more or there is no more, is pinned as what it points
    // at.
    const about =
      linkTarget(this.store, shown.append, shown.index)?.stream ?? shown.append.streamName.toString('utf8');
    const correlation =
      this.settings.strategy === 'PinnedByCorrelation' ? correlationIn(shown.append, shown.index) : undefined;
    return {
      id: append.id(index).toString('latin1'),
      event: found?.append.recorded(found.index),
      link: isResolved ? append.recorded(index) : undefined,
      place,
      before,
      position: append.positionOf(index),
      revision,
      origin: isResolved ? append.data(index).toString('utf8') : `${revision}@${stream}`,
      bucket: bucketOf(correlation ?? about),
      retryCount: 0,
      replayed: false,
    };
  }

  /** Gives what waits to whoever has room. */
  private handOut(): void {
    for (const messages of [this.retries, this.waiting]) {
      for (let at = 0; at < messages.length;) {
        const message = messages[at]!;
        // Two events may have one id, in two streams: one after the other, or an answer could mean either.
        const consumer = this.inHand.has(message.id) ? undefined : this.choose(message);
        if (consumer) {
          messages.splice(at, 1);
          this.handTo(consumer, message);
        } else if (!this.consumers.some(({ hasRoom }) => hasRoom)) return;
        else at++;
      }
    }
  }

  private choose({ bucket }: Message): Consumer | undefined {
    const { strategy } = this.settings;
    if (strategy === 'Pinned' || strategy === 'PinnedByCorrelation') {
      let pinned = this.pins.get(bucket);
      if (!pinned) {
        const buckets = this.bucketsOfEach();
        [pinned] = [...buckets].sort(([, one], [, other]) => one.length - other.length)[0] ?? [];
        if (pinned) this.pins.set(bucket, pinned);
      }
      return pinned?.hasRoom ? pinned : undefined;
    }
    const at = this.consumers.findIndex(({ hasRoom }) => hasRoom);
    const consumer = this.consumers[at];
    if (!consumer) return undefined;
    // In turn: whoever got one goes behind the others. To a single one: whoever was full does.
    const [passed, rest] = [this.consumers.slice(0, at), this.consumers.slice(at + 1)];
    this.consumers =
      strategy === 'RoundRobin' ? [...rest, ...passed, consumer] : [consumer, ...rest, ...passed];
    return consumer;
  }

  private bucketsOfEach(): Map<Consumer, number[]> {
    const buckets = new Map<Consumer, number[]>(this.consumers.map((consumer) => [consumer, []]));
    for (const [bucket, consumer] of this.pins) buckets.get(consumer)?.push(bucket);
    return buckets;
  }

  /** Gives a new consumer its part of the buckets, first those of which nobody has anything in hand. */
  private shareBuckets(newcomer: Consumer): void {
    const most = Math.ceil(this.pins.size / this.consumers.length);
    const inHand = new Map<number, number>();
    for (const { message } of this.inHand.values())
      inHand.set(message.bucket, (inHand.get(message.bucket) ?? 0) + 1);
    for (const buckets of this.bucketsOfEach().values()) {
      const idleFirst = buckets.sort((one, other) => (inHand.get(one) ?? 0) - (inHand.get(other) ?? 0));
      for (const bucket of idleFirst.slice(0, Math.max(0, buckets.length - most)))
        this.pins.set(bucket, newcomer);
    }
  }

  private handTo(consumer: Consumer, message: Message): void {
    // No time is no time at all, not for ever: EventStoreDB takes such an event back with the next tick.
    this.inHand.set(message.id, { message, consumer, dueAt: Date.now() + this.settings.messageTimeoutMs });
    consumer.inFlight++;
    consumer.total++;
    this.total++;
    consumer.call.write(consumedEvent(message.event, message.link, message.position, message.retryCount));
  }

  /**
   * The messages that are in somebody's hands. Whose they are does not matter: who had one before may still
   * say that it is done.
   */
  private handedBack(ids: readonly string[]): Message[] {
    return ids.flatMap((id) => this.inHand.get(id)?.message ?? []);
  }

  private takeBack(message: Message): void {
    const inHand = this.inHand.get(message.id);
    if (!inHand) return;
    this.inHand.delete(message.id);
    inHand.consumer.inFlight--;
  }

  private again(message: Message): void {
    if (message.retryCount >= this.settings.maxRetryCount) {
      this.park(message, `Reached retry count of ${this.settings.maxRetryCount}`);
      return;
    }
    this.retry(message);
  }

  private retry(message: Message): void {
    this.takeBack(message);
    const later = ({ place, replayed }: Message): boolean =>
      !message.replayed && !replayed && place > message.place;
    const before = this.retries.findIndex(later);
    this.retries.splice(before < 0 ? this.retries.length : before, 0, {
      ...message,
      retryCount: message.retryCount + 1,
    });
  }

  private park(message: Message, reason: string): void {
    this.takeBack(message);
    this.parking.add(message);
    const metadata = JSON.stringify({
      added: new Date().toISOString(),
      reason,
      subscriptionEventNumber: message.revision,
    });
    const link = ownEvent(randomUUID(), '$>', false, Buffer.from(message.origin), Buffer.from(metadata));
    this.store.append(this.parkedStream, 'any', [link], () => {
      this.parking.delete(message);
      this.done(message);
    });
  }

  private done(message: Message): void {
    this.takeBack(message);
    if (!message.replayed) this.countDone();
  }

  private countDone(): void {
    this.doneSince++;
    if (this.doneSince >= Math.max(1, this.settings.maxCheckpointCount)) this.checkpoint();
  }

  private checkpoint(): void {
    const place = this.doneTo;
    if (this.closed || this.checkpointing || place <= this.checkpointed) return;
    this.checkpointing = true;
    this.doneSince = 0;
    // It is told of before it is written, as in EventStoreDB: who updates the group meanwhile goes back
    // behind it.
    this.checkpointed = place;
    const data = Buffer.from(JSON.stringify(placeText(this.name, place)));
    this.store.append(
      this.checkpointStream,
      'any',
      [ownEvent(randomUUID(), 'SubscriptionCheckpoint', true, data)],
      () => {
        this.checkpointing = false;
        this.checkpointedAt = Date.now();
        if (this.doneSince >= Math.max(1, this.settings.maxCheckpointCount)) this.checkpoint();
      },
    );
  }

  private describe(stream: string, metadata: object): void {
    const event = ownEvent(randomUUID(), '$metadata', true, Buffer.from(JSON.stringify(metadata)));
    this.store.append(`$$${stream}`, 'any', [event], () => undefined);
  }

  private storedCheckpoint(): number | undefined {
    const view = this.store.view(this.checkpointStream);
    const found = view.state === 'readable' ? this.store.event(this.checkpointStream, view.last) : undefined;
    const [, place] = /(\d+)"$/.exec(found?.append.data(found.index).toString('utf8') ?? '') ?? [];
    return place === undefined ? undefined : Number(place);
  }
}

function bucketOf(stream: string): number {
  let hash = 0;
  for (const character of stream) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return (hash >>> 0) % PIN_BUCKETS;
}

function usernameOf({ headers: { authorization } }: GrpcCall): string {
  if (authorization === undefined) return 'anonymous';
  return Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8').split(':')[0] ?? '';
}
