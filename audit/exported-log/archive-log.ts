/** An exported log where a log is read: for what reads a whole log and writes nothing. */
import { comparePositions, type Position } from '#contracts/log';
import type { LogSource, RawEvent } from '#log/event-log';
import type { Archive } from './archive.js';

export class ArchiveLog implements LogSource {
  constructor(private readonly archive: Archive) {}

  async *readAll(after: Position, prefixes: readonly string[]): AsyncGenerator<RawEvent> {
    for await (const event of this.archive.events())
      if (
        comparePositions(event.position, after) > 0 &&
        prefixes.some((prefix) => event.stream.startsWith(prefix))
      )
        yield event;
  }

  async *readStream(
    stream: string,
    fromRevision: number,
    limit = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<RawEvent> {
    let left = limit;
    for await (const event of this.archive.events())
      if (event.stream === stream && event.revision >= fromRevision && left-- > 0) yield event;
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    let last: RawEvent | undefined;
    for await (const event of this.archive.events()) if (event.stream === stream) last = event;
    return last;
  }
}
