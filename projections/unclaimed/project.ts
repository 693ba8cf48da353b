/** Folds unclaimed money: what came back for closed accounts, and what of it was taken later or paid. */
import { drawnBy, JOURNAL, unclaimedBy, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import { unclaimed } from './columns.js';

type Row = RowOf<typeof unclaimed>;

const isEntry = (event: RecordedEvent): event is RecordedEvent<JournalEvent> => event.stream === JOURNAL;

export async function projectUnclaimed(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const entries = events.filter(isEntry);
  const changed = entries.flatMap((event) =>
    event.type === 'UnclaimedPaid' ? [event.data.itemId] : drawnBy(event).map(({ itemId }) => itemId),
  );
  const rows = new Map(
    (await unclaimed.rowsBy('itemId', changed, tx)).map((row): [string, Row] => [row.itemId, row]),
  );
  for (const event of entries) {
    const { recordedAt } = event.metadata;
    for (const { itemId, amountMinor } of drawnBy(event))
      rowOf(itemId, 'taken from', event, rows).leftMinor -= amountMinor;
    const item = unclaimedBy(event);
    if (item) {
      const came = { ...item, leftMinor: item.amountMinor };
      rows.set(item.itemId, unclaimed.row({ ...came, cause: event.type, receivedAt: recordedAt }));
    }
    if (event.type !== 'UnclaimedPaid') continue;
    const { itemId, reference } = event.data;
    Object.assign(rowOf(itemId, 'paid', event, rows), { leftMinor: 0, paidAt: recordedAt, reference });
  }
  await unclaimed.put([...rows.values()], tx);
}

/** The row of an item. Throws for one that was never received. */
function rowOf(
  itemId: string,
  what: string,
  { revision }: RecordedEvent,
  rows: ReadonlyMap<string, Row>,
): Row {
  const row = rows.get(itemId);
  if (!row)
    throw new BrokenBooks(
      `Unclaimed money ${itemId} is ${what} at revision ${revision} and was never received.`,
    );
  return row;
}
