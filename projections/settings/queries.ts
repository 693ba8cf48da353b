/** Reads of a user's preferences. */
import { DEFAULT_SETTINGS, type Settings } from '#contracts/events/settings';
import type { Queryable } from '../engine/read-model.js';

/** A user's three settings; the defaults for one who never touched them. */
export async function settingsOf(db: Queryable, userId: string): Promise<Settings> {
  const { rows } = await db.query<Settings>({
    name: 'settings-of-user',
    text: `select biometric_enabled as "biometricEnabled", privacy_mode_enabled as "privacyModeEnabled",
                  transaction_alerts_enabled as "transactionAlertsEnabled" from settings where user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? { ...DEFAULT_SETTINGS };
}
