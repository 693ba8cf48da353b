/**
 * Sign-ins under way, between our redirect to the identity provider and its redirect back. Each is bound to
 * the browser that began it and can be finished once, so that nobody can be signed in as somebody else by a
 * link.
 */
import type { Pool } from 'pg';
import { hashOfToken } from '../sessions/sessions.js';

/** A sign-in that must ask the person again, although there may be a session. */
export interface FreshSignIn {
  /** Whose session asked for it: nobody else may finish it. Undefined where there is none. */
  readonly userId: string | undefined;
}

export interface SignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly fresh: FreshSignIn | undefined;
}

export interface BegunSignIn extends SignIn {
  readonly begunAt: Date;
}

const LASTS_MINUTES = 30;

export class SignIns {
  constructor(private readonly pool: Pool) {}

  async begin(browser: string, { state, nonce, verifier, returnTo, fresh }: SignIn): Promise<void> {
    await this.pool.query({
      name: 'begin-sign-in',
      text: `with expired as (delete from edge.sign_ins where expires_at < now())
             insert into edge.sign_ins (state_hash, browser_hash, nonce, verifier, return_to, expires_at, is_fresh, fresh_for)
             values ($1, $2, $3, $4, $5, now() + make_interval(mins => $6), $7, $8)`,
      values: [
        hashOfToken(state),
        hashOfToken(browser),
        nonce,
        verifier,
        returnTo,
        LASTS_MINUTES,
        fresh !== undefined,
        fresh?.userId ?? null,
      ],
    });
  }

  /**
   * Takes the sign-in that this browser began; undefined for another's, an old one, or one that was taken
   * before.
   */
  async take(browser: string, state: string): Promise<BegunSignIn | undefined> {
    const { rows } = await this.pool.query<{
      nonce: string;
      verifier: string;
      return_to: string;
      is_fresh: boolean;
      fresh_for: string | null;
      begun_at: Date;
    }>({
      name: 'take-sign-in',
      text: `delete from edge.sign_ins where state_hash = $1 and browser_hash = $2 and expires_at > now()
             returning nonce, verifier, return_to, is_fresh, fresh_for, begun_at`,
      values: [hashOfToken(state), hashOfToken(browser)],
    });
    const row = rows[0];
    return (
      row && {
        state,
        nonce: row.nonce,
        verifier: row.verifier,
        returnTo: row.return_to,
        fresh: row.is_fresh ? { userId: row.fresh_for ?? undefined } : undefined,
        begunAt: row.begun_at,
      }
    );
  }
}
