/**
 * The requests and answers of EventStoreDB's `PersistentSubscriptions` service: groups of consumers that
 * share a stream, or $all. Field numbers are the protocol's.
 */
import { readUuid, TICKS_PER_MS, type StoredAppend } from './events.js';
import { GrpcError, GrpcStatus } from './grpc.js';
import { readAllOptions, readStreamIdentifier, readStreamOptions, type From } from './messages.js';
import { MalformedMessage, Reader, Writer } from './wire.js';

/** What a group reads, and its name there. */
export interface GroupName {
  /** Undefined: $all. */
  readonly stream: string | undefined;
  readonly group: string;
}

const STRATEGIES = ['DispatchToSingle', 'RoundRobin', 'Pinned', 'PinnedByCorrelation'] as const;
/**
 * Which consumer gets an event: one until it is full, each in turn, or always the same one for a stream or a
 * correlation.
 */
type Strategy = (typeof STRATEGIES)[number];

export interface GroupSettings {
  readonly startFrom: From;
  readonly resolveLinks: boolean;
  readonly extraStatistics: boolean;
  readonly messageTimeoutMs: number;
  readonly maxRetryCount: number;
  readonly checkpointAfterMs: number;
  readonly minCheckpointCount: number;
  readonly maxCheckpointCount: number;
  /** 0: any number. */
  readonly maxSubscriberCount: number;
  readonly liveBufferSize: number;
  readonly readBatchSize: number;
  readonly historyBufferSize: number;
  readonly strategy: Strategy;
  /** The filter of a group on $all as it came, in base64. */
  readonly filter: string | undefined;
}

interface GroupRequest extends GroupName {
  readonly settings: GroupSettings;
}

export type NackAction = 'park' | 'retry' | 'skip' | 'stop';

type ConsumerRequest =
  | (GroupName & { readonly kind: 'subscribe'; readonly bufferSize: number })
  | { readonly kind: 'ack'; readonly ids: readonly string[] }
  | {
      readonly kind: 'nack';
      readonly ids: readonly string[];
      readonly action: NackAction;
      readonly reason: string;
    };

/** What there is to know of a group. */
export interface GroupInfo extends GroupName {
  readonly settings: GroupSettings;
  readonly consumers: readonly ConsumerInfo[];
  readonly totalItems: number;
  readonly averagePerSecond: number;
  /** A place as text: a revision, or a position such as `C:7/P:7`. */
  readonly lastCheckpointed: string;
  readonly lastKnown: string;
  readonly buffered: number;
  readonly retrying: number;
  readonly inFlight: number;
  readonly parked: number;
}

interface ConsumerInfo {
  readonly username: string;
  readonly connectionName: string;
  readonly totalItems: number;
  readonly availableSlots: number;
  readonly inFlight: number;
}

const NACK_ACTIONS: readonly NackAction[] = ['retry', 'park', 'retry', 'skip', 'stop'];
const LARGEST = 2 ** 63;

/** A CreateReq or an UpdateReq. */
export function readGroupRequest(bytes: Buffer): GroupRequest {
  const options = optionsOf(bytes);
  let stream: string | undefined;
  let isAll = false;
  let group = '';
  let from: From | undefined;
  let filter: string | undefined;
  let settings: ReadSettings | undefined;
  let oldStart: number | undefined;
  while (options.next()) {
    if (options.field === 1) stream = readStreamIdentifier(options.message());
    else if (options.field === 2) group = options.string();
    else if (options.field === 3) ({ settings, revision: oldStart } = readSettings(options.message()));
    else if (options.field === 4) ({ stream, from } = readStreamOptions(options.message()));
    else if (options.field === 5) {
      isAll = true;
      const all = options.bytes();
      from = readAllOptions(new Reader(all));
      filter = filterIn(all);
    } else options.skip();
  }
  if (group === '' || (!isAll && !stream)) throw new MalformedMessage('A group needs a name and a stream');
  if (!settings) throw new MalformedMessage('A group needs settings');
  const start = from ?? oldStart ?? 'start';
  // Clients write the end of a stream as the largest number there is.
  const startFrom = typeof start === 'number' && start >= LARGEST ? 'end' : start;
  const name = { stream: isAll ? undefined : stream, group };
  const { strategyName, ...others } = settings;
  const strategy = STRATEGIES.find((known) => known === strategyName);
  if (!strategy) throw groupFailed(name, `Consumer strategy ${strategyName} does not exist.`);
  if (others.readBatchSize >= others.historyBufferSize)
    throw groupFailed(name, 'ReadBatchSize may not be greater than or equal to BufferSize');
  return { ...name, settings: { ...others, strategy, startFrom, filter } };
}

function filterIn(all: Buffer): string | undefined {
  const options = new Reader(all);
  let filter: string | undefined;
  while (options.next()) {
    if (options.field === 4) filter = options.bytes().toString('base64');
    else options.skip();
  }
  return filter;
}

