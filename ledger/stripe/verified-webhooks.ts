/**
 * When a webhook of each endpoint last proved, by its signature, that our secret for it is the provider's:
 * the provider shows a secret once only, so nothing else can tell. In the schema `edge` of Postgres; lost, it
 * is known again with the next webhook.
 */
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Migration } from '#log/migrations';

export const VERIFIED_WEBHOOKS_TABLE: Migration = {
  name: 'verified-webhooks',
  sql: `
  create table if not exists edge.verified_webhooks (
    endpoint text primary key,
    secret_fingerprint text not null,
    verified_at timestamptz not null default now()
  )`,
};

/** The platform's own webhooks, or those about connected accounts. */
export type WebhookEndpoint = 'platform' | 'connect';

const NOTED_EVERY_MS = 60_000;

/** Tells secrets apart, and is of no use for finding one. */
const fingerprintOf = (secret: string): string =>
  createHash('sha256').update(`webhook secret\0${secret}`).digest('hex').slice(0, 16);

/** When an endpoint's present secret last held; undefined where it never has. Throws what Postgres does. */
export async function lastVerified(
  pool: Pick<Pool, 'query'>,
  endpoint: WebhookEndpoint,
  secret: string,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ verified_at: Date }>(
    'select verified_at from edge.verified_webhooks where endpoint = $1 and secret_fingerprint = $2',
    [endpoint, fingerprintOf(secret)],
  );
  return rows[0]?.verified_at;
}

/** Notes each verified webhook, once a minute at most. A note that fails is made with the next one. */
export class VerifiedWebhooks {
  readonly #notedAt = new Map<WebhookEndpoint, number>();

  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  note(endpoint: WebhookEndpoint, secret: string): void {
    const now = performance.now();
    if (now - (this.#notedAt.get(endpoint) ?? -Infinity) < NOTED_EVERY_MS) return;
    this.#notedAt.set(endpoint, now);
    this.pool
      .query(
        `insert into edge.verified_webhooks (endpoint, secret_fingerprint) values ($1, $2)
           on conflict (endpoint) do update set secret_fingerprint = $2, verified_at = now()`,
        [endpoint, fingerprintOf(secret)],
      )
      .catch(() => this.#notedAt.delete(endpoint));
  }
}
