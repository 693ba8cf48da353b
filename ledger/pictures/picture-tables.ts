/**
 * The pictures that people have uploaded of themselves, one each: sealed with their data key, so that who is
 * forgotten has none, in any copy. In the schema `edge` of Postgres; not a read model, and backed up with
 * sessions.
 */
import type { Migration } from '#log/migrations';

export const PICTURE_TABLE: Migration = {
  name: 'pictures',
  sql: `
  create table if not exists edge.pictures (
    user_id text primary key,
    hash text not null,
    sealed text not null,
    changed_at timestamptz not null default now()
  )`,
};
