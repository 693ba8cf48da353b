/**
 * How far each payout is at the provider beside what the journal proves: what it waits for, and when it was
 * last put off.
 */
import { PAYOUT_PREFIX } from '#contracts/events/payout-course';
import type { TableDefinition } from '../engine/read-model.js';

export const payoutCoursesTable: TableDefinition = {
  name: 'payout_courses',
  version: 1,
  prefixes: [PAYOUT_PREFIX],
  tables: ['payout_courses'],
  async up(db) {
    await db.raw(`
      create table payout_courses (
        payout_id text primary key,
        user_id text not null,
        delays int not null,
        delay_code text,
        delay_reason text,
        delayed_at timestamptz,
        abandoned_reason text
      )`);
  },
};
