/** Makes a passkey with the person's authenticator. Apart, so that only who enrols one loads it. */
import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';

export const makePasskey = async (options: PublicKeyCredentialCreationOptionsJSON) =>
  startRegistration({ optionsJSON: options });

/** What a passkey made here is called: the device, as far as the browser says. */
export function deviceName(userAgent: string): string {
  const known = ['iPhone', 'iPad', 'Android', 'Mac', 'Windows', 'Linux'].find((name) =>
    userAgent.includes(name),
  );
  return known === undefined ? 'Passkey' : `Passkey on ${known}`;
}
