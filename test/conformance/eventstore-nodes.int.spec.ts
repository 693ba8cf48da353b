/**
 * What the stand-in promises as three nodes, shown through the official client: who leads, who says so, what
 * becomes of appends, reads and subscriptions at a node that is killed, ended, frozen, cut off or behind.
 * Times are a tenth of the real cluster's. It is the stand-in that is broken here, so EVENTSTORE_URL has no
 * say.
 */
import { randomUUID } from 'node:crypto';

import {
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  type AppendToStreamOptions,
  type ResolvedEvent,
} from '@eventstore/db-client';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipMessages, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js';
import { credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';

import { ThreeNodes, type NodeName } from '#test/support/three-nodes';

const { MemberInfo } = gossipMessages;
const { Empty } = sharedMessages;

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function threeNodes(): Promise<ThreeNodes> {
  const nodes = await ThreeNodes.start({ pace: 0.1 });
  ended.push(() => nodes.stop());
  return nodes;
}

function connect(url: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(url);
  ended.push(() => client.dispose());
  return client;
}

const numbered = (number: number): ReturnType<typeof jsonEvent> =>
  jsonEvent({ id: randomUUID(), type: 'Numbered', data: { number } });
const numberOf = ({ event }: ResolvedEvent): number => (event!.data as unknown as { number: number }).number;

async function numbersIn(client: EventStoreDBClient, stream: string): Promise<number[]> {
  const numbers: number[] = [];
  for await (const event of client.readStream(stream, { direction: FORWARDS, fromRevision: START }))
    numbers.push(numberOf(event));
  return numbers;
}

async function hasEvents(client: EventStoreDBClient, stream: string): Promise<boolean> {
  let count = 0;
  try {
    for await (const _ of client.readStream(stream)) count++;
  } catch (error) {
    expect(error).toMatchObject({ type: 'stream-not-found' });
  }
  return count > 0;
}

/** Waits until it holds; a failure says what it was last. */
async function eventually<T>(look: () => Promise<T> | T, holds: (value: T) => boolean): Promise<T> {
  for (const until = Date.now() + 10_000; ;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > until) throw new Error(`It is still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Appends to whoever leads, again and again until it is answered. Not through the batch channel: when one of
 * those breaks, the client forgets what is under way in all others of the process.
 */
async function appendAtLast(
  nodes: ThreeNodes,
  stream: string,
  event: ReturnType<typeof jsonEvent>,
  options: AppendToStreamOptions = {},
): Promise<bigint> {
  const credentials = { username: 'anybody', password: 'unused' };
  for (;;) {
    const client = EventStoreDBClient.connectionString(nodes.urlOf(await nodes.leaderOtherThan()));
    try {
      const classic = { ...options, credentials, deadline: 1_000 };
      return (await client.appendToStream(stream, event, classic)).nextExpectedRevision;
    } catch (error) {
      expect(String(error)).not.toContain('WrongExpectedVersion');
    } finally {
      await client.dispose();
    }
  }
}

/** What a client of this node is answered to an append: the error's words and type. */
async function refusal(client: EventStoreDBClient, options: AppendToStreamOptions = {}): Promise<unknown> {
  return client.appendToStream('refused', numbered(0), options).then(
    () => 'done',
    (error: { type?: string; code?: number; message: string }) => error,
  );
}

/** The port of each node and what it is, in words of the protocol, as one of them says. */
async function membersSeenBy(nodes: ThreeNodes, node: 1 | 2 | 3): Promise<[number, string][]> {
  const client = new gossipService.GossipClient(
    `127.0.0.1:${nodes.portOf(node)}`,
    credentials.createInsecure(),
  );
  try {
    const info = await new Promise<ClusterInfo>((resolve, reject) =>
      client.read(new Empty(), (error, answer) => (error ? reject(error) : resolve(answer))),
    );
    return info.getMembersList().map((member) => {
      const [name = ''] =
        Object.entries(MemberInfo.VNodeState).find(([, state]) => state === member.getState()) ?? [];
      return [member.getHttpEndPoint()!.getPort(), member.getIsAlive() ? name : `${name} away`];
    });
  } finally {
    client.close();
  }
}

interface Followed {
  readonly numbers: number[];
  error: unknown;
}

function follow(client: EventStoreDBClient, stream: string): Followed {
  const followed: Followed = { numbers: [], error: undefined };
  const subscription = client.subscribeToStream(stream, { fromRevision: START });
  subscription.on('data', (event) => followed.numbers.push(numberOf(event)));
  subscription.on('error', (error) => (followed.error = error));
  ended.push(async () => subscription.unsubscribe().catch(() => undefined));
  return followed;
}

describe('three nodes', () => {
  it('tell every client who leads, and show the same log', async () => {
    const nodes = await threeNodes();
    const anywhere = connect(nodes.url);
    await anywhere.appendToStream('stream', numbered(1), { expectedRevision: NO_STREAM });
    const follower = connect(`${nodes.url}&nodePreference=follower`);
    expect(await numbersIn(follower, 'stream')).toEqual([1]);
    const followed = ([1, 2, 3] as const).map((node) => follow(connect(nodes.urlOf(node)), 'stream'));
    await anywhere.appendToStream('stream', numbered(2), { expectedRevision: 0n });
    await eventually(
      () => followed.map(({ numbers }) => numbers.join()),
      (seen) => seen.every((numbers) => numbers === '1,2'),
    );
  });

  it('forward an append to the leader, unless it asks for the leader itself', async () => {
    const nodes = await threeNodes();
    const forwarded = await connect(nodes.urlOf(2)).appendToStream('stream', numbered(1));
    expect(forwarded.nextExpectedRevision).toBe(0n);
    const strict = connect(nodes.urlOf(3));
    expect(await refusal(strict, { requiresLeader: true })).toMatchObject({
      type: 'not-leader',
      leader: { address: '127.0.0.1', port: nodes.portOf(1) },
    });
    // The client goes where it was told to.
    await strict.appendToStream('stream', numbered(2), { requiresLeader: true });
    const reading = connect(nodes.urlOf(2)).readStream('stream', { requiresLeader: true });
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toMatchObject({ type: 'not-leader' });
    expect(await numbersIn(connect(nodes.urlOf(1)), 'stream')).toEqual([1, 2]);
  });
});

describe('gossip', () => {
  it('is what the asked node sees of the others', async () => {
    const nodes = await threeNodes();
    const all = [1, 2, 3] as const;
    const seen = async (node: 1 | 2 | 3): Promise<string> =>
      (await membersSeenBy(nodes, node)).map(([, state]) => state).join(', ');
    for (const node of all) {
      const members = await membersSeenBy(nodes, node);
      expect(members.map(([port]) => port)).toEqual(all.map((member) => nodes.portOf(member)));
      expect(await seen(node)).toBe('LEADER, FOLLOWER, FOLLOWER');
    }
    await nodes.make('cut-off', 1);
    // At first nobody has noticed.
    expect(await seen(1)).toMatch(/^LEADER/);
    await nodes.leaderOtherThan(1);
    expect(await seen(1)).toBe('LEADER, FOLLOWER away, FOLLOWER away');
    for (const node of [2, 3] as const) expect(await seen(node)).toBe('UNKNOWN away, LEADER, FOLLOWER');
    await nodes.make('heal', 1);
    await eventually(
      () => seen(1),
      (states) => states === 'FOLLOWER, LEADER, FOLLOWER',
    );
    await nodes.make('kill', 3);
    expect(await seen(2)).toBe('FOLLOWER, LEADER, FOLLOWER away');
    await nodes.make('kill', 1);
    // A leader without followers claims to lead still.
    await eventually(
      () => seen(2),
      (states) => states === 'FOLLOWER away, LEADER, FOLLOWER away',
    );
    expect((await nodes.report()).leader).toBeUndefined();
    await nodes.make('start', 3);
    await eventually(
      () => seen(3),
      (states) => states === 'FOLLOWER away, LEADER, FOLLOWER',
    );
  });
});

/** Takes part in the group and is done with all that it is given. */
function consume(client: EventStoreDBClient): number[] {
  const given: number[] = [];
  const subscription = client.subscribeToPersistentSubscriptionToStream('stream', 'group');
  subscription.on('data', (event) => {
    given.push(numberOf(event));
    void subscription.ack(event);
  });
  let hasEnded = false;
  subscription.on('error', () => (hasEnded = true));
  // The client waits for ever for one that is open still when it is disposed of.
  ended.push(async () => hasEnded || subscription.unsubscribe());
  return given;
}

describe('groups of consumers', () => {
  it('live at the leader, and go on at the next one behind their checkpoint', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    await client.appendToStream('stream', [numbered(1), numbered(2)]);
    const settings = persistentSubscriptionToStreamSettingsFromDefaults({
      startFrom: START,
      checkPointLowerBound: 1,
      checkPointUpperBound: 1,
    });
    await client.createPersistentSubscriptionToStream('stream', 'group', settings);
    await expect(
      connect(nodes.urlOf(2)).createPersistentSubscriptionToStream('stream', 'other', settings),
    ).rejects.toMatchObject({ type: 'not-leader' });
    const first = consume(client);
    await eventually(
      () => first.at(-1),
      (number) => number === 2,
    );
    await eventually(
      () => hasEvents(client, '$persistentsubscription-stream::group-checkpoint'),
      (isKept) => isKept,
    );
    await nodes.make('kill', 1);
    const leader = connect(nodes.urlOf(await nodes.leaderOtherThan(1)));
    await leader.appendToStream('stream', numbered(3));
    const second = consume(leader);
    await eventually(
      () => second.at(-1),
      (number) => number === 3,
    );
    // What was done just before the leader ended may come again.
    expect(second.length).toBeLessThan(3);
  });
});

describe('a leader that is gone', () => {
  it.each(['kill', 'end'] as const)('by %s is replaced, and nothing acknowledged is lost', async (fault) => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    const followed = follow(client, 'stream');
    await client.appendToStream('stream', numbered(1));
    await eventually(
      () => followed.numbers.length,
      (count) => count === 1,
    );
    await nodes.make(fault, 'leader');
    await eventually(
      () => followed.error,
      (error) => error !== undefined,
    );
    expect(followed.error).toMatchObject({ code: 14 });
    expect(await refusal(connect(nodes.urlOf(1)))).toMatchObject({ code: 14 });
    expect(await appendAtLast(nodes, 'stream', numbered(2), { expectedRevision: 0n })).toBe(1n);
    expect((await nodes.report()).epoch).toBe(2);
    expect(await refusal(connect(nodes.url))).toBe('done');
    await nodes.make('start', 1);
    expect(await numbersIn(connect(nodes.urlOf(1)), 'stream')).toEqual([1, 2]);
    expect((await nodes.report()).nodes[0]).toMatchObject({ condition: 'running', claimsToLead: false });
  });

  it.each(['kept', 'lost'] as const)(
    'leaves an append without an answer that is %s, and the same again is done once',
    async (unanswered) => {
      const nodes = await threeNodes();
      const client = connect(nodes.url);
      await client.appendToStream('stream', numbered(0));
      const event = numbered(1);
      await nodes.make('kill', 'leader', { unanswered });
      await expect(client.appendToStream('stream', event, { expectedRevision: 0n })).rejects.toThrow();
      const follower = connect(nodes.urlOf(3));
      await nodes.leaderOtherThan(1);
      expect(await numbersIn(follower, 'stream')).toEqual(unanswered === 'kept' ? [0, 1] : [0]);
      expect(await appendAtLast(nodes, 'stream', event, { expectedRevision: 0n })).toBe(1n);
      expect(await numbersIn(follower, 'stream')).toEqual([0, 1]);
    },
  );

  it('leaves two nodes that say Server Is Not Ready until one of them leads', async () => {
    const nodes = await threeNodes();
    const follower = connect(nodes.urlOf(2));
    await appendAtLast(nodes, 'stream', numbered(1));
    await nodes.make('cut-off', 3);
    await nodes.make('kill', 1);
    // One of three never leads: this lasts until another is back.
    await eventually(
      () => refusal(follower),
      (error) => String(error).includes('Could not recognize Server Is Not Ready'),
    );
    expect(await refusal(connect(nodes.urlOf(2)), { requiresLeader: true })).toMatchObject({
      code: 14,
    });
    expect(await numbersIn(follower, 'stream')).toEqual([1]);
    await nodes.make('heal', 3);
    expect(await appendAtLast(nodes, 'stream', numbered(2))).toBe(1n);
  });
});

describe('a leader that is frozen', () => {
  it('answers nothing, keeps its connections, and follows when it is back', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    const followed = follow(client, 'stream');
    await client.appendToStream('stream', numbered(1));
    await nodes.make('freeze', 1);
    const silent = connect(nodes.urlOf(1));
    let answers = 0;
    const reading = numbersIn(silent, 'stream').finally(() => answers++);
    expect(await appendAtLast(nodes, 'stream', numbered(2), { expectedRevision: 0n })).toBe(1n);
    expect([answers, followed.error]).toEqual([0, undefined]);
    await nodes.make('thaw', 1);
    expect(await reading).toContain(1);
    await eventually(
      () => followed.numbers,
      (numbers) => numbers.join() === '1,2',
    );
    expect(followed.error).toBeUndefined();
    expect((await nodes.report()).nodes[0]).toMatchObject({ condition: 'running', claimsToLead: false });
  });

  it('leaves when it is back where it took an append that the others do not have', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    await client.appendToStream('stream', numbered(1));
    await nodes.make('freeze', 1, { unanswered: 'lost' });
    const unknown = client.appendToStream('stream', numbered(2)).catch((error: unknown) => error);
    expect(await appendAtLast(nodes, 'stream', numbered(3), { expectedRevision: 0n })).toBe(1n);
    await nodes.make('thaw', 1);
    expect(await unknown).toBeInstanceOf(Error);
    await eventually(
      async () => (await nodes.report()).nodes[0]?.condition,
      (condition) => condition === 'left',
    );
    await nodes.make('start', 1);
    expect(await numbersIn(connect(nodes.urlOf(1)), 'stream')).toEqual([1, 3]);
  });
});

describe('a leader that is cut off', () => {
  it('keeps reads, subscriptions and its claim, is given nothing new, and refuses appends in the end', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    const event = numbered(1);
    const written = await client.appendToStream('stream', event, { expectedRevision: NO_STREAM });
    const followed = follow(client, 'stream');
    await nodes.make('cut-off', 1);
    // What it knows to be committed it answers for, as before.
    expect(await client.appendToStream('stream', event, { expectedRevision: NO_STREAM })).toEqual(written);
    const lost = client.appendToStream('stream', numbered(2), { expectedRevision: 0n });
    // It takes what follows from that, and refuses what contradicts it, though nothing of it is committed.
    await expect(
      client.appendToStream('stream', numbered(3), { expectedRevision: 0n }),
    ).rejects.toMatchObject({
      type: 'wrong-expected-version',
      actualVersion: 1n,
    });
    await expect(lost).rejects.toMatchObject({ type: 'deadline-exceeded' });
    await eventually(
      () => refusal(client),
      (error) => String(error).includes('Could not recognize Server Is Not Ready'),
    );
    expect(await nodes.leaderOtherThan(1)).toBe(2);
    expect(await appendAtLast(nodes, 'stream', numbered(4), { expectedRevision: 0n })).toBe(1n);

    // It says that it leads: a call for the leader only is answered, with the log as it was.
    const stale = client.readStream('stream', { requiresLeader: true });
    const seen = [];
    for await (const event of stale) seen.push(numberOf(event));
    expect([seen, followed.numbers, followed.error]).toEqual([[1], [1], undefined]);
    expect(String(await refusal(client))).toContain('Server Is Not Ready');
    expect((await nodes.report()).nodes[0]).toMatchObject({ condition: 'cut off', claimsToLead: true });

    await nodes.make('heal', 1);
    await eventually(
      async () => (await nodes.report()).nodes[0]?.condition,
      (condition) => condition === 'left',
    );
    await nodes.make('start', 1);
    expect(await numbersIn(connect(nodes.urlOf(1)), 'stream')).toEqual([1, 4]);
  });

  it('commits an append that the others had been given, and does not answer it', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    await client.appendToStream('stream', numbered(1));
    await nodes.make('cut-off', 1, { unanswered: 'kept' });
    const event = numbered(2);
    await expect(client.appendToStream('stream', event, { expectedRevision: 0n })).rejects.toMatchObject({
      type: 'deadline-exceeded',
    });
    expect(await numbersIn(client, 'stream')).toEqual([1]);
    expect(await appendAtLast(nodes, 'stream', event, { expectedRevision: 0n })).toBe(1n);
    await nodes.make('heal', 1);
    await eventually(
      () => numbersIn(client, 'stream'),
      (numbers) => numbers.join() === '1,2',
    );
  });

  it('commits what it took when the others are back and none of them has led', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    await client.appendToStream('stream', numbered(1));
    for (const follower of [2, 3] as const) await nodes.make('cut-off', follower);
    await expect(client.appendToStream('stream', numbered(2))).rejects.toMatchObject({
      type: 'deadline-exceeded',
    });
    expect(await numbersIn(client, 'stream')).toEqual([1]);
    await nodes.make('heal', 3);
    await eventually(
      () => numbersIn(client, 'stream'),
      (numbers) => numbers.join() === '1,2',
    );
    expect(await nodes.report()).toMatchObject({ leader: 1, epoch: 1 });
  });
});

describe('a follower that lags', () => {
  it('shows the log as it was, to readers and to followers, until it catches up', async () => {
    const nodes = await threeNodes();
    const client = connect(nodes.urlOf(1));
    await client.appendToStream('stream', numbered(1));
    await client.appendToStream('gone', numbered(1));
    await nodes.make('lag', 2);
    const behind = connect(nodes.urlOf(2));
    const followed = follow(behind, 'stream');
    // It forwards: the answer is the leader's, and of what it has itself it shows nothing.
    await behind.appendToStream('stream', [numbered(2), numbered(3)], { expectedRevision: 0n });
    await client.tombstoneStream('gone');
    await client.setStreamMetadata('stream', { truncateBefore: 2 });
    expect(await numbersIn(behind, 'stream')).toEqual([1]);
    expect(await numbersIn(behind, 'gone')).toEqual([1]);
    expect(await numbersIn(connect(nodes.urlOf(3)), 'stream')).toEqual([3]);
    await eventually(
      () => followed.numbers.length,
      (count) => count === 1,
    );
    await nodes.make('heal', 2);
    await eventually(
      () => followed.numbers,
      (numbers) => numbers.join() === '1,2,3',
    );
    expect(await numbersIn(behind, 'stream')).toEqual([3]);
    await expect(numbersIn(behind, 'gone')).rejects.toMatchObject({ type: 'stream-deleted' });
  });

  it('is behind by a time', async () => {
    const nodes = await threeNodes();
    await nodes.make('lag', 2, { behindMs: 300 });
    const followed = follow(connect(nodes.urlOf(2)), 'stream');
    const sentAt = performance.now();
    await connect(nodes.urlOf(1)).appendToStream('stream', numbered(1));
    await eventually(
      () => followed.numbers.length,
      (count) => count === 1,
    );
    expect(performance.now() - sentAt).toBeGreaterThan(250);
  });

  it('is not elected while another is there that has everything', async () => {
    const nodes = await threeNodes();
    await nodes.make('lag', 2);
    await connect(nodes.url).appendToStream('stream', numbered(1));
    await nodes.make('kill', 1);
    expect(await nodes.leaderOtherThan(1)).toBe(3);
  });
});

describe('faults under load', () => {
  it('lose nothing that was acknowledged and do nothing twice, whatever befalls the leaders', async () => {
    const nodes = await threeNodes();
    const acknowledged: number[] = [];
    let writing = true;
    let number = 0;
    const write = async (): Promise<void> => {
      while (writing) {
        const event = numbered(number++);
        await appendAtLast(nodes, 'load', event);
        acknowledged.push((event.data as unknown as { number: number }).number);
      }
    };
    const writers = [write(), write(), write()];
    for (const [fault, node] of [
      ['kill', 'leader'],
      ['freeze', 'leader'],
      ['end', 'leader'],
      ['cut-off', 'leader'],
      ['lag', 'follower'],
      ['cut-off', 'follower'],
    ] as const satisfies readonly (readonly [string, NodeName])[]) {
      const before = acknowledged.length;
      await nodes.make(fault, node);
      await eventually(
        () => acknowledged.length,
        (count) => count > before + 5,
      );
      await nodes.repair();
    }
    writing = false;
    await Promise.all(writers);
    const kept = await numbersIn(connect(nodes.urlOf(1)), 'load');
    expect(kept).toHaveLength(new Set(kept).size);
    expect(kept.toSorted((a, b) => a - b)).toEqual(acknowledged.toSorted((a, b) => a - b));
    for (const node of [2, 3] as const)
      expect(await numbersIn(connect(nodes.urlOf(node)), 'load')).toEqual(kept);
  });
});