interface ReadSettings extends Omit<GroupSettings, 'startFrom' | 'filter' | 'strategy'> {
  readonly strategyName: string;
}

function readSettings(reader: Reader): { settings: ReadSettings; revision: number | undefined } {
  const numbers = new Map<number, number>();
  let strategyName: string | undefined;
  while (reader.next()) {
    if (reader.field === 16) strategyName = reader.string();
    else numbers.set(reader.field, reader.varint());
  }
  const number = (field: number): number => numbers.get(field) ?? 0;
  return {
    revision: numbers.get(2),
    settings: {
      resolveLinks: number(1) === 1,
      extraStatistics: number(3) === 1,
      messageTimeoutMs: numbers.get(14) ?? number(4) / TICKS_PER_MS,
      maxRetryCount: number(5),
      checkpointAfterMs: numbers.get(15) ?? number(6) / TICKS_PER_MS,
      minCheckpointCount: number(7),
      maxCheckpointCount: number(8),
      maxSubscriberCount: number(9),
      liveBufferSize: number(10),
      readBatchSize: number(11),
      historyBufferSize: number(12),
      // Before strategies had names, three of them had numbers.
      strategyName: strategyName || (STRATEGIES[number(13)] ?? String(number(13))),
    },
  };
}

export const readDeleteGroup = (bytes: Buffer): GroupName =>
  readName(optionsOf(bytes), { stream: 1, all: 3, group: 2 });
export const readGetInfo = (bytes: Buffer): GroupName =>
  readName(optionsOf(bytes), { stream: 1, all: 2, group: 3 });

/** A ReplayParkedReq: up to which parked event, exclusively; Infinity for all. */
export function readReplayParked(bytes: Buffer): GroupName & { readonly stopAt: number } {
  const name = readName(optionsOf(bytes), { stream: 2, all: 3, group: 1 });
  const options = optionsOf(bytes);
  let stopAt = Infinity;
  while (options.next()) {
    if (options.field === 4) stopAt = options.varint();
    else options.skip();
  }
  return { ...name, stopAt };
}

/** A ListReq: of one stream, of $all, or every group. */
export function readList(bytes: Buffer): 'all groups' | { readonly stream: string | undefined } {
  const options = optionsOf(bytes);
  let asked: 'all groups' | { stream: string | undefined } = 'all groups';
  while (options.next()) {
    if (options.field !== 2) {
      options.skip();
      continue;
    }
    const of = options.message();
    asked = { stream: undefined };
    while (of.next()) {
      if (of.field === 1) asked = { stream: readStreamIdentifier(of.message()) };
      else of.skip();
    }
  }
  return asked;
}

export function readConsumerRequest(bytes: Buffer): ConsumerRequest {
  const reader = new Reader(bytes);
  while (reader.next()) {
    if (reader.field === 1) {
      const options = reader.bytes();
      const name = readName(new Reader(options), { stream: 1, all: 5, group: 2 });
      const rest = new Reader(options);
      let bufferSize = 0;
      while (rest.next()) {
        if (rest.field === 3) bufferSize = rest.varint();
        else rest.skip();
      }
      return { kind: 'subscribe', ...name, bufferSize: Math.max(1, bufferSize) };
    }
    if (reader.field === 2 || reader.field === 3) {
      const isAck = reader.field === 2;
      const inner = reader.message();
      const ids: string[] = [];
      let action: NackAction = 'retry';
      let reason = '';
      while (inner.next()) {
        if (inner.field === 2) ids.push(readUuid(inner.message()).toString('latin1'));
        else if (inner.field === 3) action = NACK_ACTIONS[inner.varint()] ?? 'skip';
        else if (inner.field === 4) reason = inner.string();
        else inner.skip();
      }
      return isAck ? { kind: 'ack', ids } : { kind: 'nack', ids, action, reason };
    }
    reader.skip();
  }
  throw new MalformedMessage('A consumer must send options, an ack or a nack');
}

function optionsOf(bytes: Buffer): Reader {
  const reader = new Reader(bytes);
  while (reader.next()) {
    if (reader.field === 1) return reader.message();
    reader.skip();
  }
  throw new MalformedMessage('The request has no options');
}

function readName(options: Reader, fields: { stream: number; all: number; group: number }): GroupName {
  let stream: string | undefined;
  let isAll = false;
  let group = '';
  while (options.next()) {
    if (options.field === fields.stream) stream = readStreamIdentifier(options.message());
    else if (options.field === fields.group) group = options.string();
    else {
      if (options.field === fields.all) isAll = true;
      options.skip();
    }
  }
  if (group === '' || (!isAll && !stream)) throw new MalformedMessage('A group needs a name and a stream');
  return { stream: isAll ? undefined : stream, group };
}

/**
 * The `$correlationId` of an event's metadata. It is looked for as EventStoreDB does: by whatever depth, but
 * only up to where the first object ends. Undefined: there is none.
 */
