/**
 * What was asked to be confirmed, and which calls were: in Postgres, so that any ledger process can take what
 * another one gave out. A row goes from asked (its challenge is to be signed) over proven (its proof is to be
 * shown) to used. It is bound to the user, the session, the call (method, path, body and Idempotency-Key) and
 * the words that were signed. A call that was carried out under a key of its client's stays noted for a day:
 * its repeat needs no second proof, and the ledger answers it as a repeat. One that was refused is noted for
 * two minutes, for a network that lost the refusal: noted for longer it could be prepared by a thief with a
 * young session, and done when there is money.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { Migration } from '#log/migrations';
import type { LivingSession } from '../sessions/sessions.js';
import { hashOfToken, keptWithSession, newToken } from '../sessions/sessions.js';

/** A person reads the words and looks for their phone; a proof is shown at once. */
const ASKED_SECONDS = 300;
const PROVEN_SECONDS = 120;
/** So long a repeat under the same key is let through: as long as keys are remembered, with room. */
const REPEATED_SECONDS = 24 * 3600;
/** Of one session at a time; the oldest gives way. */
const ASKED_MOST = 20;

/** After the tables of sessions: what was asked of a session ends with it. */
export const CONFIRMATION_TABLE: Migration = {
  name: 'confirmations',
  sql: `
  create table if not exists edge.confirmations (
    id text primary key,
    user_id text not null,
    session_id uuid references edge.sessions (session_id) on delete cascade,
    call_mac text not null,
    words_mac text,
    challenge bytea,
    proof_hash bytea unique,
    repeats text not null check (repeats in ('none', 'briefly', 'by-key')),
    used_at timestamptz,
    expires_at timestamptz not null
  );
  create index if not exists confirmations_by_expiry on edge.confirmations (expires_at);
  create index if not exists confirmations_by_session on edge.confirmations (session_id);
  create index if not exists confirmations_by_call on edge.confirmations (user_id, call_mac) where used_at is not null;
  delete from edge.passkey_tokens where purpose <> 'enrol'`,
};

/** Whose call it is. */
export type Caller = Pick<LivingSession, 'userId' | 'sessionId'>;

/** One call, as far as a proof is bound to it. */
export interface BoundCall {
  /** A keyed digest, under the user's key, of method, path, body and Idempotency-Key. */
  readonly mac: string;
  /**
   * What a repeat with the same proof does. `by-key`: nothing, for its client's key makes it the same
   * request. `briefly`: it says again what is so already, such as which account is primary, and passes while
   * the proof lasts. `none`: it would be done again, for no key was sent; its proof is for one use.
   */
  readonly repeats: 'none' | 'briefly' | 'by-key';
}

/** The parts of a call that its challenge is made of. */
interface SignedCall {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly key: string;
  readonly words: string;
}

