/**
 * A certificate for the event store's stand-in and the authority that vouches for it, made once and kept in a
 * folder: clients are given `authority.pem` as `tlsCAFile`. The authority's own key is kept nowhere, so
 * nobody can make another certificate with it.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { certificate, type DistinguishedName } from './certificate.js';
import { pem } from './der.js';
import type { Identity } from './grpc.js';

const YEARS = 10;

/** The file that clients trust, in a folder that has a development certificate. */
export const authorityFile = (folder: string): string => join(folder, 'authority.pem');

/**
 * The server's certificate and key, made where the folder has none, for this machine's names and further
 * ones.
 */
export function developmentCertificate(folder: string, furtherHosts: readonly string[]): Identity {
  if (!existsSync(folder))
    make(folder, [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...furtherHosts])]);
  return {
    certificate: readFileSync(join(folder, 'server.pem')),
    key: readFileSync(join(folder, 'server.key')),
  };
}

/** Written beside and then given its name, so that a folder that is there is whole. */
function make(folder: string, hosts: readonly string[]): void {
  const [authority, server] = [ellipticKeys(), ellipticKeys()];
  const issuer: DistinguishedName = { CN: 'Event store development authority', O: 'Encore' };
  const issue = (subject: DistinguishedName, publicKey: KeyObject, isAuthority: boolean): string =>
    pem(
      'CERTIFICATE',
      certificate({
        issuer,
        subject,
        publicKey,
        signedWith: authority.privateKey,
        now: new Date(),
        years: YEARS,
        isAuthority,
        hosts: isAuthority ? [] : hosts,
      }),
    );
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  writeFileSync(authorityFile(unfinished), issue(issuer, authority.publicKey, true));
  writeFileSync(
    join(unfinished, 'server.pem'),
    issue({ CN: 'localhost', O: 'Encore' }, server.publicKey, false),
  );
  writeFileSync(join(unfinished, 'server.key'), server.privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  });
  renameSync(unfinished, folder);
}

function ellipticKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}