export function correlationIn(append: StoredAppend, index: number): string | undefined {
  try {
    return correlationBeforeEnd(JSON.parse(append.metadata(index).toString('utf8')))?.id;
  } catch {
    return undefined;
  }
}

/** Undefined: no object has ended yet. */
function correlationBeforeEnd(value: unknown): { readonly id: string | undefined } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (name === '$correlationId' && typeof inner === 'string') return { id: inner };
    const found = correlationBeforeEnd(inner);
    if (found) return found;
  }
  return Array.isArray(value) ? undefined : { id: undefined };
}

/** The stream's name as the protocol says it. */
export const sourceOf = ({ stream }: { readonly stream: string | undefined }): string => stream ?? '$all';

export function consumerConfirmation(name: GroupName): Buffer {
  return new Writer().message(2, (inner) => inner.string(1, `${sourceOf(name)}::${name.group}`)).frame();
}

export function consumedEvent(
  event: Buffer | undefined,
  link: Buffer | undefined,
  position: number,
  retryCount: number,
): Buffer {
  return new Writer()
    .message(1, (inner) => {
      if (event) inner.bytes(1, event);
      if (link) inner.bytes(2, link);
      inner.number(3, position).number(5, retryCount);
    })
    .frame();
}

export const empty = (): Buffer => new Writer().frame();

export function groupInfo(info: GroupInfo): Buffer {
  return new Writer().message(1, (inner) => putInfo(inner, info)).frame();
}

export function groupList(infos: readonly GroupInfo[]): Buffer {
  const answer = new Writer();
  for (const info of infos) answer.message(1, (inner) => putInfo(inner, info));
  return answer.frame();
}

function putInfo(writer: Writer, info: GroupInfo): void {
  const { settings } = info;
  writer.string(1, sourceOf(info)).string(2, info.group).string(3, 'Live');
  for (const consumer of info.consumers) {
    writer.message(4, (inner) =>
      inner
        .string(2, consumer.username)
        .number(4, consumer.totalItems)
        .number(7, consumer.availableSlots)
        .number(8, consumer.inFlight)
        .string(9, consumer.connectionName),
    );
  }
  writer
    .number(5, info.averagePerSecond)
    .number(6, info.totalItems)
    .string(8, info.lastCheckpointed)
    .string(9, info.lastKnown)
    .number(10, settings.resolveLinks ? 1 : 0)
    .string(11, startText(info, settings.startFrom))
    .number(12, settings.messageTimeoutMs)
    .number(13, settings.extraStatistics ? 1 : 0)
    .number(14, settings.maxRetryCount)
    .number(15, settings.liveBufferSize)
    .number(16, settings.historyBufferSize)
    .number(17, settings.readBatchSize)
    .number(18, settings.checkpointAfterMs)
    .number(19, settings.minCheckpointCount)
    .number(20, settings.maxCheckpointCount)
    .number(21, info.buffered)
    .number(23, info.retrying)
    .number(24, info.inFlight)
    .number(25, info.inFlight)
    .string(26, settings.strategy)
    .number(27, settings.maxSubscriberCount)
    .number(28, info.parked);
}

/** A place as the protocol writes it: the revision in a stream, both parts of a position in $all. */
export const placeText = ({ stream }: { readonly stream: string | undefined }, place: number): string =>
  stream === undefined ? `C:${place}/P:${place}` : String(place);

function startText(name: GroupName, from: From): string {
  return placeText(name, from === 'start' ? 0 : from === 'end' ? -1 : from);
}

function groupError(status: number, exception: string, words: string, name: GroupName, more = {}): GrpcError {
  return new GrpcError(status, words, {
    exception,
    'stream-name': sourceOf(name),
    'group-name': name.group,
    ...more,
  });
}

const named = (name: GroupName): string => `Subscription group ${name.group} on stream ${sourceOf(name)}`;

export const groupUnknown = (name: GroupName): GrpcError =>
  groupError(
    GrpcStatus.NOT_FOUND,
    'persistent-subscription-does-not-exist',
    `${named(name)} does not exist.`,
    name,
  );
export const groupFailed = (name: GroupName, reason: string): GrpcError =>
  groupError(
    GrpcStatus.INTERNAL,
    'persistent-subscription-failed',
    `${named(name)} failed: '${reason}'`,
    name,
    { reason },
  );
export const groupExists = (name: GroupName): GrpcError =>
  groupError(GrpcStatus.ALREADY_EXISTS, 'persistent-subscription-exists', `${named(name)} exists.`, name);
export const groupIsFull = (name: GroupName): GrpcError =>
  groupError(
    GrpcStatus.FAILED_PRECONDITION,
    'maximum-subscribers-reached',
    `${named(name)} has all the consumers it may have.`,
    name,
  );
export const consumerDropped = (name: GroupName): GrpcError =>
  groupError(GrpcStatus.CANCELLED, 'persistent-subscription-dropped', `${named(name)} was dropped.`, name);
