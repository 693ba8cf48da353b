/** The exported log on disk: what it gives back, how it goes on, and what it finds out about itself. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '#contracts/log';
import { ChainVerifier } from '#log/chain';
import type { RawEvent } from '#log/event-log';
import { StoredContent } from '#log/stored-content';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { hasPython, pythonOf } from '#test/support/docs-python';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { openArchive } from './archive.js';
import { ArchiveWriter } from './archive-writer.js';
import { lineOf } from './lines.js';
import { ArchiveDamaged } from './segments.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function history(): RawEvent[] {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
  story.switch(JUNO, 'biometricEnabled', true);
  story.command(transfer('5.00', JUNO, MILO));
  return [...story.log.all];
}

async function written(events: readonly RawEvent[], segmentBytes?: number): Promise<void> {
  const writer = await ArchiveWriter.open(folder, { segmentBytes });
  // As a follower brings them: some at a time.
  for (let at = 0; at < events.length; at += 3) await writer.append(events.slice(at, at + 3));
  await writer.close();
}

async function allOf(from?: number): Promise<RawEvent[]> {
  const read: RawEvent[] = [];
  for await (const event of (await openArchive(folder)).events(from)) read.push(event);
  return read;
}

/** What an event is, bytes included. */
const stored = ({ data, metadata, ...event }: RawEvent): object => ({
  ...event,
  data: data.bytes.toString('latin1'),
  isBytes: data.isBytes,
  metadata: metadata.bytes.toString('latin1'),
});
const files = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => join(folder, name));

