/**
 * Who is signed in. The browser holds a random token in a cookie; Postgres holds its hash, so that a copy of
 * the table signs nobody in. Signing out deletes the row: the token is worth nothing from then on, in every
 * process, and streams that it opened end (session-ends.ts).
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { UNAUTHORIZED } from '#edge/caller';
import { Refusal } from '#edge/refusal';
import type { DeviceKind, SeenFrom } from '#edge/seen-from';
import type { Sealed } from '#contracts/events/journal';
import { isOutage } from '#contracts/outage';
import { inTransaction } from '#log/transaction';

/** A session ends after so long without use, and in any case after so long. */
interface SessionLimits {
  readonly idleDays: number;
  readonly longestDays: number;
}
const SESSION_LIMITS: SessionLimits = { idleDays: 7, longestDays: 30 };

/** A use is written down when the last one that was is so old. */
const NOTED_EVERY_MINUTES = 5;
/** More than that many of one user are not listed; all of them can be ended. */
const LISTED = 100;
/**
 * Longer than any sign-in at the provider is taken for: IdentityProvider asks for one that is no older than
 * 90 days.
 */
const REMEMBERED_DAYS = 100;
/** Longer than a logout token is good for. */
const TOKEN_HOURS = 24;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const SESSION_ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Postgres' code for a row that names another one which is not there. */
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Waits for a row that names a session and ends with it. A session that was ended after the gate had let the
 * request in refuses it as the gate would have. Throws a {@link Refusal} (401).
 */
export async function keptWithSession<T>(kept: Promise<T>): Promise<T> {
  try {
    return await kept;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION)
      throw new Refusal(401, UNAUTHORIZED);
    throw error;
  }
}

/** A living session: who, its public id, and when its owner last signed in at the identity provider. */
export interface LivingSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Undefined where the provider did not say; that counts as long ago. */
  readonly signedInAt: Date | undefined;
}

/** Where a session is used from; the place only where a file of places is set. */
export interface SessionUse extends SeenFrom {
  readonly place: string | undefined;
}

/** What a session begins with. */
export interface SessionBegin {
  /** Sealed: for the provider's sign-out. */
  readonly idToken?: Sealed | undefined;
  /** When the user showed the provider who they are, where it says so. */
  readonly signedInAt?: Date | undefined;
  /** When they did so at the least, by our own clock, where that is known to be later. */
  readonly shownAt?: Date | undefined;
  /** The provider's own name for its session (`sid`), where it gives one. */
  readonly providerSid?: string | undefined;
  readonly use?: SessionUse | undefined;
}

/** A session as its owner sees it in the list. */
export interface ListedSession {
  readonly sessionId: string;
  readonly device: string | undefined;
  readonly deviceKind: DeviceKind;
  readonly network: string | undefined;
  readonly place: string | undefined;
  readonly begunAt: Date;
  /** To within a few minutes. */
  readonly lastUsedAt: Date;
}

interface EndedSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Sealed: with it the provider's session is ended too. */
  readonly idToken: Sealed | undefined;
}

/** What a logout token of the provider names: a person, one session of theirs at the provider, or both. */
interface ProviderLogout {
  /** The token's own id; a second token of that id ends nothing. */
  readonly tokenId: string;
  readonly userId: string | undefined;
  readonly providerSid: string | undefined;
}

interface ListedRow {
  session_id: string;
  device: string | null;
  device_kind: DeviceKind | null;
  network: string | null;
  place: string | null;
  created_at: Date;
  last_used_at: Date;
}

/**
 * Sessions of the user were ended since they showed the provider who they are: they must show it once more.
 */
export class SignInEnded extends Error {
  override readonly name = 'SignInEnded';
  constructor() {
    super('The sign-in is from before an end of sessions.');
  }
}

export class Sessions {
  constructor(
    private readonly pool: Pool,
    private readonly limits: SessionLimits = SESSION_LIMITS,
  ) {}

