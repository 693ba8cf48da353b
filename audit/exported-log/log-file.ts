/**
 * An exported log as one file that is handed to an auditor: the lines of an archive, compressed with gzip,
 * and a last line that counts what stands before it. docs/reference/exported-log.md says it for outsiders.
 * Texts that people wrote are in it as the log has them: sealed.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream, OUR_PREFIXES } from '#contracts/events/our-streams';
import { comparePositions, positionText, START, type Position } from '#contracts/log';
import { carriedHash } from '#log/chain';
import { copyStateOf } from '#log/copy-mark';
import type { LogSource, RawEvent } from '#log/event-log';
import { plainMessage } from '#projections/engine/database';
import {
  BEFORE_ALL,
  EMPTY_HEAD,
  eventText,
  HASH_LENGTH,
  hashOfLine,
  headerText,
  lineOf,
  readLine,
  type ArchiveLine,
} from './lines.js';
import { ArchiveDamaged, LineTooLong, wholeLinesOf } from './segments.js';
import { ARCHIVED_PREFIXES, isArchived } from './verified-archive.js';

/** So much is compressed at once. */
const PIECE_BYTES = 256 * 1024;
/** Higher levels take longer than the log takes to be read, for a few percent. */
const GZIP_LEVEL = 4;

/** The log cannot be exported; the message is a whole sentence on its own. No file was written. */
export class CannotExport extends Error {
  override readonly name = 'CannotExport';
}

/** What a file holds, as its last line says. */
interface LogFileEnd {
  readonly events: number;
  /** How many streams begin in it. */
  readonly streams: number;
  /** How many events of each kind of stream, by the beginning of the streams' names. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Where the last event of ours stands in the log, as `commit/prepare`. */
  readonly position: string;
  /** The last journal entry and its hash of the chain; null where there is none. */
  readonly journal: { readonly revision: number; readonly hash: string } | null;
}

/** What was written: its end, and the hash of the last line, which vouches for the whole file. */
interface WrittenLogFile {
  readonly end: LogFileEnd;
  readonly hash: string;
  /** The size of the file in bytes. */
  readonly bytes: number;
}

/** The kind of a stream: `journal`, `user`, … and `metadata` for what the store was told about streams. */
const kindOf = (stream: string): string =>
  // Nearly all events are of this one.
  stream === JOURNAL
    ? JOURNAL
    : stream.startsWith('$$')
      ? 'metadata'
      : (OUR_PREFIXES.find((prefix) => stream.startsWith(prefix)) ?? stream).replace(/-$/, '');

/**
 * Writes the log, as it is stored, to a file that is not there yet. The same log gives the same bytes. Throws
 * {@link CannotExport}, and what the log and the disk say; then there is no file.
 */
