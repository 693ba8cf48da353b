/**
 * Enrols passkeys, asks for them, and removes them where an account is recovered. What an authenticator says
 * is checked against the challenge that we gave, our origin and the public key that the log holds; user
 * verification (a finger, a face, a PIN) is asked for each time.
 */
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
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
import { RemovePasskeysOf } from '../bus/account-recovery.js';
import { DropPasskeyCountsOf } from '../bus/forget-user.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { base32 } from '#log/digest';
import { PUBLIC_URL } from '../parts.js';
import { StreamRunner } from '../streams/runner.js';
import { Vault } from '#log/vault';
import { passkeys, PASSKEYS_MOST, type PasskeyCommand } from './passkeys.decider.js';
import { PasskeyTokens, type Asker } from './passkey-tokens.js';
import { Confirmations, type Caller } from '../step-up/confirmations.js';

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
    private readonly confirmations: Confirmations,
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
    const [known, token] = await Promise.all([this.of(asker.userId), this.tokens.give(asker)]);
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
    let taken: boolean | undefined;
    const verified = await checked(
      () =>
        verifyRegistrationResponse({
          response,
          // Used up by it, whatever comes of it.
          expectedChallenge: async (challenge) => (taken = await this.tokens.take(challenge, asker)),
          expectedOrigin: this.#origin,
          expectedRPID: this.#rpID,
          requireUserVerification: true,
        }),
      () => (taken === false ? EXPIRED : NOT_TAKEN),
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
    const sealed = await this.vault.seal(userId, JSON.stringify(credential));
    const isNew = await this.ask(
      { type: 'EnrolPasskey', userId, passkeyId, credential: sealed },
      correlationId,
    );
    // Of one that is there already only its own key may say how often it was used.
    if (isNew) await this.tokens.beginCount({ userId, passkeyId }, counter);
    return shown({ id: passkeyId, ...credential });
  }

  /** What the authenticator is to sign for what was asked to be confirmed. Throws a {@link Refusal}. */
  async assertionOptions(caller: Caller, confirm: string): Promise<RequestOptions> {
    const known = await this.of(caller.userId);
    if (known.length === 0)
      throw new Refusal(
        409,
        (await this.guards(caller.userId)) ? UNREADABLE : 'You have no passkey yet. Add one first.',
      );
    const challenge = await this.confirmations.challenge(caller, confirm);
    if (challenge === undefined) throw new Refusal(400, EXPIRED);
    return generateAuthenticationOptions({
      rpID: this.#rpID,
      challenge: new Uint8Array(challenge),
      allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
      userVerification: 'required',
    });
  }

  /**
   * A proof for the one call that was asked to be confirmed. Throws a {@link Refusal} for what does not hold.
   */
  async assert(caller: Caller, { confirm, response }: VerifyAssertion): Promise<PasskeyProof> {
    const known = (await this.of(caller.userId)).find(({ credentialId }) => credentialId === response.id);
    const challenge = await this.confirmations.challenge(caller, confirm);
    if (challenge === undefined) throw new Refusal(400, EXPIRED);
    if (!known) throw new Refusal(400, NOT_TAKEN);
    const verified = await checked(
      () =>
        verifyAuthenticationResponse({
          response,
          expectedChallenge: challenge.toString('base64url'),
          expectedOrigin: this.#origin,
          expectedRPID: this.#rpID,
          requireUserVerification: true,
          // Its count of uses is compared below, where two processes cannot both be the first.
          credential: {
            id: known.credentialId,
            publicKey: Buffer.from(known.publicKey, 'base64url'),
            counter: 0,
          },
        }),
      () => NOT_TAKEN,
    );
    if (!verified.verified) throw new Refusal(400, NOT_TAKEN);
    const own = { userId: caller.userId, passkeyId: known.id };
    if (!(await this.tokens.noteCount(own, verified.authenticationInfo.newCounter)))
      throw new Refusal(400, 'This passkey seems to have been copied. Remove it and add a new one.');
    const proven = await this.confirmations.prove(caller, confirm);
    if (proven === undefined) throw new Refusal(400, EXPIRED);
    return { proof: proven.proof, expiresAt: proven.expiresAt.toISOString() };
  }

  async remove(userId: string, passkeyId: string, correlationId: string): Promise<void> {
    await this.ask({ type: 'RemovePasskey', userId, passkeyId }, correlationId);
    await this.tokens.endCounts(userId, passkeyId);
  }

  /** Answers whether it changed anything. */
  private async ask(command: PasskeyCommand, correlationId: string): Promise<boolean> {
    const { userId } = command;
    const { events } = await this.bus.execute(
      new ExecuteStreamCommand(passkeys, userId, command, { correlationId, actorId: userId }),
    );
    return events.length > 0;
  }
}

/** The recovery of an account removes the passkeys of before. */
@CommandHandler(RemovePasskeysOf)
export class RemovePasskeysOfHandler implements ICommandHandler<RemovePasskeysOf> {
  constructor(
    private readonly bus: CommandBus,
    private readonly tokens: PasskeyTokens,
  ) {}

  async execute({ userId, provenance }: RemovePasskeysOf): Promise<void> {
    const command = { type: 'RemoveAllPasskeys', userId } as const;
    await this.bus.execute(new ExecuteStreamCommand(passkeys, userId, command, provenance));
    await this.tokens.endCounts(userId);
  }
}

/** What is kept beside the log of the passkeys of somebody who is forgotten. */
@CommandHandler(DropPasskeyCountsOf)
export class DropPasskeyCountsHandler implements ICommandHandler<DropPasskeyCountsOf> {
  constructor(private readonly tokens: PasskeyTokens) {}

  execute({ userId }: DropPasskeyCountsOf): Promise<void> {
    return this.tokens.endCounts(userId);
  }
}

/** Runs a check; whatever does not hold is one and the same answer, in the words of `sentence`. */
async function checked<T>(check: () => Promise<T>, sentence: () => string): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (isOutage(error)) throw error;
    throw new Refusal(400, sentence());
  }
}

const shown = ({ id, label, enrolledAt }: EnrolledPasskey): Passkey => ({ id, label, createdAt: enrolledAt });
