/** Archiving a log: what is followed through, what stops it, and what it says then. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { JOURNAL } from '#contracts/events/journal';
import { userStream } from '#contracts/events/user';
import { LogUnavailable, type RawEvent } from '#log/event-log';
import { StoredContent } from '#log/stored-content';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { copyLog } from '../copy-log.js';
import { appendMissing, missingFrom } from './append-missing.js';
import { openArchive } from './archive.js';
import { archiveOnce, Archiver, type ArchiverOptions, type ArchiverState } from './archiver.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };

let folder: string;
let story: Story;
const archivers: Archiver[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-'));
  story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
});
afterEach(async () => {
  await Promise.all(archivers.splice(0).map((one) => one.stop()));
  rmSync(folder, { recursive: true });
});

let paid = 0;
/** Writes something more to the log. */
const pay = (to: Story = story): unknown => to.command(transfer('0.01', JUNO, MILO, `trf_${(paid += 1)}`));

function started(more: Partial<ArchiverOptions> = {}): { archiver: Archiver; states: ArchiverState[] } {
  const states: ArchiverState[] = [];
  const archiver = new Archiver({
    log: story.log,
    folder,
    lostAfterMs: 0,
    lookAgainMs: 20,
    onState: (state) => states.push(state),
    ...more,
  });
  archivers.push(archiver);
  archiver.start();
  return { archiver, states };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}
const archivedAll = (archiver: Archiver) =>
  until(() => archiver.head?.events === ours(story.log).length && archiver.state.status === 'live');
const stoppedBy = async (archiver: Archiver): Promise<string> => {
  await until(() => archiver.state.status === 'stopped');
  return 'why' in archiver.state ? archiver.state.why : '';
};

const ours = (log: MemoryLog): RawEvent[] =>
  log.all.filter(({ stream }) => !/^(\$(?!\$(journal|user))|other)/.test(stream));
async function archived(): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of (await openArchive(folder)).events()) events.push(event);
  return events;
}
const named = (events: readonly RawEvent[]): string[] =>
  events.map(
    ({ stream, revision, id, metadata }) => `${stream} ${revision} ${id} ${metadata.bytes.toString()}`,
  );

describe('an archive', () => {
  it('holds all that the log has, and then what comes, as soon as it is there', async () => {
    const { archiver, states } = started();
    await archivedAll(archiver);
    for (let n = 0; n < 50; n += 1) pay();
    await archivedAll(archiver);
    expect(named(await archived())).toEqual(named(story.log.all));
    expect(states.map(({ status }) => status)).toEqual(['catching-up', 'live']);
    expect(archiver.head?.journal?.revision).toBe(story.log.all.at(-1)?.revision);
    expect(archiver.secondsBehind(Date.now())).toBe(0);
  });

  it('holds what the store was told about our streams, and nothing of others', async () => {
    const told = (stream: string, id: string): unknown =>
      story.log.put(stream, { id, type: '$metadata', data: { $maxCount: 3 }, metadata: {} });
    told('$$journal', 'told-1');
    told('$$other', 'told-2');
    story.log.put('others-1', { id: 'other', type: 'Ordered', data: {}, metadata: {} });
    story.log.put('$stats', { id: 'stats', type: '$stats', data: {}, metadata: {} });
    const { archiver } = started();
    await archivedAll(archiver);
    // It is taken once, also when the log is followed again from the last event of ours.
    await archiver.stop();
    const again = started();
    await archivedAll(again.archiver);
    told('$$journal', 'told-3');
    pay();
    await archivedAll(again.archiver);
    expect((await archived()).slice(-3).map(({ stream, id }) => `${stream} ${id}`)).toEqual([
      '$$journal told-1',
      '$$journal told-3',
      expect.stringContaining('journal '),
    ]);
  });

  it('misses nothing and repeats nothing through drops, outages and restarts', async () => {
    const drops: string[] = [];
    let { archiver } = started({ onDrop: (why) => drops.push(why) });
    await archivedAll(archiver);
    for (let round = 0; round < 6; round += 1) {
      pay();
      if (round % 3 === 0) story.log.dropFollowers();
      if (round % 3 === 1) {
        story.log.setReachable(false);
        await until(() => archiver.state.status === 'waiting');
        pay();
        story.log.setReachable(true);
      }
      if (round % 3 === 2) {
        await archiver.stop();
        pay();
        ({ archiver } = started({ onDrop: (why) => drops.push(why) }));
      }
      await archivedAll(archiver);
    }
    expect(named(await archived())).toEqual(named(story.log.all));
    expect(drops).not.toEqual([]);
  });

  it('waits all through an outage at its first start, however often it asks the store meanwhile', async () => {
    story.log.setReachable(false);
    const { archiver, states } = started();
    await until(() => story.log.followed > 3);
    story.log.setReachable(true);
    await archivedAll(archiver);
    expect(states.map(({ status }) => status)).toEqual(['waiting', 'catching-up', 'live']);
  });

  it('says how far it is behind while the store is away', async () => {
    let nowMs = 0;
    const { archiver } = started({ clock: () => nowMs });
    await archivedAll(archiver);
    story.log.setReachable(false);
    await until(() => archiver.state.status === 'waiting');
    nowMs += 7_000;
    expect(archiver.secondsBehind(story.nowMs + 60_000)).toBe(7);
  });

  it('is brought up once, and says what is new', async () => {
    expect(await archiveOnce(story.log, folder)).toMatchObject({ written: 6, head: { events: 6 } });
    pay();
    expect(await archiveOnce(story.log, folder)).toMatchObject({ written: 1, head: { events: 7 } });
  });
});

