/** What a form that was sent comes to: who is signed in by it, or what is wrong. */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { FieldErrors, FormValues } from './form-values.js';
import { sendMail } from './mail.js';
import { CODE_MINUTES, PasswordResets } from './password-resets.js';
import type { IdentityStore } from './store.js';
import { TryLimit } from './try-limit.js';

const TRIES_WITHIN_MS = 10 * 60_000;
/** Codes that one address is sent within ten minutes. */
const MOST_CODES = 3;
// The library's own choice is argon2id; OWASP's parameters for it: 19 MiB, two passes, one lane.
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface AccountSettings {
  /** Failed tries of one email address from one network address, within ten minutes. */
  readonly signInTries: number;
  /**
   * Where codes for forgotten passwords go out; without it, or where it asks for a password, none are
   * offered.
   */
  readonly smtpUrl: string;
}

/** A form that is shown again: what is wrong with a field, or in a sentence above it. */
export interface RefusedForm {
  readonly status: 422 | 429;
  readonly errors: FieldErrors;
  readonly notice?: string;
  /** Nothing that was sent is filled in again. */
  readonly isEmptied?: true;
}

/** The accounts, and how often each may be tried. */
export class Accounts {
  readonly #tries: TryLimit;
  readonly #codes = new TryLimit(MOST_CODES, TRIES_WITHIN_MS);
  readonly #resets = new PasswordResets();
  // Compared with when the address is unknown, so that an answer takes as long as for one that is known.
  readonly #hashOfNoPassword = hash(randomBytes(16), ARGON2);

  constructor(
    private readonly store: IdentityStore,
    private readonly settings: AccountSettings,
  ) {
    this.#tries = new TryLimit(settings.signInTries, TRIES_WITHIN_MS);
  }

  /** Adds somebody. Answers their id. */
  async signUp({
    email,
    username,
    firstName,
    lastName,
    password,
  }: FormValues): Promise<string | RefusedForm> {
    const id = randomBytes(16).toString('base64url');
    const passwordHash = await hash(password, ARGON2);
    const taken = await this.store.add({
      id,
      email,
      username,
      firstName,
      lastName,
      passwordHash,
      signedUpAt: Date.now(),
    });
    if (taken === undefined) return id;
    return wrong(
      taken === 'email'
        ? { email: 'There is an account with this email address already. Sign in instead.' }
        : { username: `The username ${username} is taken. Choose another.` },
    );
  }

  /** Whose address and password these are, by their id. `from` is the network address of who tries. */
  async signIn({ email, password }: FormValues, from: string): Promise<string | RefusedForm> {
    const key = `${email} ${from}`;
    const waitMs = this.#tries.waitMs(key, Date.now());
    if (waitMs > 0) {
      const minutes = Math.ceil(waitMs / 60_000);
      return tooMany(
        `Too many tries. Wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, then try again.`,
      );
    }
    // Counted before the slow comparison, so that many tries at once are not many more tries.
    this.#tries.failed(key, Date.now());
    const person = this.store.personByEmail(email);
    const right = await verify(person?.passwordHash ?? (await this.#hashOfNoPassword), password);
    if (!person || !right)
      return wrong({ password: 'The email address or the password is not right. Try again.' });
    this.#tries.succeeded(key);
    return person.id;
  }

  /**
   * Sends a code to an address that has an account; answers the same for one that has none. `page` is the
   * sign-in's id.
   */
  sendCode({ email }: FormValues, page: string): RefusedForm | undefined {
    const now = Date.now();
    if (this.#codes.waitMs(email, now) > 0)
      return tooMany('This address has been sent several codes. Wait ten minutes, then try again.');
    this.#codes.failed(email, now);
    const person = this.store.personByEmail(email);
    if (!person) {
      this.#resets.end(page);
      return undefined;
    }
    const code = this.#resets.begin(page, person.id, now);
    // Not waited for: the answer takes as long as for an address without an account.
    sendMail(this.settings.smtpUrl, {
      to: person.email,
      subject: 'Your code for a new password',
      lines: [
        `Your code is ${code}.`,
        `It is good for ${CODE_MINUTES} minutes, in the browser that asked for it.`,
        'If you did not ask for it, do nothing: your password stays as it is.',
      ],
    }).catch((failure: unknown) => console.error(failure));
    return undefined;
  }

  /** Changes the password of whoever was sent this code. Answers their id. */
  async changePassword({ code, password }: FormValues, page: string): Promise<string | RefusedForm> {
    const personId = this.#resets.personOf(page, code, Date.now());
    if (personId === undefined)
      return {
        ...wrong({
          code: 'This code is not right, or no longer good. Look at the newest mail, or ask for another.',
        }),
        isEmptied: true,
      };
    this.#resets.end(page);
    await this.store.changePassword(personId, await hash(password, ARGON2));
    return personId;
  }
}

const wrong = (errors: FieldErrors): RefusedForm => ({ status: 422, errors });
const tooMany = (notice: string): RefusedForm => ({ status: 429, errors: {}, notice });
