/**
 * The services of the event store: what each call of a client does to the store, and how its outcome is
 * answered. Batch appends carry their errors inside the answers, because their one channel outlives them all;
 * the other calls end with a status and trailers.
 */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';

import { ConsumerGroups } from './consumer-groups.js';
import { RequiredPropertyMissing, sizeOf, type ProposedEvent } from './events.js';
import { Subscriptions, type Subscription } from './following.js';
import {
  GrpcError,
  GrpcServer,
  GrpcStatus,
  type Access,
  type CallHandler,
  type GrpcCall,
  type Service,
} from './grpc.js';
import {
  appendConflicted,
  appended,
  badRequest,
  batchAppended,
  batchFailed,
  checkCorrelation,
  cluster,
  MAX_APPEND_BYTES,
  NodeState,
  notReady,
  readAppend,
  readBatchAppend,
  readReadRequest,
  readRemoval,
  readStatisticsRequest,
  removed,
  statistics,
  streamDeleted,
  supportedMethods,
  timedOut,
  tooLarge,
  UnacceptableAppend,
  wrongExpectedRevision,
  type BatchError,
  type Member,
  type WriteOptions,
} from './messages.js';
import { read, streamIsDeleted } from './reading.js';
import type { ExpectedRevision, Log, Outcome } from './store.js';
import { readersOfAll } from './stream-metadata.js';
import { MalformedMessage } from './wire.js';

// In three parts, as EventStoreDB tells it: clients of its successor cannot read four.
const SERVER_VERSION = '23.10.1';
const DEADLINE_CHECK_MS = 50;

/** Where a node can be reached. */
export interface Address {
  readonly address: string;
  readonly port: number;
}

/** What a node tells clients that ask for its cluster. */
export interface Membership {
  /** All nodes, as this one sees them. */
  members(): Member[];
  /** What a call ends with that only a leader may answer; undefined: this node leads, or says so. */
  leaderOnly(): GrpcError | undefined;
}

/** What a node that stands alone tells of its cluster. */
export interface ClusterInfo {
  /** Where it says that it is; without it, where it listens on this machine. */
  readonly advertised?: Address | undefined;
  /** Who leads; without it, it leads by itself. */
  readonly leader?: Address | undefined;
}

/** Serves a store. */
export class EventStoreServer {
  private readonly grpc: GrpcServer;
  private readonly subscriptions: Subscriptions;
  private readonly consumers: ConsumerGroups;
  private readonly channels = new Set<BatchAppendChannel>();
  private readonly deadlines: NodeJS.Timeout;
  private readonly nodeId = randomUUID();
  private readonly leaderId = randomUUID();
  private draining = false;
  private port = 0;

  constructor(
    private readonly store: Log,
    private readonly access: Access = {},
    private readonly cluster: ClusterInfo | Membership = {},
  ) {
    this.consumers = new ConsumerGroups(store);
    this.subscriptions = new Subscriptions(store, () => this.consumers.noticeWritten());
    this.grpc = new GrpcServer(this.services(), { ...access, isLive: () => !this.draining });
    this.deadlines = setInterval(() => {
      const now = Date.now();
      for (const channel of this.channels) channel.expire(now);
      this.consumers.tick(now);
    }, DEADLINE_CHECK_MS);
  }

  async listen(port: number, host?: string): Promise<number> {
    this.port = await this.grpc.listen(port, host);
    return this.port;
  }

  /** Finishes the appends that have arrived, lets the answers leave, and breaks the connections off. */
  async drain(timeoutMs: number): Promise<void> {
    this.grpc.refuseNewConnections();
    this.draining = true;
    this.consumers.stop();
    await this.store.settled();
    clearInterval(this.deadlines);
    await this.grpc.close(timeoutMs);
  }

  /** Serves a connection that was accepted elsewhere. */
  accept(connection: Duplex): void {
    this.grpc.accept(connection);
  }

  /** Takes nothing more and answers the appends that have arrived. */
  async finishAppends(): Promise<void> {
    this.draining = true;
    await this.store.settled();
  }

  /** Lets go of everything at once. Its connections are for its owner to end. */
  abandon(): void {
    this.draining = true;
    this.consumers.stop();
    clearInterval(this.deadlines);
  }

