/**
 * The requests and answers of EventStoreDB's `Streams`, `ServerFeatures` and `Gossip` services, as its
 * clients send and expect them. Field numbers are the protocol's.
 */
import { readProposed, readUuid, type ProposedEvent } from './events.js';
import { GrpcError, GrpcStatus } from './grpc.js';
import { NO_STREAM, type ExpectedRevision } from './store.js';
import { MalformedMessage, Reader, Writer } from './wire.js';

/** The largest append, in bytes: EventStoreDB's default. */
export const MAX_APPEND_BYTES = 1024 * 1024;

export type From = number | 'start' | 'end';

export interface Filter {
  readonly on: 'stream' | 'type';
  readonly prefixes: readonly Buffer[];
  readonly regex: RegExp | undefined;
  /** How many events are considered between two checkpoints. */
  readonly checkpointInterval: number;
}

export interface ReadRequest {
  /** Undefined: $all. */
  readonly stream: string | undefined;
  readonly from: From;
  readonly backwards: boolean;
  /** Undefined: a subscription. */
  readonly limit: number | undefined;
  readonly filter: Filter | undefined;
  /** Whether events that point at another are sent together with that other. */
  readonly resolveLinks: boolean;
  /** 1 and above: the client understands the places where a stream ends. */
  readonly compatibility: number;
}

/** What an append, a delete and a tombstone have in common. */
export interface WriteOptions {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** Milliseconds since the Unix epoch; Infinity: none. */
  readonly deadline: number;
}

interface BatchAppendRequest {
  /** The message that names the append, to be sent back as it came. */
  readonly correlation: Buffer;
  readonly options: WriteOptions | undefined;
  readonly events: ProposedEvent[];
  readonly isFinal: boolean;
}

type AppendRequest = { readonly options: WriteOptions } | { readonly event: ProposedEvent };

/** An error inside a BatchAppend's answer: a google.rpc.Status. */
export interface BatchError {
  readonly code: number;
  readonly message: string;
  readonly detail: string;
  readonly build: (inner: Writer) => void;
}

const DEFAULT_WINDOW = 32;

export function readReadRequest(bytes: Buffer): ReadRequest {
  const outer = new Reader(bytes);
  let stream: string | undefined;
  let from: From = 'start';
  let backwards = false;
  let limit: number | undefined;
  let subscription = false;
  let filter: Filter | undefined;
  let resolveLinks = false;
  let compatibility = 0;
  while (outer.next()) {
    if (outer.field !== 1) {
      outer.skip();
      continue;
    }
    const options = outer.message();
    while (options.next()) {
      switch (options.field) {
        case 1:
          ({ stream, from } = readStreamOptions(options.message()));
          break;
        case 2:
          from = readAllOptions(options.message());
          break;
        case 3:
          backwards = options.varint() === 1;
          break;
        case 4:
          resolveLinks = options.varint() === 1;
          break;
        case 5:
          limit = options.varint();
          break;
        case 6:
          options.skip();
          subscription = true;
          break;
        case 7:
          filter = readFilter(options.message());
          break;
        case 10: {
          const control = options.message();
          while (control.next()) compatibility = control.varint();
          break;
        }
        default:
          options.skip();
      }
    }
  }
  if (!subscription && limit === undefined)
    throw new MalformedMessage('A read needs a count or a subscription');
  // Only $all can be filtered.
  if (stream !== undefined) filter = undefined;
  return {
    stream,
    from,
    backwards,
    limit: subscription ? undefined : limit,
    filter,
    resolveLinks,
    compatibility,
  };
}

export function readStreamOptions(options: Reader): { stream: string; from: From } {
  let stream = '';
  let from: From = 'start';
  while (options.next()) {
    if (options.field === 1) stream = readStreamIdentifier(options.message());
    else if (options.field === 2) from = options.varint();
    else {
      if (options.field === 4) from = 'end';
      options.skip();
    }
  }
  return { stream, from };
}

export function readAllOptions(options: Reader): From {
  let from: From = 'start';
  while (options.next()) {
    if (options.field === 1) {
      const position = options.message();
      from = 0;
      while (position.next()) {
        if (position.field === 1) from = position.varint();
        else position.skip();
      }
    } else {
      if (options.field === 3) from = 'end';
      options.skip();
    }
  }
  return from;
}

