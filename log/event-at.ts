/** Looks up single events of a log. */
import type { EventLog, RawEvent } from './event-log.js';

/** The event at a place of the log; undefined where that stream has none there. Throws LogUnavailable. */
export async function eventAt(
  log: Pick<EventLog, 'readStream'>,
  stream: string,
  revision: number,
): Promise<RawEvent | undefined> {
  for await (const event of log.readStream(stream, revision, 1))
    return event.revision === revision ? event : undefined;
  return undefined;
}
