/** Messages as rows: kept once, listed, read. */
import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Sealed } from '#contracts/events/journal';
import { contentFrom, MAIL_ONLY, type MessageContent } from '#contracts/api/messages';
import { GUEST_ID_PREFIX } from '#contracts/plain/guest';
import type { NewMessage } from '../bus/messages.js';
import { ALERTS } from './message-texts.js';

/** What happened longer ago is never mailed, but for {@link mailedUntil}. */
export const MAILED_WITHIN_MS = 24 * 3_600_000;
/**
 * Until when a message is mailed, in SQL; `seconds` is where the statement has {@link MAILED_WITHIN_MS}. Of a
 * recovery its owner is told as long as they can still refuse it.
 */
export const mailedUntil = (message: string, seconds: string): string =>
  `greatest(${message}.at + make_interval(secs => ${seconds}),
            case when ${message}.kind in ('recovery_started', 'recovery_started_earlier')
                 then (${message}.facts ->> 'completesAt')::timestamptz end)`;
/** What happened longer ago is not kept. */
export const KEPT_DAYS = 90;

/** A message as it is kept. */
export type StoredMessage = MessageContent & {
  readonly id: string;
  readonly at: Date;
  readonly isRead: boolean;
};

/** A message to be kept. */
export type MessageToKeep = NewMessage & {
  readonly sealedLink?: Sealed | undefined;
  /** A recovery of the log told it: its mail may have been sent before the log was lost. */
  readonly isRecovered?: boolean | undefined;
};

interface MessageRow {
  id: string;
  kind: string;
  facts: unknown;
  at: Date;
  is_read: boolean;
}

/** The same for the same cause, whoever keeps it and in whichever database. */
export function messageIdOf({ userId, kind, key }: Pick<NewMessage, 'userId' | 'kind' | 'key'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([userId, kind, key]))
    .digest('hex');
  return `msg_${digest.slice(0, 32)}`;
}

/** A kind that only a newer build knows is shown by that build. */
const storedOf = ({ id, kind, facts, at, is_read: isRead }: MessageRow): StoredMessage[] => {
  const content = contentFrom(kind, facts);
  return content === undefined ? [] : [{ ...content, id, at, isRead }];
};

/**
 * Nobody who is forgotten; what happened before there were messages is no news; what is old is not mailed.
 */
const PUT = `
  with told as (
    select t.*, t.at < m.began_at as is_before,
           case when t.is_recovered then 'recovered'
                when ${mailedUntil('t', '$2')} < now() or t.at < m.no_mail_before then 'too-old' end as because
      from jsonb_to_recordset($1::jsonb) as t (id text, user_id text, kind text, key text, facts jsonb, at timestamptz,
                                               sealed_link text, is_recovered boolean)
     cross join edge.message_marks m
     where not exists (select from vault.data_keys k where k.user_id = t.user_id and k.destroyed_at is not null)
  ), put as (
    insert into edge.messages (id, user_id, kind, key, facts, at, read_at)
    select id, user_id, kind, key, facts, at, case when is_before or kind = any($3) then now() end from told
    on conflict do nothing returning id)
  insert into edge.message_deliveries (message_id, user_id, channel, status, because, sealed_link, ended_at, is_alert)
  select id, user_id, 'mail', case when because is null then 'waiting' else 'dropped' end, because,
         case when because is null then sealed_link end, case when because is not null then now() end,
         kind = any($4)
    from told join put using (id)
  on conflict do nothing`;

/**
 * Facts hold what others wrote: one text that the table does not take would keep every message after it out.
 */
const asATableTakes = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') : value;

export class MessageStore {
  constructor(private readonly pool: Pool) {}