  /** Tells the node whether it leads: groups of consumers live at the leader. */
  leads(isLeader: boolean): void {
    if (isLeader) this.consumers.load();
    else this.consumers.close();
  }

  private members(): Member[] {
    if ('members' in this.cluster) return this.cluster.members();
    const { advertised = { address: '127.0.0.1', port: this.port }, leader } = this.cluster;
    const { LEADER, FOLLOWER } = NodeState;
    const isAlive = true;
    const self: Member = { nodeId: this.nodeId, state: leader ? FOLLOWER : LEADER, isAlive, ...advertised };
    return leader ? [self, { nodeId: this.leaderId, state: LEADER, isAlive, ...leader }] : [self];
  }

  private leaderOnly(): GrpcError | undefined {
    if ('leaderOnly' in this.cluster) return this.cluster.leaderOnly();
    return this.cluster.leader && notLeader(this.cluster.leader);
  }

  /** Ends a call that its client gives to a leader only, where this node does not lead. */
  private heedLeadership({ headers }: GrpcCall): void {
    if (headers['requires-leader'] !== 'true') return;
    const refusal = this.leaderOnly();
    if (refusal) throw refusal;
  }

  private services(): Service {
    const streams = '/event_store.client.streams.Streams';
    return {
      '/event_store.client.server_features.ServerFeatures/GetSupportedMethods': (call) =>
        this.unary(call, () => {
          call.write(supportedMethods(SERVER_VERSION));
          call.finish();
        }),
      '/event_store.client.gossip.Gossip/Read': (call) =>
        this.unary(call, () => {
          call.write(cluster(this.members()));
          call.finish();
        }),
      '/event_store.client.monitoring.Monitoring/Stats': (call) => this.statistics(call),
      [`${streams}/Read`]: (call) => this.read(call),
      [`${streams}/Append`]: (call) => this.append(call),
      [`${streams}/BatchAppend`]: (call) => this.batchAppend(call),
      [`${streams}/Delete`]: (call) => this.remove(call, false),
      [`${streams}/Tombstone`]: (call) => this.remove(call, true),
      ...this.consumers.services(
        (call, act) =>
          this.unary(call, (request) => {
            const refusal = this.leaderOnly();
            if (refusal) throw refusal;
            act(request);
          }),
        () => {
          this.refuseWhenDraining();
          const refusal = this.leaderOnly();
          if (refusal) throw refusal;
        },
      ),
    };
  }

  /**
   * Of all that EventStoreDB tells in its statistics, the disk that the log is on. It tells again each time
   * that the client has waited for as long as it asked for.
   */
  private statistics(call: GrpcCall): CallHandler {
    let again: NodeJS.Timeout | undefined;
    const tell = (): void => {
      const { freeBytes, totalBytes } = this.store.disk();
      const used = totalBytes - freeBytes;
      call.write(
        statistics({
          'sys-drive-/-availableBytes': String(freeBytes),
          'sys-drive-/-totalBytes': String(totalBytes),
          'sys-drive-/-usage': `${totalBytes === 0 ? 0 : Math.round((used / totalBytes) * 100)}%`,
          'sys-drive-/-usedBytes': String(used),
        }),
      );
    };
    return {
      ...this.unary(call, (request) => {
        tell();
        again = setInterval(tell, Math.max(readStatisticsRequest(request), 100));
      }),
      closed: () => clearInterval(again),
    };
  }

  private unary(
    call: GrpcCall,
    act: (request: Buffer) => void,
    closed: () => void = () => undefined,
  ): CallHandler {
    return {
      message: (bytes) => {
        this.refuseWhenDraining();
        try {
          act(bytes);
        } catch (error) {
          call.fail(asGrpcError(error));
        }
      },
      end: () => undefined,
      closed,
    };
  }

  private refuseWhenDraining(): void {
    if (this.draining) throw new GrpcError(GrpcStatus.CANCELLED, 'The event store is shutting down.');
  }

