/**
 * How fast the read side is: a generated journal replayed into Postgres, and the time from one event to its NOTIFY.
 *
 *     npm run build && node dist/test/bench/projections.js [events] [--store]
 *
 * The log is in memory, so that the figures are the projector's and Postgres'; with `--store` it is in the event store, and
 * profiles and notes are sealed by the real vault.
 */
import pg from 'pg';
import { available, platform } from '#contracts/accounts';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import { positionText, START, type Position } from '#contracts/log';
import { EsdbLog } from '#ledger/eventstore/esdb';
import type { EventLog, RawEvent } from '#ledger/eventstore/event-log';
import { idFrom } from '#ledger/journal/keys';
import { Vault } from '#ledger/vault/vault';
import { prepareReadModels } from '#projections/engine/prepare';
import { Projector } from '#projections/engine/projector';
import { Projected } from '#projections/engine/read-your-writes';
import { rebuild } from '#projections/engine/rebuild';
import { readModels } from '#projections/read-models';
import { freshDatabase } from '#test/support/database';
import { startStack } from '#test/support/start-stack';
import { MemoryLog } from '#test/support/memory-log';
import { PlainVault, profileOf, sealedFor } from '#test/support/plain-vault';

const USERS = 2000;
const LATENCY_ROUNDS = 200;
const EVENTS_PER_APPEND = 200;

/** Numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

const random = seeded(7);
const userId = (n: number): string => `usr_${String(n).padStart(6, '0')}`;
const aUser = (): string => userId(Math.floor(random() * USERS));
let revision = -1;
let nowMs = Date.parse('2026-01-01T00:00:00.000Z');

function put(log: MemoryLog, stream: string, event: { type: string; data: object }, key?: string): void {
  nowMs += 20;
  log.put(stream, {
    id: `00000000-0000-4000-8000-${String(log.all.length).padStart(12, '0')}`,
    type: event.type,
    data: event.data,
    metadata: { version: 1, recordedAt: new Date(nowMs).toISOString(), correlationId: 'bench', key, hash: 'x' },
  });
}

function entry(log: MemoryLog, event: JournalEvent, key: string): void {
  revision += 1;
  put(log, JOURNAL, event, key);
}

/** Three payments of three entries each for every transfer. */
function fill(log: MemoryLog, events: number): void {
  for (let n = 0; n < USERS; n += 1) {
    const id = userId(n);
    const profile = sealedFor(id, JSON.stringify(profileOf(`name${n}`)));
    put(log, `user-${id}`, { type: 'UserRegistered', data: { userId: id, issuer: 'bench', subject: id, profile } });
    entry(log, { type: 'AccountOpened', data: { account: available(id), userId: id } }, `account:${id}`);
  }
  const until = log.all.length + events;
  for (let n = 0; log.all.length < until; n += 1) {
    const payerId = aUser();
    let recipientId = aUser();
    while (recipientId === payerId) recipientId = aUser();
    const key = `${payerId}:${(nowMs * 4096).toString(16).padStart(16, '0')}-${n}`;
    const amountMinor = 100 + Math.floor(random() * 5000);
    const note = random() < 0.5 ? sealedFor(payerId, 'Great show, thank you!') : undefined;
    const parties = { payerId, recipientId, amountMinor, currency: 'usd' };
    if (n % 4 === 3) {
      const postings = [{ debit: available(payerId), credit: available(recipientId), amountMinor }];
      entry(log, { type: 'TransferPosted', data: { transferId: idFrom('trf', key), ...parties, note, postings } }, key);
      continue;
    }
    const paymentId = idFrom('pay', key);
    const intentId = `pi_${n}`;
    const chargeId = `ch_${n}`;
    const postings = [{ debit: platform('card-clearing'), credit: available(recipientId), amountMinor }];
    const occurredAt = new Date(nowMs).toISOString();
    entry(log, { type: 'PaymentOpened', data: { paymentId, ...parties, method: 'card', note } }, key);
    entry(log, { type: 'PaymentSubmitted', data: { paymentId, intentId } }, `submit:${paymentId}`);
    entry(
      log,
      { type: 'PaymentSettled', data: { paymentId, ...parties, intentId, chargeId, occurredAt, postings } },
      `settle:${chargeId}`,
    );
  }
}