export function readFilter(options: Reader): Filter {
  let on: Filter['on'] = 'stream';
  const prefixes: Buffer[] = [];
  let regex: RegExp | undefined;
  let window = DEFAULT_WINDOW;
  let multiplier = 1;
  while (options.next()) {
    if (options.field === 1 || options.field === 2) {
      on = options.field === 1 ? 'stream' : 'type';
      const expression = options.message();
      while (expression.next()) {
        if (expression.field === 1) regex = readRegex(expression.string());
        else if (expression.field === 2) prefixes.push(expression.bytes());
        else expression.skip();
      }
    } else if (options.field === 3) window = options.varint();
    else if (options.field === 5) multiplier = options.varint();
    else options.skip();
  }
  return { on, prefixes, regex, checkpointInterval: Math.max(1, window * multiplier) };
}

function readRegex(pattern: string): RegExp | undefined {
  if (pattern === '') return undefined;
  // Options before the pattern are a way to write them that JavaScript lacks and EventStoreDB's .NET knows.
  const [options = '', flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  try {
    return new RegExp(pattern.slice(options.length), flags);
  } catch {
    throw handlerFailed();
  }
}

/** What a client is told where EventStoreDB's own code throws: nothing of what or why. */
export function handlerFailed(): GrpcError {
  return new GrpcError(GrpcStatus.UNKNOWN, 'Exception was thrown by handler.');
}

export function readStreamIdentifier(identifier: Reader): string {
  let name = '';
  while (identifier.next()) {
    if (identifier.field === 3) name = identifier.string();
    else identifier.skip();
  }
  return name;
}

/** The options of an append, a batch append, a delete and a tombstone: their first five fields are alike. */
function readWriteOptions(options: Reader): WriteOptions {
  let stream = '';
  let expected: ExpectedRevision | undefined;
  let deadline = Infinity;
  while (options.next()) {
    switch (options.field) {
      case 1:
        stream = readStreamIdentifier(options.message());
        break;
      case 2:
        expected = options.varint();
        break;
      case 3:
        options.skip();
        expected = 'no_stream';
        break;
      case 4:
        options.skip();
        expected = 'any';
        break;
      case 5:
        options.skip();
        expected = 'stream_exists';
        break;
      case 6:
        deadline = readSeconds(options.message());
        break;
      case 7:
        deadline = Date.now() + readSeconds(options.message());
        break;
      default:
        options.skip();
    }
  }
  if (stream === '') throw new MalformedMessage('A write needs the name of a stream');
  if (expected === undefined) throw new MalformedMessage('A write needs an expected revision');
  return { stream, expected, deadline };
}

/** A google.protobuf.Timestamp or Duration, in milliseconds. */
function readSeconds(time: Reader): number {
  let milliseconds = 0;
  while (time.next()) {
    if (time.field === 1) milliseconds += Number(time.int64()) * 1000;
    else if (time.field === 2) milliseconds += Number(time.int64()) / 1e6;
    else time.skip();
  }
  return milliseconds;
}

export function readBatchAppend(bytes: Buffer): BatchAppendRequest {
  const reader = new Reader(bytes);
  let correlation: Buffer = Buffer.alloc(0);
  let options: WriteOptions | undefined;
  let isFinal = false;
  const events: ProposedEvent[] = [];
  let failure: unknown;
  while (reader.next()) {
    if (reader.field === 4) isFinal = reader.varint() === 1;
    else if (reader.field === 1) correlation = reader.bytes();
    else if (reader.field === 2 || reader.field === 3) {
      const end = reader.enter();
      try {
        if (reader.field === 2) options = readWriteOptions(new Reader(bytes, reader.at, end));
        else events.push(readProposed(bytes, reader.at, end));
      } catch (error) {
        failure ??= error;
      }
      reader.at = end;
    } else reader.skip();
  }
  // Thrown with the append's name: the answer must carry it, or the client cannot tell whose error it is.
  if (failure !== undefined) throw new UnacceptableAppend(correlation, options?.stream ?? '', failure);
  return { correlation, options, events, isFinal };
}

/** One append of a BatchAppend's channel cannot be read; the others are not concerned. */
export class UnacceptableAppend extends Error {
  override readonly name = 'UnacceptableAppend';
  constructor(
    readonly correlation: Buffer,
    readonly stream: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export function readAppend(bytes: Buffer): AppendRequest {
  const reader = new Reader(bytes);
  while (reader.next()) {
    if (reader.field === 1) return { options: readWriteOptions(reader.message()) };
    if (reader.field === 2) {
      const end = reader.enter();
      return { event: readProposed(bytes, reader.at, end) };
    }
    reader.skip();
  }
  throw new MalformedMessage('An append must send options or an event');
}

/** A DeleteReq or a TombstoneReq. */
export function readRemoval(bytes: Buffer): WriteOptions {
  const reader = new Reader(bytes);
  while (reader.next()) {
    if (reader.field === 1) return readWriteOptions(reader.message());
    reader.skip();
  }
  throw new MalformedMessage('A delete needs options');
}

/** Correlation ids are UUIDs; throws MalformedMessage for anything else. */
export function checkCorrelation(correlation: Buffer): void {
  readUuid(new Reader(correlation));
}

export function batchAppended(
  correlation: Buffer,
  stream: string,
  revision: number,
  position: number | undefined,
): Buffer {
  return new Writer()
    .bytes(1, correlation)
    .message(3, (success) => putSuccess(success, revision, position))
    .message(4, (identifier) => identifier.string(3, stream))
    .frame();
}

export function batchFailed(correlation: Buffer, stream: string, error: BatchError): Buffer {
  return new Writer()
    .bytes(1, correlation)
    .message(2, (status) =>
      status
        .number(1, error.code)
        .string(2, error.message)
        .message(3, (any) => any.string(1, `type.googleapis.com/${error.detail}`).message(2, error.build)),
    )
    .message(4, (identifier) => identifier.string(3, stream))
    .frame();
}

export function appended(revision: number, position: number | undefined): Buffer {
  return new Writer().message(1, (success) => putSuccess(success, revision, position)).frame();
}

function putSuccess(success: Writer, revision: number, position: number | undefined): void {
  if (revision === NO_STREAM) success.empty(2);
  else success.number(1, revision);
  if (position === undefined) success.empty(4);
  else success.message(3, (place) => place.number(1, position).number(2, position));
}

/**
 * A classic append's conflict: an answer, not an error of the call. The old fields are what older clients
 * read.
 */
export function appendConflicted(expected: ExpectedRevision, current: number): Buffer {
  return new Writer()
    .message(2, (conflict) => {
      if (current === NO_STREAM) conflict.empty(2).empty(7);
      else conflict.number(1, current).number(6, current);
      if (expected === 'any') conflict.empty(4).empty(9);
      else if (expected === 'stream_exists') conflict.empty(5).empty(10);
      else if (expected === 'no_stream') conflict.empty(11);
      else conflict.number(3, expected).number(8, expected);
    })
    .frame();
}

export function removed(position: number | undefined): Buffer {
  const answer = new Writer();
  if (position === undefined) answer.empty(2);
  else answer.message(1, (place) => place.number(1, position).number(2, position));
  return answer.frame();
}

const GOOGLE_INVALID_ARGUMENT = 3;
const GOOGLE_DEADLINE_EXCEEDED = 4;
const GOOGLE_NOT_FOUND = 5;
const GOOGLE_ALREADY_EXISTS = 6;

export function wrongExpectedRevision(expected: ExpectedRevision, current: number): BatchError {
  return {
    code: GOOGLE_ALREADY_EXISTS,
    message: 'WrongExpectedVersion',
    detail: 'event_store.client.WrongExpectedVersion',
    build: (conflict) => {
      if (current === NO_STREAM) conflict.empty(2);
      else conflict.number(1, current);
      if (expected === 'any') conflict.empty(4);
      else if (expected === 'stream_exists') conflict.empty(5);
      else if (expected === 'no_stream') conflict.empty(6);
      else conflict.number(3, expected);
    },
  };
}

export function streamDeleted(stream: string): BatchError {
  return {
    code: GOOGLE_NOT_FOUND,
    message: 'StreamDeleted',
    detail: 'event_store.client.StreamDeleted',
    build: (inner) => inner.message(1, (identifier) => identifier.string(3, stream)),
  };
}

export const timedOut: BatchError = {
  code: GOOGLE_DEADLINE_EXCEEDED,
  message: 'Timeout',
  detail: 'event_store.client.Timeout',
  build: () => undefined,
};

/** What a node says that does not lead and knows of none that does. Neither message has a code of its own. */
export const notReady: BatchError = {
  code: 0,
  message: 'Server Is Not Ready',
  detail: 'google.protobuf.Empty',
  build: () => undefined,
};

export const tooLarge: BatchError = {
  code: GOOGLE_INVALID_ARGUMENT,
  message: 'MaximumAppendSizeExceeded',
  detail: 'event_store.client.MaximumAppendSizeExceeded',
  build: (inner) => inner.number(1, MAX_APPEND_BYTES),
};

export function badRequest(message: string): BatchError {
  return {
    code: GOOGLE_INVALID_ARGUMENT,
    message: 'BadRequest',
    detail: 'event_store.client.BadRequest',
    build: (inner) => inner.string(1, message),
  };
}

/** An event that points at another, and the event it points at, if that can be seen. */
export function resolvedLink(link: Buffer, target: Buffer | undefined, position: number): Buffer {
  return new Writer()
    .message(1, (event) => {
      if (target) event.bytes(1, target);
      event.bytes(2, link).number(3, position);
    })
    .frame();
}

export function confirmation(subscriptionId: string): Buffer {
  return new Writer().message(2, (inner) => inner.string(1, subscriptionId)).frame();
}

export function checkpoint(position: number): Buffer {
  return new Writer().message(3, (inner) => inner.number(1, position).number(2, position)).frame();
}

export function streamNotFound(stream: string): Buffer {
  return new Writer()
    .message(4, (inner) => inner.message(1, (identifier) => identifier.string(3, stream)))
    .frame();
}

export function firstStreamPosition(revision: number): Buffer {
  return new Writer().number(5, revision).frame();
}

export function lastStreamPosition(revision: number): Buffer {
  return new Writer().number(6, revision).frame();
}

export function caughtUp(): Buffer {
  return new Writer().empty(8).frame();
}

const OF_GROUPS = ['create', 'update', 'delete', 'read', 'getinfo', 'list', 'replayparked'];

/** What this server can do, in the lower case that clients compare with. */
export function supportedMethods(serverVersion: string): Buffer {
  const answer = new Writer();
  const groups = 'event_store.client.persistent_subscriptions.persistentsubscriptions';
  for (const method of OF_GROUPS)
    answer.message(1, (inner) =>
      inner.string(1, method).string(2, groups).string(3, 'stream').string(3, 'all'),
    );
  answer.message(1, (inner) => inner.string(1, 'restartsubsystem').string(2, groups));
  for (const method of ['append', 'batchappend', 'delete', 'read', 'tombstone']) {
    answer.message(1, (inner) => {
      inner.string(1, method).string(2, 'event_store.client.streams.streams');
      if (method === 'read') inner.string(3, 'position').string(3, 'events');
    });
  }
  return answer.string(2, serverVersion).frame();
}

/** What a node is in its cluster, by the protocol's numbers. */
export const NodeState = { UNKNOWN: 2, CATCHING_UP: 4, FOLLOWER: 6, LEADER: 8 } as const;

export interface Member {
  readonly nodeId: string;
  readonly state: (typeof NodeState)[keyof typeof NodeState];
  readonly isAlive: boolean;
  readonly address: string;
  readonly port: number;
}

/** What a node says of its cluster. */
export function cluster(members: readonly Member[]): Buffer {
  const answer = new Writer();
  for (const { nodeId, state, isAlive, address, port } of members)
    answer.message(1, (member) =>
      member
        .message(1, (uuid) => uuid.string(2, nodeId))
        .number(2, Date.now() * 10_000)
        .number(3, state)
        .number(4, isAlive ? 1 : 0)
        .message(5, (endpoint) => endpoint.string(1, address).number(2, port)),
    );
  return answer.frame();
}

/** After how many milliseconds the next statistics are wanted. */
export function readStatisticsRequest(bytes: Buffer): number {
  const reader = new Reader(bytes);
  let refreshMs = 0;
  while (reader.next())
    if (reader.field === 4) refreshMs = reader.varint();
    else reader.skip();
  return refreshMs;
}

/** Statistics by their names. */
export function statistics(figures: Readonly<Record<string, string>>): Buffer {
  const answer = new Writer();
  for (const [name, value] of Object.entries(figures))
    answer.message(1, (entry) => entry.string(1, name).string(2, value));
  return answer.frame();
}
