/** X.509: as much of it as a development certificate and its authority need. */
import { randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  bitString,
  bool,
  explicit,
  identifier,
  implicit,
  integer,
  octetString,
  sequence,
  set,
  text,
  utcTime,
} from './der.js';

const ATTRIBUTES = { CN: '2.5.4.3', O: '2.5.4.10' } as const;
/** Whom a certificate is for, or who signed it. */
export type DistinguishedName = Readonly<Record<keyof typeof ATTRIBUTES, string>>;

const nameOf = (name: DistinguishedName): Buffer =>
  sequence(
    ...Object.entries(name).map(([key, value]) =>
      set(sequence(identifier(ATTRIBUTES[key as keyof typeof ATTRIBUTES]), text(value))),
    ),
  );

export interface CertificateFields {
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  readonly publicKey: KeyObject;
  /** The authority's key, on an elliptic curve. */
  readonly signedWith: KeyObject;
  readonly now: Date;
  readonly years: number;
  readonly isAuthority: boolean;
  /** The names and addresses that a server's certificate is for; none for an authority. */
  readonly hosts: readonly string[];
}

/** An X.509 certificate of version 3 in DER, signed with ECDSA and SHA-256. */
export function certificate(fields: CertificateFields): Buffer {
  const { issuer, subject, publicKey, signedWith, now, years, isAuthority, hosts } = fields;
  const algorithm = sequence(identifier('1.2.840.10045.4.3.2'));
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + years);
  const critical = (id: string, value: Buffer): Buffer =>
    sequence(identifier(id), bool(true), octetString(value));
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    nameOf(issuer),
    sequence(utcTime(now), utcTime(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
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

/** A host as an alternative name: a DNS name, an IPv4 address, or the IPv6 loopback address. */
function hostName(host: string): Buffer {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split('.').map(Number)));
  if (host === '::1') return implicit(7, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]));
  return implicit(2, Buffer.from(host, 'latin1'));
}
