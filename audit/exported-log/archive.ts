/**
 * Reading an exported log: no store and no secret is needed. The texts that people wrote stay sealed, as they
 * are in the log.
 */
import type { RawEvent } from '#log/event-log';
import { BEFORE_ALL, EMPTY_HEAD, headAfter, type ArchiveHead } from './lines.js';
import { ArchiveDamaged, linesOf, segmentsOf, type Segment } from './segments.js';

/** An exported log as it was when it was opened: what is written to it later is not seen. */
export interface Archive {
  readonly folder: string;
  readonly head: ArchiveHead;
  /**
   * Its events in the order of the log, from the one with this number on (the first has 0). Each line is
   * checked as it is read. Throws {@link ArchiveDamaged}.
   */
  events(from?: number): AsyncGenerator<RawEvent, undefined>;
}

/**
 * Opens the exported log in a folder. It reads the last file only, and checks that; {@link Archive.events}
 * from 0 checks everything. A folder that is not there, or has none, is an empty log. Throws
 * {@link ArchiveDamaged}.
 */
export async function openArchive(folder: string): Promise<Archive> {
  const { head, segments } = await endOf(folder);
  return { folder, head, events: (from = 0) => eventsOf(segments, head, from) };
}

/** Where an exported log ends: its files that have begun, and where the last whole line ends in the last. */
interface ArchiveEnd {
  readonly head: ArchiveHead;
  readonly segments: readonly Segment[];
  /** The last file's bytes that are whole lines. */
  readonly wholeBytes: number;
  /** A file that was made and did not get its first line. */
  readonly unfinished: Segment | undefined;
}

/** Reads the last file of an exported log. Throws {@link ArchiveDamaged}. */
export async function endOf(folder: string): Promise<ArchiveEnd> {
  const segments = await segmentsOf(folder);
  const last = segments.at(-1);
  const end = last && (await endOfSegment(last));
  if (end) return { ...end, segments, unfinished: undefined };
  const before = segments.slice(0, -1);
  const lastBefore = before.at(-1);
  if (!lastBefore) return { head: EMPTY_HEAD, segments: [], wholeBytes: 0, unfinished: last };
  const endBefore = await endOfSegment(lastBefore);
  if (!endBefore) throw new ArchiveDamaged(`${lastBefore.file}: the file has no whole line.`);
  return { ...endBefore, segments: before, unfinished: last };
}

async function endOfSegment(
  segment: Segment,
): Promise<{ head: ArchiveHead; wholeBytes: number } | undefined> {
  let head: ArchiveHead | undefined;
  let wholeBytes = 0;
  for await (const { line, hash, end } of linesOf(segment.file)) {
    head = headAfter(head ?? (line.kind === 'begin' ? line.head : EMPTY_HEAD), line, hash);
    if (line.kind === 'begin') assertBegins(segment, line.head);
    wholeBytes = end;
  }
  return head && { head, wholeBytes };
}

function assertBegins({ file, first }: Segment, head: ArchiveHead): void {
  if (head.events !== first)
    throw new ArchiveDamaged(`${file}: it goes on behind ${head.events} events, and its name says ${first}.`);
}

async function* eventsOf(
  segments: readonly Segment[],
  until: ArchiveHead,
  from: number,
): AsyncGenerator<RawEvent, undefined> {
  // The last segment that begins at or before it.
  const start = Math.max(
    0,
    segments.findLastIndex(({ first }) => first <= from),
  );
  let number = segments[start]?.first ?? 0;
  let previous = start === 0 ? BEFORE_ALL : undefined;
  for (const segment of segments.slice(start)) {
    if (segment.first !== number)
      throw new ArchiveDamaged(
        `${segment.file}: the events from ${number} to ${segment.first - 1} should stand before it, and are not there.`,
      );
    for await (const { line, hash } of linesOf(segment.file, previous)) {
      previous = hash;
      if (line.kind === 'begin') assertBegins(segment, line.head);
      if (line.kind === 'event') {
        if (number >= from) yield line.event;
        number += 1;
      }
      // What comes behind it was written since.
      if (hash === until.hash) return undefined;
    }
  }
  if (number < until.events)
    throw new ArchiveDamaged(
      `${segments.at(-1)?.file}: the log ends after ${number} events, where there were ${until.events}.`,
    );
  return undefined;
}
