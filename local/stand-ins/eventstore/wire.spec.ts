/** The wire coding against its own reverse, at the sizes where a number takes one byte more. */
import { describe, expect, it } from '@jest/globals';

import { encodeAppend, ownEvent } from './events.js';
import { RecentIds } from './recent-ids.js';
import { MalformedMessage, putVarint, Reader, TOMBSTONE_REVISION, varintLength, Writer } from './wire.js';

const EDGES = [7, 14, 21, 28, 31, 32, 35, 42, 49, 52].flatMap((bits) => [
  2 ** bits - 1,
  2 ** bits,
  2 ** bits + 1,
]);

describe('numbers on the wire', () => {
  it('are read as they were written, in as many bytes as varintLength says', () => {
    for (const value of [0, 1, ...EDGES]) {
      const bytes = Buffer.alloc(10);
      const length = putVarint(bytes, 0, value);
      expect(length).toBe(varintLength(value));
      expect(new Reader(bytes, 0, length).varint()).toBe(value);
    }
  });

  it('know the revision of a tombstone, which is 2^63 - 1', () => {
    const bytes = Buffer.alloc(10);
    const length = putVarint(bytes, 0, TOMBSTONE_REVISION);
    expect(length).toBe(varintLength(TOMBSTONE_REVISION));
    expect(new Reader(bytes, 0, length).int64()).toBe(2n ** 63n - 1n);
  });

  it('are refused when they are cut short', () => {
    expect(() => new Reader(Buffer.of(0x80)).varint()).toThrow(MalformedMessage);
    const cut = new Reader(Buffer.of(0x0a, 0x05, 0x01));
    cut.next();
    expect(() => cut.bytes()).toThrow(MalformedMessage);
  });
});

describe('a message', () => {
  it('gives its fields back, whatever their length, and a frame tells its length', () => {
    const long = 'x'.repeat(1_000);
    const frame = new Writer()
      .string(1, long)
      .message(2, (inner) => inner.number(3, 300))
      .frame();
    expect(frame.readUInt32BE(1)).toBe(frame.length - 5);
    const reader = new Reader(frame, 5);
    reader.next();
    expect(reader.string()).toBe(long);
    reader.next();
    const inner = reader.message();
    inner.next();
    expect([inner.field, inner.varint(), reader.next()]).toEqual([3, 300, false]);
  });
});

describe('a stored append', () => {
  it('finds every event, its id, type and data again, at any revision and position', () => {
    for (const [index, edge] of EDGES.entries()) {
      const ids = [1, 2, 3].map((n) => `00000000-0000-0000-0000-${String(index * 10 + n).padStart(12, '0')}`);
      const data = ids.map((_, n) => Buffer.alloc(n * 200, n));
      const append = encodeAppend(
        ids.map((id, n) => ownEvent(id, `Type${n}`, n === 1, data[n]!)),
        { stream: 7, streamName: Buffer.from('größe'), firstRevision: edge, firstPosition: edge + 1 },
        1_700_000_000_000,
      );
      expect([append.stream, append.count, append.firstRevision, append.firstPosition]).toEqual([
        7,
        3,
        edge,
        edge + 1,
      ]);
      // Positions rise by about what the events take, and what lies between is nobody's.
      expect(append.lastPosition - append.firstPosition).toBeGreaterThan(600);
      for (const n of ids.keys()) {
        const position = append.positionOf(n);
        expect([append.indexFrom(position), append.indexFrom(position + 1)]).toEqual([n, n + 1]);
        expect([append.countTo(position - 1), append.countTo(position)]).toEqual([n, n + 1]);
      }
      expect(append.streamName.toString()).toBe('größe');
      for (const [n, id] of ids.entries()) {
        expect(append.id(n).toString()).toBe(id);
        expect(append.type(n).toString()).toBe(`Type${n}`);
        expect(append.data(n)).toEqual(data[n]);
        const frame = append.frames(n, n + 1);
        expect(frame.readUInt32BE(1)).toBe(frame.length - 5);
      }
      expect(append.frames(0, 3)).toEqual(
        Buffer.concat([append.frames(0, 1), append.frames(1, 2), append.frames(2, 3)]),
      );
    }
  });
});

describe('the ids remembered', () => {
  it('are found in their own stream only, and the oldest are forgotten in the end', () => {
    const recent = new RecentIds();
    const id = (n: number): Buffer =>
      Buffer.from(`aaaaaaaa-0000-4000-8000-${n.toString(16).padStart(12, '0')}`);
    for (let n = 0; n < 50_000; n++) recent.add(id(n), 1 + (n % 3), n);
    let known = 0;
    for (let n = 40_000; n < 50_000; n++) if (recent.revisionOf(id(n), 1 + (n % 3)) === n) known++;
    expect(known).toBeGreaterThan(9_900);
    expect(recent.revisionOf(id(49_999), 1 + (50_000 % 3))).toBeUndefined();
    for (let n = 50_000; n < 1_000_000; n++) recent.add(id(n), 1, n);
    expect(recent.revisionOf(id(0), 1)).toBeUndefined();
  });
});