  /** Keeps messages and their mails, unless they are there, or their user is forgotten. */
  async put(messages: readonly MessageToKeep[], db: Pool | PoolClient = this.pool): Promise<void> {
    const oldest = Date.now() - KEPT_DAYS * 24 * 3_600_000;
    const kept = messages.filter(({ at }) => at.getTime() > oldest);
    if (kept.length === 0) return;
    const rows = kept.map((message) => ({
      id: messageIdOf(message),
      user_id: message.userId,
      kind: message.kind,
      key: message.key,
      facts: message.facts,
      at: message.at,
      sealed_link: message.sealedLink ?? null,
      is_recovered: message.isRecovered ?? false,
    }));
    await db.query({
      name: 'put-messages',
      text: PUT,
      values: [JSON.stringify(rows, asATableTakes), MAILED_WITHIN_MS / 1000, MAIL_ONLY, [...ALERTS]],
    });
  }

  /**
   * A page of somebody's messages, newest first. `before`: time and id of the last line of the page before.
   */
  async listOf(
    userId: string,
    limit: number,
    before?: { readonly atMs: number; readonly id: string },
  ): Promise<StoredMessage[]> {
    const { rows } = await this.pool.query<MessageRow>({
      name: 'messages-of-user',
      text: `select id, kind, facts, at, read_at is not null as is_read from edge.messages
              where user_id = $1 and ($3::timestamptz is null or (at, id) < ($3, $4)) and kind <> all($5)
              order by at desc, id desc limit $2`,
      values: [userId, limit, before ? new Date(before.atMs) : null, before?.id ?? null, MAIL_ONLY],
    });
    return rows.flatMap(storedOf);
  }

  async unreadCount(userId: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>({
      name: 'count-unread-messages',
      text: `select count(*)::int as count from edge.messages where user_id = $1 and read_at is null`,
      values: [userId],
    });
    return rows[0]?.count ?? 0;
  }

  /**
   * Tips that were not seen yet, by who paid them; those of guests, who may be thousands and have no account
   * that shows a name, together under null.
   */
  async unreadTips(userId: string): Promise<{ payerId: string | null; tips: number; amountMinor: number }[]> {
    const { rows } = await this.pool.query<{ payer_id: string | null; tips: number; minor: string }>({
      name: 'unread-tips',
      text: `select case when not starts_with(facts ->> 'payerId', $2) then facts ->> 'payerId' end as payer_id,
                    count(*)::int as tips,
                    sum((facts ->> 'amountMinor')::bigint)::text as minor
               from edge.messages where user_id = $1 and read_at is null and kind = 'tip_received'
              group by 1`,
      values: [userId, GUEST_ID_PREFIX],
    });
    return rows.map((row) => ({ payerId: row.payer_id, tips: row.tips, amountMinor: Number(row.minor) }));
  }

  /** Marks somebody's messages as read; other people's ids are nothing. */
  async readSome(userId: string, ids: readonly string[]): Promise<void> {
    await this.pool.query({
      name: 'read-messages',
      text: `update edge.messages set read_at = now() where user_id = $1 and id = any($2) and read_at is null`,
      values: [userId, ids],
    });
  }

  /** Marks all as read that had been kept when this one was: what came later was not seen. */
  async readThrough(userId: string, id: string): Promise<void> {
    await this.pool.query({
      name: 'read-messages-through',
      text: `update edge.messages set read_at = now()
              where user_id = $1 and read_at is null
                and put_at <= (select put_at from edge.messages where user_id = $1 and id = $2)`,
      values: [userId, id],
    });
  }

  /**
   * The bank account that a payout was asked for to, as its owner was told; undefined where that is long ago.
   */
  async bankAccountOfPayout(userId: string, payoutId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ id: string | null }>({
      name: 'bank-account-of-payout',
      text: `select facts ->> 'bankAccountId' as id from edge.messages
              where user_id = $1 and kind = 'payout_requested' and key = $2`,
      values: [userId, payoutId],
    });
    return rows[0]?.id ?? undefined;
  }

  /** Deletes all that somebody was told, who is forgotten. */
  async forget(userId: string, db: Pool | PoolClient = this.pool): Promise<void> {
    await db.query('delete from edge.messages where user_id = $1', [userId]);
    await db.query('delete from edge.message_deliveries where user_id = $1', [userId]);
    await db.query('delete from edge.mail_addresses where user_id = $1', [userId]);
  }
}
