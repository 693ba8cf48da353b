/** When a node is left, which one is taken, and what is known meanwhile: by a clock that the spec turns. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StoreHealth } from '../store-health.js';
import { LeaderConnection, type ConnectedNode } from './leader-connection.js';

/** A node that answers its pings, refuses them, or stands still. */
class PlayedNode implements ConnectedNode {
  static readonly opened: PlayedNode[] = [];
  leftBecause: string | undefined;
  endLeaving = (): void => undefined;

  constructor(readonly address: string) {
    PlayedNode.opened.push(this);
  }

  leave(because: string): Promise<void> {
    this.leftBecause = because;
    return new Promise((resolve) => {
      this.endLeaving = resolve;
      if (!PlayedNode.leavesSlowly) resolve();
    });
  }

  static leavesSlowly = false;
}

const GONE = Object.assign(new Error('14 UNAVAILABLE: No connection established'), { code: 14 });
const NOT_READY = new Error('Could not recognize Server Is Not Ready');
type Behaviour = 'answers' | 'frozen' | 'gone';

function connectionOf(behaviour: Record<string, Behaviour>, only?: string) {
  const world = { leader: only === undefined ? 'A' : undefined, asked: 0, behaviour };
  const health = new StoreHealth();
  const connection: LeaderConnection<PlayedNode> = new LeaderConnection<PlayedNode>({
    ...(only !== undefined && { only }),
    whoLeads: async () => {
      world.asked += 1;
      return world.leader;
    },
    open: (address) => new PlayedNode(address),
    ping: (node): Promise<void> => {
      const now = world.behaviour[node.address];
      if (now === 'answers') return Promise.resolve(connection.heard(node));
      if (now === 'frozen') return new Promise(() => undefined);
      connection.failed(node, GONE);
      return Promise.reject(GONE);
    },
    health,
  });
  return { world, health, connection };
}

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers();
  PlayedNode.opened.length = 0;
  PlayedNode.leavesSlowly = false;
});
afterEach(() => void jest.useRealTimers());

