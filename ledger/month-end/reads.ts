/** What closing a month reads besides the journal's state; filled in processes/ledger/month-end.ts. */
import type { EventLog } from '#log/event-log';

/** The log itself: a month's figures are read from its entries. */
export abstract class JournalReader {
  abstract readStream: EventLog['readStream'];
}

/** The log's tree as it was signed last; undefined where nothing signs it. */
export abstract class LogTree {
  abstract head(): Promise<{ treeSize: number; root: string } | undefined>;
}
