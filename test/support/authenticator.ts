/**
 * An authenticator in software: makes a passkey (ES256, no attestation) and confirms with it, as a phone does
 * once its owner has shown a finger. Written from the WebAuthn text (§6.5, §7) and CBOR's; what it can be
 * told to get wrong is what a server must notice.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { Passkey, PasskeyProof } from '#contracts/api/passkeys';
import { json, type Person } from './person.js';

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

/** Asks for options at one of the calls under /api/passkeys; throws unless they were given. */
export async function passkeyOptions(
  person: Person,
  kind: 'enrolment' | 'assertion',
): Promise<{ challenge: string }> {
  const answer = await person.post(`/api/passkeys/${kind}/options`, {});
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return json(answer) as { challenge: string };
}

/** The whole way of adding a passkey. */
export async function enrolPasskey(
  person: Person,
  authenticator: Authenticator,
  proof?: string,
): Promise<Passkey> {
  const response = authenticator.create(await passkeyOptions(person, 'enrolment'));
  const headers: Record<string, string> = proof === undefined ? {} : { [PASSKEY_PROOF_HEADER]: proof };
  const answer = await person.post(
    '/api/passkeys/enrolment/verify',
    { response, label: 'A telephone of the house' },
    headers,
  );
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return Passkey.parse(json(answer));
}

/** The whole way of confirming with one. */
export async function provePasskey(person: Person, authenticator: Authenticator): Promise<string> {
  const response = authenticator.get(await passkeyOptions(person, 'assertion'));
  const answer = await person.post('/api/passkeys/assertion/verify', { response });
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return PasskeyProof.parse(json(answer)).proof;
}
