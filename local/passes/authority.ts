/**
 * A development authority for Apple Wallet passes, in Apple's place: made once and kept in the data folder.
 * Its passes are signed as real ones are; a phone refuses them all the same, for it trusts Apple only.
 */
import { generateKeyPair, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { certificate, type DistinguishedName } from './certificate.js';
import { pem } from './der.js';

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

const inProgress = new Map<string, Promise<void>>();

/**
 * Makes the authority and its pass certificate where the folder has none; asked twice at once it makes one.
 */
export function makePassAuthority(folder: string): Promise<void> {
  if (existsSync(folder)) return Promise.resolve();
  let made = inProgress.get(folder);
  if (!made) {
    made = make(folder).finally(() => inProgress.delete(folder));
    inProgress.set(folder, made);
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
  const issue = (of: DistinguishedName, publicKey: KeyObject, years: number, isAuthority: boolean): string =>
    pem(
      'CERTIFICATE',
      certificate({
        issuer,
        subject: of,
        publicKey,
        signedWith: authority.privateKey,
        now,
        years,
        isAuthority,
      }),
    );
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  writeFileSync(join(unfinished, 'authority.pem'), issue(issuer, authority.publicKey, 20, true));
  writeFileSync(join(unfinished, 'pass.pem'), issue(subject, passes.publicKey, 10, false));
  writeFileSync(join(unfinished, 'pass.key'), passes.privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  });
  renameSync(unfinished, folder);
}
