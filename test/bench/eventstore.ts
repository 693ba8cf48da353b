/**
 * How fast the event store takes and gives events, with the unmodified client in this process and the store
 * in another: `node dist/test/bench/eventstore.js`. EVENTSTORE_URL measures another store. Numbers are per
 * second, each after a warm-up.
 */
import { randomUUID } from 'node:crypto';

import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';

import { startEventStore, type RunningEventStore } from '../conformance/eventstore-process.js';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '4');
const CATCH_UP_EVENTS = Number(process.env['BENCH_CATCH_UP_EVENTS'] ?? '200000');
const EVENTS_PER_APPEND = 200;

function journalEntry(number: number): ReturnType<typeof jsonEvent> {
  return jsonEvent({
    type: 'TransferPosted',
    data: {
      postings: [
        {
          debit: `user/${randomUUID()}/available`,
          credit: `user/${randomUUID()}/available`,
          amount: 2_000 + number,
        },
      ],
      currency: 'USD',
    },
    metadata: {
      version: 1,
      recordedAt: '2025-01-01T00:00:00.000Z',
      hash: 'a'.repeat(64),
      correlationId: randomUUID(),
    },
  });
}

/** Runs so many callers for a while and prints how often per second each `act` ended, times `weight`. */
async function measure(
  label: string,
  callers: number,
  weight: number,
  act: (caller: number) => Promise<unknown>,
): Promise<void> {
  let counted = 0;
  const started = performance.now();
  const warmUntil = started + 1_000;
  const until = warmUntil + SECONDS * 1_000;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < until) {
        const before = performance.now();
        await act(caller);
        const after = performance.now();
        if (before < warmUntil || after > until) continue;
        counted += weight;
        latencies.push(after - before);
      }
    }),
  );
  latencies.sort((a, b) => a - b);
  const median = latencies[Math.floor(latencies.length / 2)] ?? NaN;
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? NaN;
  process.stdout.write(
    `${label.padEnd(48)} ${String(Math.round(counted / SECONDS)).padStart(8)} /s   median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms\n`,
  );
}

/** Callers who each wait for their own event, committed together by one writer with two appends under way. */
async function groupCommitted(client: EventStoreDBClient, stream: string, callers: number): Promise<void> {
  let waiting: (() => void)[] = [];
  let underWay = 0;
  let revision = -1n;
  const write = async (): Promise<void> => {
    const batch = waiting.splice(0, 250);
    underWay++;
    const expectedRevision = revision < 0n ? 'no_stream' : revision;
    revision += BigInt(batch.length);
    await client.appendToStream(
      stream,
      batch.map((_, index) => journalEntry(index)),
      { expectedRevision },
    );
    underWay--;
    for (const answer of batch) answer();
    schedule();
  };
  const schedule = (): void => {
    if (underWay < 2 && waiting.length >= (underWay === 0 ? 1 : callers / 4)) void write();
  };
  await measure(`${callers} callers, group-committed, 2 appends under way`, callers, 1, () => {
    const answered = new Promise<void>((resolve) => waiting.push(resolve));
    setImmediate(schedule);
    return answered;
  });
  waiting = [];
}

async function main(): Promise<void> {
  const url = process.env['EVENTSTORE_URL'];
  const store: RunningEventStore | undefined = url ? undefined : await startEventStore();
  const client = EventStoreDBClient.connectionString(url ?? store!.url);
  const run = randomUUID();

  for (const callers of [1, 16, 64, 256]) {
    await measure(`single-event appends, ${callers} callers`, callers, 1, (caller) =>
      client.appendToStream(`bench-${run}-${callers}-${caller}`, journalEntry(caller)),
    );
  }
  const stream = `bench-journal-${run}`;
  let next = -1n;
  await measure(`${EVENTS_PER_APPEND}-event appends, 2 under way, events`, 2, EVENTS_PER_APPEND, () => {
    const expectedRevision = next < 0n ? 'no_stream' : next;
    next += BigInt(EVENTS_PER_APPEND);
    return client.appendToStream(
      stream,
      Array.from({ length: EVENTS_PER_APPEND }, (_, index) => journalEntry(index)),
      { expectedRevision },
    );
  });
  await groupCommitted(client, `bench-grouped-${run}`, 64);
  await groupCommitted(client, `bench-grouped-256-${run}`, 256);

  while (next < BigInt(CATCH_UP_EVENTS)) {
    const expectedRevision = next;
    next += BigInt(EVENTS_PER_APPEND);
    await client.appendToStream(
      stream,
      Array.from({ length: EVENTS_PER_APPEND }, (_, index) => journalEntry(index)),
      { expectedRevision },
    );
  }
  for (const [label, events] of [
    ['catch-up of one stream by subscription, events', client.subscribeToStream(stream)],
    ['catch-up of $all by subscription, events', client.subscribeToAll()],
    ['read of one stream from the start, events', client.readStream(stream)],
  ] as const) {
    let count = 0;
    const started = performance.now();
    for await (const _ of events) if (++count === CATCH_UP_EVENTS) break;
    const perSecond = Math.round((count * 1_000) / (performance.now() - started));
    process.stdout.write(`${label.padEnd(48)} ${String(perSecond).padStart(8)} /s\n`);
  }
  await client.dispose();
  await store?.stop();
}

await main();