export async function writeLogFile(source: LogSource, file: string): Promise<WrittenLogFile> {
  if (await stat(file).catch(() => undefined))
    throw new CannotExport(`${file} is there already: name a file that is not, or take it away first.`);
  if ((await copyStateOf(source)) === 'under way')
    throw new CannotExport(
      'This log is a copy that is not complete: complete it first, by the same command again.',
    );
  const unfinished = `${file}.unfinished`;
  const lines = new Lines(source);
  try {
    await pipeline(
      Readable.from(lines.pieces(), { objectMode: false, highWaterMark: PIECE_BYTES }),
      createGzip({ level: GZIP_LEVEL }),
      createWriteStream(unfinished, { mode: 0o600, flush: true }),
    );
    await chmod(unfinished, 0o600);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { ...lines.written, bytes: (await stat(file)).size };
}

/** What stands in the lines of a file so far, counted as its last line says it. */
class Contents {
  events = 0;
  #streams = 0;
  readonly #kinds: Record<string, number> = {};
  #lastOfOurs: RawEvent | undefined;
  #lastEntry: RawEvent | undefined;

  add(event: RawEvent): void {
    const kind = kindOf(event.stream);
    this.events += 1;
    this.#kinds[kind] = (this.#kinds[kind] ?? 0) + 1;
    if (event.revision === 0 && kind !== 'metadata') this.#streams += 1;
    if (kind === JOURNAL) this.#lastEntry = event;
    if (kind === JOURNAL || isOurStream(event.stream)) this.#lastOfOurs = event;
  }

  get end(): LogFileEnd {
    const kinds = Object.fromEntries(Object.entries(this.#kinds).sort(([a], [b]) => (a < b ? -1 : 1)));
    const entry = this.#lastEntry;
    return {
      events: this.events,
      streams: this.#streams,
      kinds,
      position: positionText(this.#lastOfOurs?.position ?? START),
      journal: entry ? { revision: entry.revision, hash: carriedHash(entry) ?? '' } : null,
    };
  }
}

const endText = (end: LogFileEnd): string => JSON.stringify({ end });

/** The lines of a file, and what was counted of them. */
class Lines {
  readonly #contents = new Contents();
  #hash = BEFORE_ALL;

  constructor(private readonly source: LogSource) {}

  get written(): { readonly end: LogFileEnd; readonly hash: string } {
    return { end: this.#contents.end, hash: this.#hash };
  }

  async *pieces(): AsyncGenerator<Buffer> {
    let piece: Buffer[] = [];
    let size = 0;
    const add = (text: string): void => {
      const { bytes, hash } = lineOf(this.#hash, text);
      piece.push(bytes);
      size += bytes.length;
      this.#hash = hash;
    };
    add(headerText(EMPTY_HEAD));
    for await (const event of this.source.readAll(START, ARCHIVED_PREFIXES)) {
      if (!isArchived(event.stream)) continue;
      add(eventText(event));
      this.#contents.add(event);
      if (size < PIECE_BYTES) continue;
      yield Buffer.concat(piece);
      [piece, size] = [[], 0];
    }
    if (this.#contents.events === 0)
      throw new CannotExport('The log has no event yet: there is nothing to export.');
    add(endText(this.#contents.end));
    yield Buffer.concat(piece);
  }
}

/**
 * A line of a file: as an archive has it, or the last one. A file is of one store: no line says that it
 * moved.
 */
type FileLine = Exclude<ArchiveLine, { kind: 'moved' }> | { readonly kind: 'end'; readonly end: LogFileEnd };

const textOf = (line: Buffer): string => line.toString('utf8', HASH_LENGTH + 1);

function endIn(line: Buffer): FileLine | undefined {
  const said = JSON.parse(textOf(line)) as { end?: LogFileEnd };
  return said.end && { kind: 'end', end: said.end };
}

const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/.source;
/** An event as an export writes it: no field added, left out, said twice or written in another way. */
const EVENT_LINE = new RegExp(
  `^\\{"position":"\\d+/\\d+","stream":${TEXT},"revision":\\d+,"id":${TEXT},"type":${TEXT},` +
    `"created":"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z",` +
    `"data(?:Bytes)?":${TEXT},"metadata(?:Bytes)?":${TEXT}\\}$`,
);

/**
 * What a line says; undefined for one that no export writes, such as an event with a field that it has not.
 */
function lineIn(bytes: Buffer): FileLine | undefined {
  try {
    const line = readLine(bytes) ?? endIn(bytes);
    if (line?.kind === 'moved') return undefined;
    if (line?.kind !== 'event') return line;
    const isATime = Number.isFinite(line.event.createdAt.getTime());
    return isATime && EVENT_LINE.test(textOf(bytes)) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** An exported log in one file, where a log is read. What is read of it throws {@link ArchiveDamaged}. */
export class LogFile implements LogSource {
  constructor(readonly file: string) {}

  async *readAll(after: Position, prefixes: readonly string[]): AsyncGenerator<RawEvent> {
    const isWanted = ({ stream }: RawEvent): boolean => prefixes.some((prefix) => stream.startsWith(prefix));
    for await (const { line } of this.#lines())
      if (line?.kind === 'event' && comparePositions(line.event.position, after) > 0 && isWanted(line.event))
        yield line.event;
  }

  async *readStream(
    stream: string,
    fromRevision: number,
    limit = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<RawEvent> {
    let left = limit;
    for await (const event of this.#ofStream(stream))
      if (event.revision >= fromRevision && left-- > 0) yield event;
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    let last: RawEvent | undefined;
    for await (const event of this.#ofStream(stream)) last = event;
    return last;
  }

  /** What the file says at its end that it holds; everything before it is checked. */
  async end(): Promise<{ readonly end: LogFileEnd; readonly hash: string }> {
    for await (const { line, hash } of this.#lines((bytes) => endsFile(bytes)))
      if (line?.kind === 'end') return { end: line.end, hash };
    throw this.#cutOff();
  }

  async *#ofStream(stream: string): AsyncGenerator<RawEvent> {
    // The mark of a copy, for one, is in no file: nothing has to be read for it.
    if (!isArchived(stream)) return;
    const named = Buffer.from(`"stream":${JSON.stringify(stream)}`);
    for await (const { line } of this.#lines((bytes) => bytes.includes(named) || endsFile(bytes)))
      if (line?.kind === 'event' && line.event.stream === stream) yield line.event;
  }

  #cutOff(): ArchiveDamaged {
    return new ArchiveDamaged(
      `${this.file}: the file ends before its last line. It was cut off: ask for it again, whole.`,
    );
  }

  /**
   * Every line, checked; what it says is read where `isRead`. Where all are read, the last line must count
   * them right.
   */
  async *#lines(
    isRead?: (bytes: Buffer) => boolean,
  ): AsyncGenerator<{ readonly line: FileLine | undefined; readonly hash: string }> {
    const contents = new Contents();
    let before = BEFORE_ALL;
    let number = 0;
    let events = 0;
    let isOver = false;
    try {
      for await (const { bytes } of wholeLinesOf(uncompressed(this.file))) {
        number += 1;
        const hash = isOver ? undefined : hashOfLine(before, bytes);
        if (hash === undefined) throw this.#broken(number);
        before = hash;
        const isFirst = number === 1;
        if (!isFirst && isRead?.(bytes) === false) {
          events += 1;
          yield { line: undefined, hash };
          continue;
        }
        const line = lineIn(bytes);
        if (line === undefined || isFirst !== (line.kind === 'begin')) throw this.#broken(number);
        if (line.kind === 'event') {
          events += 1;
          contents.add(line.event);
        }
        if (line.kind === 'end') {
          const isTrue = isRead ? line.end.events === events : textOf(bytes) === endText(contents.end);
          if (!isTrue) throw this.#broken(number);
          isOver = true;
        }
        yield { line, hash };
      }
    } catch (error) {
      throw this.#named(error, number);
    }
    if (!isOver) throw this.#cutOff();
  }

  #broken(line: number): ArchiveDamaged {
    return new ArchiveDamaged(
      line === 1
        ? `${this.file} is not an exported log.`
        : `${this.file}, line ${line}: the line is not what was written here, or a line before it is gone.`,
    );
  }

  /** What the decompression says is about the file. */
  #named(error: unknown, line: number): unknown {
    if (error instanceof LineTooLong) return this.#broken(line + 1);
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    if (code === 'Z_BUF_ERROR') return this.#cutOff();
    if (!code.startsWith('Z_')) return error;
    if (/incorrect header/.test(plainMessage(error))) return this.#broken(1);
    return new ArchiveDamaged(
      `${this.file}: it cannot be decompressed behind line ${line}. It was changed, or damaged on its way.`,
    );
  }
}

const END = Buffer.from(' {"end":');
/** Whether a line is the last of a file. */
const endsFile = (bytes: Buffer): boolean =>
  bytes.compare(END, 0, END.length, HASH_LENGTH, HASH_LENGTH + END.length) === 0;

async function* uncompressed(file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const reading = pipeline(createReadStream(file, { highWaterMark: PIECE_BYTES }), gunzip);
  // It is told below, to whoever reads.
  reading.catch(() => undefined);
  for await (const piece of gunzip) yield piece as Buffer;
  await reading;
}