const quantile = (sorted: readonly number[], part: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!.toFixed(1);

async function main(): Promise<void> {
  const events = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 100_000);
  const inStore = process.argv.includes('--store');
  const stack = await startStack(['postgres']);
  try {
    const databaseUrl = await freshDatabase(stack.env.DATABASE_URL!);
    const memory = new MemoryLog();
    fill(memory, events);
    if (!inStore) return await measure(databaseUrl, memory, memory, new PlainVault(), memory.all.at(-1)!.position);
    await stack.start('eventstore');
    const store = EsdbLog.connect(stack.env.EVENTSTORE_URL!);
    const keys = new pg.Pool({ connectionString: databaseUrl });
    const vault = await Vault.open(keys, stack.env.ENCORE_MASTER_KEY!);
    const end = await copy(memory, 0, store, vault);
    await measure(databaseUrl, memory, store, vault, end);
    await Promise.all([store.close(), keys.end()]);
  } finally {
    await stack.stop();
  }
}

/** Writes what the log in memory holds from a place on into the store, its texts sealed by the vault. */
async function copy(memory: MemoryLog, from: number, store: EventLog, vault: Vault): Promise<Position> {
  const streams = new Map<string, RawEvent[]>();
  for (const event of memory.all.slice(from)) {
    const events = streams.get(event.stream);
    if (events) events.push(event);
    else streams.set(event.stream, [event]);
  }

  let last: Position = START;
  for (const [stream, events] of streams)
    for (let at = 0; at < events.length; at += EVENTS_PER_APPEND) {
      const batch = await Promise.all(
        events.slice(at, at + EVENTS_PER_APPEND).map(async ({ id, type, data, metadata }) => ({
          id,
          type,
          data: await resealed(data as Record<string, unknown>, vault),
          metadata: metadata as object,
        })),
      );
      last = (await store.append(stream, batch, events[at]!.revision - 1, 30_000)).position;
    }
  return last;
}

async function resealed(data: Record<string, unknown>, vault: Vault): Promise<object> {
  const texts = Object.entries(data).filter((field): field is [string, string] => String(field[1]).startsWith('sealed:'));
  const sealed = await Promise.all(
    texts.map(async ([name, text]) => {
      const [, owner = '', plain = ''] = text.split(':');
      return [name, await vault.seal(owner, Buffer.from(plain, 'base64url').toString('utf8'))] as const;
    }),
  );
  return { ...data, ...Object.fromEntries(sealed) };
}

async function measure(
  databaseUrl: string,
  memory: MemoryLog,
  log: EventLog,
  vault: Vault | PlainVault,
  end: Position,
): Promise<void> {
  const models = readModels(vault);
  // What a process that has just started finds: no key is known yet.
  for (let n = 0; n < USERS; n += 1) vault.drop(userId(n));
  await prepareReadModels({ databaseUrl, log, models });

  const projected = Projected.listen(databaseUrl);
  const sizes: number[] = [];
  const projector = new Projector({
    log,
    databaseUrl,
    models,
    onBatch: (batch) => sizes.push(batch.length),
    onState: (state) => {
      if ('why' in state) process.stdout.write(`${state.status}: ${state.why}\n`);
    },
  });
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  projector.start();
  if (!(await projected.waitFor(end, 600_000))) throw new Error('The projector did not arrive');
  const seconds = (performance.now() - began) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  process.stdout.write(
    `catch-up: ${memory.all.length} events in ${seconds.toFixed(2)} s = ${Math.round(memory.all.length / seconds)} events/s, ` +
      `${sizes.length} batches, node busy ${(((cpu.user + cpu.system) / 1e6 / seconds) * 100).toFixed(0)} % of a core\n`,
  );

  const waits: number[] = [];
  for (let n = 0; n < LATENCY_ROUNDS; n += 1) {
    const id = `late_${n}`;
    const from = memory.all.length;
    const at = performance.now();
    entry(memory, { type: 'AccountOpened', data: { account: available(id), userId: id } }, `account:${id}`);
    const position = vault instanceof Vault ? await copy(memory, from, log, vault) : memory.all.at(-1)!.position;
    await projected.waitFor(position, 10_000);
    waits.push(performance.now() - at);
  }
  waits.sort((a, b) => a - b);
  process.stdout.write(
    `one event, from its append to NOTIFY: median ${quantile(waits, 0.5)} ms, 99 % ${quantile(waits, 0.99)} ms\n`,
  );

  const rebuildBegan = performance.now();
  const report = await rebuild({ databaseUrl, log, models, compare: true, swap: true });
  const took = (performance.now() - rebuildBegan) / 1000;
  process.stdout.write(
    `rebuild, compare, swap: ${report.events} events to ${positionText(report.position)} in ${took.toFixed(2)} s; journal revision ${revision}\n`,
  );
  await projector.stop();
  await projected.close();
}

await main();
