/** Folds switches into rows: what nobody touched keeps its default. */
import { DEFAULT_SETTINGS } from '#contracts/events/settings';
import type { RecordedEvent } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';
import { settings } from './columns.js';

export async function projectSettings(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const switches = events.filter(
    (event) => event.type === 'SettingSwitchedOn' || event.type === 'SettingSwitchedOff',
  );
  const touched = new Set(switches.map(({ data }) => data.userId));
  const rows = new Map((await settings.rowsBy('userId', touched, tx)).map((row) => [row.userId, row]));
  for (const { type, data } of switches) {
    const row = rows.get(data.userId) ?? settings.row({ userId: data.userId, ...DEFAULT_SETTINGS });
    rows.set(data.userId, { ...row, [data.setting]: type === 'SettingSwitchedOn' });
  }
  await settings.put([...rows.values()], tx);
}
