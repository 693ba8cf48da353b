/**
 * The projector in weather: two of them, outages on either side, a death in between, and an event that nobody
 * can read.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { positionText, type Position } from '#contracts/log';
import { JOURNAL } from '#contracts/events/journal';
import { settingsStream } from '#contracts/events/settings';
import { ReadRefused, recorded, type SubscriptionItem } from '#log/event-log';
import { storedEvent } from '#log/stored-event';
import { JUNO, MILO, open, openAccount, settle, submit } from '#test/support/journal-spec';
import { eventually } from '#test/conformance/stripe-process';
import { freshDatabase } from '#test/support/database';
import { readSides, type ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { balanceOf } from '../balances/queries.js';
import { readModels } from '../read-models.js';
import { leastPosition, readCheckpoints } from './checkpoints.js';
import { openReadPool } from './database.js';
import { prepareReadModels } from './prepare.js';
import { connectProjector, projectBatch } from './project-batch.js';
import { eventsBehind, Projector, type ProjectorOptions, type ProjectorState } from './projector.js';
import { StopNote } from './stop-note.js';
import { Projected } from './read-your-writes.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((projector) => projector.stop()));
  await sides.check();
});

/** A projector that runs, and word of what becomes of it. */
function projectorOf(side: ReadSide, options: Partial<ProjectorOptions> = {}) {
  const listeners = new Set<(state: ProjectorState) => void>();
  const projector = new Projector({
    log: side.story.log,
    databaseUrl: side.databaseUrl,
    models: side.models,
    prepare: () =>
      prepareReadModels({ databaseUrl: side.databaseUrl, log: side.story.log, models: side.models }),
    onState: (state) => listeners.forEach((listener) => listener(state)),
    ...options,
  });
  running.push(projector);
  projector.start();
  const becomes = (status: ProjectorState['status']): Promise<ProjectorState> =>
    new Promise((resolve) => {
      const listener = (state: ProjectorState): void => {
        if (state.status !== status) return;
        listeners.delete(listener);
        resolve(state);
      };
      listeners.add(listener);
      listener(projector.state);
    });
  return { projector, becomes };
}

/** Waits as the ledger does: for the NOTIFY that the read models have passed a position. */
async function passed(side: ReadSide, position: Position): Promise<void> {
  const projected = Projected.listen(side.databaseUrl);
  try {
    expect(await projected.waitFor(position, 20_000)).toBe(true);
  } finally {
    await projected.close();
  }
}

const end = (side: ReadSide): Position => side.story.log.all.at(-1)!.position;

/** Accounts, and so many tips of one dollar from Milo to Juno. */
function tips(story: Story, from: number, to: number): void {
  for (let n = from; n <= to; n += 1) {
    const tip = { paymentId: `pay_${n}`, amount: '1.00' };
    story.command(open(tip), submit(tip), settle(tip));
  }
}

async function withTips(count: number): Promise<ReadSide> {
  const side = await sides.open();
  side.story.command(openAccount(JUNO), openAccount(MILO));
  tips(side.story, 1, count);
  return side;
}

