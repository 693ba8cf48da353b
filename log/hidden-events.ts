/**
 * Metadata of a stream can hide its events: a soft delete, a limit to the newest ones, a right taken away. A
 * reader of such a stream sees less than was written, and a writer would begin a second history.
 */
import { LogUnavailable, ReadRefused, type EventLog } from './event-log.js';

/** Events of a stream of ours are not shown. The message says of which, why, and what to do. */
export class HiddenEvents extends LogUnavailable {
  override readonly name = 'HiddenEvents';
}

type Reads = Pick<EventLog, 'readStream' | 'lastOf'>;

/** What hides events, by the names that the event store has for it. */
const HIDING = ['$tb', '$maxCount', '$maxAge'] as const;

/** What of a stream's metadata hides events, as it stands there; undefined where nothing does. */
export function hidingPart(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const held = metadata as Readonly<Record<string, unknown>>;
  const parts = HIDING.filter((name) => held[name] !== undefined && held[name] !== 0);
  return parts.length === 0
    ? undefined
    : parts.map((name) => `${name}: ${JSON.stringify(held[name])}`).join(', ');
}

/**
 * Who may read, write or delete a stream by its metadata, as it stands there; undefined where they do not say
 * so.
 */
export const rightsIn = (metadata: unknown): object | undefined =>
  typeof metadata === 'object' &&
  metadata !== null &&
  '$acl' in metadata &&
  typeof metadata.$acl === 'object' &&
  metadata.$acl !== null &&
  Object.keys(metadata.$acl).length > 0
    ? metadata.$acl
    : undefined;

/** Whether metadata say who may read the stream: whether we still may shows when it is read. */
export const limitsReaders = (metadata: unknown): boolean => '$r' in (rightsIn(metadata) ?? {});

const REMEDY = 'Nothing is written until all of its events can be read. ';

export const hiddenBy = (stream: string, part: string): HiddenEvents =>
  new HiddenEvents(
    `The metadata of the stream "${stream}" hides events (${part}). ${REMEDY}` +
      `Take that out of them, by an event of type $metadata in $$${stream} that holds what else is to stay, or {}.` +
      (part.includes('$tb')
        ? ' After a soft delete do so twice: at the first the store sets a $tb of its own.'
        : ''),
  );

/**
 * Reads whether a stream shows all its events from its first one on. Throws {@link HiddenEvents}, and
 * LogUnavailable.
 */
export async function assertVisible(log: Reads, stream: string): Promise<void> {
  try {
    const part = hidingPart((await log.lastOf(`$$${stream}`))?.data.value);
    if (part !== undefined) throw hiddenBy(stream, part);
    for await (const { revision } of log.readStream(stream, 0, 1))
      if (revision !== 0)
        throw new HiddenEvents(
          `The stream "${stream}" begins at revision ${revision}: what came before was removed. ${REMEDY}` +
            'Restore the log from its archive or from a backup (docs/how-to/back-up.md).',
        );
  } catch (error) {
    throw error instanceof ReadRefused ? notShown(stream, error) : error;
  }
}

/** What it means that the store refuses to show a stream, and what to do. */
export const notShown = (stream: string, refusal: ReadRefused): HiddenEvents =>
  new HiddenEvents(
    refusal.because === 'deleted'
      ? `The stream "${stream}" was deleted for good. ${REMEDY}Restore the log from its archive or from a backup (docs/how-to/back-up.md).`
      : `The event store does not let this user read the stream "${stream}". ${REMEDY}` +
          `Correct $acl in its metadata ($$${stream}), or the user in EVENTSTORE_URL.`,
    { cause: refusal },
  );
