/**
 * Opens what the vault sealed. One AES-256-GCM data key per user, wrapped by the master key, stands in
 * Postgres apart from every read model.
 */
import type { Pool } from 'pg';
import type { Sealed } from '#contracts/events/journal';
import type { Migration } from './migrations.js';
import { decrypt, masterKeyFrom, type MasterKey } from './vault-encryption.js';

/** Neither a key nor a tombstone: the vault was not restored with the log. Whoever reads must stop. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey';
  constructor(userId: string) {
    super(
      `The data key of user ${userId} is missing and was not destroyed on purpose: restore the vault (schema "vault").`,
    );
  }
}

/**
 * Keys are held in memory for so long, so that a key destroyed by another process is soon unknown here too.
 */
const CACHE_MS = 5 * 60_000;
const CACHE_KEYS = 50_000;

export const DATA_KEY_TABLE: Migration = {
  name: 'data-keys',
  sql: `
  create table if not exists vault.data_keys (
    user_id text primary key,
    wrapped_key bytea,
    wrapped_by text not null,
    created_at timestamptz not null default now(),
    destroyed_at timestamptz,
    check ((wrapped_key is null) = (destroyed_at is not null))
  )`,
};

/** Reads data keys and opens texts; the ledger alone makes keys and seals, see `vault.ts`. */
export class VaultReader {
  readonly #cache = new Map<string, { readonly key: Buffer; readonly expiresAt: number }>();

  protected readonly masterKey: MasterKey;

  protected constructor(
    protected readonly pool: Pool,
    masterKeyHex: string,
  ) {
    this.masterKey = masterKeyFrom(masterKeyHex);
  }

  /** Opens the vault. `masterKeyHex`: 32 bytes as hexadecimal digits. */
  static open(pool: Pool, masterKeyHex: string): VaultReader {
    return new VaultReader(pool, masterKeyHex);
  }

  /** The text that was sealed; undefined when its owner was forgotten. Throws {@link MissingKey}. */
  async unseal(sealed: Sealed): Promise<string | undefined> {
    const [, userId, box] = sealed.split(':');
    if (userId === undefined || box === undefined) throw new RangeError('Not a sealed text');
    const key = await this.keyOf(userId);
    if (key) return decrypt(key, Buffer.from(box, 'base64url'), userId).toString('utf8');
    if (await this.#isDestroyed(userId)) return undefined;
    throw new MissingKey(userId);
  }

  /** Forgets the cached key only: for a reader that meets UserForgotten in the log. */
  drop(userId: string): void {
    this.#cache.delete(userId);
  }

  /** A user's data key; undefined where there is none, or none any more. */
  protected async keyOf(userId: string): Promise<Buffer | undefined> {
    const cached = this.#cache.get(userId);
    if (cached && cached.expiresAt > Date.now()) return cached.key;
    const { rows } = await this.pool.query<{ wrapped_key: Buffer | null }>({
      name: 'vault-key',
      text: 'select wrapped_key from vault.data_keys where user_id = $1',
      values: [userId],
    });
    const wrapped = rows[0]?.wrapped_key;
    return wrapped ? this.#cached(userId, decrypt(this.masterKey.key, wrapped, userId)) : undefined;
  }

  async #isDestroyed(userId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'select 1 from vault.data_keys where user_id = $1 and destroyed_at is not null',
      [userId],
    );
    return rowCount === 1;
  }

  #cached(userId: string, key: Buffer): Buffer {
    if (this.#cache.size >= CACHE_KEYS) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(userId, { key, expiresAt: Date.now() + CACHE_MS });
    return key;
  }
}
