/**
 * Who is signed in. The browser holds a random token in a cookie; Postgres holds its hash, so that a copy of
 * the table signs nobody in. Signing out deletes the row: the token is worth nothing from then on, in every
 * process.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { Sealed } from '#contracts/events/journal';

/** A session ends after so long without use, and in any case after so long. */
const IDLE_DAYS = 14;
const LONGEST_DAYS = 90;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();
export const newToken = (): string => randomBytes(32).toString('base64url');

export class Sessions {
  constructor(private readonly pool: Pool) {}

  /**
   * Begins a session and answers the cookie's token. The ID token (sealed) is for the provider's sign-out.
   */
  async begin(userId: string, idToken: Sealed | undefined): Promise<string> {
    const token = newToken();
    await this.pool.query({
      name: 'begin-session',
      text: `with expired as (delete from edge.sessions where expires_at < now())
             insert into edge.sessions (id_hash, user_id, sealed_id_token, expires_at)
             values ($1, $2, $3, now() + make_interval(days => $4))`,
      values: [hashOfToken(token), userId, idToken ?? null, IDLE_DAYS],
    });
    return token;
  }

  /** The user of a living session. Each day of use puts its end off. */
  async userOf(token: string | undefined): Promise<string | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined;
    const id = hashOfToken(token);
    const { rows } = await this.pool.query<{ user_id: string; is_due: boolean }>({
      name: 'user-of-session',
      text: `select user_id, expires_at < now() + make_interval(days => $2) as is_due from edge.sessions
              where id_hash = $1 and expires_at > now() and created_at > now() - make_interval(days => $3)`,
      values: [id, IDLE_DAYS - 1, LONGEST_DAYS],
    });
    const session = rows[0];
    if (session?.is_due)
      await this.pool.query({
        name: 'put-off-session-end',
        text: `update edge.sessions set expires_at = now() + make_interval(days => $2) where id_hash = $1`,
        values: [id, IDLE_DAYS],
      });
    return session?.user_id;
  }

  /** Whether a session still lives; asking is no use of it and does not put off its end. */
  async isLiving(token: string | undefined): Promise<boolean> {
    if (token === undefined || !TOKEN.test(token)) return false;
    const { rows } = await this.pool.query<{ living: boolean }>({
      name: 'is-session-living',
      text: `select exists (select from edge.sessions where id_hash = $1 and expires_at > now()
                              and created_at > now() - make_interval(days => $2)) as living`,
      values: [hashOfToken(token), LONGEST_DAYS],
    });
    return rows[0]?.living === true;
  }

  /** Ends all of a user's sessions, in every browser. */
  async endAllOf(userId: string): Promise<void> {
    await this.pool.query({
      name: 'end-sessions-of-user',
      text: 'delete from edge.sessions where user_id = $1',
      values: [userId],
    });
  }

  /** Ends a session. Answers the sealed ID token with which the provider's session is ended too. */
  async end(token: string | undefined): Promise<Sealed | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined;
    const { rows } = await this.pool.query<{ sealed_id_token: string | null }>({
      name: 'end-session',
      text: 'delete from edge.sessions where id_hash = $1 returning sealed_id_token',
      values: [hashOfToken(token)],
    });
    return rows[0]?.sealed_id_token ?? undefined;
  }
}
