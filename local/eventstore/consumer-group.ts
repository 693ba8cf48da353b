/**
 * A group of consumers that share the events of a stream, or of $all: each event goes to one of them, and again, to that one or another,
 * until somebody says that it is done. How far all is done is written to a stream of the group's own, and so are links to the events that
 * were set aside ("parked"): both outlive a restart. What was in somebody's hands then is handed out again.
 */
import { randomUUID } from 'node:crypto';

import {
  consumedEvent,
  consumerConfirmation,
  consumerDropped,
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
import { chooser, linkTarget } from './reading.js';
import type { Slice, Store } from './store.js';
import { Reader } from './wire.js';

const PIN_BUCKETS = 1024;
/** What groups write must not wake a group on $all, or the two would go on for ever. */
const OWN_STREAMS = /^(\$\$)?\$persistent[sS]ubscription/;

/** An event on its way through the group. */
interface Message {
  /** What consumers name it by: the id of the event, or of the link that led to it. */
  readonly id: string;
  readonly event: Buffer | undefined;
  readonly link: Buffer | undefined;
  /** Its revision in the stream, or its position in $all. */
  readonly place: number;
  readonly position: number;
  /** Where it is to be found again: `revision@stream`. */
  readonly origin: string;
  /** The stream that it is about. */
  readonly about: string;
  readonly retryCount: number;
  /** Its revision among the parked, when it is brought back from there. */
  readonly parkedAt: number | undefined;
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
  /** Parked events that were brought back and are not done yet, and the one behind the last that was. */
  private readonly replaying = new Set<number>();
  private replayedTo = 0;
  /** The last place that was read. */
  private cursor: number;
  private checkpointed: number;
  private checkpointing = false;
  private doneSince = 0;
  private checkpointedAt = Date.now();
  private scheduled = false;
  private closed = false;
  private total = 0;
  private readonly since = Date.now();

  /** `startAfter` is the place behind which a group begins that has no checkpoint yet. */
  constructor(
    private readonly store: Store,
    readonly name: GroupName,
    readonly settings: GroupSettings,
    readonly startAfter: number,
  ) {
    this.filter = settings.filter === undefined ? undefined : readFilter(new Reader(Buffer.from(settings.filter, 'base64')));
    this.checkpointed = this.storedCheckpoint() ?? -1;
    this.cursor = Math.max(startAfter, this.checkpointed);
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
    call.write(consumerConfirmation(this.name));
    this.schedule();
    return consumer;
  }

  /** A consumer is gone: what it had in hand goes to others. */
  leave(consumer: Consumer): void {
    if (this.closed) return;
    this.consumers = this.consumers.filter((other) => other !== consumer);
    for (const [bucket, pinned] of this.pins) if (pinned === consumer) this.pins.delete(bucket);
    for (const { message, consumer: holder } of [...this.inHand.values()]) if (holder === consumer) this.again(message);
    this.schedule();
  }

  ack(consumer: Consumer, ids: readonly string[]): void {
    for (const message of this.handedBack(consumer, ids)) this.done(message);
    this.schedule();
  }

  nack(consumer: Consumer, ids: readonly string[], action: NackAction, reason: string): void {
    if (action === 'stop') {
      consumer.call.fail(consumerDropped(this.name));
      this.leave(consumer);
      return;
    }
    for (const message of this.handedBack(consumer, ids)) {
      if (action === 'skip') this.done(message);
      else if (action === 'park') this.park(message, `Client explicitly NAK'ed message.\n${reason}`);
      else this.again(message);
    }
    this.schedule();
  }

  /** Hands out parked events again, those before `stopAt`. They stay parked until they are done. */
  replayParked(stopAt: number): void {
    const view = this.store.view(this.parkedStream);
    if (view.state !== 'readable') return;
    const end = Math.min(stopAt, view.last + 1);
    for (let at = Math.max(view.first, this.replayedTo); at < end; at++) {
      const found = this.store.event(this.parkedStream, at);
      const link = found && linkTarget(this.store, found.append, found.index);
      this.replayedTo = at + 1;
      if (!found || !link?.target) continue;
      this.replaying.add(at);
      this.retries.push({
        id: found.append.id(found.index).toString('latin1'),
        event: link.target,
        link: found.append.recorded(found.index),
        place: at,
        position: found.append.firstPosition + found.index,
        origin: found.append.data(found.index).toString('utf8'),
        about: link.stream,
        retryCount: 0,
        parkedAt: at,
      });
    }
    this.retries.sort((one, other) => one.place - other.place);
    this.forgetReplayed();
    this.schedule();
  }

  /** Something was written to the log. */
  noticeWritten(): void {
    if (this.consumers.length > 0) this.schedule();
  }

  /** Takes back what nobody answered for in time, and writes the checkpoint when it is time to. */
  tick(now: number): void {
    for (const { message, dueAt } of this.inHand.values()) {
      // All have the same time: the first ones are due first.
      if (dueAt > now) break;
      this.again(message);
      this.schedule();
    }
    const { minCheckpointCount, checkpointAfterMs } = this.settings;
    if (this.doneSince >= Math.max(1, minCheckpointCount) && now - this.checkpointedAt >= checkpointAfterMs) this.checkpoint();
  }

  /** Writes how far all is done, and hands out nothing more. */
  stop(): void {
    if (this.doneSince > 0) this.checkpoint();
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
    for (const stream of [this.checkpointStream, this.parkedStream]) this.store.remove(stream, 'any', false, () => undefined);
  }

  /** The last place before which everything is done. */
  get doneTo(): number {
    let lowest = this.cursor + 1;
    const look = ({ place, parkedAt }: Message): void => {
      if (parkedAt === undefined && place < lowest) lowest = place;
    };
    for (const { message } of this.inHand.values()) look(message);
    for (const messages of [this.waiting, this.retries, this.parking]) for (const message of messages) look(message);
    return lowest - 1;
  }

  info(): GroupInfo {
    const parked = this.store.view(this.parkedStream);
    const first = Math.max(parked.first, this.replayedTo);
    const known = this.name.stream === undefined ? this.store.lastPosition : this.store.view(this.name.stream).last;
    return {
      ...this.name,
      settings: this.settings,
      consumers: this.consumers.map(({ call, inFlight, size, total }) => ({
        username: usernameOf(call),
        connectionName: String(call.headers['connection-name'] ?? ''),
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
      const first = this.name.stream === undefined ? append.firstPosition : append.firstRevision;
      const isOwn = this.name.stream === undefined && OWN_STREAMS.test(append.streamName.toString('utf8'));
      const chosen = chooser(this.filter, append);
      for (let index = Math.max(slice.from, this.cursor + 1 - first); index < slice.to; index++) {
        if (this.waiting.length >= this.settings.historyBufferSize) return false;
        this.cursor = first + index;
        if (isOwn) continue;
        const message = chosen(index) ? this.messageFor(append, index, first + index) : undefined;
        if (message) this.waiting.push(message);
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

  private messageFor(append: StoredAppend, index: number, place: number): Message | undefined {
    const stream = append.streamName.toString('utf8');
    const link = this.settings.resolveLinks ? linkTarget(this.store, append, index) : undefined;
    // A link to what is gone is nobody's work.
    if (link && !link.target) return undefined;
    return {
      id: append.id(index).toString('latin1'),
      event: link ? link.target : append.recorded(index),
      link: link ? append.recorded(index) : undefined,
      place,
      position: append.firstPosition + index,
      origin: `${append.firstRevision + index}@${stream}`,
      about: link ? link.stream : stream,
      retryCount: 0,
      parkedAt: undefined,
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

  private choose({ about }: Message): Consumer | undefined {
    if (this.settings.strategy === 'Pinned') {
      const bucket = bucketOf(about);
      let pinned = this.pins.get(bucket);
      if (!pinned) {
        const load = new Map(this.consumers.map((consumer) => [consumer, 0]));
        for (const consumer of this.pins.values()) load.set(consumer, (load.get(consumer) ?? 0) + 1);
        [pinned] = [...load].sort(([, one], [, other]) => one - other)[0] ?? [];
        if (pinned) this.pins.set(bucket, pinned);
      }
      return pinned?.hasRoom ? pinned : undefined;
    }
    const at = this.consumers.findIndex(({ hasRoom }) => hasRoom);
    const consumer = this.consumers[at];
    // In turn: whoever got one goes behind the others.
    if (consumer && this.settings.strategy === 'RoundRobin')
      this.consumers = [...this.consumers.slice(at + 1), ...this.consumers.slice(0, at), consumer];
    return consumer;
  }

  private handTo(consumer: Consumer, message: Message): void {
    const { messageTimeoutMs } = this.settings;
    const dueAt = messageTimeoutMs > 0 ? Date.now() + messageTimeoutMs : Infinity;
    this.inHand.set(message.id, { message, consumer, dueAt });
    consumer.inFlight++;
    consumer.total++;
    this.total++;
    consumer.call.write(consumedEvent(message.event, message.link, message.position, message.retryCount));
  }

  /** The messages that a consumer may answer for. An answer that comes too late is none. */
  private handedBack(consumer: Consumer, ids: readonly string[]): Message[] {
    return ids.flatMap((id) => {
      const inHand = this.inHand.get(id);
      return inHand?.consumer === consumer ? [inHand.message] : [];
    });
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
    this.takeBack(message);
    this.retries.push({ ...message, retryCount: message.retryCount + 1 });
    this.retries.sort((one, other) => one.place - other.place);
  }

  private park(message: Message, reason: string): void {
    this.takeBack(message);
    this.parking.add(message);
    const metadata = JSON.stringify({ added: new Date().toISOString(), reason });
    const link = ownEvent(randomUUID(), '$>', false, Buffer.from(message.origin), Buffer.from(metadata));
    this.store.append(this.parkedStream, 'any', [link], () => {
      this.parking.delete(message);
      this.done(message);
    });
  }

  private done(message: Message): void {
    this.takeBack(message);
    if (message.parkedAt === undefined) {
      this.countDone();
      return;
    }
    this.replaying.delete(message.parkedAt);
    this.forgetReplayed();
  }

  /** Cuts the parked stream off behind what was brought back and is done. */
  private forgetReplayed(): void {
    const keepFrom = Math.min(this.replayedTo, ...this.replaying);
    const view = this.store.view(this.parkedStream);
    if (view.state === 'readable' && keepFrom > view.first) this.describe(this.parkedStream, { $tb: keepFrom });
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
    const isFirst = this.store.view(this.checkpointStream).state === 'none';
    const data = Buffer.from(JSON.stringify(placeText(this.name, place)));
    if (isFirst) this.describe(this.checkpointStream, { $maxCount: 2 });
    this.store.append(this.checkpointStream, 'any', [ownEvent(randomUUID(), '$SubscriptionCheckpoint', true, data)], () => {
      this.checkpointing = false;
      this.checkpointed = place;
      this.checkpointedAt = Date.now();
      if (this.doneSince >= Math.max(1, this.settings.maxCheckpointCount)) this.checkpoint();
    });
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