  private read(call: GrpcCall): CallHandler {
    let close = (): void => undefined;
    return this.unary(
      call,
      (bytes) => {
        const request = readReadRequest(bytes);
        this.heedLeadership(call);
        if (request.stream === undefined) this.access.admitToAll?.(call.headers, readersOfAll(this.store));
        if (request.limit === undefined) {
          const subscription: Subscription = this.subscriptions.open(call, request);
          close = () => this.subscriptions.close(subscription, request);
        } else {
          read(this.store, call, request).catch((error: unknown) => call.fail(error));
        }
      },
      () => close(),
    );
  }

  private append(call: GrpcCall): CallHandler {
    let options: WriteOptions | undefined;
    const events: ProposedEvent[] = [];
    let size = 0;
    return {
      message: (bytes) => {
        this.refuseWhenDraining();
        try {
          const part = readAppend(bytes);
          if ('options' in part) {
            options = part.options;
            return;
          }
          events.push(part.event);
          size += sizeOf(part.event);
          if (size > MAX_APPEND_BYTES) throw appendTooLarge();
        } catch (error) {
          call.fail(asGrpcError(error));
        }
      },
      end: () => {
        if (!options) {
          call.fail(new GrpcError(GrpcStatus.INVALID_ARGUMENT, 'An append must begin with its options.'));
          return;
        }
        this.heedLeadership(call);
        const { stream, expected } = options;
        this.store.append(stream, expected, events, (outcome) => {
          if (outcome.kind !== 'written' && outcome.kind !== 'wrong-expected-revision') {
            call.fail(writeFailed(stream, outcome));
            return;
          }
          call.write(
            outcome.kind === 'written'
              ? appended(outcome.revision, outcome.position)
              : appendConflicted(expected, outcome.current),
          );
          call.finish();
        });
      },
      closed: () => undefined,
    };
  }

  private batchAppend(call: GrpcCall): CallHandler {
    const channel = new BatchAppendChannel(call, this.store, () => this.heedLeadership(call));
    this.channels.add(channel);
    return {
      message: (bytes) => {
        // Once the server drains, what it has not read it has not taken: the client's connection ends soon.
        if (!this.draining) channel.message(bytes);
      },
      end: () => channel.end(),
      closed: () => this.channels.delete(channel),
    };
  }

  private remove(call: GrpcCall, forGood: boolean): CallHandler {
    return this.unary(call, (bytes) => {
      const { stream, expected } = readRemoval(bytes);
      this.heedLeadership(call);
      this.store.remove(stream, expected, forGood, (outcome) => {
        if (outcome.kind === 'wrong-expected-revision')
          call.fail(removalConflicted(stream, expected, outcome.current));
        else if (outcome.kind === 'written') {
          call.write(removed(outcome.position));
          call.finish();
        } else call.fail(writeFailed(stream, outcome));
      });
    });
  }
}

/** An append under way: its parts, until the final one has come, and its deadline. */
interface PendingAppend {
  readonly correlation: Buffer;
  readonly options: WriteOptions;
  readonly events: ProposedEvent[];
  size: number;
  answered: boolean;
}

/** One client's channel of appends. Any number may be under way in it, each under its own correlation id. */
class BatchAppendChannel {
  private readonly pending = new Map<string, PendingAppend>();
  private answers: Buffer[] = [];
  private ended = false;

  constructor(
    private readonly call: GrpcCall,
    private readonly store: Log,
    private readonly heedLeadership: () => void,
  ) {}

  message(bytes: Buffer): void {
    let request;
    try {
      request = readBatchAppend(bytes);
      checkCorrelation(request.correlation);
    } catch (error) {
      if (!(error instanceof UnacceptableAppend)) throw asGrpcError(error);
      const key = error.correlation.toString('latin1');
      const append = this.pending.get(key);
      this.pending.delete(key);
      this.answer(
        batchFailed(error.correlation, append?.options.stream ?? error.stream, badRequest(error.message)),
      );
      return;
    }
    const { correlation, options, events, isFinal } = request;
    const key = correlation.toString('latin1');
    let append = this.pending.get(key);
    if (!append && options) {
      append = { correlation, options, events: [], size: 0, answered: false };
      this.pending.set(key, append);
      if (options.deadline <= Date.now()) this.refuse(append, timedOut);
    }
    // Parts of an append that was answered before it was whole: nobody waits for them.
    if (!append) return;
    if (!append.answered) {
      for (const event of events) {
        append.events.push(event);
        append.size += sizeOf(event);
      }
      if (append.size > MAX_APPEND_BYTES) this.refuse(append, tooLarge);
    }
    if (!isFinal) return;
    if (append.answered) {
      this.settle(key);
      return;
    }
    this.heedLeadership();
    const whole = append;
    const { stream, expected } = whole.options;
    this.store.append(stream, expected, whole.events, (outcome) => {
      if (!whole.answered) {
        whole.answered = true;
        this.answer(answerTo(whole, outcome));
      }
      this.settle(key);
    });
  }

