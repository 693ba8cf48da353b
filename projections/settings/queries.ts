/** Reads of a user's preferences. */
import { DEFAULT_SETTINGS, SETTINGS_PREFIX } from '#contracts/events/settings';
import { isParked } from '../engine/parking.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { settings } from './columns.js';

type SettingsView = ViewOf<typeof settings, 'owner'> & {
  /** Their stream cannot be read: what the settings guard counts as guarded. */
  readonly isParked: boolean;
};

/** A user's settings; the defaults for one who never touched them. */
export async function settingsOf(db: Queryable, userId: string): Promise<SettingsView> {
  const { rows } = await db.query<Partial<SettingsView>>({
    name: 'settings-of-user',
    text: `select ${settings.seenBy('owner', 's')}, ${isParked(SETTINGS_PREFIX, 'o.id')} as "isParked"
             from (select $1::text as id) o left join settings s on s.user_id = o.id`,
    values: [userId],
  });
  const [found] = rows;
  const isUnreadable = found?.isParked ?? false;
  return {
    biometricEnabled: isUnreadable || (found?.biometricEnabled ?? DEFAULT_SETTINGS.biometricEnabled),
    privacyModeEnabled: isUnreadable || (found?.privacyModeEnabled ?? DEFAULT_SETTINGS.privacyModeEnabled),
    transactionAlertsEnabled: found?.transactionAlertsEnabled ?? DEFAULT_SETTINGS.transactionAlertsEnabled,
    isParked: isUnreadable,
  };
}
