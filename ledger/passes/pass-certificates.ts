/**
 * What passes are signed with, checked when the process starts: a pass that a phone refuses is found out by
 * its owner at a till, and the phone does not say why. Pure; the clock comes in.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { BadSetting, type Configuration } from '#contracts/configuration';

export const PASS_SETTINGS = [
  'APPLE_PASS_CERTIFICATE',
  'APPLE_PASS_KEY',
  'APPLE_PASS_KEY_PASSPHRASE',
  'APPLE_WWDR_CERTIFICATE',
  'APPLE_PASS_TYPE_ID',
  'APPLE_TEAM_ID',
] as const;
type PassSettings = Configuration<(typeof PASS_SETTINGS)[number] | 'NODE_ENV'>;

/**
 * Where they are found in Nest's container: a {@link PassCertificates}, undefined where passes are not set
 * up.
 */
export const PASS_CERTIFICATES = Symbol('pass certificates');

/** Checked, and in the forms in which they are used. */
export interface PassCertificates {
  readonly certificatePem: string;
  /** In the clear, in memory only. */
  readonly keyPem: string;
  readonly wwdrPem: string;
  readonly passTypeId: string;
  readonly teamId: string;
  readonly validFrom: Date;
  /** From when on phones refuse what is signed. */
  readonly expiresAt: Date;
}

/**
 * Why no passes can be made now, in a sentence for whoever runs the ledger; undefined where they can. That is
 * no reason against a start: everything else works without passes.
 */
export function passesOff(certificates: PassCertificates, now: Date): string | undefined {
  const { validFrom, expiresAt } = certificates;
  if (now >= expiresAt)
    return `No Apple Wallet passes are made: their certificate has ended on ${expiresAt.toISOString()}. Renew it at Apple, and start the ledger again.`;
  if (now < validFrom)
    return `No Apple Wallet passes are made: their certificate is not valid before ${validFrom.toISOString()}. Is the clock right?`;
  return undefined;
}

/** What the local stack's own authority calls itself. */
const DEVELOPMENT = 'Encore development authority';

/**
 * The certificates; undefined where none of the settings is given. Throws {@link BadSetting} with one
 * sentence.
 */
export function passCertificates(settings: PassSettings): PassCertificates | undefined {
  const {
    APPLE_PASS_CERTIFICATE,
    APPLE_PASS_KEY,
    APPLE_WWDR_CERTIFICATE,
    APPLE_PASS_TYPE_ID,
    APPLE_TEAM_ID,
  } = settings;
  const needed = {
    APPLE_PASS_CERTIFICATE,
    APPLE_PASS_KEY,
    APPLE_WWDR_CERTIFICATE,
    APPLE_PASS_TYPE_ID,
    APPLE_TEAM_ID,
  };
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length === Object.keys(needed).length) return undefined;
  if (
    APPLE_PASS_CERTIFICATE === undefined ||
    APPLE_PASS_KEY === undefined ||
    APPLE_WWDR_CERTIFICATE === undefined ||
    APPLE_PASS_TYPE_ID === undefined ||
    APPLE_TEAM_ID === undefined
  )
    throw new BadSetting(
      `${missing.map(([name]) => name).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set: Apple Wallet passes need all of ${Object.keys(needed).join(', ')}, or none.`,
    );

  const certificate = certificateIn(APPLE_PASS_CERTIFICATE, 'APPLE_PASS_CERTIFICATE');
  const wwdr = certificateIn(APPLE_WWDR_CERTIFICATE, 'APPLE_WWDR_CERTIFICATE');
  const key = keyIn(APPLE_PASS_KEY, settings.APPLE_PASS_KEY_PASSPHRASE);
  const subject = partsOf(certificate.subject);
  if (!certificate.checkPrivateKey(key))
    throw new BadSetting('APPLE_PASS_KEY is not the key of APPLE_PASS_CERTIFICATE.');
  if (subject.get('UID') !== APPLE_PASS_TYPE_ID)
    throw new BadSetting(
      `APPLE_PASS_CERTIFICATE is for the pass type ${subject.get('UID') ?? '(none)'}, and APPLE_PASS_TYPE_ID says ${APPLE_PASS_TYPE_ID}.`,
    );
  if (subject.get('OU') !== APPLE_TEAM_ID)
    throw new BadSetting(
      `APPLE_PASS_CERTIFICATE is of the team ${subject.get('OU') ?? '(none)'}, and APPLE_TEAM_ID says ${APPLE_TEAM_ID}.`,
    );
  if (!certificate.checkIssued(wwdr) || !certificate.verify(wwdr.publicKey))
    throw new BadSetting('APPLE_WWDR_CERTIFICATE is not the one that issued APPLE_PASS_CERTIFICATE.');
  if (settings.NODE_ENV === 'production' && partsOf(wwdr.subject).get('CN') === DEVELOPMENT)
    throw new BadSetting('APPLE_WWDR_CERTIFICATE is the local stack’s own; production needs Apple’s.');

  return {
    certificatePem: certificate.toString(),
    keyPem: key.export({ type: 'pkcs1', format: 'pem' }).toString(),
    wwdrPem: wwdr.toString(),
    passTypeId: APPLE_PASS_TYPE_ID,
    teamId: APPLE_TEAM_ID,
    validFrom: new Date(Math.max(Date.parse(certificate.validFrom), Date.parse(wwdr.validFrom))),
    expiresAt: new Date(Math.min(Date.parse(certificate.validTo), Date.parse(wwdr.validTo))),
  };
}

function certificateIn(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new BadSetting(`${name} is not a certificate in PEM form.`);
  }
}

function keyIn(pem: string, passphrase: string | undefined): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, passphrase });
  } catch {
    throw new BadSetting(
      passphrase === undefined
        ? 'APPLE_PASS_KEY cannot be opened: it is not a private key in PEM form, or it needs APPLE_PASS_KEY_PASSPHRASE.'
        : 'APPLE_PASS_KEY cannot be opened: it is not a private key in PEM form, or APPLE_PASS_KEY_PASSPHRASE is wrong.',
    );
  }
  if (key.asymmetricKeyType !== 'rsa')
    throw new BadSetting('APPLE_PASS_KEY is not an RSA key, which Apple’s passes are signed with.');
  return key;
}

/** A distinguished name's parts; of doubled ones the first. */
function partsOf(name: string): Map<string, string> {
  const parts = name.split('\n').map((line): [string, string] => {
    const [key = '', ...value] = line.split('=');
    return [key, value.join('=')];
  });
  return new Map(parts.reverse());
}
