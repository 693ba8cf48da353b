/**
 * Seals what names a person: names, addresses, notes. One AES-256-GCM data key per user, wrapped by the
 * master key and kept in Postgres apart from every read model; destroying it makes all that it sealed
 * unreadable, in the log as well.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { Sealed } from '#contracts/events/journal';
import type { Migration } from './migrations.js';

/** Neither a key nor a tombstone: the vault was not restored with the log. Whoever reads must stop. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey';
  constructor(userId: string) {
    super(
      `The data key of user ${userId} is missing and was not destroyed on purpose: restore the vault (schema "vault").`,
    );
  }
}

/** The user asked to be forgotten; nothing more can be sealed for them. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
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

type Cached = { key: Buffer | undefined; expiresAt: number };

export class Vault {
  readonly #cache = new Map<string, Cached>();

  private constructor(
    private readonly pool: Pool,
    private readonly masterKey: Buffer,
    private readonly masterKeyId: string,
  ) {}

  /** Opens the vault. `masterKeyHex`: 32 bytes as hexadecimal digits. */
  static open(pool: Pool, masterKeyHex: string): Vault {
    const { key, id } = masterKeyFrom(masterKeyHex);
    return new Vault(pool, key, id);
  }

  /**
   * Seals a text for a user, making their key at first use. Throws {@link KeyDestroyed} for a forgotten user.
   */
  async seal(userId: string, text: string): Promise<Sealed> {
    const key = (await this.#keyOf(userId)) ?? (await this.#makeKey(userId));
    return `sealed:${userId}:${encrypt(key, Buffer.from(text, 'utf8'), userId).toString('base64url')}`;
  }

  /** The text that was sealed; undefined when its owner was forgotten. Throws {@link MissingKey}. */
  async unseal(sealed: Sealed): Promise<string | undefined> {
    const [, userId, box] = sealed.split(':');
    if (userId === undefined || box === undefined) throw new RangeError('Not a sealed text');
    const key = await this.#keyOf(userId);
    if (key) return decrypt(key, Buffer.from(box, 'base64url'), userId).toString('utf8');
    if (await this.#isDestroyed(userId)) return undefined;
    throw new MissingKey(userId);
  }

  /**
   * A keyed digest of a request's body: equal bodies of one user are equal, and it tells nothing without the
   * key.
   */
  async fingerprint(userId: string, body: unknown): Promise<string> {
    const key = (await this.#keyOf(userId)) ?? (await this.#makeKey(userId));
    return createHmac('sha256', key).update(canonical(body)).digest('base64url');
  }

  /** Destroys a user's key and leaves a tombstone. Everything sealed for them is unreadable from here on. */
  async forget(userId: string): Promise<void> {
    await this.pool.query(
      `insert into vault.data_keys (user_id, wrapped_by, destroyed_at) values ($1, $2, now())
       on conflict (user_id) do update set wrapped_key = null, destroyed_at = coalesce(vault.data_keys.destroyed_at, now())`,
      [userId, this.masterKeyId],
    );
    this.drop(userId);
  }

  /** Forgets the cached key only: for a reader that meets UserForgotten in the log. */
  drop(userId: string): void {
    this.#cache.delete(userId);
  }

  async #keyOf(userId: string): Promise<Buffer | undefined> {
    const cached = this.#cache.get(userId);
    if (cached && cached.expiresAt > Date.now()) return cached.key;
    const { rows } = await this.pool.query<{ wrapped_key: Buffer | null }>({
      name: 'vault-key',
      text: 'select wrapped_key from vault.data_keys where user_id = $1',
      values: [userId],
    });
    const wrapped = rows[0]?.wrapped_key;
    return wrapped ? this.#remember(userId, decrypt(this.masterKey, wrapped, userId)) : undefined;
  }

  async #makeKey(userId: string): Promise<Buffer> {
    const key = randomBytes(32);
    // Whoever inserts first made the key; the other one reads it.
    await this.pool.query(
      `insert into vault.data_keys (user_id, wrapped_key, wrapped_by) values ($1, $2, $3) on conflict do nothing`,
      [userId, encrypt(this.masterKey, key, userId), this.masterKeyId],
    );
    const stored = await this.#keyOf(userId);
    if (!stored) throw new KeyDestroyed(`User ${userId} was forgotten; nothing can be sealed for them.`);
    return stored;
  }

  async #isDestroyed(userId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'select 1 from vault.data_keys where user_id = $1 and destroyed_at is not null',
      [userId],
    );
    return rowCount === 1;
  }

  #remember(userId: string, key: Buffer): Buffer {
    if (this.#cache.size >= CACHE_KEYS) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(userId, { key, expiresAt: Date.now() + CACHE_MS });
    return key;
  }
}