describe('an archive stops, and says why,', () => {
  it('when the log has lost its end, and goes on when it has it again', async () => {
    await archivedAll(started().archiver);
    await archivers.pop()!.stop();
    const lost = story.log.all.splice(-2);
    story.log.reindex();
    const { archiver } = started();
    expect(await stoppedBy(archiver)).toMatch(
      /^The journal ends at revision 2, and is archived up to revision 4: the log has lost entries.*operate recover/,
    );
    expect(await archived()).toHaveLength(6);
    story.log.all.push(...lost);
    story.log.reindex();
    pay();
    await archivedAll(archiver);
    expect(named(await archived())).toEqual(named(story.log.all));
  });

  it('when the log lost its end while it was followed', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    story.log.all.splice(-2);
    story.log.reindex();
    story.log.breakConnections();
    expect(await stoppedBy(archiver)).toMatch(/^The journal ends at revision 2/);
  });

  it('when another history was written behind an older end', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    await archiver.stop();
    story.log.all.splice(-1);
    story.log.reindex();
    story.log.put('journal', { id: 'forged', type: 'PaymentCanceled', data: {}, metadata: { hash: 'x' } });
    expect(await stoppedBy(started().archiver)).toMatch(
      /^Revision 4 of the journal has the hash x in the log and/,
    );
  });

  it('when the log is another one', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    await archiver.stop();
    const other = new Story();
    other.command(openAccount(MILO));
    for (let n = 0; n < 9; n += 1) other.switch(MILO, 'biometricEnabled', n % 2 === 0);
    expect(await stoppedBy(started({ log: other.log }).archiver)).toMatch(
      /^The journal ends at revision 0, /,
    );
    expect(await archived()).toHaveLength(6);
  });

  it('but not by the word of a node that may have been cut off from the others', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    await archiver.stop();
    const unsure = new LogUnavailable('It is not certain who leads');
    const { log } = story;
    log.witness = () => ({ confirm: () => Promise.reject(unsure) });
    const last = log.all.at(-1)!;
    log.all[log.all.length - 1] = { ...last, id: 'another' };
    log.reindex();
    const { archiver: again } = started();
    await until(() => again.state.status === 'waiting');
    expect(again.state).toMatchObject({ why: 'It is not certain who leads' });
    log.witness = () => ({ confirm: () => Promise.resolve() });
    expect(await stoppedBy(again)).toContain('The log is not the one that was archived');
  });

  it('when an event that comes does not extend its stream’s chain, behind all that does', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    pay();
    pay();
    const at = story.log.all.length - 1;
    const { data } = story.log.all[at]!;
    story.log.all[at] = {
      ...story.log.all[at]!,
      data: StoredContent.of({ ...(data.value as object), amountMinor: 9 }),
    };
    expect(await stoppedBy(archiver)).toBe(
      'What the log has does not extend what was archived: journal at revision 6: the event is not what was written here.',
    );
    expect(await archived()).toHaveLength(7);
  });

  it('when a user’s stream was rewritten', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    const at = story.log.all.findIndex(({ stream }) => stream.startsWith('user-'));
    const { stream } = story.log.all[at]!;
    story.log.all[at] = { ...story.log.all[at]!, metadata: StoredContent.of({ hash: 'another' }) };
    story.log.reindex();
    story.log.put(stream, {
      id: 'next',
      type: 'ProfileChanged',
      data: {},
      metadata: { hash: 'chained to that' },
    });
    expect(await stoppedBy(archiver)).toMatch(/^Revision 0 of user-.* is another one than was archived/);
  });

  it('but not for one event in a user’s stream that no ledger wrote, which it counts', async () => {
    const { archiver } = started();
    await archivedAll(archiver);
    const { stream } = story.log.all.find((event) => event.stream.startsWith('user-'))!;
    story.log.put(stream, { id: 'odd', type: 'Odd', data: {}, metadata: { version: 1 } });
    story.changeProfile(JUNO, profileOf('juno'));
    pay();
    await archivedAll(archiver);
    expect([archiver.state.status, archiver.unchained]).toEqual(['live', 2]);
    expect(named(await archived())).toEqual(named(story.log.all));
    // It is no reason to lose all the rest of a backup.
    const restored = new MemoryLog(() => new Date(story.nowMs));
    await appendMissing(await openArchive(folder), restored, () => undefined);
    expect(named(ours(restored))).toEqual(named(story.log.all));
  });

  it('when the archive itself was damaged', async () => {
    await archiveOnce(story.log, folder);
    const file = join(folder, readdirSync(folder)[0]!);
    const bytes = readFileSync(file);
    bytes[600]! ^= 1;
    writeFileSync(file, bytes);
    expect(await stoppedBy(started().archiver)).toMatch(/events-0+\.log, line \d: the line is not what/);
  });

  it('when another process writes to the folder, and takes over when that one ends', async () => {
    const first = started().archiver;
    await archivedAll(first);
    const second = started().archiver;
    expect(await stoppedBy(second)).toMatch(/is being written to by process \d+ on/);
    await first.stop();
    pay();
    await archivedAll(second);
  });
});

