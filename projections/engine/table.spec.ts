/** What follows from the declaration of a table. */
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { answerFrom } from './answer.js';
import { declared } from './read-model.js';
import { flag, Table, text, time, whole, type Columns } from './table.js';

const tips = new Table(
  'tips',
  {
    id: text().key().seenBy('payer', 'recipient'),
    amountMinor: whole().fixed().seenBy('payer', 'recipient'),
    failureReason: text().orNull().seenBy('payer'),
    intentId: text().orNull(),
    isOpen: flag(),
    openedAt: time().fixed(),
  },
  { checks: ['check (amount_minor > 0)'], indexes: ['create index tips_open on tips (id) where is_open'] },
);

describe('a declared table', () => {
  it('is made with each column once, its checks and its indexes', () =>
    expect(tips.statements).toEqual([
      'create table tips (id text primary key, amount_minor bigint not null, failure_reason text, intent_id text,' +
        ' is_open boolean not null, opened_at timestamptz not null, check (amount_minor > 0))',
      'create index tips_open on tips (id) where is_open',
    ]));

  it('shows a viewer what names them, null for what names others, and nothing that names nobody', () => {
    const both = 't.id as "id", t.amount_minor as "amountMinor"';
    expect(tips.seenBy('payer', 't')).toBe(`${both}, t.failure_reason as "failureReason"`);
    expect(tips.seenBy('recipient', 't')).toBe(`${both}, null::text as "failureReason"`);
  });

  it('writes a row whole, and of a changed one what may change', async () => {
    const asked: { text: string; values: unknown[] }[] = [];
    const query = (config: object) => {
      asked.push(config as (typeof asked)[number]);
      return Promise.resolve({ rows: [] } as never);
    };
    const row = tips.row({ id: 'pay_1', amountMinor: 500, isOpen: true, openedAt: '2026-03-01T20:00:00Z' });
    await tips.put([row], { query });
    await tips.put([], { query });
    expect(asked).toHaveLength(1);
    expect(asked[0]!.text.replaceAll(/\s+/g, ' ')).toBe(
      'insert into tips (id, amount_minor, failure_reason, intent_id, is_open, opened_at)' +
        ' select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])' +
        ' on conflict (id) do update set failure_reason = excluded.failure_reason, intent_id = excluded.intent_id,' +
        ' is_open = excluded.is_open',
    );
    expect(asked[0]!.values).toEqual([['pay_1'], [500], [null], [null], [true], ['2026-03-01T20:00:00Z']]);
  });
});

describe('a declared table whose columns never change', () => {
  it('takes a row that it has for a repeat', async () => {
    const openings = new Table('openings', { userId: text().key(), openedAt: time().fixed() });
    const asked: string[] = [];
    const query = (config: object) => {
      asked.push((config as { text: string }).text);
      return Promise.resolve({ rows: [] } as never);
    };
    await openings.put([openings.row({ userId: 'usr_juno', openedAt: '2026-03-01T20:00:00Z' })], { query });
    expect(asked[0]).toMatch(/ on conflict \(user_id\) do nothing$/);
  });
});

describe('the version of a read model', () => {
  const version = (columns: Columns, fold?: number): string =>
    declared({ name: 'tips', prefixes: [], tables: [new Table('tips', columns)], ...(fold && { fold }) })
      .version;
  const before = { id: text().key(), note: text() };

  it('is another one with another column, another type or another fold', () => {
    expect(version({ id: text().key(), note: text() })).toBe(version(before));
    for (const other of [
      { ...before, method: text() },
      { id: before.id },
      { ...before, note: text().orNull() },
    ])
      expect(version(other)).not.toBe(version(before));
    expect(version(before, 2)).not.toBe(version(before));
  });

  it('stays with other viewers: they change no row', () =>
    expect(version({ ...before, note: text().seenBy('payer') })).toBe(version(before)));
});

describe('an answer made of a view', () => {
  it('has what its schema names, in its order, with times as texts', () => {
    const schema = z.object({ createdAt: z.string(), id: z.string(), endedAt: z.string().nullable() });
    const view = { id: 'pay_1', createdAt: new Date(0), endedAt: null, intentId: 'pi_1' };
    expect(JSON.stringify(answerFrom(schema, view))).toBe(
      '{"createdAt":"1970-01-01T00:00:00.000Z","id":"pay_1","endedAt":null}',
    );
  });
});