describe('an exported log', () => {
  it('is empty where there is no folder', async () => {
    const { head, events } = await openArchive(join(folder, 'none'));
    expect(head).toMatchObject({ events: 0, position: START, journal: undefined });
    expect(await events().next()).toMatchObject({ done: true });
  });

  it.each([undefined, 1, 2_000])(
    'gives every event back as it was stored, in files of %s bytes',
    async (bytes) => {
      const events = history();
      await written(events, bytes);
      expect((await allOf()).map(stored)).toEqual(events.map(stored));
      for (const from of [1, 4, events.length - 1, events.length])
        expect((await allOf(from)).map(stored)).toEqual(events.slice(from).map(stored));
      const { head } = await openArchive(folder);
      const last = events.findLast(({ stream }) => stream === 'journal')!;
      expect(head).toMatchObject({
        events: events.length,
        position: events.at(-1)!.position,
        journal: { revision: 5, hash: (last.metadata.value as { hash: string }).hash },
      });
      expect(files().length > 1).toBe(bytes !== undefined);
    },
  );

  it('is what its page shows', async () => {
    const page = readFileSync('docs/reference/exported-log.md', 'utf8');
    writeFileSync(join(folder, 'events-000000000000.log'), /```text\n([\s\S]+?)```/.exec(page)![1]!);
    const events = await allOf();
    new ChainVerifier('journal').next(events[0]!);
    expect(events.map(({ type }) => type)).toEqual(['AccountOpened']);
  });

  (hasPython ? it : it.skip)(
    'is read by the Python program of its page, which refuses a changed line',
    async () => {
      const program = pythonOf('reference/exported-log.md');
      const read = () => spawnSync('python3', ['-c', program, folder], { encoding: 'utf8' });
      const events = history();
      await written(events, 2_000);
      const { status, stdout } = read();
      const lines = stdout.trimEnd().split('\n');
      const journal = events.filter(({ stream }) => stream === 'journal');
      expect([status, lines.map((line) => line.split(' ', 2).join(' '))]).toEqual([
        0,
        journal.map(({ revision, type }) => `${revision} ${type}`),
      ]);
      const [first = ''] = files();
      writeFileSync(first, readFileSync(first, 'utf8').replace('usr_juno', 'usr_milo'));
      expect(read()).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('not what was written here'),
      });
    },
  );

  it('keeps bytes that are no JSON and no text', async () => {
    const [first] = history();
    const odd = Buffer.from([0xff, 0x00, 0x0a, 0x7b]);
    const events = [
      {
        ...first!,
        data: StoredContent.of(new Uint8Array(odd)),
        metadata: StoredContent.of(new Uint8Array(odd)),
      },
      {
        ...first!,
        revision: 1,
        data: StoredContent.of({ text: 'línea\n\u2028' }),
        metadata: StoredContent.of(undefined),
      },
    ];
    await written(events);
    expect((await allOf()).map(stored)).toEqual(events.map(stored));
  });

  it('goes on in the next run, and says where the log stands when it has moved', async () => {
    const events = history();
    await written(events.slice(0, 4));
    const writer = await ArchiveWriter.open(folder);
    expect(writer.head.events).toBe(4);
    await writer.moved({ commit: 900n, prepare: 900n });
    expect((await openArchive(folder)).head).toEqual(writer.head);
    expect(writer.head.position).toEqual({ commit: 900n, prepare: 900n });
    await writer.append(events.slice(4));
    await writer.close();
    expect((await allOf()).map(stored)).toEqual(events.map(stored));
  });

  it('is read while it is written to, as far as it went when it was opened', async () => {
    const events = history();
    const writer = await ArchiveWriter.open(folder, { segmentBytes: 1_000 });
    await writer.append(events.slice(0, 3));
    const archive = await openArchive(folder);
    await writer.append(events.slice(3));
    const read: RawEvent[] = [];
    for await (const event of archive.events()) read.push(event);
    expect(read).toHaveLength(3);
    await writer.close();
  });

  it('cuts a line that a kill left unfinished, wherever that cut it, and goes on', async () => {
    const events = history();
    await written(events.slice(0, 6));
    const [file = ''] = files();
    const whole = readFileSync(file);
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (const size of [lastLine + 1, lastLine + 44, whole.length - 1]) {
      writeFileSync(file, whole);
      truncateSync(file, size);
      expect((await openArchive(folder)).head.events).toBe(5);
      const writer = await ArchiveWriter.open(folder);
      expect(writer.head.events).toBe(5);
      await writer.append(events.slice(5));
      await writer.close();
      expect((await allOf()).map(stored)).toEqual(events.map(stored));
    }
  });

  it('begins a file again whose first line was not finished', async () => {
    const events = history();
    await written(events.slice(0, 6), 1);
    const last = files().at(-1)!;
    truncateSync(last, 20);
    expect((await openArchive(folder)).head.events).toBe(3);
    await written(events.slice(3), 1);
    expect((await allOf()).map(stored)).toEqual(events.map(stored));
  });

  it('finds a changed byte in any line, and never takes one for an unfinished line', async () => {
    await written(history());
    const [file = ''] = files();
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 97) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 0x01;
      // A line feed that is made or lost is a changed line as well.
      writeFileSync(file, changed);
      await expect(allOf()).rejects.toThrow(
        /line \d+: the line is not what was written here|none that this version/,
      );
      await expect(ArchiveWriter.open(folder)).rejects.toThrow(/events-000000000000\.log, line/);
    }
  });

  it.each([
    '{"id":5}',
    '{"id":"e","position":"1/1","stream":"user-a","revision":0,"type":"x","created":"2026-03-01T20:00:00Z","data":5}',
    '{"id":"e","position":"1/1","revision":0,"type":"x","created":"2026-03-01T20:00:00Z","data":"{}"}',
    '{"id":"e","position":"here","stream":"user-a","revision":0,"type":"x","created":"2026-03-01T20:00:00Z"}',
    '{"id":"e","position":"1/1","stream":"user-a","revision":1e300,"type":"x","created":"2026-03-01T20:00:00Z"}',
    '{"id":"e","position":"1/1","stream":"user-a","revision":0,"type":"x","created":"soon"}',
    '{"moved":"elsewhere"}',
    '{"moved":null}',
  ])('finds a line whose hash fits, and that no ledger wrote: %s', async (text) => {
    await written(history());
    const [file] = files();
    const { hash } = (await openArchive(folder)).head;
    appendFileSync(file!, lineOf(hash, text).bytes);
    await expect(allOf()).rejects.toThrow(ArchiveDamaged);
  });

  it.each(['a line', 'a file'])('finds that %s is gone', async (what) => {
    await written(history(), what === 'a file' ? 1 : undefined);
    const all = files();
    if (what === 'a file') rmSync(all[1]!);
    else {
      const lines = readFileSync(all[0]!, 'latin1').split('\n');
      writeFileSync(all[0]!, lines.toSpliced(3, 1).join('\n'), 'latin1');
    }
    await expect(allOf()).rejects.toThrow(/a line before it is gone|should stand before it/);
  });
});

describe('one folder', () => {
  it('has one writer', async () => {
    const writer = await ArchiveWriter.open(folder);
    await expect(ArchiveWriter.open(folder)).rejects.toThrow(
      new RegExp(`is being written to by process ${process.pid} on ${hostname()}`),
    );
    await writer.close();
    await (await ArchiveWriter.open(folder)).close();
  });

  it('is free at once when its writer was killed', async () => {
    const lock = { token: 'another', pid: 2 ** 22 + 1, host: hostname() };
    writeFileSync(join(folder, 'writer.lock'), JSON.stringify(lock));
    await (await ArchiveWriter.open(folder)).close();
    expect(readdirSync(folder).filter((name) => name.includes('lock'))).toEqual([]);
  });

  it('is free when a writer elsewhere has not touched its lock for a while', async () => {
    writeFileSync(join(folder, 'writer.lock'), JSON.stringify({ token: 'x', pid: 1, host: 'elsewhere' }));
    await (await ArchiveWriter.open(folder)).close();
  });

  it('takes nothing more from a writer that lost it', async () => {
    const events = history();
    const writer = await ArchiveWriter.open(folder);
    await writer.append(events.slice(0, 2));
    appendFileSync(files()[0]!, 'x');
    await expect(writer.append(events.slice(2))).rejects.toThrow('Another process has written to');
    await writer.close();
  });
});
