/** The log as one file: what it gives back, what it counts, and what it finds out about itself. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { gunzipSync, gzipSync } from 'node:zlib';
import { JOURNAL } from '#contracts/events/journal';
import { START } from '#contracts/log';
import { carriedHash } from '#log/chain';
import { markCopy } from '#log/copy-mark';
import type { RawEvent } from '#log/event-log';
import { JUNO, MILO, open, openAccount, settle, submit, transfer } from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { verifyEvents } from '../verify.js';
import { BEFORE_ALL, HASH_LENGTH, lineOf } from './lines.js';
import { LogFile, writeLogFile } from './log-file.js';

const tip = { paymentId: 'pay_tip', amount: '20.00' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const file = (): string => join(folder, 'log.jsonl.gz');

function history(): Story {
  const story = new Story();
  story.register(JUNO, profileOf('juno'));
  story.command(openAccount(JUNO), openAccount(MILO), open(tip), submit(tip), settle(tip));
  story.switch(JUNO, 'biometricEnabled', true);
  story.command(transfer('5.00', JUNO, MILO));
  return story;
}

/** What an event is, bytes included. */
const stored = ({ data, metadata, ...event }: RawEvent): object => ({
  ...event,
  data: data.bytes.toString('latin1'),
  metadata: metadata.bytes.toString('latin1'),
});

async function readBack(): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of new LogFile(file()).readAll(START, [''])) events.push(event);
  return events;
}

/** The lines of the file are changed, and compressed again. */
function rewritten(change: (lines: string[]) => void): void {
  const lines = gunzipSync(readFileSync(file())).toString().split('\n').slice(0, -1);
  change(lines);
  writeFileSync(file(), gzipSync(lines.map((line) => `${line}\n`).join('')));
}

/**
 * One line says something else, and all hashes of lines are made anew, as somebody who knows the format
 * would.
 */
function hashedAnew(lines: string[], changed: number, change: (text: string) => string): void {
  let before = BEFORE_ALL;
  lines.forEach((line, n) => {
    const text = line.slice(HASH_LENGTH + 1);
    const { bytes, hash } = lineOf(before, n === changed ? change(text) : text);
    lines[n] = bytes.toString().trimEnd();
    before = hash;
  });
}

