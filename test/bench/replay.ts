/**
 * Bench (c): a generated journal replayed into Postgres, and the time from one event to its announcement.
 * Twice: from the event store, texts sealed by the vault, which is what a rebuild costs; and from a log in
 * memory with plain texts, so that the difference says what the store, its client and the vault take.
 */
import pg from 'pg';
import { available, platform } from '#contracts/plain/accounts';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import { START, type Position } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import type { EventLog, RawEvent } from '#log/event-log';
import { idFrom } from '#ledger/journal/keys';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { VAULT } from '#processes/migrations';
import { prepareReadModels } from '#projections/engine/prepare';
import { Projector } from '#projections/engine/projector';
import { Projected } from '#projections/engine/read-your-writes';
import { rebuild } from '#projections/engine/rebuild';
import { Dice } from '#test/simulator/dice';
import { readModels } from '#projections/read-models';
import { freshDatabase } from '#test/support/database';
import { MemoryLog } from '#test/support/memory-log';
import { PlainVault, profileOf, sealedFor } from '#test/support/plain-vault';
import { startMeasured } from './measured-store.js';
import { percentile, type Row } from './measure.js';

const USERS = 2000;
const EVENTS = Number(process.env.BENCH_REPLAY_EVENTS ?? '100000');
const LATENCY_ROUNDS = 200;
const EVENTS_PER_APPEND = 200;

const userId = (n: number): string => `usr_${String(n).padStart(6, '0')}`;

/** A log in memory that is written as if much had happened. */
class Generated {
  readonly log = new MemoryLog();
  #nowMs = Date.parse('2026-01-01T00:00:00.000Z');

  put(stream: string, event: { type: string; data: object }, key?: string): void {
    this.#nowMs += 20;
    this.log.put(stream, {
      id: `00000000-0000-4000-8000-${String(this.log.all.length).padStart(12, '0')}`,
      type: event.type,
      data: event.data,
      metadata: {
        version: 1,
        recordedAt: new Date(this.#nowMs).toISOString(),
        correlationId: 'bench',
        key,
        hash: 'x',
      },
    });
  }

  entry(event: JournalEvent, key: string): void {
    this.put(JOURNAL, event, key);
  }

  /** Three payments of three entries each for every transfer. */
  fill(events: number): void {
    const dice = new Dice(7);
    const aUser = (): string => userId(dice.below(USERS));
    for (let n = 0; n < USERS; n += 1) {
      const id = userId(n);
      const profile = sealedFor(id, JSON.stringify(profileOf(`name${n}`)));
      this.put(`user-${id}`, {
        type: 'UserRegistered',
        data: { userId: id, issuer: 'bench', subject: id, profile },
      });
      this.entry({ type: 'AccountOpened', data: { account: available(id), userId: id } }, `account:${id}`);
    }
    const until = this.log.all.length + events;
    for (let n = 0; this.log.all.length < until; n += 1) {
      const payerId = aUser();
      let recipientId = aUser();
      while (recipientId === payerId) recipientId = aUser();
      const key = `${payerId}:${(this.#nowMs * 4096).toString(16).padStart(16, '0')}-${n}`;
      const amountMinor = 100 + dice.below(5000);
      const note = dice.chance(0.5) ? sealedFor(payerId, 'Great show, thank you!') : undefined;
      const parties = { payerId, recipientId, amountMinor, currency: 'usd' };
      if (n % 4 === 3) {
        const postings = [{ debit: available(payerId), credit: available(recipientId), amountMinor }];
        this.entry(
          { type: 'TransferPosted', data: { transferId: idFrom('trf', key), ...parties, note, postings } },
          key,
        );
        continue;
      }
      const paymentId = idFrom('pay', key);
      const intentId = `pi_${n}`;
      const chargeId = `ch_${n}`;
      const postings = [{ debit: platform('card-clearing'), credit: available(recipientId), amountMinor }];
      const occurredAt = new Date(this.#nowMs).toISOString();
      this.entry({ type: 'PaymentOpened', data: { paymentId, ...parties, method: 'card', note } }, key);
      this.entry({ type: 'PaymentSubmitted', data: { paymentId, intentId } }, `submit:${paymentId}`);
      this.entry(
        { type: 'PaymentSettled', data: { paymentId, ...parties, intentId, chargeId, occurredAt, postings } },
        `settle:${chargeId}`,
      );
    }
  }
}

/** Two runs: from the store, and from memory. */
export async function benchReplay(): Promise<Row[]> {
  return [...(await replay(true)), ...(await replay(false))];
}

async function replay(inStore: boolean): Promise<Row[]> {
  const stack = await startMeasured(inStore ? ['postgres', 'eventstore'] : ['postgres'], {
    mustBeEmpty: inStore,
  });
  try {
    const databaseUrl = await freshDatabase(stack.env.DATABASE_URL!);
    const generated = new Generated();
    generated.fill(EVENTS);
    const { log: memory } = generated;
    if (!inStore) {
      const end = memory.all.at(-1)!.position;
      return await measure({
        from: 'memory',
        databaseUrl,
        generated,
        log: memory,
        vault: new PlainVault(),
        end,
      });
    }
    const store = EsdbLog.connect(stack.env.EVENTSTORE_URL!);
    const keys = new pg.Pool({ connectionString: databaseUrl });
    try {
      await migrate(databaseUrl, [VAULT]);
      const vault = Vault.open(keys, stack.env.ENCORE_MASTER_KEY!);
      const end = await copy(memory, 0, store, vault);
      return await measure({ from: 'the event store', databaseUrl, generated, log: store, vault, end });
    } finally {
      await Promise.all([store.close(), keys.end()]);
    }
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
          data: await resealed(data.value as Record<string, unknown>, vault),
          metadata,
        })),
      );
      last = (await store.append(stream, batch, events[at]!.revision - 1, 30_000)).position;
    }
  return last;
}

