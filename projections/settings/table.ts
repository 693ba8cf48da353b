/** Each user's preferences. A user without a row has the defaults. */
import { SETTINGS_PREFIX } from '#contracts/events/settings';
import type { TableDefinition } from '../engine/read-model.js';

export const settingsTable: TableDefinition = {
  name: 'settings',
  version: 1,
  prefixes: [SETTINGS_PREFIX],
  tables: ['settings'],
  async up(db) {
    await db.raw(`
      create table settings (
        user_id text primary key,
        biometric_enabled boolean not null,
        privacy_mode_enabled boolean not null,
        transaction_alerts_enabled boolean not null
      )`);
  },
};
