/** Each user's preferences. A user without a row has the defaults. */
import { SETTINGS_PREFIX } from '#contracts/events/settings';
import { declared } from '../engine/read-model.js';
import { flag, Table, text } from '../engine/table.js';

export const settings = new Table('settings', {
  userId: text().key(),
  biometricEnabled: flag().seenBy('owner'),
  privacyModeEnabled: flag().seenBy('owner'),
  transactionAlertsEnabled: flag().seenBy('owner'),
});

export const settingsModel = declared({ name: 'settings', prefixes: [SETTINGS_PREFIX], tables: [settings] });
