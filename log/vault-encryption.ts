/** How the vault encrypts: AES-256-GCM, for texts under a user's data key, for data keys under the master key. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** What wraps the data keys, and the name by which rows say that it wraps them. */
export interface MasterKey {
  readonly key: Buffer;
  readonly id: string;
}

/** Reads a master key of 32 bytes from hexadecimal digits. */
export function masterKeyFrom(hex: string): MasterKey {
  const key = Buffer.from(hex, 'hex');
  if (key.length !== KEY_BYTES)
    throw new RangeError('The master key must be 32 bytes as 64 hexadecimal digits');
  return { key, id: createHash('sha256').update(key).digest('hex').slice(0, 8) };
}

export const newDataKey = (): Buffer => randomBytes(KEY_BYTES);

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
export function encrypt(key: Buffer, plain: Buffer, owner: string): Buffer {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what {@link encrypt} made. Throws for another key, another owner, or a changed box. */
export function decrypt(key: Buffer, box: Buffer, owner: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
