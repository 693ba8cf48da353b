/**
 * Enrols passkeys, and asks for them. What an authenticator says is checked against the challenge that we
 * gave, our origin and the public key that the log holds; user verification (a finger, a face, a PIN) is
 * asked for each time.
 */
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Passkey, PasskeyProof, VerifyAssertion, VerifyEnrolment } from '#contracts/api/passkeys';
import { Credential } from '#contracts/events/passkeys';
import { isOutage } from '#contracts/outage';
import { Refusal } from '#edge/refusal';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { base32 } from '../journal/keys.js';
import { PUBLIC_URL } from '../parts.js';
import { StreamRunner } from '../streams/runner.js';
import { Vault } from '#log/vault';
import { passkeys, PASSKEYS_MOST, type PasskeyCommand } from './passkeys.decider.js';
import { PasskeyTokens, type Asker } from './passkey-tokens.js';

const NOT_TAKEN = 'This passkey could not be verified. Please try again.';
const UNREADABLE =
  'Your passkeys cannot be read at the moment, and what they guard stays guarded. Whoever runs this service has been told.';
const EXPIRED = 'This took too long or was done before. Please try again.';

export type CreationOptions = Awaited<ReturnType<typeof generateRegistrationOptions>>;
export type RequestOptions = Awaited<ReturnType<typeof generateAuthenticationOptions>>;

/** Derived from the credential's id, which is random: the same passkey is the same one in every process. */
const passkeyIdOf = (credentialId: string): string =>
  `psk_${base32(createHash('sha256').update(credentialId).digest()).slice(0, 26)}`;

interface EnrolledPasskey extends Credential {
  readonly id: string;
}