/** A data key is not wrapped by the key that was said to wrap it; nothing was changed. */
export class NotWrappedByIt extends Error {
  override readonly name = 'NotWrappedByIt';
  constructor(userId: string) {
    super(
      `The data key of user ${userId} is wrapped by neither of the two master keys. Nothing was changed.`,
    );
  }
}

const REWRAP_PAGE = 1000;

/**
 * Wraps all data keys by another master key, all or none, and answers how many. Those that it wraps already
 * are passed over, so it may be done again. Processes that hold the old key must be stopped first: they could
 * not open a key any more. Throws {@link NotWrappedByIt}.
 */
export async function rewrap(pool: Pool, oldKeyHex: string, newKeyHex: string): Promise<number> {
  const [before, after] = [masterKeyFrom(oldKeyHex), masterKeyFrom(newKeyHex)];
  const client = await pool.connect();
  try {
    await client.query('begin');
    // Nobody makes a key under the old one meanwhile.
    await client.query('lock table vault.data_keys in share row exclusive mode');
    let count = 0;
    for (let last = ''; ;) {
      const { rows } = await client.query<{ user_id: string; wrapped_key: Buffer; wrapped_by: string }>(
        `select user_id, wrapped_key, wrapped_by from vault.data_keys
         where wrapped_key is not null and user_id > $1 order by user_id limit ${REWRAP_PAGE}`,
        [last],
      );
      const found = rows.filter(({ wrapped_by: by }) => by !== after.id);
      const wrapped = found.map(({ user_id: id, wrapped_key: box }) =>
        encrypt(after.key, opened(before.key, box, id), id),
      );
      await client.query(
        `update vault.data_keys k set wrapped_key = n.wrapped_key, wrapped_by = $3
         from unnest($1::text[], $2::bytea[]) as n (user_id, wrapped_key) where k.user_id = n.user_id`,
        [found.map(({ user_id: id }) => id), wrapped, after.id],
      );
      count += found.length;
      const end = rows.at(-1);
      if (end === undefined || rows.length < REWRAP_PAGE) break;
      last = end.user_id;
    }
    await client.query('commit');
    return count;
  } catch (failure) {
    await client.query('rollback');
    throw failure;
  } finally {
    client.release();
  }
}

function opened(key: Buffer, box: Buffer, userId: string): Buffer {
  try {
    return decrypt(key, box, userId);
  } catch {
    throw new NotWrappedByIt(userId);
  }
}

/** A master key and the name by which rows say that it wraps them. */
function masterKeyFrom(hex: string): { readonly key: Buffer; readonly id: string } {
  const key = Buffer.from(hex, 'hex');
  if (key.length !== 32) throw new RangeError('The master key must be 32 bytes as 64 hexadecimal digits');
  return { key, id: createHash('sha256').update(key).digest('hex').slice(0, 8) };
}

/** Random bytes are drawn a page at a time: one call for each nonce was a twentieth of the journal's time. */
let ivs = Buffer.alloc(0);
function nextIv(): Buffer {
  if (ivs.length < IV_BYTES) ivs = randomBytes(IV_BYTES * 512);
  const iv = ivs.subarray(0, IV_BYTES);
  ivs = ivs.subarray(IV_BYTES);
  return iv;
}

/**
 * iv ‖ ciphertext ‖ tag; the owner's id is bound to it, so that a box cannot be passed off as another user's.
 */
function encrypt(key: Buffer, plain: Buffer, owner: string): Buffer {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, box: Buffer, owner: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** JSON with its keys in order, so that a body's meaning and not its spelling is compared. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