describe('the projector', () => {
  it('catches up with a backlog and then shows each new cent as it comes', async () => {
    const side = await withTips(500);
    const { projector, becomes } = projectorOf(side);
    await becomes('live');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(50_000);
    tips(side.story, 501, 502);
    await passed(side, end(side));
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(50_200);
    expect(projector.journalRevision).toBe(2 + 3 * 502 - 1);
    expect(projector.secondsBehind(Date.now())).toBe(0);
  });

  it('counts no cent twice when two of them work on the same log', async () => {
    const side = await withTips(700);
    const sizes: number[] = [];
    const onBatch: ProjectorOptions['onBatch'] = (_, batchEnd) => sizes.push(batchEnd.projected);
    const one = projectorOf(side, { onBatch });
    const other = projectorOf(side, { onBatch });
    await Promise.all([one.becomes('live'), other.becomes('live')]);
    tips(side.story, 701, 720);
    await passed(side, end(side));
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(72_000);
    await Promise.all([one.projector.stop(), other.projector.stop()]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2 + 3 * 720);
  });

  it('loses and doubles nothing when it dies between the rows and the checkpoint', async () => {
    const side = await withTips(3);
    const client = await connectProjector(side.databaseUrl, 'read');
    const backend = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
    const dies = {
      ...side.models.find(({ name }) => name === 'unapplied')!,
      // The last one to be projected: the others' rows are written and nothing is committed.
      project: async () => {
        await side.db.query('select pg_terminate_backend($1)', [backend]);
      },
    };
    const models = side.models.map((model) => (model.name === 'unapplied' ? dies : model));
    await expect(
      projectBatch(client, side.story.log.all.map(storedEvent), { schema: 'read', models, announce: true }),
    ).rejects.toThrow();
    await client.end().catch(() => undefined);
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(0);
    await projectorOf(side).becomes('live');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(300);
  });

  it('comes back by itself when its connection to Postgres is cut, also while nothing happens', async () => {
    const side = await withTips(1);
    const { becomes } = projectorOf(side);
    await becomes('live');
    const lost = becomes('reconnecting');
    await side.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and query not like '%pg_stat_activity%' and application_name = 'encore-read'`,
    );
    await lost;
    tips(side.story, 2, 3);
    await becomes('live');
    await passed(side, end(side));
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(300);
  });

  it('comes back by itself when the log goes away', async () => {
    const side = await withTips(1);
    const { becomes } = projectorOf(side);
    await becomes('live');
    side.story.log.setReachable(false);
    expect(await becomes('reconnecting')).toMatchObject({ why: expect.stringContaining('cut') });
    side.story.log.setReachable(true);
    tips(side.story, 2, 2);
    await becomes('live');
    await passed(side, end(side));
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(200);
  });

  it('is reconnecting all through, where the store shows it single streams and refuses it the whole log', async () => {
    const side = await withTips(1);
    const { log } = side.story;
    const follow = log.follow.bind(log);
    let refused = 0;
    log.follow = async function* (): AsyncGenerator<SubscriptionItem> {
      yield* [];
      refused += 1;
      throw new ReadRefused('You may not read $all', 'denied');
    };
    const states: string[] = [];
    projectorOf(side, { onState: ({ status }) => states.push(status) });
    while (refused < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(states).toEqual(['reconnecting']);
    log.follow = follow;
    await passed(side, end(side));
    expect(states.slice(0, 2)).toEqual(['reconnecting', 'catching-up']);
  });

  it('shows every cent once while the store drops it at each burst, on one connection and live throughout', async () => {
    const side = await withTips(2);
    side.story.log.dropWhenBehind(64);
    const drops: string[] = [];
    const states: string[] = [];
    const { projector, becomes } = projectorOf(side, {
      onDrop: (why) => drops.push(why),
      onState: ({ status }) => states.push(status),
      clock: () => 0,
    });
    const live = async (): Promise<void> => {
      while (projector.state.status !== 'live') await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await live();
    const backends = `select pid from pg_stat_activity where datname = current_database()
      and application_name = 'encore-read' and query like '%checkpoints%' order by pid`;
    const before = (await side.db.query(backends)).rows;
    for (let burst = 0; burst < 5; burst += 1) {
      tips(side.story, 3 + burst * 100, 2 + (burst + 1) * 100);
      await passed(side, end(side));
    }
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(50_200);
    expect(drops.length).toBeGreaterThanOrEqual(5);
    expect(states).toEqual(['catching-up', 'live']);
    expect((await side.db.query(backends)).rows).toEqual(before);
    await becomes('live');
  });

  it('is not live any more when an event has waited for a second, and says how old the oldest is', async () => {
    const side = await withTips(1);
    let now = 0;
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let holds = false;
    const models = side.models.map((model, index) => ({
      ...model,
      project: async (...given: Parameters<typeof model.project>) => {
        if (index === 0 && holds) await held;
        await model.project(...given);
      },
    }));
    const { projector, becomes } = projectorOf(side, { models, clock: () => now });
    await becomes('live');
    holds = true;
    tips(side.story, 2, 2);
    const oldest = side.story.log.all.at(-3)!;
    const recordedAtMs = Date.parse(recorded(oldest).metadata.recordedAt);
    while (projector.secondsBehind(recordedAtMs + 700) === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(projector.secondsBehind(recordedAtMs + 700)).toBe(0.7);
    expect(projector.state.status).toBe('live');
    now += 1001;
    await becomes('catching-up');
    goOn();
    await becomes('live');
    expect(projector.secondsBehind(recordedAtMs + 700)).toBe(0);
  });

  it('makes everything anew when the read models are dropped under it', async () => {
    const side = await withTips(5);
    const { becomes } = projectorOf(side);
    await becomes('live');
    await side.db.query('drop schema read cascade');
    tips(side.story, 6, 6);
    await becomes('reconnecting');
    await becomes('live');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(600);
  });

  it('stops at an event that this build cannot read, with every cent before it shown and none after', async () => {
    const side = await withTips(2);
    const before = end(side);
    side.story.log.put(JOURNAL, {
      id: 'from-the-future',
      type: 'CryptoSettled',
      data: {},
      metadata: { version: 1, recordedAt: '2026-03-01T21:00:00.000Z', correlationId: 'x', hash: 'x' },
    });
    const { projector, becomes } = projectorOf(side);
    expect(await becomes('stopped')).toMatchObject({
      why: expect.stringMatching(/^CryptoSettled at revision 8 of journal cannot be read: .*does not know/),
    });
    expect(await leastPosition(side.db)).toEqual(before);
    expect(projector.state.status).toBe('stopped');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(200);
  });

  it('passes over another application’s stream whose name begins like the journal’s', async () => {
    const side = await withTips(1);
    side.story.log.put('journals', { id: 'j1', type: 'Published', data: {}, metadata: {} });
    const { becomes } = projectorOf(side);
    await becomes('live');
    side.story.log.put('journal-of-law', { id: 'j2', type: 'Published', data: {}, metadata: {} });
    tips(side.story, 2, 2);
    await passed(side, end(side));
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(200);
  });

  it('stops when an entry does not balance', async () => {
    const side = await withTips(1);
    side.story.write(JOURNAL, {
      type: 'TransferPosted',
      data: {
        transferId: 'trf_forged',
        payerId: JUNO,
        recipientId: MILO,
        amountMinor: 1,
        currency: 'usd',
        postings: [{ debit: 'user/usr_juno/available', credit: 'user/usr_milo/available', amountMinor: 100 }],
      },
    });
    const { becomes } = projectorOf(side);
    expect(await becomes('stopped')).toMatchObject({
      why: expect.stringMatching(/does not balance: it says 1 minor units/),
    });
    expect((await balanceOf(side.db, MILO)).availableMinor).toBe(0);
  });

  it('stops when the journal has a gap', async () => {
    const side = await withTips(2);
    side.story.log.all.splice(4, 1);
    const { becomes } = projectorOf(side);
    expect(await becomes('stopped')).toMatchObject({ why: expect.stringMatching(/entries are missing/) });
  });

  it('stops when the log lacks what the read models have seen, as after an old backup was restored', async () => {
    const side = await withTips(3);
    const first = projectorOf(side);
    await first.becomes('live');
    await first.projector.stop();
    const cut = side.story.log.all.splice(-2);
    side.story.log.reindex();
    const second = projectorOf(side, { lostAfterMs: 0 });
    expect(await second.becomes('stopped')).toMatchObject({
      why: expect.stringMatching(/^The read models have seen journal revision 10 and the log ends at 8/),
    });
    side.story.log.all.push(...cut);
    side.story.log.reindex();
  });

  it('ends in good order and goes on from there', async () => {
    const side = await withTips(3);
    const first = projectorOf(side);
    await first.becomes('live');
    await first.projector.stop();
    tips(side.story, 4, 5);
    const events: number[] = [];
    const second = projectorOf(side, { onBatch: (batch) => events.push(batch.length) });
    await second.becomes('live');
    expect(events.reduce((sum, length) => sum + length, 0)).toBe(6);
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(500);
  });
});

it('counts what is behind in every stream, not in the journal alone', async () => {
  const side = await withTips(1);
  const { projector, becomes } = projectorOf(side);
  await becomes('live');
  await projector.stop();
  expect(await eventsBehind(side.story.log, projector)).toBe(0);
  side.story.write(settingsStream(JUNO), {
    type: 'SettingSwitchedOn',
    data: { userId: JUNO, setting: 'privacyModeEnabled' },
  });
  tips(side.story, 2, 2);
  expect(await eventsBehind(side.story.log, projector)).toBeGreaterThan(3);
});

describe('reading one’s own writes', () => {
  it('answers at once for what has passed, waits for what has not, and gives up in time', async () => {
    const side = await withTips(1);
    const position = end(side);
    const projected = Projected.listen(side.databaseUrl);
    try {
      expect(await projected.waitFor(position, 30)).toBe(false);
      const waiting = projected.waitFor(position, 20_000);
      projectorOf(side);
      expect(await waiting).toBe(true);
      expect(await projected.waitFor(position, 0)).toBe(true);
      expect(
        await projected.waitFor({ commit: position.commit + 1n, prepare: position.prepare + 1n }, 30),
      ).toBe(false);
    } finally {
      await projected.close();
    }
  });

  it('knows what was projected while nobody listened, and while the connection was cut', async () => {
    const side = await withTips(1);
    await projectorOf(side).becomes('live');
    const projected = Projected.listen(side.databaseUrl);
    try {
      expect(await projected.waitFor(end(side), 20_000)).toBe(true);
      await side.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state = 'idle'
            and (query ilike 'listen%' or query like '%from checkpoints%' or query like '%projector_stop%')`,
      );
      tips(side.story, 2, 2);
      expect(await projected.waitFor(end(side), 20_000)).toBe(true);
    } finally {
      await projected.close();
    }
  });

  it('knows why the projector has stopped, also when it comes later, until that is at work again', async () => {
    const side = await withTips(1);
    await projectorOf(side).becomes('live');
    const note = new StopNote(side.databaseUrl, (error) => {
      throw error;
    });
    const early = Projected.listen(side.databaseUrl);
    await early.waitFor(end(side), 20_000);
    await note.write('Event 7 of journal has no amount.');
    const late = Projected.listen(side.databaseUrl);
    try {
      for (const projected of [early, late])
        await eventually(
          async () => projected.stoppedBecause === 'Event 7 of journal has no amount.',
          'the note',
        );
      await note.clear();
      for (const projected of [early, late])
        await eventually(async () => projected.stoppedBecause === undefined, 'the note to go');
    } finally {
      await Promise.all([early.close(), late.close()]);
    }
  });

  it('outlives a database that is not there yet', async () => {
    const url = await freshDatabase(stack().env.DATABASE_URL!);
    const story = new Story();
    const projected = Projected.listen(url);
    const models = readModels(story.vault);
    const projector = new Projector({
      log: story.log,
      databaseUrl: url,
      models,
      prepare: () => prepareReadModels({ databaseUrl: url, log: story.log, models }),
    });
    running.push(projector);
    const waiting = projected.waitFor(story.command(openAccount(JUNO))[0]!.position, 20_000);
    projector.start();
    expect(await waiting).toBe(true);
    await projected.close();
    const db = openReadPool(url, 1);
    expect((await readCheckpoints(db)).map(({ position }) => positionText(position))).toEqual(
      models.map(() => '64/64'),
    );
    await db.end();
  });

  it('tells whoever waits when it is closed', async () => {
    const projected = Projected.listen(stack().env.DATABASE_URL!);
    const waiting = projected.waitFor({ commit: 1n, prepare: 1n }, 20_000);
    await projected.close();
    expect(await waiting).toBe(false);
  });
});

it('a projector’s connection is its own: a pool that is used up cannot hold it up', async () => {
  const side = await withTips(1);
  const held = await Promise.all([1, 2, 3, 4].map(() => side.db.connect()));
  await projectorOf(side).becomes('live');
  held.forEach((client: pg.PoolClient) => client.release());
});
