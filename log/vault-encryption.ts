/**
 * How the vault encrypts, and which key it uses for what. AES-256-GCM, for texts under a user's data key, for
 * data keys under the master key. Every key that is used is derived for one purpose by HKDF-SHA-256 (RFC
 * 5869) from the data key or the master key, so that none both encrypts and authenticates. What was made
 * before keys were derived is under the data key or the master key itself, and is still opened and compared;
 * nothing is made so any more.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** For one purpose; the number is the version of how it is derived. */
const derived = (key: Buffer, purpose: 'wrap-data-keys/1' | 'text/1' | 'fingerprint/1'): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `encore/${purpose}`, KEY_BYTES));

/** What wraps the data keys, and the name by which rows say that it wraps them. */
export interface MasterKey {
  readonly key: Buffer;
  readonly id: string;
  /** Derived from it: what wraps data keys now. */
  readonly wrapping: Buffer;
  /** How a row names that. */
  readonly wrappedBy: string;
}

/** Reads a master key of 32 bytes from hexadecimal digits. */
export function masterKeyFrom(hex: string): MasterKey {
  const key = Buffer.from(hex, 'hex');
  if (key.length !== KEY_BYTES)
    throw new RangeError('The master key must be 32 bytes as 64 hexadecimal digits');
  const id = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return { key, id, wrapping: derived(key, 'wrap-data-keys/1'), wrappedBy: `${id}/1` };
}

/** The master key that a row names, whichever way it wraps it. */
export const masterKeyIdIn = (wrappedBy: string): string => wrappedBy.split('/')[0]!;

export const newDataKey = (): Buffer => randomBytes(KEY_BYTES);

/** One version of a user's data key, with what is derived from it. */
export interface DataKey {
  readonly version: number;
  /** As it was drawn. Texts of before keys were derived are under it. */
  readonly drawn: Buffer;
  readonly forTexts: Buffer;
  readonly forFingerprints: Buffer;
}

export const dataKey = (version: number, drawn: Buffer): DataKey => ({
  version,
  drawn,
  forTexts: derived(drawn, 'text/1'),
  forFingerprints: derived(drawn, 'fingerprint/1'),
});

/**
 * Bound to what it wraps or seals: a box cannot be passed off as another user's, or as one under another
 * version.
 */
const ownerOf = (userId: string, version: number): string => `${userId}/${version}`;

export const wrapDataKey = (master: MasterKey, userId: string, version: number, drawn: Buffer): Buffer =>
  encrypt(master.wrapping, drawn, ownerOf(userId, version));

/** A data key as a row holds it. */
export interface WrappedKey {
  readonly version: number;
  readonly wrapped_key: Buffer;
  readonly wrapped_by: string;
}

/** Unwraps a data key by whichever of the master keys wraps it; undefined where none does. */
export function unwrapDataKey(
  masters: readonly MasterKey[],
  userId: string,
  { version, wrapped_key: box, wrapped_by: by }: WrappedKey,
): Buffer | undefined {
  // The one that the row names first; a note that was damaged keeps nobody from their texts.
  const inOrder = [...masters].sort(
    (a, b) => Number(b.id === masterKeyIdIn(by)) - Number(a.id === masterKeyIdIn(by)),
  );
  for (const { key, wrapping } of inOrder)
    for (const [opening, owner] of [
      [wrapping, ownerOf(userId, version)],
      [key, userId],
    ] as const)
      try {
        return decrypt(opening, box, owner);
      } catch {
        // Not this one.
      }
  return undefined;
}

/** A text under one version of its owner's data key: the version, a dot, and the box. */
export const sealText = (key: DataKey, userId: string, text: string): string =>
  `${key.version}.${encrypt(key.forTexts, Buffer.from(text, 'utf8'), ownerOf(userId, key.version)).toString('base64url')}`;

/**
 * Which version a sealed text names; undefined for one of before, which is under the first data key itself.
 */
export function versionIn(sealed: string): number | undefined {
  const [, version] = /^(\d{1,9})\./.exec(sealed) ?? [];
  return version === undefined ? undefined : Number(version);
}

/**
 * Opens what {@link sealText} made, and texts of before. Throws for another key, another owner, or a changed
 * box.
 */
export function openText(key: DataKey, userId: string, sealed: string): string {
  const version = versionIn(sealed);
  const [by, box, owner] =
    version === undefined
      ? [key.drawn, sealed, userId]
      : [key.forTexts, sealed.slice(sealed.indexOf('.') + 1), ownerOf(userId, version)];
  return decrypt(by, Buffer.from(box, 'base64url'), owner).toString('utf8');
}

/** Random bytes are drawn a page at a time: one call for each nonce was a twentieth of the journal's time. */
let ivs = Buffer.alloc(0);
function nextIv(): Buffer {
  if (ivs.length < IV_BYTES) ivs = randomBytes(IV_BYTES * 512);
  const iv = ivs.subarray(0, IV_BYTES);
  ivs = ivs.subarray(IV_BYTES);
  return iv;
}

/** iv ‖ ciphertext ‖ tag; the owner is bound to it. */
function encrypt(key: Buffer, plain: Buffer, owner: string): Buffer {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what {@link encrypt} made. Throws for another key, another owner, or a changed box. */
function decrypt(key: Buffer, box: Buffer, owner: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
