/**
 * The schema `edge` of Postgres: sessions and sign-ins under way. Not a read model: it is not rebuilt, and
 * ends with a sign-out.
 */
import type { Migration } from '#log/migrations';

export const SESSION_TABLES: Migration = {
  name: 'sessions',
  sql: `
  create table if not exists edge.sessions (
    id_hash bytea primary key,
    user_id text not null,
    sealed_id_token text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  );
  create index if not exists sessions_by_expiry on edge.sessions (expires_at);
  create table if not exists edge.sign_ins (
    state_hash bytea primary key,
    browser_hash bytea not null,
    nonce text not null,
    verifier text not null,
    return_to text not null,
    expires_at timestamptz not null
  );
  create index if not exists sign_ins_by_expiry on edge.sign_ins (expires_at)`,
};
