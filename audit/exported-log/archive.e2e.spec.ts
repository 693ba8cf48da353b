/**
 * The process that archives the log: killed while it writes, and left alone with a store that comes and goes.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isOurStream } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import type { RawEvent } from '#log/event-log';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { useStack } from '#test/support/stack';
import { Story } from '#test/support/story';
import { copyLog } from '../copy-log.js';
import { openArchive } from './archive.js';

const stack = useStack(['eventstore', 'archive']);
const tip = { paymentId: 'pay_tip', amount: '2000.00' };

let log: EsdbLog;
const story = new Story();
beforeAll(() => {
  log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
  story.register(JUNO, profileOf('juno'));
  story.register(MILO, profileOf('milo'));
  story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
});
afterAll(() => log.close());

const folder = (): string => join(stack().dataFolder, 'archive');
const stored = ({ data, metadata, ...event }: RawEvent): unknown[] => [
  event.stream,
  event.revision,
  event.id,
  event.type,
  event.position,
  event.createdAt.getTime(),
  data.bytes.toString(),
  metadata.bytes.toString(),
];
async function allOf(source: AsyncIterable<RawEvent>): Promise<unknown[][]> {
  const events: unknown[][] = [];
  for await (const event of source) if (isOurStream(event.stream)) events.push(stored(event));
  return events;
}
/** Writes what the story has and the store lacks. */
const writeOn = (): Promise<unknown> => copyLog(story.log, log, () => undefined);
async function archivedAll(): Promise<void> {
  const last = await log.lastOf('journal');
  for (;;) {
    if ((await openArchive(folder())).head.journal?.revision === last?.revision) return;
    await pause(50);
  }
}
const command = (name: string, words: string[], env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve) => {
    const program = join(process.cwd(), `dist/processes/${name}.js`);
    execFile(process.execPath, [program, ...words], { env }, (error, out, err) =>
      resolve(`${error ? error.code : 0} ${out}${err}`),
    );
  });
const operate = (...words: string[]): Promise<string> =>
  command('operate', words, { ...process.env, ...stack().env });
/** The exported log asks for no server and no secret. */
const audit = (...words: string[]): Promise<string> =>
  command(
    'audit',
    words,
    words.includes('--from-file') ? { PATH: process.env.PATH } : { ...process.env, ...stack().env },
  );
const answer = async (path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${stack().ports.archive}${path}`)).text();

describe('the archive’s process', () => {
  it('has every event, byte for byte, however often it is killed while it writes', async () => {
    for (let round = 0; round < 5; round += 1) {
      for (let n = 0; n < 120; n += 1) story.command(transfer('0.01', JUNO, MILO, `trf_${round}_${n}`));
      const writing = writeOn();
      await pause(20 * round);
      await stack().part('archive').kill9();
      await stack().part('archive').start();
      await writing;
    }
    await archivedAll();
    const { events, head } = await openArchive(folder());
    expect(await allOf(events())).toEqual(await allOf(log.readAll(START, [''])));
    expect(head.events).toBe(story.log.all.length);
  });

  it('says that it is ready, how far it has come, and lets nobody else write', async () => {
    while (!(await answer('/readyz')).startsWith('{"ready":true')) await pause(50);
    const figures = await answer('/metrics');
    expect(figures).toContain(`encore_archive_events ${story.log.all.length}\n`);
    expect(figures).toContain('encore_archive_stopped 0\n');
    expect(figures).toMatch(/^encore_archive_seconds_behind /m);
    expect(await operate('archive')).toMatch(/^2 .* is being written to by process \d+ on .*\n$/);
  });

  it('waits while the store is away, and goes on where it was', async () => {
    await stack().part('eventstore').kill9();
    while ((await answer('/readyz')).startsWith('{"ready":true')) await pause(50);
    await stack().part('eventstore').start();
    story.command(transfer('0.01', JUNO, MILO, 'trf_after'));
    await writeOn();
    await archivedAll();
    expect((await openArchive(folder())).head.events).toBe(story.log.all.length);
  });

  it('is brought up once by the command, without the process', async () => {
    await stack().part('archive').stop();
    story.command(transfer('0.01', JUNO, MILO, 'trf_last'));
    await writeOn();
    const revision = story.log.all.at(-1)!.revision;
    expect(await operate('archive')).toBe(
      `0 1 events were archived. ${folder()} holds ${story.log.all.length} events, up to revision ${revision} of the journal.\n`,
    );
    const verified = await audit('verify', '--from-file', folder());
    expect(verified).toMatch(/^0 /);
    expect(verified).toContain('The books are in order.');
    expect(verified).toBe(await audit('verify', '--events-only'));
    expect(await audit('schedules-report', '--from-file', folder(), '--day', 'all')).toBe(
      '0 Nothing was ever due.\n',
    );
    expect(await audit('verify', '--from-file', '/nowhere')).toBe(
      '2 There is no exported log in /nowhere.\n',
    );
    expect(await operate('archive', '--for-ever')).toBe(
      '2 "--for-ever" is not an option of archive. "encore operate archive --help" lists what there is.\n',
    );
  });
});
