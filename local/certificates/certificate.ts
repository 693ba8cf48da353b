/** Certificates for development: X.509, as much of it as the authorities in the data folder need. */
import { randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  bitString,
  bool,
  identifier,
  integer,
  labelled,
  nothing,
  numbered,
  octetString,
  sequence,
  set,
  text,
  utcTime,
} from './der.js';

const ATTRIBUTES = {
  CN: '2.5.4.3',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  UID: '0.9.2342.19200300.100.1.1',
} as const;
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
  /** The hosts that a server's certificate is for: names and addresses. */
  readonly hosts?: readonly string[];
}

/** An X.509 certificate of version 3, signed with SHA-256 by an RSA key or one on an elliptic curve. */
export function certificate(issue: Issue): Buffer {
  const { issuer, subject, publicKey, signedWith, now, years, isAuthority, hosts = [] } = issue;
  const algorithm =
    signedWith.asymmetricKeyType === 'ec'
      ? sequence(identifier('1.2.840.10045.4.3.2'))
      : sequence(identifier('1.2.840.113549.1.1.11'), nothing());
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + years);
  const critical = (id: string, value: Buffer): Buffer =>
    sequence(identifier(id), bool(true), octetString(value));
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
        critical(
          '2.5.29.15',
          isAuthority ? bitString(Buffer.from([0b0000_0100]), 2) : bitString(Buffer.from([0b1000_0000]), 7),
        ),
        ...(hosts.length > 0
          ? [sequence(identifier('2.5.29.17'), octetString(sequence(...hosts.map(hostName))))]
          : []),
      ),
    ),
  );
  return sequence(body, algorithm, bitString(sign('sha256', body, signedWith)));
}

/** A host as an alternative name: a DNS name, or an address of version 4 or the loopback one of version 6. */
function hostName(host: string): Buffer {
  if (isIPv4(host)) return labelled(7, Buffer.from(host.split('.').map(Number)));
  if (host === '::1') return labelled(7, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]));
  return labelled(2, Buffer.from(host, 'latin1'));
}