describe('a cluster of three', () => {
  it('is connected to where the nodes say, and to nobody while they do not', async () => {
    const { world, connection, health } = connectionOf({ A: 'answers' });
    world.leader = undefined;
    const waiting = connection.within(30_000);
    await pass(10_000);
    expect([connection.present, PlayedNode.opened.length, health.awaySince !== undefined]).toEqual([
      undefined,
      0,
      true,
    ]);
    // Again and again.
    expect(world.asked).toBeGreaterThan(50);
    world.leader = 'A';
    await pass(200);
    expect((await waiting)?.address).toBe('A');
    expect(health.awaySince).toBeUndefined();
    await connection.close();
  });

  it('gives up waiting for a leader in time', async () => {
    const { world, connection } = connectionOf({});
    world.leader = undefined;
    const waiting = connection.within(2_000);
    await pass(2_000);
    expect(await waiting).toBeUndefined();
    await connection.close();
  });

  it('leaves a node that answers nothing for five seconds, and says after one that it is away', async () => {
    const { world, connection, health } = connectionOf({ A: 'answers', B: 'answers' });
    void connection.present;
    await pass(3_000);
    world.behaviour.A = 'frozen';
    // The others still name it, and its own answer is missing.
    world.leader = undefined;
    await pass(2_000);
    expect([health.awaySince !== undefined, connection.present?.address]).toEqual([true, 'A']);
    await pass(2_000);
    expect(connection.present?.address).toBe('A');
    await pass(2_500);
    expect(connection.present).toBeUndefined();
    expect(PlayedNode.opened[0]!.leftBecause).toMatch(/answered nothing for 5 seconds/);
    world.leader = 'B';
    await pass(200);
    expect(connection.present?.address).toBe('B');
    await connection.close();
  });

  it('leaves a frozen node at once when the others name another', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    void connection.present;
    await pass(3_000);
    world.behaviour.A = 'frozen';
    world.leader = 'B';
    await pass(1_200);
    expect(connection.present?.address).toBe('B');
    await connection.close();
  });

  it('leaves a node that answers everything while the others name another: who only follows asks each second', async () => {
    const { world, connection, health } = connectionOf({ A: 'answers', B: 'answers' });
    void connection.present;
    await pass(60_000);
    expect(connection.present?.address).toBe('A');
    world.leader = 'B';
    await pass(1_200);
    expect(connection.present?.address).toBe('B');
    expect(health.awaySince).toBeUndefined();
    await connection.close();
  });

  it('stays with its node while nobody is certain: the others may be away', async () => {
    const { world, connection, health } = connectionOf({ A: 'answers' });
    void connection.present;
    await pass(3_000);
    world.leader = undefined;
    await pass(60_000);
    expect(connection.present?.address).toBe('A');
    expect(health.awaySince).toBeUndefined();
    await connection.close();
  });

  it('leaves a node that is not ready for two seconds, and at once where it is taken again and still is not', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    const node = (await connection.within(1_000))!;
    connection.failed(node, NOT_READY);
    await pass(1_500);
    connection.failed(node, NOT_READY);
    expect(connection.present).toBe(node);
    await pass(600);
    world.leader = undefined;
    connection.failed(node, NOT_READY);
    expect(connection.present).toBeUndefined();
    await pass(5_000);
    expect(PlayedNode.opened).toHaveLength(1);
    // The others have not noticed yet.
    world.leader = 'A';
    await pass(200);
    const again = connection.present!;
    expect([again.address, again === node]).toEqual(['A', false]);
    world.leader = 'B';
    connection.failed(again, NOT_READY);
    expect(connection.present).toBeUndefined();
    await pass(200);
    expect(connection.present!.address).toBe('B');
    await connection.close();
  });

  it('asks often who leads while its node is in doubt, and again each second when it is not', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    const node = (await connection.within(1_000))!;
    connection.failed(node, NOT_READY);
    const { asked } = world;
    await pass(1_000);
    expect(world.asked - asked).toBeGreaterThan(6);
    connection.wrote(node);
    await pass(1_000);
    const calm = world.asked;
    await pass(5_000);
    expect(world.asked - calm).toBeLessThanOrEqual(5);
    connection.failed(node, NOT_READY);
    world.leader = 'B';
    await pass(250);
    expect(connection.present?.address).toBe('B');
    await connection.close();
  });

  it('forgets that a node was not ready when it has written', async () => {
    const { connection } = connectionOf({ A: 'answers' });
    const node = (await connection.within(1_000))!;
    connection.failed(node, NOT_READY);
    await pass(1_900);
    connection.wrote(node);
    await pass(1_900);
    connection.failed(node, NOT_READY);
    expect(connection.present).toBe(node);
    await connection.close();
  });

  it('calls no other node before the calls to the one that was left have ended', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    PlayedNode.leavesSlowly = true;
    const node = (await connection.within(1_000))!;
    world.leader = 'B';
    connection.failed(node, GONE);
    await pass(900);
    expect(PlayedNode.opened).toHaveLength(1);
    node.endLeaving();
    await pass(1);
    expect(connection.present?.address).toBe('B');
    PlayedNode.leavesSlowly = false;
    await connection.close();
  });

  it('hears nothing more of a node that was left', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    const old = (await connection.within(1_000))!;
    world.leader = 'B';
    connection.failed(old, GONE);
    await pass(200);
    const node = connection.present!;
    connection.failed(old, GONE);
    expect(connection.present).toBe(node);
    await connection.close();
  });

  it('confirms that its node led during a read only by asking the nodes after it', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    await connection.within(1_000);
    expect(await connection.witness()()).toBe(true);
    const hasLed = connection.witness();
    world.leader = undefined;
    expect(await hasLed()).toBe(false);
    world.leader = 'B';
    expect(await hasLed()).toBe(false);
    await pass(1_500);
    expect(connection.present?.address).toBe('B');
    // What was read before was read from another.
    expect(await hasLed()).toBe(false);
    expect(await connection.witness()()).toBe(true);
    await connection.close();
  });

  it('confirms it also for the first node found after the read began, and for no later one', async () => {
    const { world, connection } = connectionOf({ A: 'answers', B: 'answers' });
    // Nothing can have been read before a node was found.
    const hasLed = connection.witness();
    expect(await hasLed()).toBe(false);
    await connection.within(1_000);
    expect(await hasLed()).toBe(true);
    world.leader = 'B';
    await pass(1_500);
    expect(connection.present?.address).toBe('B');
    expect(await hasLed()).toBe(false);
    await connection.close();
  });
});

