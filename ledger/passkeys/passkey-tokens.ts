/**
 * Challenges for enrolling a passkey, in Postgres, so that any ledger process can take what another one gave
 * out. Each is bound to the session that asked for it, ends soon, and is taken once: taking it deletes it.
 * They end with the session. And how often each passkey says that it was used.
 */
import type { Pool } from 'pg';
import type { Migration } from '#log/migrations';
import { hashOfToken, keptWithSession, newToken } from '../sessions/sessions.js';

/** Who asks: the user, and the session's token. */
export interface Asker {
  readonly userId: string;
  readonly session: string;
}

/** A person looks for their phone. */
const LASTS_SECONDS = 300;

/** After the tables of sessions. */
export const PASSKEY_TABLES: Migration = {
  name: 'passkeys',
  sql: `
  create table if not exists edge.passkey_tokens (
    token_hash bytea primary key,
    purpose text not null,
    user_id text not null,
    session_hash bytea not null references edge.sessions (id_hash) on delete cascade,
    expires_at timestamptz not null
  );
  create index if not exists passkey_tokens_by_expiry on edge.passkey_tokens (expires_at);
  create table if not exists edge.passkey_counters (
    passkey_id text primary key,
    counter bigint not null
  )`,
};

/**
 * By user as well: anybody can enrol a credential's id in an account of their own, with any count. Counts
 * begin anew here, since those of `passkey_counters` may be such a one; that table is for a ledger of the
 * version before, beside which this one starts, and goes with the next version.
 */
export const PASSKEY_USE_COUNTS: Migration = {
  name: 'passkey-use-counts',
  sql: `
  create table if not exists edge.passkey_use_counts (
    user_id text not null,
    passkey_id text not null,
    counter bigint not null,
    primary key (user_id, passkey_id)
  )`,
};

/** A passkey of somebody's. */
interface OwnPasskey {
  readonly userId: string;
  readonly passkeyId: string;
}

export class PasskeyTokens {
  constructor(private readonly pool: Pool) {}

  /**
   * A new token, which is 32 random bytes in base64url. Throws a Refusal (401) where the session has ended
   * meanwhile.
   */
  async give({ userId, session }: Asker): Promise<string> {
    const token = newToken();
    const given = this.pool.query({
      name: 'give-passkey-token',
      text: `with expired as (delete from edge.passkey_tokens where expires_at < now())
             insert into edge.passkey_tokens (token_hash, purpose, user_id, session_hash, expires_at)
             values ($1, 'enrol', $2, $3, now() + make_interval(secs => $4))`,
      values: [hashOfToken(token), userId, hashOfToken(session), LASTS_SECONDS],
    });
    await keptWithSession(given);
    return token;
  }

  /** True for whom it was given to, once. */
  async take(token: string, { userId, session }: Asker): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'take-passkey-token',
      text: `delete from edge.passkey_tokens
              where token_hash = $1 and purpose = 'enrol' and user_id = $2 and session_hash = $3 and expires_at > now()`,
      values: [hashOfToken(token), userId, hashOfToken(session)],
    });
    return rowCount === 1;
  }

  /**
   * Notes a passkey's own count of its uses. False when it did not rise, which means a copy of it is about;
   * one that does not count says 0 each time.
   */
  async noteCount({ userId, passkeyId }: OwnPasskey, counter: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'note-passkey-use-count',
      text: `insert into edge.passkey_use_counts as known (user_id, passkey_id, counter) values ($1, $2, $3)
             on conflict (user_id, passkey_id) do update set counter = excluded.counter
              where excluded.counter > known.counter or (excluded.counter = 0 and known.counter = 0)`,
      values: [userId, passkeyId, counter],
    });
    return rowCount === 1;
  }

  /** The count that a passkey is enrolled with, whatever is left of an earlier enrolment. */
  async beginCount({ userId, passkeyId }: OwnPasskey, counter: number): Promise<void> {
    await this.pool.query({
      name: 'begin-passkey-use-count',
      text: `insert into edge.passkey_use_counts (user_id, passkey_id, counter) values ($1, $2, $3)
             on conflict (user_id, passkey_id) do update set counter = excluded.counter`,
      values: [userId, passkeyId, counter],
    });
  }

  /** Ends the count of a passkey that its user has no more; of all of theirs where none is named. */
  async endCounts(userId: string, passkeyId?: string): Promise<void> {
    await this.pool.query({
      name: 'end-passkey-use-counts',
      text: `delete from edge.passkey_use_counts
              where user_id = $1 and ($2::text is null or passkey_id = $2)`,
      values: [userId, passkeyId ?? null],
    });
  }
}