describe('what a log has lost', () => {
  it('is appended from the archive, hash for hash, and the archive goes on with it', async () => {
    for (let n = 0; n < 20; n += 1) pay();
    await archiveOnce(story.log, folder);
    const before = named(story.log.all);
    story.log.all.splice(9);
    story.log.reindex();
    const archive = await openArchive(folder);
    expect(await missingFrom(archive, story.log)).toBe(17);
    expect(await appendMissing(archive, story.log, () => undefined)).toMatchObject({
      written: 17,
      events: 26,
    });
    expect(named(ours(story.log))).toEqual(before);
    // They stand elsewhere now, behind the mark of an incomplete copy.
    expect(await archiveOnce(story.log, folder)).toMatchObject({ written: 0, head: { events: 26 } });
    pay();
    expect(await archiveOnce(story.log, folder)).toMatchObject({ written: 1 });
  });

  it('is not appended to a log that went on in another way', async () => {
    pay();
    await archiveOnce(story.log, folder);
    story.log.all.splice(-1);
    story.log.reindex();
    story.log.put('journal', { id: 'other', type: 'PaymentCanceled', data: {}, metadata: { hash: 'x' } });
    const archive = await openArchive(folder);
    await expect(missingFrom(archive, story.log)).rejects.toThrow(
      /neither empty nor the beginning of the source/,
    );
    await expect(appendMissing(archive, story.log, () => undefined)).rejects.toThrow(
      /event 7 is PaymentCanceled/,
    );
  });
});

describe('a stream that somebody deletes for good', () => {
  const gone = userStream(MILO);
  const archivedJournal = async (): Promise<number> =>
    (await archived()).filter(({ stream }) => stream === JOURNAL).length;

  it('stays archived, and what comes in other streams is archived behind it', async () => {
    story.register(MILO, profileOf('milo'));
    const { archiver } = started();
    await archivedAll(archiver);
    const before = named(await archived());
    story.log.deleteForGood(gone);
    pay();
    await until(() => (archiver.head?.events ?? 0) > before.length);
    await archiver.stop();
    expect(named(await archived()).slice(0, -1)).toEqual(before);
    // The archive is read and followed again, and the log is compared where it is asked from its beginning.
    pay();
    const again = await archiveOnce(story.log, folder);
    expect(again.written).toBe(1);
  });

  it('is no end of the archive where that ended with it: all is compared in the whole log', async () => {
    story.register(MILO, profileOf('milo'));
    await archiveOnce(story.log, folder);
    story.log.deleteForGood(gone);
    pay();
    const entries = await archivedJournal();
    const { archiver } = started();
    await until(() => archiver.state.status === 'live');
    expect(await archivedJournal()).toBe(entries + 1);
    await archiver.stop();
  });
});

describe('a log that was moved to another store', () => {
  it('is compared from its beginning, and followed on from where it stands there', async () => {
    await archiveOnce(story.log, folder);
    const there = new MemoryLog(() => new Date(story.nowMs));
    for (let n = 0; n < 9; n += 1)
      there.put('$stats', { id: `stats-${n}`, type: '$stats', data: {}, metadata: {} });
    pay();
    await copyLog(story.log, there, () => undefined);
    expect(await archiveOnce(there, folder)).toMatchObject({ written: 1 });
    // Noted once.
    expect(await archiveOnce(there, folder)).toMatchObject({ written: 0 });
    expect(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8').match(/"moved"/g)).toHaveLength(1);
    expect(named(await archived())).toEqual(named(story.log.all));
  });

  it('is refused where an older event is another one there', async () => {
    await archiveOnce(story.log, folder);
    const there = new MemoryLog(() => new Date(story.nowMs));
    there.put('$stats', { id: 'stats', type: '$stats', data: {}, metadata: {} });
    await copyLog(story.log, there, () => undefined);
    const at = there.all.findIndex(({ stream }) => stream.startsWith('user-'));
    there.all[at] = { ...there.all[at]!, id: 'another' };
    there.reindex();
    await expect(archiveOnce(there, folder)).rejects.toThrow(
      /^The log is not the one that was archived: it has User/,
    );
  });
});
