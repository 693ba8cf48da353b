/**
 * What one event costs does not grow with the tables, nor does what is asked of them time and again. Postgres
 * keeps the plans of a projector's statements, and those it made while the tables were empty must do as well
 * when they are full.
 */
import { describe, expect, it } from '@jest/globals';
import { storedEvent } from '#log/stored-event';
import { JUNO, MILO, open, openAccount, settle } from '#test/support/journal-spec';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { guestStream } from '#contracts/events/guest';
import { guestIdOf } from '#contracts/plain/guest';
import { schedules } from '../schedules/columns.js';
import { users } from '../users/columns.js';
import { halfForgotten, livingSchedulesOf } from '../schedules/queries.js';
import { connectProjector, projectBatch } from './project-batch.js';
import type { Queryable } from './read-model.js';

const sides = useReadSides();

const TIPS = 300;
const BATCH = 8;

/** One connection, as a projector has it; a transaction for a few events. */
async function project(side: ReadSide): Promise<void> {
  const client = await connectProjector(side.databaseUrl, 'read');
  const events = side.story.log.all.map(storedEvent);
  const options = { schema: 'read', models: side.models, announce: false };
  try {
    for (let at = 0; at < events.length; at += BATCH)
      await projectBatch(client, events.slice(at, at + BATCH), options);
  } finally {
    await client.end();
  }
}

interface RowsTouched {
  /** Read by walking through the whole table. */
  readonly scanned: number;
  /** Found by an index. */
  readonly found: number;
  readonly added: number;
  readonly changed: number;
}

/** What was done with the rows of a table since it was made. */
async function rowsRead(side: ReadSide, table: string): Promise<RowsTouched> {
  const { rows } = await side.db.query<RowsTouched>(
    `select seq_tup_read::int as scanned, idx_tup_fetch::int as found, n_tup_ins::int as added, n_tup_upd::int as changed
       from pg_stat_user_tables
      where schemaname = 'read' and relname = $1`,
    [table],
  );
  return rows[0]!;
}

describe('a projector that began with empty tables', () => {
  it('finds the rows of each later event by an index', async () => {
    const side = await sides.open();
    const { story } = side;
    story.command(openAccount(JUNO), openAccount(MILO));
    const tips: { paymentId: string; amount: string }[] = [];
    for (let n = 0; n < TIPS; n++) {
      const user = `usr_${n}`;
      const profile = {
        username: user,
        email: `${user}@example.org`,
        emailVerified: true,
        firstName: '',
        lastName: '',
        profileImageUrl: null,
      };
      story.register(user, profile);
      story.changeProfile(user, { ...profile, firstName: 'June' });
      story.switch(user, 'privacyModeEnabled', true);
      tips.push({ paymentId: `pay_${n}`, amount: '20.00' });
    }
    // No more wait to be paid than one payer may have.
    for (let at = 0; at < TIPS; at += 50) {
      const some = tips.slice(at, at + 50);
      story.command(...some.map((tip) => open(tip)), ...some.map((tip) => settle(tip)));
    }
    for (let n = 0; n < TIPS; n++) story.switch(`usr_${n}`, 'privacyModeEnabled', false);
    // As autovacuum does after the first start: plans from now on are made for tables without a page.
    await side.db.query('vacuum analyze');
    await project(side);
    // Walked through, each would have been read some n²/2 times.
    const transactions = await rowsRead(side, 'transactions');
    expect(transactions.scanned).toBeLessThan(TIPS);
    expect(transactions.found).toBeGreaterThanOrEqual(TIPS);
    for (const table of ['users', 'settings', 'balances', 'receipts', 'transaction_counts']) {
      const { scanned, found } = await rowsRead(side, table);
      expect({ table, isScanned: scanned >= TIPS, isFound: found > 0 }).toEqual({
        table,
        isScanned: false,
        isFound: true,
      });
    }
  });
});

describe('a guest', () => {
  const guest = guestIdOf('wren');

  it('who opens payment after payment costs each time that payment alone', async () => {
    const side = await sides.open();
    const { story } = side;
    story.command(openAccount(JUNO));
    for (let n = 0; n < TIPS; n++)
      story.command(open({ paymentId: `pay_${n}`, amount: '20.00', from: guest }));
    const before = await rowsRead(side, 'transactions');
    await project(side);
    // With those before it, some n²/2 rows would be read and written.
    const after = await rowsRead(side, 'transactions');
    expect(after.scanned + after.found - before.scanned - before.found).toBeLessThan(TIPS * 2);
    expect([after.added - before.added, after.changed - before.changed]).toEqual([TIPS, 0]);
  });

  it('who is forgotten costs no look through what others paid', async () => {
    const side = await sides.open();
    const { story } = side;
    story.command(openAccount(JUNO), openAccount(MILO));
    story.command(open({ paymentId: 'pay_guest', amount: '20.00', from: guest }));
    for (let at = 0; at < TIPS; at += 50) {
      const some = Array.from({ length: 50 }, (_, n) => ({ paymentId: `pay_${at + n}`, amount: '20.00' }));
      story.command(...some.map((tip) => open(tip)), ...some.map((tip) => settle(tip)));
    }
    await project(side);
    await side.db.query('vacuum analyze');
    const before = await rowsRead(side, 'transactions');
    story.write(guestStream(guest), { type: 'GuestForgotten', data: { guestId: guest } });
    await project(side);
    const after = await rowsRead(side, 'transactions');
    expect(after.scanned + after.found - before.scanned - before.found).toBeLessThan(10);
  });
});

const MANY = 20_000;

/** The plan of the one query that `ask` makes. */
async function planOf(side: ReadSide, ask: (db: Queryable) => Promise<unknown>): Promise<string> {
  let plan = '';
  const explaining: Queryable = {
    async query({ text, values }) {
      const { rows } = await side.db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows: [], rowCount: 0, command: 'EXPLAIN', oid: 0, fields: [] };
    },
  };
  await ask(explaining);
  return plan;
}

describe('with many schedules and many who were forgotten', () => {
  it('those that still go on are found by both sides, never by reading all', async () => {
    const side = await sides.open();
    // Rows as the read models have them; no events stand behind them.
    const now = new Date().toISOString();
    const numbers = Array.from({ length: MANY }, (_, at) => at + 1);
    await users.put(
      numbers.map((n) =>
        users.row({
          id: `usr_${n}`,
          emailVerified: false,
          registeredAt: now,
          forgotten: n % 3 === 0,
          beingForgotten: false,
        }),
      ),
      side.db,
    );
    await schedules.put(
      numbers.map((n) =>
        schedules.row({
          id: `sub_${n}`,
          kind: 'subscription',
          payerId: `usr_${(n * 7) % MANY}`,
          recipientId: `usr_${(n * 11) % MANY}`,
          amountMinor: 500,
          currency: 'usd',
          status: n % 3 === 0 ? 'active' : 'canceled',
          calledOff: false,
          firstDueAt: now,
          sourceFrom: 'balance',
          createdAt: now,
          place: n,
        }),
      ),
      side.db,
    );
    await side.db.query('analyze users, schedules');
    try {
      for (const ask of [
        (db: Queryable) => halfForgotten(db, 200),
        (db: Queryable) => livingSchedulesOf(db, 'usr_9'),
      ]) {
        const plan = await planOf(side, ask);
        expect(plan).toContain('schedules_living_of_recipient');
        expect(plan).not.toMatch(/Seq Scan on (?:schedules|users)/);
      }
    } finally {
      await side.db.query('delete from schedules');
      await side.db.query('delete from users');
    }
  });
});
