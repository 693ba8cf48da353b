/**
 * Opens what the vault sealed. A user's data keys, one for each time that it was rotated, stand in Postgres
 * apart from every read model, wrapped by the master key.
 */
import type { Pool } from 'pg';
import { BadSetting } from '#contracts/configuration';
import type { Sealed } from '#contracts/events/journal';
import type { Migration } from './migrations.js';
import {
  dataKey,
  masterKeyFrom,
  masterKeyIdIn,
  openText,
  unwrapDataKey,
  versionIn,
  type DataKey,
  type MasterKey,
  type WrappedKey,
} from './vault-encryption.js';

/**
 * Why a sealed text does not open: its owner's data key is neither there nor destroyed on purpose, it is
 * wrapped by another master key than ours, or the text or the key is damaged.
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
 * Keys are held in memory for so long, so that a key destroyed by another process is soon unknown here too,
 * and one that was rotated is soon used.
 */
const CACHE_MS = 5 * 60_000;
const CACHE_KEYS = 50_000;
/** One that opens is enough; a single damaged one must not keep a process from starting. */
const KEYS_TRIED = 3;

/** The version of a user's first data key. */
export const FIRST_VERSION = 1;

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

/**
 * A user's data key has versions: new texts are under the newest, and the older ones go on opening theirs.
 */
export const DATA_KEY_VERSIONS: Migration = {
  name: 'data-key-versions',
  sql: `
  alter table vault.data_keys add column if not exists version integer not null default 1 check (version > 0);
  alter table vault.data_keys drop constraint if exists data_keys_pkey;
  alter table vault.data_keys add primary key (user_id, version)`,
};

/**
 * The master key, and others that data keys may be wrapped by while it is changed. Each as hexadecimal
 * digits.
 */
export interface MasterKeys {
  readonly current: string;
  readonly others: readonly (string | undefined)[];
}

/** Whether there is a data key of anybody, or the tombstone of one. What is no user's begins with @. */
export async function hasUsersKeys(db: Pick<Pool, 'query'>): Promise<boolean> {
  const { rowCount } = await db.query(`select 1 from vault.data_keys where user_id not like '@%' limit 1`);
  return rowCount === 1;
}

/** Reads data keys and opens texts; the ledger alone makes keys and seals, see `vault.ts`. */
export class VaultReader {
  readonly #cache = new Map<string, { readonly keys: readonly DataKey[]; readonly expiresAt: number }>();

  protected readonly masterKey: MasterKey;
  readonly #masterKeys: readonly MasterKey[];

