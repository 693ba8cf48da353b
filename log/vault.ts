/**
 * Seals what names a person: names, addresses, notes. Each user's texts are under a data key of their own;
 * destroying it makes all that it sealed unreadable, in the log as well. The ledger alone has this half of
 * the vault; `vault-reader.ts` is the other.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Pool } from 'pg';
import type { Sealed } from '#contracts/events/journal';
import { encrypt, newDataKey } from './vault-encryption.js';
import { VaultReader, type UnreadableText } from './vault-reader.js';

/** Whose row the seals' key has among the data keys: no user's id begins like it. */
const SEALS = '@provider-seals';

/** The user asked to be forgotten; nothing more can be sealed for them. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
}

export class Vault extends VaultReader {
  /** `onUnreadable` is told of each text that does not open and that whoever asked goes on without. */
  static override open(
    pool: Pool,
    masterKeyHex: string,
    onUnreadable?: (found: UnreadableText) => void,
  ): Vault {
    return new Vault(pool, masterKeyHex, onUnreadable);
  }

  /**
   * Seals a text for a user, making their key at first use. Throws {@link KeyDestroyed} for a forgotten user.
   */
  async seal(userId: string, text: string): Promise<Sealed> {
    const key = (await this.keyOf(userId)) ?? (await this.#makeKey(userId));
    return `sealed:${userId}:${encrypt(key, Buffer.from(text, 'utf8'), userId).toString('base64url')}`;
  }

  /**
   * A keyed digest of a request's body: equal bodies of one user are equal, and it tells nothing without the
   * key.
   */
  async fingerprint(userId: string, body: unknown): Promise<string> {
    const key = (await this.keyOf(userId)) ?? (await this.#makeKey(userId));
    return createHmac('sha256', key).update(canonical(body)).digest('base64url');
  }

  /** Destroys a user's key and leaves a tombstone. Everything sealed for them is unreadable from here on. */
  async forget(userId: string): Promise<void> {
    await this.pool.query(
      `insert into vault.data_keys (user_id, wrapped_by, destroyed_at) values ($1, $2, now())
       on conflict (user_id) do update set wrapped_key = null, destroyed_at = coalesce(vault.data_keys.destroyed_at, now())`,
      [userId, this.masterKey.id],
    );
    this.drop(userId);
  }

  /**
   * The key that seals our objects at the card provider. It is derived once, from the master key of that time,
   * and kept wrapped with the data keys from then on: a master key that is put in the place of the old one wraps
   * it anew, and what was sealed before is still ours.
   */
  async sealKey(): Promise<Buffer> {
    const known = await this.keyOf(SEALS);
    if (known) return known;
    const derived = hkdfSync('sha256', this.masterKey.key, '', 'encore/provider-metadata/1', 32);
    return this.#makeKey(SEALS, Buffer.from(derived));
  }

  async #makeKey(userId: string, key = newDataKey()): Promise<Buffer> {
    const wrapped = encrypt(this.masterKey.key, key, userId);
    // Whoever inserts first made the key; the other one reads it.
    await this.pool.query(
      `insert into vault.data_keys (user_id, wrapped_key, wrapped_by) values ($1, $2, $3) on conflict do nothing`,
      [userId, wrapped, this.masterKey.id],
    );
    const stored = await this.keyOf(userId);
    if (!stored) throw new KeyDestroyed(`User ${userId} was forgotten; nothing can be sealed for them.`);
    return stored;
  }
}

/** JSON with its keys in order, so that a body's meaning and not its spelling is compared. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
