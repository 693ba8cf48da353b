/**
 * The locks of one batch, without luck: each race is brought about, and seen to wait, before it is let go.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { storedEvent } from '#log/stored-event';
import { JUNO, MILO, open, openAccount, settle } from '#test/support/journal-spec';
import { readSides, type ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { balanceOf } from '../balances/queries.js';
import { makeTables } from './make-tables.js';
import { beginLocked, connectProjector, projectBatch, type BatchEnd } from './project-batch.js';
import type { ReadModel } from './read-model.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const clients: pg.Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await sides.check();
});

async function client(side: ReadSide): Promise<{ client: pg.Client; pid: number }> {
  const opened = await connectProjector(side.databaseUrl, 'read');
  clients.push(opened);
  const { rows } = await opened.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { client: opened, pid: rows[0]!.pid };
}

/** Returns once a connection waits for a lock. */
async function waits(side: ReadSide, pid: number): Promise<void> {
  let waiting = 0;
  while (waiting === 0) {
    const { rowCount } = await side.db.query('select 1 from pg_locks where pid = $1 and not granted', [pid]);
    waiting = rowCount ?? 0;
  }
}

/** The read models, the first of which does not begin before it is let go. */
function gated(models: readonly ReadModel[]): {
  models: ReadModel[];
  entered: Promise<void>;
  letGo: () => void;
} {
  let letGo = (): void => undefined;
  let enter = (): void => undefined;
  const opened = new Promise<void>((resolve) => (letGo = resolve));
  const entered = new Promise<void>((resolve) => (enter = resolve));
  return {
    entered,
    letGo,
    models: models.map((model) =>
      model.name !== 'balances'
        ? model
        : {
            ...model,
            project: async (events, tx) => {
              enter();
              await opened;
              await model.project(events, tx);
            },
          },
    ),
  };
}

async function withTip(): Promise<ReadSide> {
  const side = await sides.open();
  const tip = { paymentId: 'pay_tip', amount: '20.00' };
  side.story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
  return side;
}

const project = (on: pg.Client, side: ReadSide, models = side.models): Promise<BatchEnd> =>
  projectBatch(on, side.story.log.all.map(storedEvent), { schema: 'read', models, announce: true });

describe('two projectors with the same batch in hand', () => {
  it('take turns, and the second finds every cent counted', async () => {
    const side = await withTip();
    const [first, second] = [await client(side), await client(side)];
    const { models, entered, letGo } = gated(side.models);
    const one = project(first.client, side, models);
    await entered;
    const other = project(second.client, side);
    await waits(side, second.pid);
    letGo();
    expect((await one).projected).toBe(4);
    expect((await other).projected).toBe(0);
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(2000);
  });

  it('take turns also when the tables change places under the one that waits', async () => {
    const side = await withTip();
    const [swapper, first, second] = [await client(side), await client(side), await client(side)];
    await makeTables(side.databaseUrl, side.models, 'read_next');
    await beginLocked(swapper.client, 'read');
    const { models, entered, letGo } = gated(side.models);
    const one = project(first.client, side, models);
    await waits(side, first.pid);
    await swapper.client.query(
      'alter schema read rename to read_former; alter schema read_next rename to read; commit',
    );
    await entered;
    // The first is at work on the new tables: the second must not be let in beside it.
    const other = project(second.client, side);
    await waits(side, second.pid);
    letGo();
    expect((await one).projected).toBe(4);
    expect((await other).projected).toBe(0);
    await side.db.query('drop schema read_former cascade');
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(2000);
  });
});
