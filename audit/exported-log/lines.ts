/**
 * The lines of an exported log: `HASH SPACE JSON LF`, where HASH is the SHA-256, as base64url, of the hash of
 * the line before, a space, and the JSON, all as text. docs/reference/exported-log.md says it for outsiders.
 */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream } from '#contracts/events/our-streams';
import { positionFrom, positionText, START, type Position } from '#contracts/log';
import { carriedHash, GENESIS } from '#log/chain';
import type { RawEvent } from '#log/event-log';
import { jsonOrBytes, jsonOrText, plainBytes, StoredContent } from '#log/stored-content';

export const FORMAT = 'encore-log/1';
/** The hash before the first line. */
export const BEFORE_ALL = GENESIS;
export const HASH_LENGTH = BEFORE_ALL.length;
const LINE_FEED = Buffer.from('\n');

/** How far an exported log goes. */
export interface ArchiveHead {
  /** How many events it holds. */
  readonly events: number;
  /** Where its last event of a stream of ours stands in the log; START without one. */
  readonly position: Position;
  /** The last journal entry, with its hash of the chain; undefined without one. */
  readonly journal: { readonly revision: number; readonly hash: string } | undefined;
  /** The hash of the last line. */
  readonly hash: string;
}

export const EMPTY_HEAD: ArchiveHead = { events: 0, position: START, journal: undefined, hash: BEFORE_ALL };

/** What a line says: how a segment begins, an event, or that the log now stands in another store. */
export type ArchiveLine =
  | { readonly kind: 'begin'; readonly previous: string; readonly head: ArchiveHead }
  | { readonly kind: 'event'; readonly event: RawEvent }
  | { readonly kind: 'moved'; readonly position: Position };

interface WrittenHeader {
  readonly format: string;
  readonly previous: string;
  readonly events: number;
  readonly position: string;
  readonly journal: { readonly revision: number; readonly hash: string } | null;
}

interface WrittenEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly created: string;
  readonly data?: string;
  readonly dataBytes?: string;
  readonly metadata?: string;
  readonly metadataBytes?: string;
}

/** The first line of a segment that goes on behind `head`. */
export const headerText = (head: ArchiveHead): string =>
  JSON.stringify({
    format: FORMAT,
    previous: head.hash,
    events: head.events,
    position: positionText(head.position),
    journal: head.journal ?? null,
  } satisfies WrittenHeader);

/** The line that says where the last event stands since the log is in another store. */
export const movedText = (position: Position): string => JSON.stringify({ moved: positionText(position) });

/** An event as one line. */
export function eventText(event: RawEvent): string {
  const { position, stream, revision, id, type, createdAt, data, metadata } = event;
  return JSON.stringify({
    position: positionText(position),
    stream,
    revision,
    id,
    type,
    created: createdAt.toISOString(),
    ...(data.isBytes || !isUtf8(data.bytes)
      ? { dataBytes: data.bytes.toString('base64') }
      : { data: data.bytes.toString('utf8') }),
    ...(isUtf8(metadata.bytes)
      ? { metadata: metadata.bytes.toString('utf8') }
      : { metadataBytes: metadata.bytes.toString('base64') }),
  } satisfies WrittenEvent);
}

/** A line behind the one that has this hash: its bytes, and its own hash. */
export function lineOf(previous: string, text: string): { readonly bytes: Buffer; readonly hash: string } {
  const bytes = Buffer.from(`${previous} ${text}`);
  const own = hash('sha256', bytes, 'base64url');
  bytes.write(own, 0, 'latin1');
  return { bytes: Buffer.concat([bytes, LINE_FEED]), hash: own };
}

/**
 * The hash that a line (without its line feed) carries, where it is right behind `previous`; else undefined.
 */
export function hashOfLine(previous: string, line: Buffer): string | undefined {
  if (line.length <= HASH_LENGTH) return undefined;
  const carried = line.toString('latin1', 0, HASH_LENGTH);
  // The hash covers that of the line before in the place of its own: for a moment it stands there.
  line.write(previous, 0, HASH_LENGTH, 'latin1');
  const own = hash('sha256', line, 'base64url');
  line.write(carried, 0, 'latin1');
  return own === carried ? carried : undefined;
}

