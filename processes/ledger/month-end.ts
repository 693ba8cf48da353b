/** What closing a month reads, over the log of this process and the published tree. */
import type { Provider } from '@nestjs/common';
import type { EventLog } from '#log/event-log';
import { TreeFolder } from '#log/transparency/tree-folder';
import { JournalReader, LogTree } from '#ledger/month-end/reads';

/** `treeFolder` is where the tree is published; undefined where there is none. */
export function monthEndReads(log: EventLog, treeFolder: string | undefined): Provider[] {
  const tree = treeFolder === undefined ? undefined : new TreeFolder(treeFolder);
  return [
    {
      provide: JournalReader,
      useValue: {
        readStream: (stream, from, limit) => log.readStream(stream, from, limit),
      } satisfies JournalReader,
    },
    {
      provide: LogTree,
      useValue: {
        async head() {
          const signed = await tree?.head();
          return signed && { treeSize: signed.size, root: signed.root.toString('base64') };
        },
      } satisfies LogTree,
    },
  ];
}
