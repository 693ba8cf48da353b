/** The metadata of streams: which of their events readers are not shown. */
import type { StoredAppend } from './events.js';
import type { Log } from './store.js';
import { TOMBSTONE_REVISION } from './wire.js';

/** What the metadata of a stream hides of it from readers. */
export interface StreamMetadata {
  readonly truncateBefore: number;
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

export const NO_METADATA: StreamMetadata = { truncateBefore: 0, maxCount: Infinity, maxAgeMs: Infinity };
/** Of a stream's metadata only the latest is shown. All of them stay in the log, and so in $all. */
export const METADATA_OF_METASTREAMS: StreamMetadata = { ...NO_METADATA, maxCount: 1 };
// `$tb` of a soft-deleted stream. As a double it is 2^63, and so is anything JSON.parse makes of it.
export const SOFT_DELETED = 2 ** 63;
const METADATA_OF_ALL = '$$$all';
export const SOFT_DELETE_METADATA = Buffer.from('{"$tb":9223372036854775807}');

/**
 * What the last event of an append to a metastream says. Anything that is not an object, or has a limit that
 * is no number, says nothing.
 */
export function metadataIn(append: StoredAppend): StreamMetadata {
  if (append.firstRevision === TOMBSTONE_REVISION) return NO_METADATA;
  const { $tb = 0, $maxCount = 0, $maxAge = 0 } = parseObject(append.data(append.count - 1));
  if (typeof $tb !== 'number' || typeof $maxCount !== 'number' || typeof $maxAge !== 'number')
    return NO_METADATA;
  return {
    truncateBefore: Math.max(0, $tb),
    maxCount: $maxCount > 0 ? $maxCount : Infinity,
    maxAgeMs: $maxAge > 0 ? $maxAge * 1000 : Infinity,
  };
}

/**
 * Whom the latest metadata of $all, an event of the stream `$$$all`, lets read it beside the administrators.
 */
export function readersOfAll(log: Pick<Log, 'view' | 'event'>): string[] {
  const { last } = log.view(METADATA_OF_ALL);
  const found = last < 0 ? undefined : log.event(METADATA_OF_ALL, last);
  const { $acl } = found ? parseObject(found.append.data(found.index)) : {};
  const readers: unknown = typeof $acl === 'object' && $acl !== null && '$r' in $acl ? $acl.$r : [];
  return [readers].flat().filter((name) => typeof name === 'string');
}

/** The JSON object in these bytes; an empty one where there is none. */
export function parseObject(data: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
