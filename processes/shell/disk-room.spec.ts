/** What is said of the stores' disks, by the word of the stores. */
import { describe, expect, it } from '@jest/globals';
import { DiskRooms } from './disk-room.js';

const GIB = 1024 ** 3;

function roomsOf(changes: { freeBytes?: number; totalBytes?: number; refuses?: string; isHeldUp?: boolean }) {
  const { freeBytes = 100 * GIB, totalBytes = 200 * GIB, refuses, isHeldUp = false } = changes;
  const world = { nowMs: 0, asked: 0, statements: [] as string[], released: [] as unknown[] };
  const client = {
    query: async (statement: string) => {
      world.statements.push(statement);
      if (isHeldUp && statement !== 'begin') throw new Error('Query read timeout');
      // A read-only server refuses the first that would change something.
      if (refuses !== undefined && statement.startsWith(refuses === '25006' ? 'truncate' : 'insert'))
        throw Object.assign(new Error('could not extend file'), { code: refuses });
    },
    release: (broken?: unknown) => void world.released.push(broken),
  };
  const rooms = new DiskRooms(
    { diskRoom: async () => ((world.asked += 1), { freeBytes, totalBytes }) },
    { connect: () => Promise.resolve(client) } as never,
    () => world.nowMs,
  );
  return { world, rooms };
}

describe('the room on the disks of the stores', () => {
  it('is no matter while there is enough, and nothing that was written to find out stays', async () => {
    const { rooms, world } = roomsOf({});
    expect(await rooms.problems()).toEqual([]);
    expect(world.statements.at(-1)).toBe('rollback');
  });

  it.each([
    ['0 bytes', { freeBytes: 0 }, /^The event store has 0 MiB left on its disk: .* Make room/],
    ['a small part of a disk', { freeBytes: 5 * GIB }, /^The event store has 5120 MiB left/],
  ])('is told of when the event store has %s', async (_, changes, sentence) =>
    expect(await roomsOf(changes).rooms.problems()).toEqual([expect.stringMatching(sentence)]),
  );

  it('is enough on a small disk that is half empty', async () =>
    expect(await roomsOf({ freeBytes: 4 * GIB, totalBytes: 8 * GIB }).rooms.problems()).toEqual([]));

  it('is told of when Postgres cannot write, and not for another reason', async () => {
    expect(await roomsOf({ refuses: '53100' }).rooms.problems()).toEqual([
      expect.stringMatching(/^Postgres has no room left on its disk: .* Make room/),
    ]);
    expect(await roomsOf({ refuses: '25006' }).rooms.problems()).toEqual([
      expect.stringMatching(/^Postgres takes no writes: .* Let DATABASE_URL lead to the one that takes them/),
    ]);
    expect(await roomsOf({ refuses: '55P03' }).rooms.problems()).toEqual([]);
  });

  it('returns no connection to the pool with a transaction still open', async () => {
    const { rooms, world } = roomsOf({ isHeldUp: true });
    expect(await rooms.problems()).toEqual([]);
    expect(world.released).toEqual([expect.objectContaining({ message: 'Query read timeout' })]);
  });

  it('is asked after twice a minute at most', async () => {
    const { rooms, world } = roomsOf({});
    for (world.nowMs = 0; world.nowMs < 60_000; world.nowMs += 1_000) await rooms.problems();
    expect(world.asked).toBe(2);
  });
});
