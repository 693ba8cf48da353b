/**
 * Challenges for enrolling a passkey, in Postgres, so that any ledger process can take what another one gave out.
 * Each is bound to the session that asked for it, ends soon, and is taken once: taking it deletes it. They end with
 * the session.
 */
import type { Pool } from 'pg';
import type { Migration } from '#log/migrations';
import { hashOfToken, newToken } from '../sessions/sessions.js';

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

export class PasskeyTokens {
  constructor(private readonly pool: Pool) {}

  /** A new token, which is 32 random bytes in base64url, and when it ends. */
  async give({ userId, session }: Asker): Promise<{ token: string; expiresAt: Date }> {
    const token = newToken();
    const { rows } = await this.pool.query<{ expires_at: Date }>({
      name: 'give-passkey-token',
      text: `with expired as (delete from edge.passkey_tokens where expires_at < now())
             insert into edge.passkey_tokens (token_hash, purpose, user_id, session_hash, expires_at)
             values ($1, 'enrol', $2, $3, now() + make_interval(secs => $4)) returning expires_at`,
      values: [hashOfToken(token), userId, hashOfToken(session), LASTS_SECONDS],
    });
    return { token, expiresAt: rows[0]!.expires_at };
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
  async noteCount(passkeyId: string, counter: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'note-passkey-count',
      text: `insert into edge.passkey_counters as known (passkey_id, counter) values ($1, $2)
             on conflict (passkey_id) do update set counter = excluded.counter
              where excluded.counter > known.counter or (excluded.counter = 0 and known.counter = 0)`,
      values: [passkeyId, counter],
    });
    return rowCount === 1;
  }
}