  protected constructor(
    protected readonly pool: Pool,
    masterKeys: string | MasterKeys,
    private readonly onUnreadable: (found: UnreadableText) => void = () => undefined,
  ) {
    const { current, others } =
      typeof masterKeys === 'string' ? { current: masterKeys, others: [] } : masterKeys;
    this.masterKey = masterKeyFrom(current);
    this.#masterKeys = [
      this.masterKey,
      ...others.filter((key) => key !== undefined).map((key) => masterKeyFrom(key)),
    ];
  }

  /** Opens the vault. A single master key: 32 bytes as hexadecimal digits. */
  static open(pool: Pool, masterKeys: string | MasterKeys): VaultReader {
    return new VaultReader(pool, masterKeys);
  }

  /**
   * Throws BadSetting where the master key opens none of the stored data keys: nobody's texts could be read,
   * and what is sealed from here on nobody else could read. Asked once, at the start of a process.
   */
  async assertMasterKey(): Promise<void> {
    const { rows } = await this.pool.query<WrappedKey & { user_id: string }>(
      `select user_id, version, wrapped_key, wrapped_by from vault.data_keys where wrapped_key is not null
        order by (split_part(wrapped_by, '/', 1) = $1) desc, created_at desc limit ${KEYS_TRIED}`,
      [this.masterKey.id],
    );
    if (rows.length === 0 || rows.some((row) => unwrapDataKey(this.#masterKeys, row.user_id, row))) return;
    throw new BadSetting(
      `ENCORE_MASTER_KEY does not open the data keys: it is the master key ${this.masterKey.id}, and they are wrapped ` +
        `by ${masterKeyIdIn(rows[0]!.wrapped_by)}. Set the key that they were made with; while it is changed, both ` +
        '(docs/how-to/rotate-keys.md).',
    );
  }

  hasUsersKeys(): Promise<boolean> {
    return hasUsersKeys(this.pool);
  }

  /** The text that was sealed; undefined when its owner was forgotten. Throws {@link UnreadableText}. */
  async unseal(sealed: Sealed): Promise<string | undefined> {
    const [, userId, box] = sealed.split(':');
    if (userId === undefined || box === undefined) throw new UnreadableText('', 'damaged', 'no data key');
    const version = versionIn(box) ?? FIRST_VERSION;
    const key = await this.#keyOfVersion(userId, version);
    if (key)
      try {
        return openText(key, userId, box);
      } catch {
        throw new UnreadableText(userId, 'damaged', `the data key of user ${userId}`);
      }
    if (await this.#isDestroyed(userId)) return undefined;
    throw missingKey(userId);
  }

  /**
   * The same for whoever goes on without: `otherwise` for a text that does not open, which is told to whoever
   * runs the process.
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

  /**
   * A user's data keys, the newest first; none where there are none, or none any more. Throws {@link
   * UnreadableText} where one is there that does not open.
   */
  protected async keysOf(userId: string): Promise<readonly DataKey[]> {
    const cached = this.#cache.get(userId);
    if (cached && cached.expiresAt > Date.now()) return cached.keys;
    let rows = await this.#storedKeys(userId);
    const lost = cached?.keys.filter(({ version }) => rows.every((row) => row.version !== version)) ?? [];
    if (lost.length > 0 && (await this.putBack(userId, lost))) rows = await this.#storedKeys(userId);
    if (rows.length === 0) return [];
    const keys = rows.map((row) => {
      const drawn = unwrapDataKey(this.#masterKeys, userId, row);
      if (drawn) return dataKey(row.version, drawn);
      const by = masterKeyIdIn(row.wrapped_by);
      const isOurs = this.#masterKeys.some(({ id }) => id === by);
      throw new UnreadableText(
        userId,
        isOurs ? 'damaged' : 'other-master-key',
        `the data key of user ${userId} (wrapped by the master key ${by}; ours is ${this.masterKey.id})`,
      );
    });
    return this.#cached(userId, keys);
  }

  async #storedKeys(userId: string): Promise<WrappedKey[]> {
    const { rows } = await this.pool.query<WrappedKey>({
      name: 'vault-keys',
      text: `select version, wrapped_key, wrapped_by from vault.data_keys
              where user_id = $1 and wrapped_key is not null order by version desc`,
      values: [userId],
    });
    return rows;
  }

  /** Whether keys that were read before and are not there any more are there again. */
  protected putBack(_userId: string, _lost: readonly DataKey[]): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** A version that another process has just made is not in the cache yet. */
  async #keyOfVersion(userId: string, version: number): Promise<DataKey | undefined> {
    const of = (keys: readonly DataKey[]): DataKey | undefined => keys.find((key) => key.version === version);
    const wasCached = this.#cache.has(userId);
    const known = of(await this.keysOf(userId));
    if (known || !wasCached) return known;
    this.drop(userId);
    return of(await this.keysOf(userId));
  }

  async #isDestroyed(userId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'select 1 from vault.data_keys where user_id = $1 and destroyed_at is not null limit 1',
      [userId],
    );
    return rowCount === 1;
  }

  #cached(userId: string, keys: readonly DataKey[]): readonly DataKey[] {
    if (this.#cache.size >= CACHE_KEYS) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(userId, { keys, expiresAt: Date.now() + CACHE_MS });
    return keys;
  }
}