/** What a line whose hash was checked says; undefined for one that this version does not know. */
export function readLine(line: Buffer): ArchiveLine | undefined {
  const said = parsed(line.toString('utf8', HASH_LENGTH + 1));
  if (typeof said !== 'object' || said === null) return undefined;
  // The hash vouches for the line before it, not for whoever wrote this one.
  if ('id' in said) return isEvent(said) ? { kind: 'event', event: eventFrom(said) } : undefined;
  if ('moved' in said)
    return isPosition(said.moved) ? { kind: 'moved', position: positionFrom(said.moved) } : undefined;
  if (!isHeader(said)) return undefined;
  const { previous, events, position, journal } = said;
  const head = { events, position: positionFrom(position), journal: journal ?? undefined, hash: previous };
  return { kind: 'begin', previous, head };
}

const isPosition = (written: unknown): written is string =>
  typeof written === 'string' && /^-?\d{1,20}\/-?\d{1,20}$/.test(written);
const isText = (written: unknown): written is string => typeof written === 'string';
const isTextOrNone = (written: unknown): boolean => written === undefined || isText(written);

/**
 * Whether every field of an event's line is of its kind. Asked of each line of a log: it makes nothing on the
 * way.
 */
function isEvent(said: object): said is WrittenEvent {
  const { position, stream, revision, id, type, created, data, dataBytes, metadata, metadataBytes } =
    said as Record<keyof WrittenEvent, unknown>;
  return (
    isPosition(position) &&
    isText(stream) &&
    Number.isSafeInteger(revision) &&
    isText(id) &&
    isText(type) &&
    isText(created) &&
    !Number.isNaN(Date.parse(created)) &&
    isTextOrNone(data) &&
    isTextOrNone(dataBytes) &&
    isTextOrNone(metadata) &&
    isTextOrNone(metadataBytes)
  );
}

function isHeader(said: object): said is WrittenHeader {
  const { format, previous, events, position, journal } = said as Record<keyof WrittenHeader, unknown>;
  return (
    format === FORMAT &&
    isText(previous) &&
    Number.isSafeInteger(events) &&
    isPosition(position) &&
    isTip(journal)
  );
}

const isTip = (journal: unknown): boolean =>
  journal === null ||
  (typeof journal === 'object' &&
    'revision' in journal &&
    Number.isSafeInteger(journal.revision) &&
    'hash' in journal &&
    isText(journal.hash));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventFrom(written: WrittenEvent): RawEvent {
  const { stream, revision, id, type, data, dataBytes, metadata, metadataBytes } = written;
  return {
    id,
    stream,
    revision,
    position: positionFrom(written.position),
    type,
    data:
      data === undefined
        ? new StoredContent(Buffer.from(dataBytes ?? '', 'base64'), plainBytes)
        : new StoredContent(Buffer.from(data, 'utf8'), jsonOrText),
    metadata: new StoredContent(
      metadata === undefined ? Buffer.from(metadataBytes ?? '', 'base64') : Buffer.from(metadata, 'utf8'),
      jsonOrBytes,
    ),
    createdAt: new Date(written.created),
  };
}

/** The head behind a line that stands behind `head` and has this hash. */
export function headAfter(head: ArchiveHead, line: ArchiveLine, lineHash: string): ArchiveHead {
  if (line.kind === 'begin') return { ...head, hash: lineHash };
  if (line.kind === 'moved') return { ...head, position: line.position, hash: lineHash };
  return headBehind(head, line.event, lineHash);
}

/** The head behind an event that stands behind `head`. */
export function headBehind(head: ArchiveHead, event: RawEvent, lineHash: string): ArchiveHead {
  return {
    events: head.events + 1,
    position: isOurStream(event.stream) ? event.position : head.position,
    journal:
      event.stream === JOURNAL ? { revision: event.revision, hash: carriedHash(event) ?? '' } : head.journal,
    hash: lineHash,
  };
}
