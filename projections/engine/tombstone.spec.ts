/**
 * Somebody deletes one of our streams for good at the event store: $all then holds a last event of it, at a
 * revision of its own, and the stream itself is not shown any more. That stream is parked, and nothing else
 * stands still.
 */
import { describe, expect, it } from '@jest/globals';
import type { QueryConfig } from 'pg';
import { userStream } from '#contracts/events/user';
import { ReadRefused, type RawEvent } from '#log/event-log';
import { readResponse } from '#log/event-store/read-messages';
import { field, numberField } from '#log/event-store/wire';
import { storedEvent } from '#log/stored-event';
import { JUNO, openAccount } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { compareWithLog, lastEventOf } from './last-event.js';
import { Sieve } from './parking.js';
import { readableNow } from './prepare.js';

const GONE = userStream(JUNO);

/** As the event store tells of it. */
function tombstone(place: number): RawEvent {
  const recorded = field(
    1,
    field(1, field(2, '00000000-0000-4000-8000-000000000001')),
    field(2, field(3, GONE)),
    numberField(3, 2n ** 63n - 1n),
    numberField(4, place),
    numberField(5, place),
    field(6, field(1, 'type'), field(2, '$streamDeleted')),
  );
  const item = readResponse(field(1, recorded));
  if (item?.kind !== 'event') throw new Error('Not an event.');
  return item.event;
}

/** A log of a few events, the last of which is the end of a stream that is not shown any more. */
function logWithoutStream() {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.command(openAccount(JUNO));
  const { log } = story;
  const all = [...log.all];
  all.push(tombstone(Number(all.at(-1)!.position.commit) + 1));
  const read = async function* (stream: string, fromRevision: number, limit?: number) {
    if (stream === GONE) throw new ReadRefused(`Event stream '${GONE}' is deleted.`, 'deleted');
    yield* log.readStream(stream, fromRevision, limit);
  };
  const readAll = async function* () {
    yield* all;
  };
  return { all, log: Object.assign(Object.create(log) as typeof log, { readStream: read, readAll }) };
}

describe('a stream of ours that was deleted for good', () => {
  it('is parked, with a sentence and at a number that rows can hold', async () => {
    const { all } = logWithoutStream();
    const written: Record<string, readonly unknown[]> = {};
    const tx = {
      query({ name = '', values = [] }: QueryConfig) {
        if (name.endsWith('-written')) written[name] = values;
        const rows =
          name === 'streams-of-batch' ? [{ stream: GONE, revision: null, hash: null, parked_at: null }] : [];
        return Promise.resolve({ rows } as never);
      },
    };
    const events = all.map((raw) => storedEvent(raw));
    const sieve = await Sieve.over(events, tx);
    expect(events.filter((stored) => sieve.admit(stored) !== undefined)).toHaveLength(all.length - 1);
    await sieve.save(tx);
    const [parked] = sieve.parked;
    expect(parked).toMatchObject({ stream: GONE, eventType: '$streamDeleted' });
    expect(parked?.reason).toMatch(/^The stream was deleted at the event store for good: bring the log back/);
    for (const value of Object.values(written).flat(2))
      if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
  });

  it('stays parked, and keeps no process from its rows', async () => {
    const { log } = logWithoutStream();
    const db = {
      query: ({ name }: QueryConfig) =>
        Promise.resolve({
          rows: name === 'parked-streams' ? [{ stream: GONE, revision: 1, parkedBy: 'shape' }] : [],
        } as never),
    };
    expect(await readableNow(db, log)).toBeUndefined();
  });

  it.each([
    ['its end', -1],
    ['an event of it', 0],
  ])('does not keep rows that stand at %s from being followed', async (_, at) => {
    const { all, log } = logWithoutStream();
    const event = all.at(at)!;
    const lastEvent = lastEventOf(event);
    const journalRevision = at === 0 ? -1 : 0;
    const checkpoint = { model: 'users', version: '1', position: event.position, journalRevision, lastEvent };
    expect(await compareWithLog(log, [checkpoint])).toMatchObject({ kind: 'same' });
    const other = { ...checkpoint, lastEvent: { ...lastEvent, id: 'another' } };
    expect(await compareWithLog(log, [other])).toMatchObject({ kind: 'other' });
  });
});