@Injectable()
export class PasskeyHandlers {
  readonly #origin: string;
  readonly #rpID: string;

  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly vault: Vault,
    private readonly tokens: PasskeyTokens,
    @Inject(PUBLIC_URL) publicUrl: string,
  ) {
    this.#origin = new URL(publicUrl).origin;
    this.#rpID = new URL(publicUrl).hostname;
  }

  /** The user's passkeys that can be read, oldest first; none of a forgotten one. */
  async of(userId: string): Promise<EnrolledPasskey[]> {
    return (await this.#opened(userId)).flatMap((passkey) => passkey ?? []);
  }

  /** Whether the user has a passkey to be asked for; one that cannot be read guards all the same. */
  async guards(userId: string): Promise<boolean> {
    return (await this.#opened(userId)).length > 0;
  }

  /** The user's passkeys, undefined in the place of each that cannot be read; none of a forgotten one. */
  async #opened(userId: string): Promise<(EnrolledPasskey | undefined)[]> {
    const state = await this.streams.read(passkeys, userId);
    const opened = await Promise.all(
      [...state].map(async ([id, sealed]) => {
        const plain = await this.vault.unsealOr(sealed, null);
        if (plain === null) return [undefined];
        return plain === undefined ? [] : [{ id, ...Credential.parse(JSON.parse(plain)) }];
      }),
    );
    return opened.flat();
  }

  async list(userId: string): Promise<Passkey[]> {
    return (await this.of(userId)).map(shown);
  }

  async enrolmentOptions(asker: Asker, username: string): Promise<CreationOptions> {
    const [known, { token }] = await Promise.all([this.of(asker.userId), this.tokens.give('enrol', asker)]);
    if (known.length >= PASSKEYS_MOST)
      throw new Refusal(422, `You have ${PASSKEYS_MOST} passkeys already. Remove one first.`);
    return generateRegistrationOptions({
      rpName: 'Encore',
      rpID: this.#rpID,
      userName: username,
      userID: new TextEncoder().encode(asker.userId),
      challenge: Buffer.from(token, 'base64url'),
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
  }

  /** Throws a {@link Refusal} for what does not hold, and Rejected. */
  async enrol(asker: Asker, { response, label }: VerifyEnrolment, correlationId: string): Promise<Passkey> {
    const { userId } = asker;
    const verified = await this.#checked('enrol', asker, (expectedChallenge) =>
      verifyRegistrationResponse({
        response,
        expectedChallenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#rpID,
        requireUserVerification: true,
      }),
    );
    if (!verified.verified) throw new Refusal(400, NOT_TAKEN);
    const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
    const passkeyId = passkeyIdOf(credentialId);
    const credential: Credential = {
      credentialId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      transports: response.response.transports,
      label,
      enrolledAt: new Date().toISOString(),
    };
    await this.tokens.noteCount(passkeyId, counter);
    const sealed = await this.vault.seal(userId, JSON.stringify(credential));
    await this.ask({ type: 'EnrolPasskey', userId, passkeyId, credential: sealed }, correlationId);
    return shown({ id: passkeyId, ...credential });
  }

  async assertionOptions(asker: Asker): Promise<RequestOptions> {
    const known = await this.of(asker.userId);
    if (known.length === 0)
      throw new Refusal(
        409,
        (await this.guards(asker.userId)) ? UNREADABLE : 'You have no passkey yet. Add one first.',
      );
    const { token } = await this.tokens.give('assert', asker);
    return generateAuthenticationOptions({
      rpID: this.#rpID,
      challenge: Buffer.from(token, 'base64url'),
      allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      userVerification: 'required',
    });
  }

  /** A proof for one call. Throws a {@link Refusal} for what does not hold. */
  async assert(asker: Asker, { response }: VerifyAssertion): Promise<PasskeyProof> {
    const known = (await this.of(asker.userId)).find(({ credentialId }) => credentialId === response.id);
    // What was said is used up also by a passkey that is not theirs.
    const verified = await this.#checked('assert', asker, async (expectedChallenge) => {
      if (!known) throw new Error('Not a passkey of theirs');
      return verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#rpID,
        requireUserVerification: true,
        // Its count of uses is compared below, where two processes cannot both be the first.
        credential: {
          id: known.credentialId,
          publicKey: Buffer.from(known.publicKey, 'base64url'),
          counter: 0,
        },
      });
    });
    if (!known || !verified.verified) throw new Refusal(400, NOT_TAKEN);
    if (!(await this.tokens.noteCount(known.id, verified.authenticationInfo.newCounter)))
      throw new Refusal(400, 'This passkey seems to have been copied. Remove it and add a new one.');
    const { token, expiresAt } = await this.tokens.give('proof', asker);
    return { proof: token, expiresAt: expiresAt.toISOString() };
  }

  async remove(userId: string, passkeyId: string, correlationId: string): Promise<void> {
    await this.ask({ type: 'RemovePasskey', userId, passkeyId }, correlationId);
  }

  /** Whether the proof was given to this session, and has not been shown before. */
  takesProof(asker: Asker, proof: string): Promise<boolean> {
    return this.tokens.take('proof', proof, asker);
  }

  private async ask(command: PasskeyCommand, correlationId: string): Promise<void> {
    const { userId } = command;
    await this.bus.execute(
      new ExecuteStreamCommand(passkeys, userId, command, { correlationId, actorId: userId }),
    );
  }

  /**
   * Runs a check with a challenge of ours that is used up by it. Whatever does not hold is one and the same
   * answer.
   */
  async #checked<T>(
    purpose: 'enrol' | 'assert',
    asker: Asker,
    check: (expectedChallenge: (challenge: string) => Promise<boolean>) => Promise<T>,
  ): Promise<T> {
    let taken: boolean | undefined;
    try {
      return await check(async (challenge) => (taken = await this.tokens.take(purpose, challenge, asker)));
    } catch (error) {
      if (taken === false) throw new Refusal(400, EXPIRED);
      if (isOutage(error)) throw error;
      throw new Refusal(400, NOT_TAKEN);
    }
  }
}

const shown = ({ id, label, enrolledAt }: EnrolledPasskey): Passkey => ({ id, label, createdAt: enrolledAt });
