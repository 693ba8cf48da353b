/** Reads of a user's preferences. */
import { DEFAULT_SETTINGS } from '#contracts/events/settings';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { settings } from './columns.js';

export type SettingsView = ViewOf<typeof settings, 'owner'>;

/** A user's settings; the defaults for one who never touched them. */
export async function settingsOf(db: Queryable, userId: string): Promise<SettingsView> {
  const { rows } = await db.query<SettingsView>({
    name: 'settings-of-user',
    text: `select ${settings.seenBy('owner', 's')} from settings s where user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? { ...DEFAULT_SETTINGS };
}
