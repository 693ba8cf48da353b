/** Who the users are, as their own streams say; the plain text of what the log keeps sealed. */
import { USER_PREFIX } from '#contracts/events/user';
import type { TableDefinition } from '../engine/read-model.js';

export const usersTable: TableDefinition = {
  name: 'users',
  version: 1,
  prefixes: [USER_PREFIX],
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
        forgotten boolean not null default false
      )`);
    // Only a proven address finds anyone. Two identities may prove the same one, so it is not unique.
    await db.raw(
      `create index users_by_email on users (email_key, registered_at, id) where email_verified and email_key is not null`,
    );
  },
};
