/** Folds switches into rows: what nobody touched keeps its default. */
import { DEFAULT_SETTINGS, type Settings } from '#contracts/events/settings';
import type { RecordedEvent } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';

export async function projectSettings(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const switched = new Map<string, Partial<Settings>>();
  for (const event of events)
    if (event.type === 'SettingSwitchedOn' || event.type === 'SettingSwitchedOff') {
      const { userId, setting } = event.data;
      switched.set(userId, { ...switched.get(userId), [setting]: event.type === 'SettingSwitchedOn' });
    }
  if (switched.size === 0) return;
  const ids = [...switched.keys()];
  const { biometricEnabled, privacyModeEnabled, transactionAlertsEnabled } = DEFAULT_SETTINGS;
  await tx.query({
    name: 'settings-first-touched',
    text: 'insert into settings select id, $2, $3, $4 from unnest($1::text[]) as id on conflict do nothing',
    values: [ids, biometricEnabled, privacyModeEnabled, transactionAlertsEnabled],
  });
  const values = [...switched.values()];
  await tx.query({
    name: 'settings-switched',
    text: `update settings s set biometric_enabled = coalesce(v.biometric, s.biometric_enabled),
                  privacy_mode_enabled = coalesce(v.privacy, s.privacy_mode_enabled),
                  transaction_alerts_enabled = coalesce(v.alerts, s.transaction_alerts_enabled)
             from unnest($1::text[], $2::boolean[], $3::boolean[], $4::boolean[]) as v (user_id, biometric, privacy, alerts)
            where s.user_id = v.user_id`,
    values: [
      ids,
      values.map((settings) => settings.biometricEnabled),
      values.map((settings) => settings.privacyModeEnabled),
      values.map((settings) => settings.transactionAlertsEnabled),
    ],
  });
}
