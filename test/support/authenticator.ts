/**
 * An authenticator in software: makes a passkey (ES256, no attestation) and confirms with it, as a phone does
 * once its owner has shown a finger. Written from the WebAuthn text (§6.5, §7) and CBOR's; what it can be
 * told to get wrong is what a server must notice.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { Passkey, PasskeyProof } from '#contracts/api/passkeys';
import { PASSKEY_REQUIRED, RequestedConfirmation } from '#contracts/api/step-up';
import { json, type Answer, type Person } from './person.js';

type Cbor = number | string | Buffer | readonly (readonly [number | string, Cbor])[];

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}
/** A map is a list of pairs, in the order in which they are written. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface Slip {
  readonly origin?: string;
  readonly rpId?: string;
  /** No finger was shown. */
  readonly unverified?: boolean;
  /** Somebody else's key signs. */
  readonly forged?: boolean;
  /** The count of uses stands still, as a copy's would. */
  readonly counter?: number;
}

export class Authenticator {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly credentialId = randomBytes(32);
  #counter = 0;

  constructor(
    private readonly origin: string,
    private readonly rpId = new URL(origin).hostname,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
  }

  /** What navigator.credentials.create answers, as JSON. */
  create(options: { challenge: string }, slip: Slip = {}) {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const cose = cbor([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const length = Buffer.from([this.credentialId.length >> 8, this.credentialId.length & 0xff]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, cose]);
    const authData = Buffer.concat([this.#head(slip, ATTESTED), attested]);
    const attestationObject = cbor([
      ['fmt', 'none'],
      ['attStmt', []],
      ['authData', authData],
    ]);
    return this.#said({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, slip).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'telepathy'],
    });
  }

  /** What navigator.credentials.get answers, as JSON. */
  get(options: { challenge: string }, slip: Slip = {}) {
    const authenticatorData = this.#head(slip, 0);
    const clientData = this.#clientData('webauthn.get', options.challenge, slip);
    const key = slip.forged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : this.#key;
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key);
    return this.#said({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #said<T extends object>(response: T) {
    const id = this.credentialId.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
      response,
    };
  }

  #head({ rpId = this.rpId, unverified = false, counter }: Slip, more: number): Buffer {
    this.#counter = counter ?? this.#counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.from([PRESENT | (unverified ? 0 : VERIFIED) | more]), count]);
  }

  #clientData(type: string, challenge: string, { origin = this.origin }: Slip): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

/** What an authenticator is handed to make a passkey. */
export async function enrolmentOptions(person: Person): Promise<{ challenge: string }> {
  return optionsOf(await person.post('/api/passkeys/enrolment/options', {}));
}

/** What an authenticator is handed to confirm what a refused call asked for. */
export async function assertionOptions(person: Person, refused: Answer): Promise<{ challenge: string }> {
  return optionsOf(
    await person.post('/api/passkeys/assertion/options', { confirm: confirmationOf(refused).id }),
  );
}

function optionsOf(answer: Answer): { challenge: string } {
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return json(answer) as { challenge: string };
}

const AsksForPasskey = z.object({
  code: z.literal(PASSKEY_REQUIRED),
  confirm: RequestedConfirmation.required({ id: true, expiresAt: true }),
});

/** What a call that was refused asks to be confirmed; throws where it asks for no passkey. */
export function confirmationOf(refused: Answer) {
  if (refused.status !== 403) throw new Error(`Answered ${refused.status}: ${refused.text}`);
  return AsksForPasskey.parse(json(refused)).confirm;
}

/**
 * The whole way of confirming what a refused call asked for: the proof, as the header that the same call
 * shows.
 */
export async function proofFor(
  person: Person,
  authenticator: Authenticator,
  refused: Answer,
): Promise<Record<string, string>> {
  const response = authenticator.get(await assertionOptions(person, refused));
  const body = { confirm: confirmationOf(refused).id, response };
  const answer = await person.post('/api/passkeys/assertion/verify', body);
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return { [PASSKEY_PROOF_HEADER]: PasskeyProof.parse(json(answer)).proof };
}

/** Makes a guarded call as the browser does: asked, confirmed, and sent again unchanged. */
export async function confirmed(
  person: Person,
  authenticator: Authenticator,
  call: (proof: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  return call(await proofFor(person, authenticator, await call({})));
}

/** The whole way of adding a passkey; `by` confirms it where the owner is asked for one that is there. */
export async function enrolPasskey(
  person: Person,
  authenticator: Authenticator,
  by?: Authenticator,
): Promise<Passkey> {
  const response = authenticator.create(await enrolmentOptions(person));
  const verify = (proof: Record<string, string>): Promise<Answer> =>
    person.post('/api/passkeys/enrolment/verify', { response, label: 'A telephone of the house' }, proof);
  const answer = by === undefined ? await verify({}) : await confirmed(person, by, verify);
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return Passkey.parse(json(answer));
}
