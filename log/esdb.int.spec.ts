/**
 * The log's port on the real client and a store that speaks its protocol: what the port promises, and how it
 * fails.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { BadSetting } from '#contracts/configuration';
import { START } from '#contracts/log';
import { useStack } from '#test/support/stack';
import { EsdbLog } from './esdb.js';
import {
  NO_STREAM,
  OutcomeUnknown,
  WrongExpectedRevision,
  type SubscriptionItem,
  type NewEvent,
  type RawEvent,
} from './event-log.js';
import { StoredContent } from './stored-content.js';

const stack = useStack(['eventstore']);
const connect = () => EsdbLog.connect(stack().env.EVENTSTORE_URL!);
const streamName = () => `spec-${randomUUID()}`;
const event = (n: number): NewEvent => ({
  id: randomUUID(),
  type: 'Counted',
  data: { n, name: 'Zoë' },
  metadata: { version: 1, hash: 'x' },
});
const numberOf = ({ data }: RawEvent) => (data.value as { n: number }).n;
const numbers = (events: readonly RawEvent[]) => events.map(numberOf);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('the log on EventStoreDB', () => {
  it.each([
    [
      'esdb://encore:hush-hush@127.0.0.1:1?tlsVerifyCert=false',
      'EVENTSTORE_URL has the option "tlsVerifyCert", which is not known.',
    ],
    [
      'esdb://encore:hush-hush@127.0.0.1:1?tls=true&tlsCAFile=%2Fno%2Fsuch%2Fca.pem',
      'EVENTSTORE_URL names a certificate file that is not there.',
    ],
    ['esdb://encore:hush-hush@127.0.0.1:port', /^EVENTSTORE_URL cannot be understood: it must be like esdb:/],
    ['esdb://encore:hush-hush@127.0.0.1:1?tls=perhaps', /^EVENTSTORE_URL cannot be understood/],
    ['esdb://encore:hush-hush%@127.0.0.1:1', /^EVENTSTORE_URL cannot be understood/],
    [
      'esdb://encore:hush-hush@127.0.0.1:1,127.0.0.1:65536',
      'EVENTSTORE_URL names the port 65536, which is none: ports go from 1 to 65535.',
    ],
    [
      'esdb://encore:hush:hush-hush@127.0.0.1:1',
      'EVENTSTORE_URL has a colon in its password: write it as %3A there.',
    ],
    [
      'esdb://encore:hush-hush@127.0.0.1:1?throwOnAppendFailure=false',
      'EVENTSTORE_URL has the option "throwOnAppendFailure": leave it out, Encore relies on its default.',
    ],
  ])('says what is wrong with %s, and never the password', (url, words) => {
    let said: unknown;
    try {
      EsdbLog.connect(url);
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(BadSetting);
    const { message } = said as BadSetting;
    expect(message).toMatch(words);
    expect(message).not.toContain('hush-hush');
  });

  it('appends at the expected revision, says where, and gives back what was written', async () => {
    const log = connect();
    const stream = streamName();
    const appended = await log.append(stream, [event(0), event(1)], NO_STREAM, 2_000);
    const events = await all(log.readStream(stream, 0));
    expect(appended.revision).toBe(1);
    expect(events.at(-1)!.position).toEqual(appended.position);
    expect(events[1]).toMatchObject({
      stream,
      revision: 1,
      type: 'Counted',
      data: StoredContent.of({ n: 1, name: 'Zoë' }),
      metadata: StoredContent.of({ version: 1, hash: 'x' }),
    });
    expect(events[1]!.data.value).toEqual({ n: 1, name: 'Zoë' });
    expect(await log.lastOf(stream)).toEqual(events[1]);
    await log.close();
  });

  it('appends while this machine’s clock is a day behind the store’s', async () => {
    const log = connect();
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - 25 * 3_600_000);
    try {
      expect(await log.append(streamName(), [event(0)], NO_STREAM, 5_000)).toMatchObject({ revision: 0 });
    } finally {
      clock.mockRestore();
      await log.close();
    }
  });

  it('refuses a wrong revision, and takes the same events at the same revision again', async () => {
    const log = connect();
    const stream = streamName();
    const first = event(0);
    const appended = await log.append(stream, [first], NO_STREAM, 2_000);
    await expect(log.append(stream, [event(9)], NO_STREAM, 2_000)).rejects.toBeInstanceOf(
      WrongExpectedRevision,
    );
    await expect(log.append(stream, [event(9)], 5, 2_000)).rejects.toBeInstanceOf(WrongExpectedRevision);
    expect(await log.append(stream, [first], NO_STREAM, 2_000)).toEqual(appended);
    expect(await all(log.readStream(stream, 0))).toHaveLength(1);
    await log.close();
  });

  // Another client may know the option by another name and ignore ours: the successor's does, without a word.
  it('takes no append at any revision but the present one, whoever the client is', async () => {
    const log = connect();
    const stream = streamName();
    for (const revision of [0, 5])
      await expect(log.append(stream, [event(0)], revision, 2_000)).rejects.toBeInstanceOf(
        WrongExpectedRevision,
      );
    await log.append(stream, [event(0), event(1), event(2)], NO_STREAM, 2_000);
    for (const revision of [NO_STREAM, 0, 1, 3, 99])
      await expect(log.append(stream, [event(3)], revision, 2_000)).rejects.toBeInstanceOf(
        WrongExpectedRevision,
      );
    expect(numbers(await all(log.readStream(stream, 0)))).toEqual([0, 1, 2]);
    expect((await log.append(stream, [event(3)], 2, 2_000)).revision).toBe(3);
    await log.close();
  });

  it('knows no events of a stream that does not exist', async () => {
    const log = connect();
    expect(await all(log.readStream(streamName(), 0))).toEqual([]);
    expect(await log.lastOf(streamName())).toBeUndefined();
    await log.close();
  });

  it('reads on from a revision, and after a position of $all, only what the prefixes name', async () => {
    const log = connect();
    const [mine, other] = [streamName(), `other-${randomUUID()}`];
    const { position } = await log.append(mine, [event(0)], NO_STREAM, 2_000);
    await log.append(other, [event(50)], NO_STREAM, 2_000);
    await log.append(mine, [event(1), event(2)], 0, 2_000);
    expect(numbers(await all(log.readStream(mine, 1)))).toEqual([1, 2]);
    expect(numbers(await all(log.readStream(mine, 0, 2)))).toEqual([0, 1]);
    expect(numbers(await all(log.readAll(position, [mine])))).toEqual([1, 2]);
    expect(numbers(await all(log.readAll(START, [mine])))).toEqual([0, 1, 2]);
    await log.close();
  });

  it('follows: the past, word that it is read, then what comes, in order', async () => {
    const log = connect();
    const stream = streamName();
    await log.append(stream, [event(0), event(1)], NO_STREAM, 2_000);
    const stop = new AbortController();
    const seen: (number | string)[] = [];
    let asked = false;
    for await (const item of log.follow(START, [stream], stop.signal) as AsyncIterable<SubscriptionItem>) {
      if (item.kind === 'event') seen.push(numberOf(item.event));
      else if (item.kind === 'caught-up') seen.push('caught up');
      if (item.kind === 'caught-up' && !asked) {
        asked = true;
        await log.append(stream, [event(2)], 1, 2_000);
      }
      if (seen.includes(2)) stop.abort();
    }
    expect(seen).toEqual([0, 1, 'caught up', 2]);
    await log.close();
  });

  it('can be left in the middle of a read, and still closes', async () => {
    const log = connect();
    const stream = streamName();
    await log.append(
      stream,
      Array.from({ length: 2_000 }, (_, n) => event(n)),
      NO_STREAM,
      30_000,
    );
    for await (const { revision } of log.readStream(stream, 0)) if (revision === 3) break;
    await log.close();
    const again = connect();
    expect(await all(again.readStream(stream, 1_990))).toHaveLength(10);
    await again.close();
  });

  it('tells the store’s time', async () => {
    const log = connect();
    expect(Math.abs((await log.storeTime()).getTime() - Date.now())).toBeLessThan(5_000);
    await log.close();
  });

  it('tells how much room the disk has that it writes to', async () => {
    const log = connect();
    await log.lastOf('journal');
    const room = await log.diskRoom();
    await log.close();
    expect(room?.totalBytes).toBeGreaterThan(room!.freeBytes);
    expect(room!.freeBytes).toBeGreaterThan(0);
  });

  it('does not know the outcome of an append that the store did not answer, and can be asked again', async () => {
    const log = connect();
    const stream = streamName();
    await log.append(stream, [event(0)], NO_STREAM, 2_000);
    const store = stack().part('eventstore');
    await store.kill9();
    const events = [event(1)];
    await expect(log.append(stream, events, 0, 500)).rejects.toBeInstanceOf(OutcomeUnknown);
    await store.start();
    let appended;
    for (let n = 0; !appended && n < 20; n++)
      appended = await log
        .append(stream, events, 0, 1_000)
        .catch((error: unknown) =>
          error instanceof OutcomeUnknown ? undefined : Promise.reject(error as Error),
        );
    expect(appended).toMatchObject({ revision: 1 });
    await log.close();
  });
});