async function resealed(data: Record<string, unknown>, vault: Vault): Promise<object> {
  const texts = Object.entries(data).filter((field): field is [string, string] =>
    String(field[1]).startsWith('sealed:'),
  );
  const sealed = await Promise.all(
    texts.map(async ([name, text]) => {
      const [, owner = '', plain = ''] = text.split(':');
      return [name, await vault.seal(owner, Buffer.from(plain, 'base64url').toString('utf8'))] as const;
    }),
  );
  return { ...data, ...Object.fromEntries(sealed) };
}

interface ReplayMeasurement {
  readonly from: string;
  readonly databaseUrl: string;
  readonly generated: Generated;
  readonly log: EventLog;
  readonly vault: Vault | PlainVault;
  readonly end: Position;
}

async function measure({ from, databaseUrl, generated, log, vault, end }: ReplayMeasurement): Promise<Row[]> {
  const models = readModels(vault);
  const { log: memory } = generated;
  // What a process that has just started finds: no key is known yet.
  for (let n = 0; n < USERS; n += 1) vault.drop(userId(n));
  const projected = Projected.listen(databaseUrl);
  const projector = new Projector({ log, databaseUrl, models });
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  // Filling the empty tables is the replay; the projector goes on from there.
  await prepareReadModels({ databaseUrl, log, models });
  projector.start();
  if (!(await projected.waitFor(end, 600_000)))
    throw new Error(`The projector did not arrive: ${JSON.stringify(projector.state)}`);
  const seconds = (performance.now() - began) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const events = memory.all.length;
  const busy = Math.round((cpu.user + cpu.system) / 1e4 / seconds);

  const waits: number[] = [];
  for (let n = 0; n < LATENCY_ROUNDS; n += 1) {
    const id = `late_${n}`;
    const before = memory.all.length;
    const at = performance.now();
    generated.entry({ type: 'AccountOpened', data: { account: available(id), userId: id } }, `account:${id}`);
    const position =
      vault instanceof Vault ? await copy(memory, before, log, vault) : memory.all.at(-1)!.position;
    if (!(await projected.waitFor(position, 10_000)))
      throw new Error(`The projector does not follow: ${JSON.stringify(projector.state)}`);
    waits.push(performance.now() - at);
  }

  const rebuildBegan = performance.now();
  const report = await rebuild({ databaseUrl, log, models, compare: true, swap: true });
  const rebuildSeconds = (performance.now() - rebuildBegan) / 1000;
  await projector.stop();
  await projected.close();
  const of = `from ${from}`;
  return [
    {
      bench: 'replay into Postgres',
      of,
      value: Math.round(events / seconds),
      unit: '/s',
      note: `${events} events, node ${busy} % of a core; goal: 10,000/s`,
    },
    {
      bench: 'one append to its announcement',
      of,
      value: Number(percentile(waits, 50).toFixed(1)),
      unit: 'ms',
      note: `p99 ${percentile(waits, 99).toFixed(1)} ms of ${waits.length}, one at a time`,
    },
    {
      bench: 'rebuild, compare, swap',
      of,
      value: Number(rebuildSeconds.toFixed(1)),
      unit: 's',
      note: `${report.events} events = ${Math.round(report.events / rebuildSeconds)}/s`,
    },
  ];
}
