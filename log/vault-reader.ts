/**
 * Opens what the vault sealed. One AES-256-GCM data key per user, wrapped by the master key, stands in
 * Postgres apart from every read model.
 */
import type { Pool } from 'pg';
import { BadSetting } from '#contracts/configuration';
import type { Sealed } from '#contracts/events/journal';
import type { Migration } from './migrations.js';
import { decrypt, masterKeyFrom, type MasterKey } from './vault-encryption.js';

/**
 * Why a sealed text does not open: its owner's data key is neither there nor destroyed on purpose, it is wrapped by
 * another master key than ours, or the text or the key is damaged.
 */
export type UnreadableBecause = 'key-missing' | 'other-master-key' | 'damaged';

const REMEDIES: Readonly<Record<UnreadableBecause, string>> = {
  'key-missing': 'is missing and was not destroyed on purpose: restore the vault (schema "vault")',
  'other-master-key': 'is wrapped by another master key: set the one that wraps it in ENCORE_MASTER_KEY',
  damaged: 'does not open it: the text, or the key, was changed or damaged',
};

/** A sealed text does not open, and not because its owner is forgotten. Nothing stops for it. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
  constructor(
    readonly userId: string,
    readonly because: UnreadableBecause,
    /** The key that ought to open it, as people know it. */
    readonly key: string,
  ) {
    super(`A text cannot be read: ${key} ${REMEDIES[because]}.`);
  }
}

const missingKey = (userId: string): UnreadableText =>
  new UnreadableText(userId, 'key-missing', `the data key of user ${userId}`);

/**
 * Keys are held in memory for so long, so that a key destroyed by another process is soon unknown here too.
 */
const CACHE_MS = 5 * 60_000;
const CACHE_KEYS = 50_000;
/** One that opens is enough; a single damaged one must not keep a process from starting. */
const KEYS_TRIED = 3;

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
    private readonly onUnreadable: (found: UnreadableText) => void = () => undefined,
  ) {
    this.masterKey = masterKeyFrom(masterKeyHex);
  }

  /** Opens the vault. `masterKeyHex`: 32 bytes as hexadecimal digits. */
  static open(pool: Pool, masterKeyHex: string): VaultReader {
    return new VaultReader(pool, masterKeyHex);
  }

  /**
   * Throws BadSetting where the master key opens none of the stored data keys: nobody's texts could be read, and
   * what is sealed from here on nobody else could read. Asked once, at the start of a process.
   */
  async assertMasterKey(): Promise<void> {
    const { rows } = await this.pool.query<{ user_id: string; wrapped_key: Buffer; wrapped_by: string }>(
      `select user_id, wrapped_key, wrapped_by from vault.data_keys where wrapped_key is not null
        order by (wrapped_by = $1) desc, created_at desc limit ${KEYS_TRIED}`,
      [this.masterKey.id],
    );
    if (rows.length === 0 || rows.some(({ user_id: id, wrapped_key: box }) => this.#unwrapped(box, id)))
      return;
    throw new BadSetting(
      `ENCORE_MASTER_KEY does not open the data keys: it is the master key ${this.masterKey.id}, and they are wrapped ` +
        `by ${rows[0]!.wrapped_by}. Set the key that they were made with; after a rotation that is the new one ` +
        '(docs/how-to/rotate-keys.md).',
    );
  }

  /** The text that was sealed; undefined when its owner was forgotten. Throws {@link UnreadableText}. */
  async unseal(sealed: Sealed): Promise<string | undefined> {
    const [, userId, box] = sealed.split(':');
    if (userId === undefined || box === undefined) throw new UnreadableText('', 'damaged', 'no data key');
    const key = await this.keyOf(userId);
    if (key)
      try {
        return decrypt(key, Buffer.from(box, 'base64url'), userId).toString('utf8');
      } catch {
        throw new UnreadableText(userId, 'damaged', `the data key of user ${userId}`);
      }
    if (await this.#isDestroyed(userId)) return undefined;
    throw missingKey(userId);
  }

  /**
   * The same for whoever goes on without: `otherwise` for a text that does not open, which is told to whoever runs
   * the process.
   */
  async unsealOr<T>(sealed: Sealed, otherwise: T): Promise<string | T | undefined> {
    try {
      return await this.unseal(sealed);
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      this.onUnreadable(error);
      return otherwise;
    }
  }

  /** Forgets the cached key only: for a reader that meets UserForgotten in the log. */
  drop(userId: string): void {
    this.#cache.delete(userId);
  }

  /** A user's data key; undefined where there is none, or none any more. Throws {@link UnreadableText}. */
  protected async keyOf(userId: string): Promise<Buffer | undefined> {
    const cached = this.#cache.get(userId);
    if (cached && cached.expiresAt > Date.now()) return cached.key;
    const { rows } = await this.pool.query<{ wrapped_key: Buffer | null; wrapped_by: string }>({
      name: 'vault-key',
      text: 'select wrapped_key, wrapped_by from vault.data_keys where user_id = $1',
      values: [userId],
    });
    const { wrapped_key: wrapped, wrapped_by: by } = rows[0] ?? {};
    if (!wrapped) return undefined;
    const key = this.#unwrapped(wrapped, userId);
    if (key) return this.#cached(userId, key);
    const isOurs = by === this.masterKey.id;
    throw new UnreadableText(
      userId,
      isOurs ? 'damaged' : 'other-master-key',
      `the data key of user ${userId} (wrapped by the master key ${by}; ours is ${this.masterKey.id})`,
    );
  }

  #unwrapped(wrapped: Buffer, userId: string): Buffer | undefined {
    try {
      return decrypt(this.masterKey.key, wrapped, userId);
    } catch {
      return undefined;
    }
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
