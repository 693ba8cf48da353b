/**
 * All groups of consumers of the store, and the service that makes, changes, tells of and removes them. What
 * groups there are is one event, the last of a system stream, so that it outlives a restart as everything
 * else does.
 */
import { randomUUID } from 'node:crypto';

import { ConsumerGroup } from './consumer-group.js';
import {
  empty,
  groupExists,
  groupFailed,
  groupInfo,
  groupList,
  groupUnknown,
  readConsumerRequest,
  readDeleteGroup,
  readGetInfo,
  readGroupRequest,
  readList,
  readReplayParked,
  sourceOf,
  type GroupName,
  type GroupSettings,
} from './consumer-messages.js';
import { ownEvent } from './events.js';
import { GrpcError, GrpcStatus, type CallHandler, type GrpcCall, type Service } from './grpc.js';
import type { Log } from './store.js';

const CONFIG_STREAM = '$persistentSubscriptionConfig';

/** How a group is kept. */
interface KeptGroup {
  /** Null: $all. */
  readonly stream: string | null;
  readonly group: string;
  readonly settings: GroupSettings;
}

type Unary = (call: GrpcCall, act: (request: Buffer) => void) => CallHandler;

export class ConsumerGroups {
  private groups = new Map<string, ConsumerGroup>();
  /** What has groups, or had some since they were loaded: there is a list of those, if an empty one. */
  private sources = new Set<string>();

  constructor(private readonly store: Log) {
    this.load();
  }

  /** Something was written to the log. */
  noticeWritten(): void {
    for (const group of this.groups.values()) group.noticeWritten();
  }

  tick(now: number): void {
    for (const group of this.groups.values()) group.tick(now);
  }

  /** Ends the subscriptions of all consumers: this node no longer leads. */
  close(): void {
    for (const group of this.groups.values()) group.close();
    this.groups = new Map();
  }

  /** Hands out nothing more. */
  stop(): void {
    for (const group of this.groups.values()) group.stop();
  }

  /** The calls of the service. `guarded` makes a handler of what is done with a call's one request. */
  services(guarded: Unary, refuseWhenDraining: () => void): Service {
    const service = '/event_store.client.persistent_subscriptions.PersistentSubscriptions';
    const unary =
      (act: (request: Buffer, answer: (message?: Buffer) => void) => void) =>
      (call: GrpcCall): CallHandler =>
        guarded(call, (request) =>
          act(request, (message = empty()) => {
            call.write(message);
            call.finish();
          }),
        );
    return {
      [`${service}/Create`]: unary((bytes, answer) => {
        const { stream, group, settings } = readGroupRequest(bytes);
        const name = { stream, group };
        if (this.groups.has(keyOf(name))) throw groupExists(name);
        this.put(name, settings);
        this.keep(answer);
      }),
      [`${service}/Update`]: unary((bytes, answer) => {
        const { stream, group, settings } = readGroupRequest(bytes);
        const before = this.find({ stream, group });
        const after = this.startAfter(before.name, settings);
        before.close();
        // It goes on behind its checkpoint. What a group on $all passes over is settled when it is made.
        this.put(before.name, { ...settings, filter: before.settings.filter }, after);
        this.keep(answer);
      }),
      [`${service}/Delete`]: unary((bytes, answer) => {
        const group = this.find(readDeleteGroup(bytes));
        this.groups.delete(keyOf(group.name));
        group.close();
        group.forget();
        this.keep(answer);
      }),
      [`${service}/GetInfo`]: unary((bytes, answer) =>
        answer(groupInfo(this.find(readGetInfo(bytes)).info())),
      ),
      [`${service}/List`]: unary((bytes, answer) => {
        const asked = readList(bytes);
        const all = [...this.groups.values()];
        const listed = asked === 'all groups' ? all : all.filter(({ name }) => name.stream === asked.stream);
        if (asked !== 'all groups' && !this.sources.has(sourceOf(asked)))
          throw groupUnknown({ ...asked, group: '' });
        answer(groupList(listed.map((group) => group.info())));
      }),
      [`${service}/ReplayParked`]: unary((bytes, answer) => {
        const request = readReplayParked(bytes);
        this.find(request).replayParked(request.stopAt);
        answer();
      }),
      [`${service}/RestartSubsystem`]: unary((_, answer) => {
        for (const group of this.groups.values()) group.close();
        // What they wrote last is to be found when they are made anew.
        void this.store.settled().then(() => {
          this.load();
          answer();
        });
      }),
      [`${service}/Read`]: (call) => this.consume(call, refuseWhenDraining),
    };
  }

