/** X.509: as much of it as the development authority for wallet passes needs. */
import { randomBytes, sign, type KeyObject } from 'node:crypto';
import {
  bitString,
  bool,
  explicit,
  identifier,
  integer,
  nothing,
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
/** Whom a certificate is for, or who signed it. */
export type DistinguishedName = Partial<Record<keyof typeof ATTRIBUTES, string>>;

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
  /** The authority's RSA key. */
  readonly signedWith: KeyObject;
  readonly now: Date;
  readonly years: number;
  readonly isAuthority: boolean;
}

/** An X.509 certificate of version 3 in DER, signed with RSA and SHA-256. */
export function certificate(fields: CertificateFields): Buffer {
  const { issuer, subject, publicKey, signedWith, now, years, isAuthority } = fields;
  const algorithm = sequence(identifier('1.2.840.113549.1.1.11'), nothing());
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
      ),
    ),
  );
  return sequence(body, algorithm, bitString(sign('sha256', body, signedWith)));
}
