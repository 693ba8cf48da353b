/** Folds unclaimed money: what came back for closed accounts, and what of it was paid. */
import { JOURNAL, unclaimedBy, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import { unclaimed } from './columns.js';

type Row = RowOf<typeof unclaimed>;

const isEntry = (event: RecordedEvent): event is RecordedEvent<JournalEvent> => event.stream === JOURNAL;

export async function projectUnclaimed(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const entries = events.filter(isEntry);
  const paid = entries.flatMap((event) => (event.type === 'UnclaimedPaid' ? [event.data.itemId] : []));
  const rows = new Map(
    (await unclaimed.rowsBy('itemId', paid, tx)).map((row): [string, Row] => [row.itemId, row]),
  );
  for (const event of entries) {
    const { recordedAt } = event.metadata;
    const item = unclaimedBy(event);
    if (item) rows.set(item.itemId, unclaimed.row({ ...item, cause: event.type, receivedAt: recordedAt }));
    if (event.type !== 'UnclaimedPaid') continue;
    const { itemId, reference } = event.data;
    const row = rows.get(itemId);
    if (!row)
      throw new BrokenBooks(
        `Unclaimed money ${itemId} is paid at revision ${event.revision} and was never received.`,
      );
    Object.assign(row, { paidAt: recordedAt, reference });
  }
  await unclaimed.put([...rows.values()], tx);
}