  private consume(call: GrpcCall, refuseWhenDraining: () => void): CallHandler {
    let group: ConsumerGroup | undefined;
    let consumer: ReturnType<ConsumerGroup['join']> | undefined;
    return {
      message: (bytes) => {
        refuseWhenDraining();
        const request = readConsumerRequest(bytes);
        if (request.kind === 'subscribe') {
          if (consumer) throw new GrpcError(GrpcStatus.INVALID_ARGUMENT, 'A call takes part in one group.');
          group = this.find(request);
          consumer = group.join(call, request.bufferSize);
        } else if (!group || !consumer) {
          throw new GrpcError(GrpcStatus.INVALID_ARGUMENT, 'A consumer must begin with its options.');
        } else if (request.kind === 'ack') group.ack(request.ids);
        else group.nack(request.ids, request.action, request.reason);
      },
      end: () => call.finish(),
      closed: () => {
        if (consumer) group?.leave(consumer);
      },
    };
  }

  private find(name: GroupName): ConsumerGroup {
    const group = this.groups.get(keyOf(name));
    if (!group) throw groupUnknown(name);
    return group;
  }

  private put(name: GroupName, settings: GroupSettings, startAfter = this.startAfter(name, settings)): void {
    this.groups.set(keyOf(name), new ConsumerGroup(this.store, name, settings, startAfter));
    this.sources.add(sourceOf(name));
  }

  /**
   * The place behind which a group begins that has no checkpoint. A given place is the first that it gets;
   * the end is that of the moment in which the group is made, changed, or loaded after a restart.
   */
  private startAfter(name: GroupName, { startFrom }: GroupSettings): number {
    const { stream } = name;
    if (stream === undefined && typeof startFrom === 'number' && startFrom > this.store.lastPosition) {
      throw groupFailed(
        name,
        'Invalid Start From position: commit position must be less than or equal to the last commit position in the transaction file.',
      );
    }
    if (typeof startFrom === 'number') return startFrom - 1;
    if (stream === undefined) return startFrom === 'start' ? 0 : this.store.lastPosition;
    return startFrom === 'start' ? -1 : this.store.view(stream).last;
  }

  /** Makes the groups anew, from what the log has of them. */
  load(): void {
    this.groups = new Map();
    this.sources = new Set();
    const view = this.store.view(CONFIG_STREAM);
    const found = view.state === 'readable' ? this.store.event(CONFIG_STREAM, view.last) : undefined;
    if (!found) return;
    const { groups } = JSON.parse(found.append.data(found.index).toString('utf8')) as {
      groups: readonly KeptGroup[];
    };
    for (const { stream, group, settings } of groups)
      this.put({ stream: stream ?? undefined, group }, settings);
  }

  private keep(done: () => void): void {
    const groups = [...this.groups.values()].map(({ name, settings }): KeptGroup => ({
      stream: name.stream ?? null,
      group: name.group,
      settings,
    }));
    const event = ownEvent(randomUUID(), '$PersistentConfig', true, Buffer.from(JSON.stringify({ groups })));
    if (this.store.view(`$$${CONFIG_STREAM}`).state === 'none') {
      const metadata = ownEvent(randomUUID(), '$metadata', true, Buffer.from('{"$maxCount":2}'));
      this.store.append(`$$${CONFIG_STREAM}`, 'any', [metadata], () => undefined);
    }
    this.store.append(CONFIG_STREAM, 'any', [event], () => done());
  }
}

const keyOf = (name: GroupName): string => `${sourceOf(name)}\n${name.group}`;
