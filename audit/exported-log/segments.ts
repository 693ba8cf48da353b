/** The files of an exported log: which there are, in order, and their lines, read in pieces. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOfLine, HASH_LENGTH, readLine, type ArchiveLine } from './lines.js';

const PIECE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
/**
 * No event becomes a longer line: a store takes 3 MiB of one at most, and JSON writes a byte as six at most.
 */
const MOST_LINE_BYTES = 32 * 1024 * 1024;
const NAME = /^events-(\d{12})\.log$/;

/** An exported log that cannot be read as one: the message says where and why. Nothing was changed. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
}

/** A line that no event becomes: it is not read to its end. */
export class LineTooLong extends ArchiveDamaged {}

export interface Segment {
  readonly file: string;
  /** How many events the files before it hold. */
  readonly first: number;
}

export const segmentName = (first: number): string => `events-${String(first).padStart(12, '0')}.log`;

/** The segments of a folder in their order; none of a folder that is not there. */
export async function segmentsOf(folder: string): Promise<Segment[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .flatMap((name) => {
      const first = NAME.exec(name)?.[1];
      return first === undefined ? [] : [{ file: join(folder, name), first: Number(first) }];
    })
    .sort((a, b) => a.first - b.first);
}

/** A line whose hash is right, and where it ends in its file. */
interface CheckedLine {
  readonly line: ArchiveLine;
  readonly hash: string;
  readonly end: number;
}

/**
 * The lines of a segment, each checked against the one before it; `previous` is the hash before the first,
 * which says it itself where it is not known. What stands behind the last line feed was not finished and is
 * no line. Throws {@link ArchiveDamaged}.
 */
export async function* linesOf(file: string, previous?: string): AsyncGenerator<CheckedLine> {
  let before = previous;
  let number = 0;
  for await (const { bytes, end } of rawLinesOf(file)) {
    number += 1;
    const where = `${file}, line ${number}`;
    const known: string | undefined = before ?? claimedPrevious(bytes);
    const hash = known === undefined ? undefined : hashOfLine(known, bytes);
    if (hash === undefined)
      throw new ArchiveDamaged(
        `${where}: the line is not what was written here, or a line before it is gone.`,
      );
    const line = readLine(bytes);
    if (line === undefined || (line.kind === 'begin') !== (number === 1))
      throw new ArchiveDamaged(`${where}: the line is none that this version knows.`);
    before = hash;
    yield { line, hash, end };
  }
}

function claimedPrevious(bytes: Buffer): string | undefined {
  const line = bytes.length > HASH_LENGTH ? readLine(bytes) : undefined;
  return line?.kind === 'begin' ? line.previous : undefined;
}

/**
 * The whole lines of a file, without their line feeds, and where each ends. Throws {@link ArchiveDamaged}.
 */
export async function* rawLinesOf(file: string): AsyncGenerator<{ bytes: Buffer; end: number }> {
  try {
    yield* wholeLinesOf(piecesOf(file));
  } catch (error) {
    throw error instanceof LineTooLong ? new ArchiveDamaged(`${file}: ${error.message}`) : error;
  }
}

async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file, 'r');
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/**
 * The whole lines of what comes in pieces, without their line feeds, and where each ends. Throws {@link
 * LineTooLong} where a line is longer than any that was written.
 */
export async function* wholeLinesOf(
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<{ bytes: Buffer; end: number }> {
  // Joined once the line feed is there: joined piece by piece, a long line would be copied over and over.
  let rest: Buffer[] = [];
  let restBytes = 0;
  let end = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, from)) {
      const last = piece.subarray(from, at);
      const bytes: Buffer = restBytes === 0 ? last : Buffer.concat([...rest, last]);
      [rest, restBytes] = [[], 0];
      end += bytes.length + 1;
      yield { bytes, end };
      from = at + 1;
    }
    if (from === piece.length) continue;
    rest.push(piece.subarray(from));
    restBytes += piece.length - from;
    if (restBytes > MOST_LINE_BYTES)
      throw new LineTooLong(
        `A line is longer than ${MOST_LINE_BYTES} bytes, which none is that was written.`,
      );
  }
}