  /**
   * Answers all whose deadline has passed. One that is being written may still be written: the client cannot
   * know.
   */
  expire(now: number): void {
    for (const append of this.pending.values()) {
      if (!append.answered && append.options.deadline <= now) this.refuse(append, timedOut);
    }
  }

  end(): void {
    this.ended = true;
    if (this.pending.size === 0) this.call.finish();
  }

  private refuse(append: PendingAppend, error: BatchError): void {
    append.answered = true;
    append.events.length = 0;
    this.answer(batchFailed(append.correlation, append.options.stream, error));
  }

  private settle(key: string): void {
    this.pending.delete(key);
    if (!this.ended || this.pending.size > 0) return;
    // Behind the answers that wait for the end of this turn.
    setImmediate(() => this.call.finish());
  }

  /** The answers to all appends of one commit leave in one write. */
  private answer(message: Buffer): void {
    this.answers.push(message);
    if (this.answers.length > 1) return;
    queueMicrotask(() => {
      const { answers } = this;
      this.answers = [];
      this.call.writeAll(answers);
    });
  }
}

function answerTo({ correlation, options }: PendingAppend, outcome: Outcome): Buffer {
  const { stream, expected } = options;
  switch (outcome.kind) {
    case 'written':
      return batchAppended(correlation, stream, outcome.revision, outcome.position);
    case 'wrong-expected-revision':
      return batchFailed(correlation, stream, wrongExpectedRevision(expected, outcome.current));
    case 'stream-deleted':
      return batchFailed(correlation, stream, streamDeleted(stream));
    case 'not-ready':
      return batchFailed(correlation, stream, notReady);
    case 'timed-out':
      return batchFailed(correlation, stream, timedOut);
  }
}

/** What ends a classic append, a delete or a tombstone that was not done, conflicts excepted. */
function writeFailed(
  stream: string,
  { kind }: Outcome & { kind: 'stream-deleted' | 'not-ready' | 'timed-out' },
): GrpcError {
  if (kind === 'stream-deleted') return streamIsDeleted(stream);
  if (kind === 'not-ready') return serverNotReady();
  return new GrpcError(GrpcStatus.ABORTED, 'Operation timed out: Commit phase timeout');
}

/** A call that needs a leader, at a node that knows of none. */
export function serverNotReady(): GrpcError {
  return new GrpcError(GrpcStatus.UNAVAILABLE, 'Server Is Not Ready');
}

/** A call that only the leader answers: it is told who that is. */
export function notLeader({ address, port }: Address): GrpcError {
  return new GrpcError(GrpcStatus.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': address,
    'leader-endpoint-port': String(port),
  });
}

function appendTooLarge(): GrpcError {
  return new GrpcError(GrpcStatus.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(MAX_APPEND_BYTES),
  });
}

function removalConflicted(stream: string, expected: ExpectedRevision, current: number): GrpcError {
  const expectedVersion = { any: -2, no_stream: -1, stream_exists: -4 }[expected as string] ?? expected;
  return new GrpcError(
    GrpcStatus.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expectedVersion}, Actual version: ${current}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(expectedVersion),
      'actual-version': String(current),
    },
  );
}

function asGrpcError(error: unknown): unknown {
  if (error instanceof RequiredPropertyMissing) {
    return new GrpcError(GrpcStatus.INVALID_ARGUMENT, error.message, {
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    });
  }
  if (error instanceof MalformedMessage) return new GrpcError(GrpcStatus.INVALID_ARGUMENT, error.message);
  return error;
}
