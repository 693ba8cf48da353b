/**
 * A database whose roles have limits and ways of writing of their own: rows are made and read all the same.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { EventLog } from '#log/event-log';
import { storedEvent } from '#log/stored-event';
import { JUNO, MILO, open, openAccount, settle } from '#test/support/journal-spec';
import { freshDatabase } from '#test/support/database';
import { profileOf } from '#test/support/plain-vault';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { readModels } from '../read-models.js';
import { transactionsOf } from '../transactions/queries.js';
import { isOthersUsername, userByUsername } from '../users/queries.js';
import { HOWEVER_LONG, openReadPool } from './database.js';
import { prepareReadModels } from './prepare.js';
import { StopNote } from './stop-note.js';
import { beginLocked, connectProjector, projectEvents } from './project-batch.js';

const stack = useStack(['postgres']);
const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const LIMIT_MS = 100;
const LONGER_MS = 5 * LIMIT_MS;

/** A database of its own whose every connection begins with these settings, and a story with one payment. */
async function databaseWith(settings: Readonly<Record<string, string>>, locale = '') {
  const url = await freshDatabase(stack().env.DATABASE_URL!, locale);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const [name] = new URL(url).pathname.split('/').slice(1);
  for (const [setting, value] of Object.entries(settings))
    await client.query(`alter database ${pg.escapeIdentifier(name!)} set ${setting} = '${value}'`);
  await client.end();
  const story = new Story();
  story.command(openAccount(JUNO), openAccount(MILO));
  story.command(open({ paymentId: 'pay_1', amount: '5.00' }), settle({ paymentId: 'pay_1', amount: '5.00' }));
  return { url, story, models: readModels(story.vault) };
}

const LIMITS = {
  statement_timeout: `${LIMIT_MS}ms`,
  lock_timeout: `${LIMIT_MS}ms`,
  idle_in_transaction_session_timeout: `${LIMIT_MS}ms`,
  idle_session_timeout: `${LIMIT_MS}ms`,
};

describe('limits that a role or a database sets', () => {
  it('end no batch that waits for a rebuild', async () => {
    const { url, story, models } = await databaseWith(LIMITS);
    await prepareReadModels({ databaseUrl: url, log: story.log, models });
    const [rebuilding, projecting] = await Promise.all([
      connectProjector(url, 'read'),
      connectProjector(url, 'read'),
    ]);
    closing.push(() => Promise.all([rebuilding.end(), projecting.end()]));
    await beginLocked(rebuilding, 'read');
    const next = [story.switch(JUNO, 'privacyModeEnabled', true)];
    const options = { schema: 'read', models, announce: false };
    const done: number[] = [];
    const batch = projectEvents(
      projecting,
      story.log.all.filter(({ id }) => next.some((event) => event.id === id)).map(storedEvent),
      options,
      (_, end) => done.push(end.projected),
    );
    await pause(LONGER_MS);
    await rebuilding.query('commit');
    await batch;
    expect(done).toEqual([1]);
  });

  it('end no command that has no limit of its own', async () => {
    const { url } = await databaseWith(LIMITS);
    const db = openReadPool(url, 1, HOWEVER_LONG);
    closing.push(() => db.end());
    expect((await db.query(`select pg_sleep(${LONGER_MS / 1000})`)).rowCount).toBe(1);
  });

  it('let nobody else fill the tables while one is at it', async () => {
    const { url, story, models } = await databaseWith(LIMITS);
    let readings = 0;
    const slow: EventLog = Object.create(story.log, {
      readAll: {
        async *value(...asked: Parameters<EventLog['readAll']>) {
          readings += 1;
          for await (const event of story.log.readAll(...asked)) {
            await pause(LIMIT_MS);
            yield event;
          }
        },
      },
    }) as EventLog;
    const options = { databaseUrl: url, log: slow, models };
    const both = await Promise.all([prepareReadModels(options), prepareReadModels(options)]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['created', 'present']);
    expect(readings).toBe(1);
  });
});

it('times are read as they are, however a database writes its dates', async () => {
  const { url, story, models } = await databaseWith({
    datestyle: 'SQL, DMY',
    timezone: 'Asia/Kathmandu',
    intervalstyle: 'sql_standard',
  });
  await prepareReadModels({ databaseUrl: url, log: story.log, models });
  const db = openReadPool(url, 1);
  closing.push(() => db.end());
  const { lines } = await transactionsOf(db, JUNO);
  const opened = storedEvent(story.log.all.find(({ type }) => type === 'PaymentOpened')!).event!;
  expect(lines.map(({ openedAt }) => openedAt)).toEqual([new Date(opened.metadata.recordedAt)]);
});

it('tables are made although an earlier first try failed and left its note', async () => {
  const { url, story, models } = await databaseWith({});
  const client = new pg.Client({ connectionString: url });
  closing.push(() => client.end());
  await client.connect();
  // By whoever grants rights on it before there are tables.
  await client.query('create schema read');
  await new StopNote(url, (error) => {
    throw error;
  }).write('Event 7 of journal has no amount.');
  expect(await prepareReadModels({ databaseUrl: url, log: story.log, models })).toMatchObject({
    kind: 'created',
  });
});

it.each([
  [
    'of C, which knows no other letters than those of English',
    `locale_provider libc lc_collate 'C' lc_ctype 'C'`,
  ],
  [
    'of Turkey, where the small letter of I has no dot',
    `locale_provider icu icu_locale 'tr-TR' lc_collate 'C' lc_ctype 'C'`,
  ],
])('a username is found in either case of its letters in a database %s', async (_, locale) => {
  const { url, story, models } = await databaseWith({}, locale);
  story.register(JUNO, { ...profileOf('juno'), username: 'ÉLODIE.INES' });
  await prepareReadModels({ databaseUrl: url, log: story.log, models });
  const db = openReadPool(url, 1);
  closing.push(() => db.end());
  for (const typed of ['élodie.ines', 'ÉLODIE.INES', 'Élodie.Ines'])
    expect((await userByUsername(db, typed, MILO))?.id).toBe(JUNO);
  expect(await isOthersUsername(db, MILO, 'élodie.ines')).toBe(true);
});
