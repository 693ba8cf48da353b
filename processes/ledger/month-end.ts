/** What closing a month reads, over the log of this process. */
import type { Provider } from '@nestjs/common';
import type { EventLog } from '#log/event-log';
import { JournalReader, LogTree } from '#ledger/month-end/reads';

export function monthEndReads(log: EventLog): Provider[] {
  return [
    {
      provide: JournalReader,
      useValue: {
        readStream: (stream, from, limit) => log.readStream(stream, from, limit),
      } satisfies JournalReader,
    },
    { provide: LogTree, useValue: { head: () => Promise.resolve(undefined) } satisfies LogTree },
  ];
}