  /**
   * Begins a session under a token that nobody had before. Answers the cookie's token and the public id.
   * Throws {@link SignInEnded}: between the check of a sign-in and its session others may have been ended.
   */
  async begin(
    userId: string,
    { idToken, signedInAt, shownAt = signedInAt, providerSid, use }: SessionBegin = {},
  ): Promise<{ token: string; sessionId: string }> {
    const token = newToken();
    const { rows } = await this.#inTurn({ userId, providerSid }, async (client) => {
      if (await isEnded(client, { userId, providerSid, shownAt })) throw new SignInEnded();
      return client.query<{ session_id: string }>({
        name: 'begin-session',
        text: `with expired as (delete from edge.sessions where expires_at < now())
             insert into edge.sessions (id_hash, user_id, sealed_id_token, expires_at, signed_in_at,
                                        provider_sid, device, device_kind, network, place)
             values ($1, $2, $3, now() + make_interval(days => $4), least($5::timestamptz, now()), $6, $7, $8, $9, $10)
             returning session_id`,
        values: [
          hashOfToken(token),
          userId,
          idToken ?? null,
          this.limits.idleDays,
          signedInAt ?? null,
          providerSid ?? null,
          use?.device.name ?? null,
          use?.device.kind ?? null,
          use?.network ?? null,
          use?.place ?? null,
        ],
      });
    });
    return { token, sessionId: rows[0]!.session_id };
  }

  /**
   * Sessions of a user, or of one session at the provider, begin and end one after the other: each begin sees
   * what ended before it, and each end finds what began before it. The lock is a statement of its own, since
   * a statement sees what was there when it began to wait.
   */
  async #inTurn<T>(
    {
      userId,
      providerSid,
    }: { readonly userId?: string | undefined; readonly providerSid?: string | undefined },
    act: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    // The user first, always: in one order nobody waits for each other.
    const names = [userId && `session-of ${userId}`, providerSid && `session-at-provider ${providerSid}`];
    return inTransaction(this.pool, async (client) => {
      for (const name of names)
        if (name !== undefined && name !== '')
          await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
      return act(client);
    });
  }

  /** The same for one statement. */
  async #endInTurn<R extends QueryResultRow>(
    of: { readonly userId?: string | undefined; readonly providerSid?: string | undefined },
    statement: QueryConfig,
  ): Promise<QueryResult<R>> {
    return this.#inTurn(of, (client) => client.query<R>(statement));
  }

  /**
   * A living session. Its use puts its end off, and is written down with where it came from every few
   * minutes.
   */
  async of(token: string | undefined, use?: () => SessionUse): Promise<LivingSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined;
    const id = hashOfToken(token);
    const { rows } = await this.pool.query<{
      user_id: string;
      session_id: string;
      signed_in_at: Date | null;
      is_due: boolean;
    }>({
      name: 'living-session',
      text: `select user_id, session_id, signed_in_at,
                    last_used_at < now() - make_interval(mins => $2) as is_due from edge.sessions
              where id_hash = $1 and expires_at > now() and created_at > now() - make_interval(days => $3)`,
      values: [id, NOTED_EVERY_MINUTES, this.limits.longestDays],
    });
    const session = rows[0];
    if (session?.is_due)
      await this.noteUse(id, use?.()).catch((error: unknown) => {
        // A Postgres that takes no writes has told who is signed in, and shows them all that there is.
        if (!isOutage(error)) throw error;
      });
    return (
      session && {
        userId: session.user_id,
        sessionId: session.session_id,
        signedInAt: session.signed_in_at ?? undefined,
      }
    );
  }

  private async noteUse(id: Buffer, use: SessionUse | undefined): Promise<void> {
    await this.pool.query({
      name: 'note-session-use',
      text: `update edge.sessions
                set expires_at = now() + make_interval(days => $2), last_used_at = now(),
                    device = coalesce($3, device), device_kind = coalesce($4, device_kind),
                    network = coalesce($5, network), place = case when $5::text is null then place else $6 end
              where id_hash = $1`,
      values: [
        id,
        this.limits.idleDays,
        use?.device.name ?? null,
        use?.device.kind ?? null,
        use?.network ?? null,
        use?.place ?? null,
      ],
    });
  }

  /** Whether a session still lives; asking is no use of it and does not put off its end. */
  async isLiving(token: string | undefined): Promise<boolean> {
    if (token === undefined || !TOKEN.test(token)) return false;
    const { rows } = await this.pool.query<{ living: boolean }>({
      name: 'is-session-living',
      text: `select exists (select from edge.sessions where id_hash = $1 and expires_at > now()
                              and created_at > now() - make_interval(days => $2)) as living`,
      values: [hashOfToken(token), this.limits.longestDays],
    });
    return rows[0]?.living === true;
  }

  /** A user's living sessions, the one used last first. */
  async listOf(userId: string): Promise<ListedSession[]> {
    const { rows } = await this.pool.query<ListedRow>({
      name: 'sessions-of-user',
      text: `select session_id, device, device_kind, network, place, created_at, last_used_at from edge.sessions
              where user_id = $1 and expires_at > now() and created_at > now() - make_interval(days => $2)
              order by last_used_at desc, session_id limit $3`,
      values: [userId, this.limits.longestDays, LISTED],
    });
    return rows.map((row) => ({
      sessionId: row.session_id,
      device: row.device ?? undefined,
      deviceKind: row.device_kind ?? 'unknown',
      network: row.network ?? undefined,
      place: row.place ?? undefined,
      begunAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** Ends all of a user's sessions, in every browser; answers how many there were. */
  async endAllOf(userId: string): Promise<number> {
    return this.endWhere(userId, undefined);
  }

  /** Ends all of a user's sessions but one; answers how many others there were. */
  async endOthersOf(userId: string, sessionId: string): Promise<number> {
    return this.endWhere(userId, sessionId);
  }

  /**
   * From now on nobody comes back in by a session that the provider still has, whichever browser it is in:
   * the user must have shown the provider who they are since.
   */
  private async endWhere(userId: string, but: string | undefined): Promise<number> {
    const { rowCount } = await this.#endInTurn(
      { userId },
      {
        name: 'end-sessions-of-user',
        text: `with barred as (
               insert into edge.ended_sign_ins as known (user_id, provider_sid, ended_at)
               values ($1, '', clock_timestamp())
               on conflict (user_id, provider_sid) do update set ended_at = excluded.ended_at)
             delete from edge.sessions where user_id = $1 and session_id is distinct from $2::uuid`,
        values: [userId, but ?? null],
      },
    );
    return rowCount ?? 0;
  }

  /**
   * Ends one session of a user's, by its public id; false where they have none of that id. Its browser signs
   * in again only after its user has shown the provider who they are.
   */
  async endOne(userId: string, sessionId: string): Promise<boolean> {
    if (!SESSION_ID.test(sessionId)) return false;
    const { rowCount } = await this.#endInTurn(
      { userId },
      {
        name: 'end-session-of-user',
        text: `with ended as (
               delete from edge.sessions where user_id = $1 and session_id = $2 returning provider_sid)
             insert into edge.ended_sign_ins as known (user_id, provider_sid, ended_at)
             select $1, coalesce(provider_sid, ''), clock_timestamp() from ended
             on conflict (user_id, provider_sid) do update set ended_at = excluded.ended_at`,
        values: [userId, sessionId],
      },
    );
    return rowCount === 1;
  }

  /**
   * Whether a sign-in at the provider is from before an end of sessions that concerns it, and so is worth
   * nothing. The provider tells whole seconds, cut off: one of the very second of the end counts as before
   * it.
   */
  async isSignInEnded(
    userId: string,
    providerSid: string | undefined,
    shownAt: Date | undefined,
  ): Promise<boolean> {
    await this.pool.query({
      name: 'forget-ended-sign-ins',
      text: 'delete from edge.ended_sign_ins where ended_at < now() - make_interval(days => $1)',
      values: [REMEMBERED_DAYS],
    });
    return isEnded(this.pool, { userId, providerSid, shownAt });
  }

  /**
   * Ends what a logout token of the provider names, once for each token; undefined for one that was used
   * before. A sign-in from before that is under way meanwhile comes too late as well: a thief may hold its
   * code back.
   */
  async endAtProvidersWord({
    tokenId,
    userId,
    providerSid,
  }: ProviderLogout): Promise<readonly EndedSession[] | undefined> {
    const { rows } = await this.#endInTurn<{
      isNew: boolean;
      ended: { userId: string; sessionId: string }[] | null;
    }>(
      { userId, providerSid },
      {
        name: 'end-sessions-at-provider',
        text: `with old as (delete from edge.logout_tokens where expires_at < now()),
                  used as (insert into edge.logout_tokens (token_hash, expires_at)
                           values ($1, now() + make_interval(hours => $4))
                           on conflict (token_hash) do nothing returning token_hash),
                  barred as (insert into edge.ended_sign_ins as known (user_id, provider_sid, ended_at)
                             select coalesce($2, ''), coalesce($3, ''), clock_timestamp() from used
                              where coalesce($2, $3) is not null
                             on conflict (user_id, provider_sid) do update set ended_at = excluded.ended_at),
                  ended as (delete from edge.sessions
                             where exists (select from used) and ($2::text is not null or $3::text is not null)
                               and ($2::text is null or user_id = $2) and ($3::text is null or provider_sid = $3)
                           returning user_id, session_id)
             select exists (select from used) as "isNew",
                    (select jsonb_agg(jsonb_build_object('userId', user_id, 'sessionId', session_id)) from ended) as ended`,
        values: [hashOfToken(tokenId), userId ?? null, providerSid ?? null, TOKEN_HOURS],
      },
    );
    if (rows[0]?.isNew !== true) return undefined;
    return (rows[0].ended ?? []).map((session) => ({ ...session, idToken: undefined }));
  }

  /** Ends a session; undefined where there was none. */
  async end(token: string | undefined): Promise<EndedSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined;
    const { rows } = await this.pool.query<{
      user_id: string;
      session_id: string;
      sealed_id_token: string | null;
    }>({
      name: 'end-session',
      text: 'delete from edge.sessions where id_hash = $1 returning user_id, session_id, sealed_id_token',
      values: [hashOfToken(token)],
    });
    const row = rows[0];
    return (
      row && { userId: row.user_id, sessionId: row.session_id, idToken: row.sealed_id_token ?? undefined }
    );
  }
}

async function isEnded(
  db: Pool | PoolClient,
  {
    userId,
    providerSid,
    shownAt,
  }: Pick<SessionBegin, 'providerSid' | 'shownAt'> & { readonly userId: string },
): Promise<boolean> {
  const { rows } = await db.query<{ ended: boolean }>({
    name: 'is-sign-in-ended',
    text: `select exists (select from edge.ended_sign_ins
                           where user_id in ($1, '') and provider_sid in ('', $2)
                             and ($3::timestamptz is null or $3 <= ended_at)) as ended`,
    values: [userId, providerSid ?? '', shownAt ?? null],
  });
  return rows[0]?.ended === true;
}
