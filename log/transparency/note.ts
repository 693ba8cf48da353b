/**
 * Signed notes (C2SP signed-note): a text, and below it lines with signatures by Ed25519 keys that have
 * names. The encodings of keys are those of Go's golang.org/x/mod/sumdb/note.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** Kinds of signature: a log's own, and a witness', which signs the time besides. */
const ED25519 = 0x01;
const COSIGNATURE = 0x04;
type Kind = typeof ED25519 | typeof COSIGNATURE;

const ID_BYTES = 4;
const TIME_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

// What DER puts before the 32 bytes of a key (RFC 8410).
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** A note that is not well formed, or that lacks a good signature; the message says which. */
export class NoteRefused extends Error {
  override readonly name = 'NoteRefused';
}

export interface Verifier {
  readonly name: string;
  readonly id: Buffer;
  readonly kind: Kind;
  readonly key: KeyObject;
  /** As text: name, id and key, with a + between them. */
  readonly text: string;
}

export interface Signer {
  readonly verifier: Verifier;
  readonly key: KeyObject;
}

const isName = (name: string): boolean => /^[^\s+\u0000-\u001f]{1,200}$/u.test(name);

function verifierOf(name: string, kind: Kind, bytes: Buffer): Verifier {
  if (!isName(name))
    throw new NoteRefused(
      `"${name}" cannot name a key: it has no blanks and no +, and 200 characters at most.`,
    );
  const typed = Buffer.concat([Buffer.of(kind), bytes]);
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, ID_BYTES);
  return {
    name,
    id,
    kind,
    key: createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' }),
    text: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
  };
}

/** The key that these 32 secret bytes (64 hexadecimal digits) are, under a name. */
export function signerFrom(name: string, secretHex: string, use: 'log' | 'witness' = 'log'): Signer {
  const seed = Buffer.from(secretHex, 'hex');
  if (seed.length !== KEY_BYTES) throw new NoteRefused('A signing key is 32 bytes as 64 hexadecimal digits.');
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);
  return { verifier: verifierOf(name, use === 'log' ? ED25519 : COSIGNATURE, raw), key };
}

/** Reads a verifier key, as `example.com/log+1a2b3c4d+AX…`. Throws {@link NoteRefused}. */
export function verifierFrom(text: string): Verifier {
  const [, name = '', id = '', typed = ''] =
    /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(typed, 'base64');
  const kind = bytes[0];
  if (bytes.length !== 1 + KEY_BYTES || (kind !== ED25519 && kind !== COSIGNATURE))
    throw new NoteRefused('This is not the verifier key of an Ed25519 key: name+id+key is expected.');
  const verifier = verifierOf(name, kind, bytes.subarray(1));
  if (verifier.id.toString('hex') !== id)
    throw new NoteRefused(`The verifier key of ${name} is damaged: its id does not belong to its key.`);
  return verifier;
}

const line = (name: string, id: Buffer, signature: Buffer): string =>
  `\u2014 ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;

const cosigned = (text: string, seconds: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

/** Signs a text, which ends with a line break. Answers the whole note. */
export const signedNote = (text: string, { verifier, key }: Signer): string =>
  `${text}\n${line(verifier.name, verifier.id, sign(null, Buffer.from(text), key))}`;

/** A witness' line below a checkpoint's text (C2SP tlog-cosignature), at a time in whole seconds. */
export function cosignature(text: string, { verifier, key }: Signer, seconds: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  return line(verifier.name, verifier.id, Buffer.concat([time, sign(null, cosigned(text, seconds), key)]));
}

export interface Note {
  /** With its last line break. */
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly id: Buffer; readonly bytes: Buffer }[];
}

const SIGNATURE_LINE = /^\u2014 (\S+) ([A-Za-z0-9+/]+=*)$/;
const LONGEST_NOTE = 1_000_000;

/** Parts a note from its signatures, unchecked. Throws {@link NoteRefused}. */
export function parseNote(note: string): Note {
  const at = note.lastIndexOf('\n\n');
  if (
    at < 0 ||
    !note.endsWith('\n') ||
    note.length > LONGEST_NOTE ||
    /[\u0000-\u0009\u000b-\u001f]/.test(note)
  )
    throw new NoteRefused('This is not a signed note: a text, an empty line, and signatures are expected.');
  const lines = note.slice(at + 2, -1).split('\n');
  const signatures = lines.map((written) => {
    const [, name = '', base64 = ''] = SIGNATURE_LINE.exec(written) ?? [];
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length <= ID_BYTES) throw new NoteRefused('A line below the note is no signature.');
    return { name, id: bytes.subarray(0, ID_BYTES), bytes: bytes.subarray(ID_BYTES) };
  });
  return { text: note.slice(0, at + 1), signatures };
}

/**
 * The text of a note that this key has signed; signatures of others are passed over. Throws {@link
 * NoteRefused}.
 */
export function openNote(note: string, by: Verifier): { readonly text: string; readonly cosignedAt?: Date } {
  const { text, signatures } = parseNote(note);
  for (const { name, id, bytes } of signatures) {
    if (name !== by.name || !id.equals(by.id)) continue;
    if (by.kind === ED25519) {
      if (bytes.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), by.key, bytes)) return { text };
    } else if (bytes.length === TIME_BYTES + SIGNATURE_BYTES) {
      const seconds = Number(bytes.readBigUInt64BE());
      if (verify(null, cosigned(text, seconds), by.key, bytes.subarray(TIME_BYTES)))
        return { text, cosignedAt: new Date(seconds * 1_000) };
    }
    throw new NoteRefused(`The signature of ${by.name} does not hold: what it signed was changed.`);
  }
  throw new NoteRefused(`There is no signature of ${by.name} with this key.`);
}
