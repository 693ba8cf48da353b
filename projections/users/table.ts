/** Who the users are, as their own streams say; the plain text of what the log keeps sealed. */
import { JOURNAL } from '#contracts/events/journal';
import { USER_PREFIX } from '#contracts/events/user';
import type { TableDefinition } from '../engine/read-model.js';

export const usersTable: TableDefinition = {
  name: 'users',
  version: 2,
  // The journal too: an account that was closed is the beginning of forgetting its owner.
  prefixes: [USER_PREFIX, JOURNAL],
  tables: ['users'],
  async up(db) {
    await db.raw(`
      create table users (
        id text primary key,
        username text,
        email text,
        email_verified boolean not null default false,
        email_key text,
        first_name text,
        last_name text,
        profile_image_url text,
        registered_at timestamptz not null,
        forgotten boolean not null default false,
        being_forgotten boolean not null default false
      )`);
    await db.raw(`create index users_being_forgotten on users (id) where being_forgotten`);
    // Only a proven address finds anyone. Two identities may prove the same one, so it is not unique.
    await db.raw(
      `create index users_by_email on users (email_key, registered_at, id) where email_verified and email_key is not null`,
    );
  },
};
