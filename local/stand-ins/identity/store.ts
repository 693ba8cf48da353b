/**
 * What the identity provider must not forget: people, signing and cookie keys, sign-in sessions, grants and
 * tokens. One LMDB folder, written through to the disk before a request is answered.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { Adapter, AdapterPayload, JWK } from 'oidc-provider';

/** A user who can sign in. The password itself is not stored. */
export interface Person {
  /** Opaque and random: the `sub` of their tokens. */
  readonly id: string;
  /** In lower case: two mailboxes never differ in case alone. */
  readonly email: string;
  /** As they wrote it; no two differ in case alone. */
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  /** An argon2id hash in PHC form. */
  readonly passwordHash: string;
  /** Milliseconds since 1970. */
  readonly signedUpAt: number;
}
/** Why a person was not added. */
type TakenName = 'email' | 'username';

interface StoredToken {
  readonly payload: AdapterPayload;
  /** Milliseconds since 1970; undefined means never. */
  readonly expiresAt?: number;
}

export class IdentityStore {
  readonly #root: RootDatabase;
  readonly #people: Database<Person, string>;
  readonly #emails: Database<string, string>;
  readonly #usernames: Database<string, string>;
  readonly #tokens: Database<StoredToken, string[]>;
  readonly #byUid: Database<string, string>;
  readonly #byGrant: Database<true, string[]>;
  readonly #keys: Database<unknown, string>;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#root = open({ path: folder, maxDbs: 12 });
    this.#people = this.#root.openDB({ name: 'people' });
    this.#emails = this.#root.openDB({ name: 'emails' });
    this.#usernames = this.#root.openDB({ name: 'usernames' });
    this.#tokens = this.#root.openDB({ name: 'tokens' });
    this.#byUid = this.#root.openDB({ name: 'tokens-by-uid' });
    this.#byGrant = this.#root.openDB({ name: 'tokens-by-grant' });
    this.#keys = this.#root.openDB({ name: 'keys' });
  }

  person(id: string): Person | undefined {
    return this.#people.get(id);
  }

  personByEmail(email: string): Person | undefined {
    const id = this.#emails.get(email.toLowerCase());
    return id === undefined ? undefined : this.#people.get(id);
  }

  /** Adds a user, or says which of their email address and username is taken. */
  async add(person: Person): Promise<TakenName | undefined> {
    const taken = await this.#root.transaction((): TakenName | undefined => {
      if (this.#emails.doesExist(person.email)) return 'email';
      if (this.#usernames.doesExist(person.username.toLowerCase())) return 'username';
      void this.#people.put(person.id, person);
      void this.#emails.put(person.email, person.id);
      void this.#usernames.put(person.username.toLowerCase(), person.id);
      return undefined;
    });
    await this.#root.flushed;
    return taken;
  }

  /**
   * Changes a password, and signs the person out of every browser: whoever knew the old one is in none of
   * them.
   */
  async changePassword(id: string, passwordHash: string): Promise<void> {
    await this.#root.transaction(() => {
      const person = this.#people.get(id);
      if (!person) return;
      void this.#people.put(id, { ...person, passwordHash });
      for (const { key, value } of [
        ...this.#tokens.getRange({ start: ['Session'], end: ['Session', '\uffff'] }),
      ])
        if (value.payload.accountId === id) this.#forget('Session', key[1] ?? '');
    });
    await this.#root.flushed;
  }

  /** The key that signs tokens, and the one that signs cookies; made once. */
  async keys(): Promise<{ readonly signing: JWK; readonly cookies: string }> {
    return this.#root.transaction(() => {
      let signing = this.#keys.get('signing') as JWK | undefined;
      let cookies = this.#keys.get('cookies') as string | undefined;
      if (!signing) {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        signing = {
          ...privateKey.export({ format: 'jwk' }),
          kid: randomBytes(8).toString('hex'),
          use: 'sig',
          alg: 'RS256',
        } as JWK;
        void this.#keys.put('signing', signing);
      }
      if (!cookies) {
        cookies = randomBytes(32).toString('base64url');
        void this.#keys.put('cookies', cookies);
      }
      return { signing, cookies };
    });
  }

  /** What `oidc-provider` keeps its models in. */
  adapter(model: string): Adapter {
    const readFrom = (id: string): AdapterPayload | undefined => {
      const stored = this.#tokens.get([model, id]);
      return stored && (stored.expiresAt === undefined || stored.expiresAt > Date.now())
        ? stored.payload
        : undefined;
    };
    return {
      upsert: async (id, payload, expiresIn) => {
        const expiresAt = expiresIn === undefined ? undefined : Date.now() + expiresIn * 1000;
        await this.#root.transaction(() => {
          void this.#tokens.put([model, id], { payload, expiresAt });
          if (payload.uid !== undefined) void this.#byUid.put(payload.uid, id);
          if (payload.grantId !== undefined && model !== 'Grant')
            void this.#byGrant.put([payload.grantId, model, id], true);
        });
        // A session or a grant that a browser was given must be there after a power cut.
        await this.#root.flushed;
      },
      find: (id) => Promise.resolve(readFrom(id)),
      findByUid: (uid) => {
        const id = this.#byUid.get(uid);
        return Promise.resolve(id === undefined ? undefined : readFrom(id));
      },
      findByUserCode: () => Promise.resolve(undefined),
      consume: async (id) => {
        await this.#root.transaction(() => {
          const stored = this.#tokens.get([model, id]);
          if (stored)
            void this.#tokens.put([model, id], {
              ...stored,
              payload: { ...stored.payload, consumed: Math.floor(Date.now() / 1000) },
            });
        });
        // A code that was used once must stay used.
        await this.#root.flushed;
      },
      destroy: async (id) => {
        await this.#root.transaction(() => this.#forget(model, id));
        await this.#root.flushed;
      },
      revokeByGrantId: async (grantId) => {
        await this.#root.transaction(() => {
          for (const key of this.#grantMembers(grantId)) this.#forget(key[1] ?? '', key[2] ?? '');
        });
        await this.#root.flushed;
      },
    };
  }

  /** Removes what has expired; called now and then. */
  async forgetExpired(now: number): Promise<void> {
    await this.#root.transaction(() => {
      for (const { key, value } of [...this.#tokens.getRange()])
        if (value.expiresAt !== undefined && value.expiresAt <= now) this.#forget(key[0] ?? '', key[1] ?? '');
    });
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #grantMembers(grantId: string): string[][] {
    return [...this.#byGrant.getKeys({ start: [grantId], end: [grantId, '\uffff'] })];
  }

  #forget(model: string, id: string): void {
    const stored = this.#tokens.get([model, id]);
    if (!stored) return;
    void this.#tokens.remove([model, id]);
    if (stored.payload.uid !== undefined) void this.#byUid.remove(stored.payload.uid);
    if (stored.payload.grantId !== undefined) void this.#byGrant.remove([stored.payload.grantId, model, id]);
  }
}