describe('the log in one file', () => {
  it('has every event, byte for byte, and counts them in its last line', async () => {
    const { log } = history();
    const written = await writeLogFile(log, file());
    expect((await readBack()).map(stored)).toEqual(log.all.map(stored));
    const lastEntry = log.all.at(-1)!;
    expect(written.end).toEqual({
      events: 8,
      streams: 3,
      kinds: { journal: 6, settings: 1, user: 1 },
      position: '512/512',
      journal: { revision: lastEntry.revision, hash: carriedHash(lastEntry) },
    });
    const { bytes, ...said } = written;
    expect(bytes).toBe(readFileSync(file()).length);
    expect(await new LogFile(file()).end()).toEqual(said);
    expect(
      gunzipSync(readFileSync(file())).toString().trimEnd().split('\n').at(-1)!.startsWith(said.hash),
    ).toBe(true);
  });

  it('is verified as the log itself is, with the same words', async () => {
    const { log } = history();
    await writeLogFile(log, file());
    expect(await verifyEvents(new LogFile(file()))).toEqual(await verifyEvents(log));
  });

  it('answers for one stream, as the log does', async () => {
    const { log } = history();
    await writeLogFile(log, file());
    const read: RawEvent[] = [];
    for await (const event of new LogFile(file()).readStream(JOURNAL, 2, 2)) read.push(event);
    expect(read.map(({ revision }) => revision)).toEqual([2, 3]);
    expect((await new LogFile(file()).lastOf(JOURNAL))?.id).toBe(log.all.at(-1)!.id);
    expect(await new LogFile(file()).lastOf('settings-nobody')).toBeUndefined();
  });

  it('is the same file when the same log is exported again', async () => {
    const { log } = history();
    await writeLogFile(log, file());
    await writeLogFile(log, join(folder, 'again'));
    expect(readFileSync(join(folder, 'again')).equals(readFileSync(file()))).toBe(true);
  });

  it('leaves out what other applications and the store itself wrote', async () => {
    const { log } = history();
    const foreign = { id: crypto.randomUUID(), type: 'Ordered', data: { of: 'flutes' }, metadata: {} };
    await log.append('orders-1', [foreign], -1);
    await writeLogFile(log, file());
    expect((await readBack()).map(({ stream }) => stream)).not.toContain('orders-1');
    expect(gunzipSync(readFileSync(file())).toString()).not.toContain('flutes');
  });

  it('writes over no file, and leaves none behind where there is nothing whole to export', async () => {
    const { log } = history();
    writeFileSync(file(), 'mine');
    await expect(writeLogFile(log, file())).rejects.toThrow('is there already');
    expect(readFileSync(file(), 'utf8')).toBe('mine');
    rmSync(file());
    await expect(writeLogFile(new Story().log, file())).rejects.toThrow('The log has no event yet');
    await markCopy(log, 'under way');
    await expect(writeLogFile(log, file())).rejects.toThrow('a copy that is not complete');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a changed line', (lines: string[]) => (lines[3] = lines[3]!.replace('usr_milo', 'usr_juno')), 'line 4'],
    ['a removed line', (lines: string[]) => lines.splice(4, 1), 'line 5'],
    ['two lines in another order', (lines: string[]) => lines.splice(2, 2, lines[3]!, lines[2]!), 'line 3'],
    ['a line behind the last', (lines: string[]) => lines.push(lines[3]!), 'line 11'],
    ['a missing last line', (lines: string[]) => lines.pop(), 'It was cut off'],
    [
      'nothing but text',
      (lines: string[]) => lines.splice(0, lines.length, 'Dear auditor,'),
      'is not an exported log',
    ],
  ])('detects %s', async (_what, change, message) => {
    await writeLogFile(history().log, file());
    rewritten(change);
    await expect(readBack()).rejects.toThrow(message);
  });

  it.each([
    ['a field that no line has', (text: string) => text.replace(/}$/, ',"remark":"for Juno"}')],
    ['a time that is none', (text: string) => text.replace(/"created":"[^"]*"/, '"created":"soon"')],
    ['a position that is none', (text: string) => text.replace(/"position":"[^"]*"/, '"position":"x"')],
    ['a number for its data', (text: string) => text.replace(/"data":"(?:[^"\\]|\\.)*"/, '"data":5')],
    ['nothing in it', () => 'null'],
    ['the word that the log moved', () => JSON.stringify({ moved: '64/64' })],
  ])('detects a line with %s, also where all hashes of lines were made anew', async (_what, change) => {
    await writeLogFile(history().log, file());
    rewritten((lines) => hashedAnew(lines, 3, change));
    await expect(readBack()).rejects.toThrow('line 4: the line is not what was written here');
  });

  it.each([
    ['streams', (text: string) => text.replace('"streams":3', '"streams":2')],
    ['events of a kind', (text: string) => text.replace('"user":1', '"user":2')],
    ['the last position', (text: string) => text.replace('512/512', '576/576')],
    ['the last journal entry', (text: string) => text.replace('"revision":5', '"revision":6')],
  ])('detects a last line that is wrong about %s', async (_what, change) => {
    await writeLogFile(history().log, file());
    rewritten((lines) => hashedAnew(lines, 9, change));
    await expect(readBack()).rejects.toThrow('line 10: the line is not what was written here');
  });

  it('reads no line to its end that is longer than any event', async () => {
    writeFileSync(file(), gzipSync(Buffer.alloc(33 * 1024 * 1024, 'x')));
    await expect(readBack()).rejects.toThrow('is not an exported log');
  });

  it('detects that its end was cut off, or a byte was changed on its way', async () => {
    await writeLogFile(history().log, file());
    const whole = readFileSync(file());
    writeFileSync(file(), whole.subarray(0, -20));
    await expect(readBack()).rejects.toThrow('It was cut off');
    const changed = Buffer.from(whole);
    changed[changed.length - 6]! ^= 1;
    writeFileSync(file(), changed);
    await expect(readBack()).rejects.toThrow('cannot be decompressed');
    writeFileSync(file(), 'not a log');
    await expect(readBack()).rejects.toThrow('is not an exported log');
  });
});
