/**
 * Rebuilding: the log is the truth, the rows can be made anew beside the live ones, and nobody who reads
 * notices.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { JUNO, MILO, open, openAccount, settle } from '#test/support/journal-spec';
import { readSides, type ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { profileOf } from '#test/support/plain-vault';
import { balanceOf } from '../balances/queries.js';
import { transactionsOf } from '../transactions/queries.js';
import { userById } from '../users/queries.js';
import { readCheckpoints } from './checkpoints.js';
import { dropLeftoversAt } from './leftovers.js';
import { makeTables } from './make-tables.js';
import { prepareReadModels } from './prepare.js';
import { OtherVersion } from './project-batch.js';
import { Projector } from './projector.js';
import type { ReadModel } from './read-model.js';
import { Projected } from './read-your-writes.js';
import { comparisonLines, isSame, prepareLock, rebuild, rebuildLock } from './rebuild.js';

const stack = useStack(['postgres']);
const sides = readSides(stack);
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((projector) => projector.stop()));
  await sides.check();
});

function tips(side: ReadSide, from: number, to: number): void {
  for (let n = from; n <= to; n += 1) {
    const tip = { paymentId: `pay_${n}`, amount: '1.00' };
    side.story.command(open(tip), settle(tip));
  }
}

async function withTips(count: number): Promise<ReadSide> {
  const side = await sides.open();
  side.story.register(JUNO, profileOf('juno'));
  side.story.register(MILO, profileOf('milo'));
  side.story.command(openAccount(JUNO), openAccount(MILO));
  tips(side, 1, count);
  await side.feed();
  return side;
}

const of = ({ databaseUrl, story, models }: ReadSide) => ({ databaseUrl, log: story.log, models });

function projectorOf(side: ReadSide, models = side.models): Projector {
  const projector = new Projector({
    ...of(side),
    models,
    prepare: () => prepareReadModels({ ...of(side), models }),
  });
  running.push(projector);
  projector.start();
  return projector;
}

describe('tables that are filled for the first time', () => {
  it('are not there before all of the log is in them', async () => {
    const side = await withTips(4);
    await side.db.query('drop schema read cascade');
    const seen: unknown[] = [];
    const models = side.models.map((model) => ({
      ...model,
      async project(...asked: Parameters<ReadModel['project']>): Promise<void> {
        seen.push(...(await side.db.query(`select to_regclass('read.balances') as live`)).rows);
        await model.project(...asked);
      },
    }));
    const { length: events } = side.story.log.all;
    expect(await prepareReadModels({ ...of(side), models })).toEqual({ kind: 'created', events });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual(seen.map(() => ({ live: null })));
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(400);
  });

  it('stay away when the log holds what nobody can read, and leave nothing behind', async () => {
    const side = await withTips(1);
    await side.db.query('drop schema read cascade');
    const models = side.models.map((model) => ({
      ...model,
      project: () => Promise.reject(new Error('Not today.')),
    }));
    await expect(prepareReadModels({ ...of(side), models })).rejects.toThrow('Not today.');
    expect((await side.db.query(`select nspname from pg_namespace where nspname like 'read%'`)).rows).toEqual(
      [],
    );
    await prepareReadModels(of(side));
  });
});

describe('a rebuild', () => {
  it('finds live rows and replayed rows the same, and leaves no schema behind', async () => {
    const side = await withTips(5);
    const report = await rebuild({ ...of(side), compare: true, swap: true });
    expect(isSame(report.tables)).toBe(true);
    expect(report).toMatchObject({ events: side.story.log.all.length, swapped: true });
    expect(comparisonLines(report.tables)[0]).toMatch(/^users +the same, 2 rows$/);
    const { rows } = await side.db.query(`select nspname from pg_namespace where nspname like 'read%'`);
    expect(rows).toEqual([{ nspname: 'read' }]);
  });

  it('finds each live row that somebody has changed, added or removed, and shows it; the swap mends them', async () => {
    const side = await withTips(3);
    await side.db.query(
      `update balances set balance_minor = 99999 where account = 'user/usr_juno/available'`,
    );
    await side.db.query(`delete from transactions where id = 'pay_2'`);
    await side.db.query(`insert into receipts values ('usr_forger', 5)`);
    const { tables } = await rebuild({ ...of(side), compare: true, swap: true });
    expect(
      tables.filter(({ onlyLive, onlyRebuilt }) => onlyLive + onlyRebuilt > 0).map(({ table }) => table),
    ).toEqual(['balances', 'receipts', 'transactions']);
    const [balances, receipts, transactions] = tables.filter(({ samples }) => samples.length > 0);
    expect(balances!.samples).toEqual([
      'live:   {"account":"user/usr_juno/available","currency":"usd","balance_minor":99999}',
      'replay: {"account":"user/usr_juno/available","currency":"usd","balance_minor":300}',
    ]);
    expect(receipts).toMatchObject({ onlyLive: 1, onlyRebuilt: 0 });
    expect(transactions).toMatchObject({ onlyLive: 0, onlyRebuilt: 1, liveRows: 2, rebuiltRows: 3 });
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(300);
  });

  it('is not noticed by prepared statements that were made before it', async () => {
    const side = await withTips(2);
    const one = await side.db.connect();
    try {
      const look = async () => [
        (await balanceOf(one, JUNO)).availableMinor,
        (await transactionsOf(one, MILO)).lines.length,
        (await userById(one, MILO))?.username,
      ];
      // Often enough for Postgres to keep a plan of its own for them.
      for (let n = 0; n < 8; n += 1) expect(await look()).toEqual([200, 2, 'milo']);
      await rebuild({ ...of(side), compare: false, swap: true });
      expect(await look()).toEqual([200, 2, 'milo']);
      tips(side, 3, 3);
      await side.feed();
      // The same connection, the same statements: they read the new rows and not the ones that were dropped.
      expect(await look()).toEqual([300, 3, 'milo']);
    } finally {
      one.release();
    }
  });

  it('takes the live place again and again while two projectors work and money comes in', async () => {
    const side = await withTips(2);
    projectorOf(side);
    projectorOf(side);
    const projected = Projected.listen(side.databaseUrl);
    try {
      let done = false;
      const rebuilding = (async () => {
        for (let n = 0; n < 4; n += 1)
          expect(isSame((await rebuild({ ...of(side), compare: true, swap: true })).tables)).toBe(true);
        done = true;
      })();
      let count = 2;
      while (!done) {
        tips(side, count + 1, count + 5);
        count += 5;
        expect(await projected.waitFor(side.story.log.all.at(-1)!.position, 20_000)).toBe(true);
        expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(count * 100);
      }
      await rebuilding;
    } finally {
      await projected.close();
    }
  });

  it('leaves the live rows alone when the log cannot be read to its end', async () => {
    const side = await withTips(2);
    const forged = side.story.log.all[5]!;
    const whole = forged.type;
    side.story.log.all[5] = { ...forged, type: 'Nonsense' };
    await expect(rebuild({ ...of(side), compare: true, swap: true })).rejects.toThrow(/"Nonsense"/);
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(200);
    side.story.log.all[5] = { ...forged, type: whole };
  });
});

describe('what an interrupted rebuild leaves', () => {
  /** The schemas of rows that there are beside the live ones. */
  const besides = async ({ db }: ReadSide): Promise<string[]> => {
    const { rows } = await db.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'read\\_%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const endedHalfWay = async (): Promise<ReadSide> => {
    const side = await withTips(1);
    await makeTables(side.databaseUrl, side.models, 'read_rebuild');
    await makeTables(side.databaseUrl, side.models, 'read_former');
    return side;
  };

  it('is dropped at the next start: nobody would be blanked in it', async () => {
    const side = await endedHalfWay();
    expect(await prepareReadModels(of(side))).toEqual({ kind: 'present' });
    expect(await besides(side)).toEqual([]);
    expect(await dropLeftoversAt(side.databaseUrl)).toEqual([]);
  });

  it('is left to whoever is at work on it', async () => {
    const side = await endedHalfWay();
    const rebuilding = await side.db.connect();
    for (const lock of [rebuildLock('read', 'read_rebuild'), prepareLock('read')]) {
      await rebuilding.query(`select pg_advisory_lock(${lock})`);
      expect(await dropLeftoversAt(side.databaseUrl)).toEqual([]);
      await rebuilding.query(`select pg_advisory_unlock(${lock})`);
    }
    expect(await besides(side)).toEqual(['read_former', 'read_rebuild']);
    rebuilding.release();
    expect(await dropLeftoversAt(side.databaseUrl)).toEqual(['read_former', 'read_rebuild']);
    expect(await besides(side)).toEqual([]);
  });
});

