/**
 * Seals what names a person: names, addresses, notes. Each user's texts are under data keys of their own;
 * destroying them makes all that it sealed unreadable, in the log as well. The ledger alone has this half of
 * the vault; `vault-reader.ts` is the other.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Sealed } from '#contracts/events/journal';
import { OUTAGE_CODE } from '#contracts/outage';
import { inTransaction } from './transaction.js';
import { newDataKey, sealText, wrapDataKey, type DataKey } from './vault-encryption.js';
import { FIRST_VERSION, VaultReader, type MasterKeys, type UnreadableText } from './vault-reader.js';

/** Whose row the seals' key has among the data keys: no user's id begins like it. */
export const PROVIDER_SEALS = '@provider-seals';

/** The user asked to be forgotten; nothing more can be sealed for them. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
}

const LOST =
  'The vault is empty, and this process has read its data keys: it was lost, or DATABASE_URL leads to another database by now. ' +
  'Nothing is sealed until it is there again. Restore it: docs/how-to/back-up.md.';

/**
 * The data keys are gone from under a process that has read them: one that drew new keys would put them in
 * the places of those that a backup has. Says nothing of what was asked.
 */
export class VaultLost extends Error {
  override readonly name = 'VaultLost';
  readonly answer = { status: 503, code: OUTAGE_CODE };
  constructor() {
    super(LOST);
  }
}

export class Vault extends VaultReader {
  /** The first key that there is, which no build deletes: without it, all of them are gone. */
  #hasSealKey = false;

  /** `onUnreadable` is told of each text that does not open and that whoever asked goes on without. */
  static override open(
    pool: Pool,
    masterKeys: string | MasterKeys,
    onUnreadable?: (found: UnreadableText) => void,
  ): Vault {
    return new Vault(pool, masterKeys, onUnreadable);
  }

  /**
   * Seals a text for a user under their newest key, making one at first use. Throws {@link KeyDestroyed} for
   * a forgotten user, and {@link VaultLost}.
   */
  async seal(userId: string, text: string): Promise<Sealed> {
    const [newest] = await this.#keysFor(userId);
    return `sealed:${userId}:${sealText(newest, userId, text)}`;
  }

  /**
   * Keyed digests of a request's body: equal bodies of one user are equal, and it tells nothing without the
   * key. One for each key that there was, the newest first: see contracts/plain/fingerprint.ts.
   */
  async fingerprint(userId: string, body: unknown): Promise<string> {
    const keys = await this.#keysFor(userId);
    const text = canonical(body);
    const digest = (key: Buffer): string => createHmac('sha256', key).update(text).digest('base64url');
    return [
      ...keys.map(({ version, forFingerprints }) => `f${version}.${digest(forFingerprints)}`),
      // Of before keys were derived.
      ...keys.filter(({ version }) => version === FIRST_VERSION).map(({ drawn }) => digest(drawn)),
    ].join(' ');
  }

  /**
   * Destroys all of a user's keys and leaves tombstones. Everything sealed for them is unreadable from here
   * on. Throws {@link VaultLost}: tombstones alone would look like a vault that is there.
   */
  async forget(userId: string): Promise<void> {
    await inTransaction(this.pool, (client) => this.forgetIn(client, userId));
    this.drop(userId);
  }

  /** The same in a transaction of the caller's, who drops the keys in memory once it is done. */
  async forgetIn(transaction: PoolClient, userId: string): Promise<void> {
    if (await this.#isLost(transaction)) throw new VaultLost();
    // The first version's row holds off whoever makes a further one; what they made before is destroyed
    // below.
    await transaction.query(
      `insert into vault.data_keys (user_id, version, wrapped_by, destroyed_at) values ($1, ${FIRST_VERSION}, $2, now())
       on conflict (user_id, version) do update
         set wrapped_key = null, destroyed_at = now() where vault.data_keys.destroyed_at is null`,
      [userId, this.masterKey.wrappedBy],
    );
    await transaction.query(
      `update vault.data_keys set wrapped_key = null, destroyed_at = now() where user_id = $1 and destroyed_at is null`,
      [userId],
    );
  }

  /**
   * The key that seals our objects at the card provider. It is derived once, from the master key of that
   * time, and kept wrapped with the data keys from then on: a master key that is put in the place of the old
   * one wraps it anew, and what was sealed before is still ours.
   */
  async sealKey(): Promise<Buffer> {
    const derived = hkdfSync('sha256', this.masterKey.key, '', 'encore/provider-metadata/1', 32);
    const [known] = await this.keysOf(PROVIDER_SEALS);
    const [{ drawn }] = known ? [known] : await this.#makeFirstKey(PROVIDER_SEALS, Buffer.from(derived));
    this.#hasSealKey = true;
    return drawn;
  }

  /**
   * What is to be done where the data keys are gone since this process has read them; undefined while they
   * are there, as far as can be asked.
   */
  async lostProblem(): Promise<string | undefined> {
    return (await this.#isLost().catch(() => false)) ? LOST : undefined;
  }

  async #isLost(db: Pick<PoolClient, 'query'> = this.pool): Promise<boolean> {
    if (!this.#hasSealKey) return false;
    const { rowCount } = await db.query('select 1 from vault.data_keys where user_id = $1', [PROVIDER_SEALS]);
    return rowCount === 0;
  }

  async #keysFor(userId: string): Promise<readonly [DataKey, ...DataKey[]]> {
    const [newest, ...older] = await this.keysOf(userId);
    return newest ? [newest, ...older] : this.#makeFirstKey(userId);
  }

  /**
   * A living key's row is never deleted: one that is gone had not come to a standby that took over since, and
   * texts of the log are under it. Where the owner was forgotten it stays away, and where all keys are gone.
   */
  protected override async putBack(userId: string, lost: readonly DataKey[]): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `insert into vault.data_keys (user_id, version, wrapped_key, wrapped_by)
       select $1, k.version, k.wrapped_key, $4 from unnest($2::int[], $3::bytea[]) as k (version, wrapped_key)
        where not exists (select from vault.data_keys where user_id = $1 and destroyed_at is not null)
          and exists (select from vault.data_keys where user_id = '${PROVIDER_SEALS}')
       on conflict do nothing`,
      [
        userId,
        lost.map(({ version }) => version),
        lost.map(({ version, drawn }) => wrapDataKey(this.masterKey, userId, version, drawn)),
        this.masterKey.wrappedBy,
      ],
    );
    return rowCount !== 0;
  }

  async #makeFirstKey(userId: string, drawn = newDataKey()): Promise<readonly [DataKey, ...DataKey[]]> {
    const wrapped = wrapDataKey(this.masterKey, userId, FIRST_VERSION, drawn);
    // Whoever inserts first made the key; the other one reads it.
    await this.pool.query(
      `insert into vault.data_keys (user_id, version, wrapped_key, wrapped_by)
       select $1, ${FIRST_VERSION}, $2, $3
        where not $4::boolean or exists (select from vault.data_keys where user_id = '${PROVIDER_SEALS}')
       on conflict do nothing`,
      [userId, wrapped, this.masterKey.wrappedBy, this.#hasSealKey],
    );
    const [newest, ...older] = await this.keysOf(userId);
    if (!newest && (await this.#isLost())) throw new VaultLost();
    if (!newest) throw new KeyDestroyed(`User ${userId} was forgotten; nothing can be sealed for them.`);
    return [newest, ...older];
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