/** Random bytes and all parts, each with its length: what the passkey signs names this call and no other. */
function challengeOf({ method, path, body, key, words }: SignedCall): Buffer {
  const hash = createHash('sha256').update(randomBytes(32));
  const bodyHash = createHash('sha256').update(body).digest('hex');
  for (const part of [method, path, bodyHash, key, words]) {
    const bytes = Buffer.from(part, 'utf8');
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest();
}

export class Confirmations {
  constructor(private readonly pool: Pool) {}

  /** Asks for a passkey's word on a call. Throws a Refusal (401) where the session has ended meanwhile. */
  async ask(
    { userId, sessionId }: Caller,
    { mac, repeats }: BoundCall,
    signed: SignedCall,
    wordsMac: string,
  ): Promise<{ id: string; expiresAt: Date }> {
    const id = newToken();
    const asked = this.pool.query<{ expires_at: Date }>({
      name: 'ask-confirmation',
      text: `with expired as (delete from edge.confirmations where expires_at < now()),
                  surplus as (delete from edge.confirmations where id in (
                    select id from edge.confirmations where session_id = $3 and challenge is not null
                     order by expires_at desc offset $9))
             insert into edge.confirmations (id, user_id, session_id, call_mac, words_mac, challenge, repeats, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) returning expires_at`,
      values: [
        id,
        userId,
        sessionId,
        mac,
        wordsMac,
        challengeOf(signed),
        repeats,
        ASKED_SECONDS,
        ASKED_MOST - 1,
      ],
    });
    const { rows } = await keptWithSession(asked);
    return { id, expiresAt: rows[0]!.expires_at };
  }

  /** The challenge of what was asked of this session and is not proven yet. */
  async challenge({ userId, sessionId }: Caller, id: string): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ challenge: Buffer }>({
      name: 'challenge-of-confirmation',
      text: `select challenge from edge.confirmations
              where id = $1 and user_id = $2 and session_id = $3 and challenge is not null and expires_at > now()`,
      values: [id, userId, sessionId],
    });
    return rows[0]?.challenge;
  }

  /** The proof for what a passkey has signed, once; undefined where it was proven before or is too old. */
  async prove(
    { userId, sessionId }: Caller,
    id: string,
  ): Promise<{ proof: string; expiresAt: Date } | undefined> {
    const proof = newToken();
    const { rows } = await this.pool.query<{ expires_at: Date }>({
      name: 'prove-confirmation',
      text: `update edge.confirmations
                set challenge = null, proof_hash = $4, expires_at = now() + make_interval(secs => $5)
              where id = $1 and user_id = $2 and session_id = $3 and challenge is not null and expires_at > now()
              returning expires_at`,
      values: [id, userId, sessionId, hashOfToken(proof), PROVEN_SECONDS],
    });
    return rows[0] && { proof, expiresAt: rows[0].expires_at };
  }

  /**
   * Whether a proof lets this very call through. `wordsMac` is of the words that the call has now; a repeat
   * of a call that was let through is not compared by them, for its own effect may have changed them.
   */
  async accepts(
    { userId, sessionId }: Caller,
    { mac }: BoundCall,
    proof: string,
    wordsMac: string,
  ): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'accept-proof',
      text: `update edge.confirmations
                set used_at = coalesce(used_at, now())
              where proof_hash = $1 and user_id = $2 and session_id = $3 and call_mac = $4 and expires_at > now()
                and case when used_at is null then words_mac = $5 else repeats <> 'none' end`,
      values: [hashOfToken(proof), userId, sessionId, mac, wordsMac],
    });
    return rowCount === 1;
  }

  /** Notes a call that a fresh sign-in lets through, as a passkey's proof is noted by its use. */
  async note({ userId }: Caller, { mac, repeats }: BoundCall): Promise<void> {
    if (repeats !== 'by-key') return;
    await this.pool.query({
      name: 'note-confirmed-call',
      text: `with expired as (delete from edge.confirmations where expires_at < now())
             insert into edge.confirmations (id, user_id, call_mac, repeats, used_at, expires_at)
             select $1, $2, $3, 'by-key', now(), now() + make_interval(secs => $4)
              where not exists (select from edge.confirmations where user_id = $2 and call_mac = $3
                                   and used_at is not null and expires_at > now())`,
      values: [newToken(), userId, mac, PROVEN_SECONDS],
    });
  }

  /** Keeps the note of a call that was carried out, or may have been, for as long as it may be repeated. */
  async keep({ userId }: Pick<Caller, 'userId'>, { mac, repeats }: BoundCall): Promise<void> {
    if (repeats !== 'by-key') return;
    await this.pool.query({
      name: 'keep-confirmed-call',
      text: `update edge.confirmations set expires_at = greatest(expires_at, used_at + make_interval(secs => $3))
              where user_id = $1 and call_mac = $2 and used_at is not null and repeats = 'by-key'`,
      values: [userId, mac, REPEATED_SECONDS],
    });
  }

  /**
   * Whether this very call of the user's was let through before, under a key that makes it the same request.
   */
  async isRepeat({ userId }: Caller, { mac, repeats }: BoundCall): Promise<boolean> {
    if (repeats !== 'by-key') return false;
    const { rowCount } = await this.pool.query({
      name: 'is-confirmed-call',
      text: `select from edge.confirmations
              where user_id = $1 and call_mac = $2 and used_at is not null and repeats = 'by-key' and expires_at > now()
              limit 1`,
      values: [userId, mac],
    });
    return rowCount === 1;
  }
}
