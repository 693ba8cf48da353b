/** Creates a passkey with the device's authenticator. A file of its own, so that it is loaded on demand. */
import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';

export const makePasskey = async (options: PublicKeyCredentialCreationOptionsJSON) =>
  startRegistration({ optionsJSON: options });

/** The label of a passkey: the device, as far as the browser tells. */
export function deviceName(userAgent: string): string {
  const known = ['iPhone', 'iPad', 'Android', 'Mac', 'Windows', 'Linux'].find((name) =>
    userAgent.includes(name),
  );
  return known === undefined ? 'Passkey' : `Passkey on ${known}`;
}
