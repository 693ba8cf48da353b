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

/**
 * A session's public id, and when its owner last showed the identity provider who they are: null where that
 * is not known, which counts as long ago. A fresh sign-in is one that was asked for although there is a
 * session, `fresh_for`.
 */
export const SESSION_FRESHNESS: Migration = {
  name: 'session-freshness',
  sql: `
  alter table edge.sessions
    add column if not exists session_id uuid not null default gen_random_uuid(),
    add column if not exists signed_in_at timestamptz;
  create unique index if not exists sessions_by_session_id on edge.sessions (session_id);
  alter table edge.sign_ins
    add column if not exists is_fresh boolean not null default false,
    add column if not exists fresh_for text,
    add column if not exists begun_at timestamptz not null default now()`,
};

/** How the end of a session is told to every ledger, with its public id. */
export const SESSION_ENDED_CHANNEL = 'encore_session_ended';

/**
 * What a session's owner sees of it, and what the provider calls it. Whatever deletes a session tells every
 * ledger, which ends the streams that it opened. `ended_sign_ins`: up to when sign-ins at the provider are
 * worth nothing, those of one of its sessions, or all of a user's where `provider_sid` is empty.
 * `logout_tokens`: used once.
 */
export const SESSION_DETAILS: Migration = {
  name: 'session-details',
  sql: `
  alter table edge.sessions
    add column if not exists last_used_at timestamptz not null default now(),
    add column if not exists provider_sid text,
    add column if not exists device text,
    add column if not exists device_kind text,
    add column if not exists network text,
    add column if not exists place text;
  create index if not exists sessions_by_user on edge.sessions (user_id);
  create index if not exists sessions_by_provider_sid on edge.sessions (provider_sid)
    where provider_sid is not null;
  create table if not exists edge.ended_sign_ins (
    user_id text not null,
    provider_sid text not null,
    ended_at timestamptz not null default now(),
    primary key (user_id, provider_sid)
  );
  create table if not exists edge.logout_tokens (
    token_hash bytea primary key,
    expires_at timestamptz not null
  );
  create or replace function edge.tell_session_end() returns trigger language plpgsql as $$
  begin
    perform pg_notify('${SESSION_ENDED_CHANNEL}', old.session_id::text);
    return null;
  end $$;
  create or replace trigger session_end after delete on edge.sessions
    for each row execute function edge.tell_session_end()`,
};