describe('a log whose end was cut off', () => {
  it('does not take money away that the live read models have seen: the swap is refused', async () => {
    const side = await withTips(3);
    const cut = side.story.log.all.splice(-2);
    await expect(rebuild({ ...of(side), compare: true, swap: true })).rejects.toThrow(
      /lacks what they have seen. They were left as they are/,
    );
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(300);
    side.story.log.all.push(...cut);
  });
});

describe('a new version of a read model', () => {
  /** Settings in another table than before: a column more. */
  const next = (models: readonly ReadModel[]): ReadModel[] =>
    models.map((model) =>
      model.name !== 'settings'
        ? model
        : {
            ...model,
            version: 'next',
            statements: [
              ...model.statements,
              `alter table settings add column asked text not null default 'by the new build'`,
            ],
          },
    );

  it('is built beside the live one and swapped in at the start of the build that has it', async () => {
    const side = await withTips(3);
    side.story.switch(JUNO, 'biometricEnabled', true);
    await side.feed();
    const models = next(side.models);
    const prepared = await prepareReadModels({ ...of(side), models });
    expect(prepared).toMatchObject({ kind: 'rebuilt', swapped: true });
    // What has no other version was compared on the way.
    expect(prepared.kind === 'rebuilt' && prepared.tables.map(({ table }) => table)).not.toContain(
      'settings',
    );
    expect((await side.db.query('select user_id, asked from settings')).rows).toEqual([
      { user_id: JUNO, asked: 'by the new build' },
    ]);
    expect((await readCheckpoints(side.db)).find(({ model }) => model === 'settings')?.version).toBe('next');
    expect(await prepareReadModels({ ...of(side), models })).toEqual({ kind: 'present' });
    await expect(prepareReadModels(of(side))).rejects.toThrow(OtherVersion);
    await sidesOfNewBuild(side, models);
  });

  it('is built anew once where the versions of before were numbers', async () => {
    const side = await withTips(3);
    await side.db.query(`alter table checkpoints drop column superseded`);
    await side.db.query(`alter table checkpoints alter column version type integer using 2`);
    expect(await prepareReadModels(of(side))).toMatchObject({ kind: 'rebuilt', swapped: true });
    expect(await prepareReadModels(of(side))).toEqual({ kind: 'present' });
    expect((await balanceOf(side.db, JUNO)).availableMinor).toBe(300);
  });

  it('stops the projector of the old build, which must not write into tables it does not know', async () => {
    const side = await withTips(1);
    const old = projectorOf(side);
    const models = next(side.models);
    await prepareReadModels({ ...of(side), models });
    const projected = Projected.listen(side.databaseUrl);
    tips(side, 2, 2);
    projectorOf(side, models);
    expect(await projected.waitFor(side.story.log.all.at(-1)!.position, 20_000)).toBe(true);
    await projected.close();
    while (old.state.status !== 'stopped') await new Promise((resolve) => setImmediate(resolve));
    expect(old.state.why).toMatch(/"settings" (is|has tables) of version next/);
    await sidesOfNewBuild(side, models);
  });

  /** The check after each test replays with the build's own read models: bring the tables back to those. */
  async function sidesOfNewBuild(side: ReadSide, models: readonly ReadModel[]): Promise<void> {
    const report = await rebuild({ ...of(side), models, compare: true, swap: false });
    expect(isSame(report.tables)).toBe(true);
    await Promise.all(running.splice(0).map((projector) => projector.stop()));
    await side.db.query('drop schema read cascade');
    await prepareReadModels(of(side));
  }
});
