/** What an exported copy of a log has and the log lacks comes back with its ids, revisions and hashes. */
import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts/events/index';
import { MemoryLog } from '#test/support/memory-log';
import { bringBack, UnfitCopy } from './bring-back.js';
import { ChainVerifier, GENESIS } from './chain.js';
import type { RawEvent } from './event-log.js';
import { record, type Tip } from './record.js';
import { StoredContent } from './stored-content.js';

class Writer {
  readonly #tips = new Map<string, Tip>();
  constructor(readonly log = new MemoryLog()) {}

  async write(stream: string, userId: string): Promise<void> {
    const tip = this.#tips.get(stream) ?? { revision: -1, hash: GENESIS, recordedAtMs: 0 };
    const event: DomainEvent = {
      type: 'AccountOpened',
      data: { account: `user/${userId}/available`, userId },
    };
    const recording = record(stream, event, { correlationId: 'spec' }, tip, 0);
    await this.log.append(stream, [recording.event], tip.revision);
    this.#tips.set(stream, recording.tip);
  }
  /** A log with the first events of this one, and a writer that goes on from there. */
  async restored(events: number): Promise<Writer> {
    const older = new Writer();
    for (const { stream, id, type, data, metadata, revision } of this.log.all.slice(0, events))
      await older.log.append(stream, [{ id, type, data, metadata }], revision - 1);
    for (const { stream, revision, metadata } of older.log.all)
      older.#tips.set(stream, {
        revision,
        hash: (metadata.value as { hash: string }).hash,
        recordedAtMs: 0,
      });
    return older;
  }
}

async function* each(events: readonly RawEvent[]): AsyncGenerator<RawEvent> {
  yield* events;
}
const named = ({ stream, revision, id, metadata }: RawEvent) => [
  stream,
  revision,
  id,
  metadata.bytes.toString(),
];
async function written(...streams: readonly string[]): Promise<Writer> {
  const writer = new Writer();
  for (const [n, stream] of streams.entries()) await writer.write(stream, `usr_${n}`);
  return writer;
}
const FIVE = ['journal', 'user-a', 'journal', 'journal', 'user-a'];

/** So many events as the store takes in one append, and so large that it takes fewer of them. */
async function writtenLarge(events: number, text: string): Promise<MemoryLog> {
  const log = new MemoryLog();
  const data = { text };
  for (let n = 0; n < events; n += 1)
    await log.append('user-a', [{ id: `event-${n}`, type: 'Noted', data, metadata: {} }], n - 1);
  return log;
}

describe('a log that is older than its copy', () => {
  it.each([
    ['many letters', 'a'.repeat(6_000)],
    ['letters of three bytes', '日'.repeat(2_000)],
  ])('has events of %s again, in appends that the store takes', async (_, text) => {
    const whole = await writtenLarge(400, text);
    const log = new MemoryLog();
    await bringBack(each(whole.all), log, () => undefined);
    expect(log.all.map(named)).toEqual(whole.all.map(named));
  });

  it.each([0, 1, 2, 3, 4, 5])('has everything again, hash for hash, from %s of 5 events', async (kept) => {
    const whole = await written(...FIVE);
    const { log } = await whole.restored(kept);
    const lost: RawEvent[] = [];
    const result = await bringBack(each(whole.log.all), log, (event) => lost.push(event));
    expect(result).toEqual({ common: kept, appended: 5 - kept, ownEvents: 0 });
    expect(lost).toEqual([]);
    expect(log.all.map(named)).toEqual(whole.log.all.map(named));
    const again = await bringBack(each(whole.log.all), log, () => undefined);
    expect(again).toEqual({ common: 5, appended: 0, ownEvents: 0 });
  });

  it('is left alone where it knows more than its copy', async () => {
    const whole = await written(...FIVE);
    const result = await bringBack(each(whole.log.all.slice(0, 3)), whole.log, () => undefined);
    expect(result).toEqual({ common: 3, appended: 0, ownEvents: 2 });
    expect(whole.log.all).toHaveLength(5);
  });

  it('takes nothing of a copy of another log', async () => {
    const [mine, theirs] = [await written(...FIVE), await written(...FIVE, 'user-b')];
    const lost: RawEvent[] = [];
    const brought = bringBack(each(theirs.log.all), mine.log, (event) => lost.push(event));
    await expect(brought).rejects.toThrow(UnfitCopy);
    await expect(brought).rejects.toThrow(
      /of another log: it begins with AccountOpened .+ of journal, and the log/,
    );
    expect(mine.log.all).toHaveLength(5);
    expect(lost).toEqual([]);
  });

  it.each([
    ['changed', (entry: RawEvent): RawEvent[] => [{ ...entry, data: StoredContent.of({}) }]],
    ['taken out', (): RawEvent[] => []],
  ])('has everything before an entry that was %s in its copy, and nothing behind it', async (_, change) => {
    const whole = await written('journal', 'user-a', 'journal', 'journal', 'journal');
    const { log } = await whole.restored(1);
    const copy = whole.log.all.flatMap((event) =>
      event.stream === 'journal' && event.revision === 2 ? change(event) : [event],
    );
    for (const __ of ['once', 'again'])
      await expect(bringBack(each(copy), log, () => undefined)).rejects.toThrow(
        /^The archive was changed after it was written: journal at revision 2: /,
      );
    expect(log.all.map(named)).toEqual(whole.log.all.slice(0, 3).map(named));
  });

  it('keeps what it wrote by itself: of those streams the copy’s events are named, of others brought back', async () => {
    const whole = await written('journal', 'journal', 'user-a', 'journal', 'user-a');
    const restored = await whole.restored(1);
    await restored.write('journal', 'usr_new');
    for (const _ of ['once', 'again']) {
      const lost: RawEvent[] = [];
      const result = await bringBack(each(whole.log.all), restored.log, (event) => lost.push(event));
      expect(result.ownEvents).toBe(1);
      expect(lost.map(({ stream, revision }) => `${stream} ${revision}`)).toEqual(['journal 1', 'journal 2']);
    }
    expect(restored.log.all.map(({ stream }) => stream)).toEqual(['journal', 'journal', 'user-a', 'user-a']);
    for (const stream of ['journal', 'user-a']) {
      const chain = new ChainVerifier(stream);
      for (const event of restored.log.all) if (event.stream === stream) chain.next(event);
    }
  });
});
