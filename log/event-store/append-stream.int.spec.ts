/**
 * What becomes of writes when the event store, or something between it and us, does with the stream of
 * appends what it should not: over the wire, through the client, to a store that answers as it is told.
 */
import { randomUUID } from 'node:crypto';
import { Server, ServerCredentials, status, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { EsdbLog } from '../esdb.js';
import { AppendDenied, NO_STREAM, OutcomeUnknown, type NewEvent } from '../event-log.js';
import { field, MessageReader, numberField } from './wire.js';

type Calls = ServerDuplexStream<Buffer, Buffer>;
/** What is done instead of answering an append that has been written. */
type Misdeed = (calls: Calls, answer: Buffer) => void;

const raw = (bytes: Buffer): Buffer => bytes;
const path = (call: string): object => ({
  path: `/event_store.client.${call}`,
  requestStream: call.endsWith('Append'),
  responseStream: !call.endsWith('Methods'),
  requestSerialize: raw,
  requestDeserialize: raw,
  responseSerialize: raw,
  responseDeserialize: raw,
});
const CORRELATION = 0x0a;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A store of one stream, whose next append is answered as told; it counts what was written. */
async function store() {
  const played = {
    url: '',
    written: new Set<string>(),
    misdeed: undefined as Misdeed | undefined,
    /** With which code it fails when it is asked what it can do. */
    failsWith: undefined as status | undefined,
  };
  const server = new Server();
  server.addService(
    {
      features: path('server_features.ServerFeatures/GetSupportedMethods'),
      read: path('streams.Streams/Read'),
      append: path('streams.Streams/BatchAppend'),
    } as never,
    {
      features: (_: unknown, answer: (error: object | null, bytes: Buffer) => void) =>
        answer(
          played.failsWith === undefined ? null : { code: played.failsWith, details: 'Not now' },
          Buffer.concat([
            field(1, field(1, 'batchappend'), field(2, 'event_store.client.streams.streams')),
            field(2, '23.10.1'),
          ]),
        ),
      // The stream is not found: that is all that is ever read here.
      read: (call: { write(bytes: Buffer): void; end(): void }) => {
        call.write(field(4, field(1, field(3, 'journal'))));
        call.end();
      },
      append: (calls: Calls) =>
        calls.on('data', (request: Buffer) => {
          const reader = new MessageReader(request);
          if (reader.tag() !== CORRELATION) throw new Error('An append begins with its correlation id');
          const correlation = reader.slice();
          // The same append sent again is no other one: its events are in the rest of the message.
          played.written.add(request.subarray(request.indexOf('{"n":')).toString('utf8', 0, 12));
          const at = numberField(1, played.written.size - 1);
          const position = field(3, numberField(1, 7), numberField(2, 7));
          const answer = Buffer.concat([
            field(1, correlation),
            field(3, at, position),
            field(4, field(3, 's')),
          ]);
          const { misdeed } = played;
          played.misdeed = undefined;
          if (misdeed) misdeed(calls, answer);
          else calls.write(answer);
        }),
    } as never,
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  ends.push(() => server.forceShutdown());
  return Object.assign(played, { url: `esdb://127.0.0.1:${port}?tls=false` });
}

/** The same answer with another append's id. */
function ofAnother(answer: Buffer): Buffer {
  const changed = Buffer.from(answer);
  for (let at = 6; at < 12; at++) changed[at] = changed[at]! ^ 0x11;
  return changed;
}

const MISDEEDS: readonly (readonly [string, Misdeed])[] = [
  ['is given twice', (calls, answer) => void (calls.write(answer), calls.write(answer))],
  ['is another append’s', (calls, answer) => void calls.write(ofAnother(answer))],
  ['is empty', (calls) => void calls.write(Buffer.alloc(0))],
  ['cannot be read', (calls) => void calls.write(Buffer.from([0xff, 0xff, 0xff]))],
  ['never comes, for the stream of appends ends in order', (calls) => void calls.end()],
  [
    'never comes, for the stream of appends fails',
    (calls) => void calls.emit('error', { code: status.INTERNAL, details: '' }),
  ],
];

const event = (n: number): NewEvent => ({
  id: randomUUID(),
  type: 'Counted',
  data: { n: 1_000_000 + n },
  metadata: { version: 1 },
});

/** An answer that refuses the append, with a word of the protocol. */
const refused =
  (word: string, details: Buffer): Misdeed =>
  (calls, answer) => {
    const id = answer.subarray(0, 2 + answer[1]!);
    const reason = field(3, field(1, `type.googleapis.com/event_store.client.${word}`), field(2, details));
    calls.write(Buffer.concat([id, field(2, numberField(1, 7), reason), field(4, field(3, 's'))]));
  };

it.each([
  ['AccessDenied', 's', Buffer.alloc(0), /append to the stream "s"\. .*metadata of "s" \("\$acl", "\$w"\)/],
  ['AccessDenied', '$$s', Buffer.alloc(0), /the stream "\$\$s"\. .*metadata of "s" \("\$acl", "\$mw"\)/],
  ['StreamDeleted', 's', field(1, field(3, 's')), /The stream "s" was deleted at the event store for good/],
  [
    'MaximumAppendSizeExceeded',
    's',
    numberField(1, 65_536),
    /65536.*: set its EVENTSTORE_MAX_APPEND_SIZE to 1048576/,
  ],
])(
  'a refusal of the kind %s of the stream %s says what it is and what to do',
  async (word, stream, details, words) => {
    const played = await store();
    const log = EsdbLog.connect(played.url);
    ends.push(() => void log.close());
    played.misdeed = refused(word, details);
    const error: unknown = await log
      .append(stream, [event(0)], NO_STREAM, 60_000)
      .catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(words);
    // A right may be given back at any moment; what is deleted for good, or too large, stays so.
    expect(error instanceof AppendDenied).toBe(word === 'AccessDenied');
    expect(error instanceof OutcomeUnknown).toBe(word === 'AccessDenied');
    expect(log.health.writesClosedSince).toBeUndefined();
  },
);

it.each([status.INTERNAL, status.UNAVAILABLE])(
  'a store that fails with code %s when it is asked what it can do is asked anew',
  async (code) => {
    const played = await store();
    const log = EsdbLog.connect(played.url);
    ends.push(() => void log.close());
    played.failsWith = code;
    const events = [event(0)];
    const append = (): Promise<unknown> => log.append('s', events, NO_STREAM, 60_000);
    await expect(append()).rejects.toBeInstanceOf(OutcomeUnknown);
    played.failsWith = undefined;
    let answered;
    while (!answered) {
      answered = await append().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(answered).toMatchObject({ revision: 0 });
  },
);

describe('an append whose answer', () => {
  it.each(MISDEEDS)('%s keeps nobody else waiting, and is sent again', async (_, misdeed) => {
    const played = await store();
    const log = EsdbLog.connect(played.url);
    ends.push(() => void log.close());
    // Longer than any of this takes: whoever waits for that time has been forgotten.
    const waitMs = 60_000;
    await log.append('s', [event(0)], NO_STREAM, waitMs);
    const began = performance.now();
    const stubbornly = async (events: NewEvent[], revision: number): Promise<number> => {
      for (;;)
        try {
          return (await log.append('s', events, revision, waitMs)).revision;
        } catch (error) {
          expect(error).toBeInstanceOf(OutcomeUnknown);
        }
    };
    played.misdeed = misdeed;
    expect(await stubbornly([event(1)], 0)).toBe(1);
    // It may be sent while the stream of appends ends that the one before it has spoilt.
    expect(await stubbornly([event(2)], 1)).toBe(2);
    expect(performance.now() - began).toBeLessThan(waitMs / 2);
    expect(log.health.writesClosedSince).toBeUndefined();
    expect(played.written.size).toBe(3);
  });
});
