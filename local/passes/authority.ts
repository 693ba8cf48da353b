/**
 * A development authority for Apple Wallet passes, in Apple's place: made once and kept in the data folder. Its passes are signed as
 * real ones are; a phone refuses them all the same, for it trusts Apple only.
 */
import { generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  bitString,
  bool,
  identifier,
  integer,
  nothing,
  numbered,
  octetString,
  pem,
  sequence,
  set,
  text,
  utcTime,
} from './der.js';

export const PASS_TYPE_ID = 'pass.dev.encore.payment';
export const TEAM_ID = 'ENCOREDEV1';

/** The settings that name what is in the folder. */
export const passSettings = (folder: string): Record<string, string> => ({
  APPLE_PASS_CERTIFICATE_FILE: join(folder, 'pass.pem'),
  APPLE_PASS_KEY_FILE: join(folder, 'pass.key'),
  APPLE_WWDR_CERTIFICATE_FILE: join(folder, 'authority.pem'),
  APPLE_PASS_TYPE_ID: PASS_TYPE_ID,
  APPLE_TEAM_ID: TEAM_ID,
});

const being = new Map<string, Promise<void>>();

/** Makes the authority and its pass certificate where the folder has none; asked twice at once it makes one. */
export function makePassAuthority(folder: string): Promise<void> {
  if (existsSync(folder)) return Promise.resolve();
  let made = being.get(folder);
  if (!made) {
    made = make(folder).finally(() => being.delete(folder));
    being.set(folder, made);
  }
  return made;
}

/** Written beside and then given its name, so that a folder that is there is whole. */
async function make(folder: string): Promise<void> {
  const generate = promisify(generateKeyPair);
  // Apple's own are of this kind, and nothing else can sign a pass.
  const [authority, passes] = await Promise.all([
    generate('rsa', { modulusLength: 2048 }),
    generate('rsa', { modulusLength: 2048 }),
  ]);
  const now = new Date();
  const issuer = { CN: 'Encore development authority', O: 'Encore' };
  const subject = { UID: PASS_TYPE_ID, CN: `Pass Type ID: ${PASS_TYPE_ID}`, OU: TEAM_ID, O: 'Encore' };
  const issue = (of: Named, publicKey: KeyObject, years: number, isAuthority: boolean): string =>
    pem(
      'CERTIFICATE',
      certificate({ issuer, subject: of, publicKey, signedWith: authority.privateKey, now, years, isAuthority }),
    );
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  writeFileSync(join(unfinished, 'authority.pem'), issue(issuer, authority.publicKey, 20, true));
  writeFileSync(join(unfinished, 'pass.pem'), issue(subject, passes.publicKey, 10, false));
  writeFileSync(join(unfinished, 'pass.key'), passes.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  renameSync(unfinished, folder);
}

const ATTRIBUTES = { CN: '2.5.4.3', O: '2.5.4.10', OU: '2.5.4.11', UID: '0.9.2342.19200300.100.1.1' } as const;
export type Named = Partial<Record<keyof typeof ATTRIBUTES, string>>;

const nameOf = (named: Named): Buffer =>
  sequence(
    ...Object.entries(named).map(([key, value]) =>
      set(sequence(identifier(ATTRIBUTES[key as keyof typeof ATTRIBUTES]), text(value))),
    ),
  );

export interface Issue {
  readonly issuer: Named;
  readonly subject: Named;
  readonly publicKey: KeyObject;
  readonly signedWith: KeyObject;
  readonly now: Date;
  readonly years: number;
  readonly isAuthority: boolean;
}

/** An X.509 certificate of version 3, signed with RSA and SHA-256. */
export function certificate({ issuer, subject, publicKey, signedWith, now, years, isAuthority }: Issue): Buffer {
  const algorithm = sequence(identifier('1.2.840.113549.1.1.11'), nothing());
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + years);
  const critical = (id: string, value: Buffer): Buffer => sequence(identifier(id), bool(true), octetString(value));
  const body = sequence(
    numbered(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    nameOf(issuer),
    sequence(utcTime(now), utcTime(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    numbered(
      3,
      sequence(
        critical('2.5.29.19', sequence(...(isAuthority ? [bool(true)] : []))),
        // To sign certificates, or to sign.
        critical('2.5.29.15', isAuthority ? bitString(Buffer.from([0b0000_0100]), 2) : bitString(Buffer.from([0b1000_0000]), 7)),
      ),
    ),
  );
  return sequence(body, algorithm, bitString(sign('sha256', body, signedWith)));
}