describe('a store of one node', () => {
  it('is never asked who leads, and is connected to anew when its connection breaks', async () => {
    const { world, connection, health } = connectionOf({ only: 'answers' }, 'only');
    expect((await connection.within(1_000))?.address).toBe('only');
    await pass(5_000);
    world.behaviour.only = 'gone';
    await pass(30_000);
    expect(health.awaySince).toBeDefined();
    const attempts = PlayedNode.opened.length;
    expect(attempts).toBeGreaterThan(100);
    expect(attempts).toBeLessThan(400);
    world.behaviour.only = 'answers';
    await pass(150);
    expect(health.awaySince).toBeUndefined();
    expect(PlayedNode.opened.filter(({ leftBecause }) => leftBecause === undefined)).toHaveLength(1);
    expect(world.asked).toBe(0);
    await connection.close();
  });

  it('is connected to anew when it stands still', async () => {
    const { world, connection } = connectionOf({ only: 'answers' }, 'only');
    const first = await connection.within(1_000);
    world.behaviour.only = 'frozen';
    await pass(7_000);
    expect(connection.present).not.toBe(first);
    expect(first?.leftBecause).toBeDefined();
    await connection.close();
  });

  it('is connected to anew when it answers reads and says nothing to appends', async () => {
    const { connection, health } = connectionOf({ A: 'answers' }, 'A');
    const node = (await connection.within(1_000))!;
    connection.appendUnanswered(node);
    await pass(1_900);
    connection.appendUnanswered(node);
    expect(connection.present).toBe(node);
    await pass(1_000);
    expect(node.leftBecause).toBe('The event store says nothing to appends');
    expect(connection.present?.address).toBe('A');
    expect(health.awaySince).toBeUndefined();
    await connection.close();
  });

  it('is not left because an append takes long, as long as it answers others', async () => {
    const { connection } = connectionOf({ A: 'answers' }, 'A');
    const node = (await connection.within(1_000))!;
    for (let n = 0; n < 5; n++) {
      connection.appendUnanswered(node);
      await pass(1_500);
      connection.appendAnswered(node);
      await pass(1_500);
    }
    expect(connection.present).toBe(node);
    await connection.close();
  });

  it('is not left because this process stood still itself', async () => {
    const { connection, health } = connectionOf({ only: 'frozen' }, 'only');
    const node = await connection.within(1_000);
    for (let n = 0; n < 3; n++) {
      // Nothing can be heard in these seconds; then the answer is there.
      jest.setSystemTime(Date.now() + 20_000);
      const standing = performance.now() + 20_000;
      jest.spyOn(performance, 'now').mockReturnValue(standing);
      await pass(500);
      connection.heard(node!);
      jest.restoreAllMocks();
      await pass(500);
    }
    expect([connection.present === node, health.awaySince]).toEqual([true, undefined]);
    await connection.close();
  });

  it('ends with its log', async () => {
    const { connection } = connectionOf({ only: 'answers' }, 'only');
    const waiting = connection.within(30_000);
    await connection.close();
    await pass(10_000);
    expect([await waiting, connection.present]).toEqual([undefined, undefined]);
  });
});
