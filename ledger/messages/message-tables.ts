/**
 * Messages in the schema `edge` of Postgres: what was told to whom, what they have read, and what of it is
 * still to be mailed. Not a read model: a rebuild does not touch it, and it is backed up with the sessions.
 * No table refers to another: a backup brings its rows back in no order.
 */
import type { Migration } from '#log/migrations';

export const MESSAGE_TABLES: Migration = {
  name: 'messages',
  sql: `
  create table if not exists edge.messages (
    id text primary key,
    user_id text not null,
    kind text not null,
    key text not null,
    facts jsonb not null,
    at timestamptz not null,
    put_at timestamptz not null default clock_timestamp(),
    read_at timestamptz,
    unique (user_id, kind, key)
  );
  create index if not exists messages_of_user on edge.messages (user_id, at desc, id desc);
  create index if not exists messages_unread on edge.messages (user_id) where read_at is null;
  create index if not exists messages_by_age on edge.messages (at);
  create table if not exists edge.message_deliveries (
    message_id text not null,
    user_id text not null,
    channel text not null,
    status text not null check (status in ('waiting', 'sent', 'refused', 'dropped')),
    because text,
    attempts int not null default 0,
    due_at timestamptz not null default now(),
    sealed_link text,
    ended_at timestamptz,
    primary key (message_id, channel)
  );
  create index if not exists message_deliveries_due on edge.message_deliveries (due_at) where status = 'waiting';
  create index if not exists message_deliveries_of_user on edge.message_deliveries (user_id);
  create table if not exists edge.mail_addresses (
    user_id text primary key,
    fingerprint text not null,
    refusals int not null,
    again_at timestamptz not null
  );
  create table if not exists edge.message_marks (
    is_only boolean primary key default true check (is_only),
    position text,
    last_event jsonb,
    began_at timestamptz not null default now(),
    no_mail_before timestamptz not null default now()
  );
  insert into edge.message_marks default values on conflict do nothing`,
};

/** What is swept of guests' addresses is found without reading all that was mailed. */
export const ADDRESSES_OF_GUESTS: Migration = {
  name: 'addresses-of-guests',
  sql: `
  create index if not exists message_deliveries_of_guests on edge.message_deliveries (ended_at)
   where status = 'sent' and sealed_link is not null`,
};

/**
 * Messages about payments, of which one evening may bring thousands, are mailed after all that is of
 * security.
 */
export const ALERTS_LAST: Migration = {
  name: 'alerts-last',
  sql: `
  alter table edge.message_deliveries add column if not exists is_alert boolean not null default false;
  create index if not exists message_deliveries_in_turn on edge.message_deliveries (is_alert, due_at)
   where status = 'waiting';
  drop index if exists edge.message_deliveries_due`,
};
